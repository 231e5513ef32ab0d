// The tagged fields at the end of every structure of a flexible version: count, then by rising tag: tag, size, bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/wire/reader.hpp"
#include "protocol/wire/unknown_tag.hpp"
#include "protocol/wire/writer.hpp"

namespace weir::protocol::wire {

/// Reads a tag section. `known(tag)` reads the field of a tag it knows and returns true; other tags are kept in
/// `unknown`.
template <class Known>
void read_tags(reader& in, std::vector<unknown_tag>& unknown, Known&& known) {
  const auto count = in.varint();
  std::int64_t previous = -1;
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    const auto tag = in.varint();
    const auto size = in.varint();
    if (static_cast<std::int64_t>(tag) <= previous) return in.fail("tags do not rise");
    previous = tag;
    in.exactly(size, [&] {
      if (!known(tag) && in.ok()) unknown.push_back({tag, in.raw(size)});
    });
  }
}

/// The same for a structure that knows no tags.
inline void read_tags(reader& in, std::vector<unknown_tag>& unknown) {
  read_tags(in, unknown, [](std::uint32_t) { return false; });
}

/// Writes a tag section: tell it how many known fields are not at their default, hand those over by rising tag, finish.
class tag_section {
 public:
  tag_section(writer& out, const std::vector<unknown_tag>& unknown, std::size_t known) : out_(out), unknown_(unknown) {
    out.varint(static_cast<std::uint32_t>(unknown.size() + known));
  }
  template <class Write>
  void field(std::uint32_t tag, Write&& write) {
    unknown_below(tag);
    out_.varint(tag);
    const auto start = out_.size();
    write();
    out_.prefix_size(start);
  }
  void finish() { unknown_below(std::uint64_t{1} << 32); }

 private:
  void unknown_below(std::uint64_t tag) {
    for (; next_ < unknown_.size() && unknown_[next_].tag < tag; ++next_) {
      out_.varint(unknown_[next_].tag);
      out_.varint(static_cast<std::uint32_t>(unknown_[next_].data.size()));
      out_.raw(unknown_[next_].data);
    }
  }

  writer& out_;
  const std::vector<unknown_tag>& unknown_;
  std::size_t next_ = 0;
};

inline void write_tags(writer& out, const std::vector<unknown_tag>& unknown) { tag_section(out, unknown, 0).finish(); }

}  // namespace weir::protocol::wire
