// reader: takes Kafka's primitive types off a frame without trusting it. The first thing that does not fit is
// remembered, everything read after it is zero, empty or null, so a whole message is read first and checked once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"
#include "protocol/wire/varint.hpp"

namespace weir::protocol::wire {

/// Longest string on the wire, bytes: a signed 16 bit length, and the same bound in flexible versions.
inline constexpr std::size_t string_bytes_max = 0x7FFF;
/// Arrays are reserved up to this many elements; longer ones grow as their bytes turn out to be there.
inline constexpr std::size_t reserved_elements_max = 1024;

/// Looks at bytes that somebody else keeps; every text it returns is a view of them. One thread.
class reader {
 public:
  /// All arrays together may have `elements_max` elements.
  explicit reader(byte_view frame, std::size_t elements_max = limits::array_elements_max) noexcept
      : begin_(frame.data()),
        position_(frame.data()),
        end_(frame.data() + frame.size()),
        elements_left_(elements_max) {}

  [[nodiscard]] bool ok() const noexcept { return reason_ == nullptr; }
  /// What did not fit, for a log line; empty while ok().
  [[nodiscard]] std::string_view reason() const noexcept { return ok() ? std::string_view() : reason_; }
  /// Bytes read so far, or where the failure was found.
  [[nodiscard]] std::size_t position() const noexcept { return static_cast<std::size_t>(position_ - begin_); }
  /// Bytes not yet read; 0 after a failure.
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - position_); }
  /// Marks the input as bad; the first reason stays. `reason` must live for ever.
  void fail(const char* reason) noexcept {
    if (ok()) reason_ = reason;
    end_ = position_;
  }

  bool boolean() noexcept;
  std::int8_t int8() noexcept;
  std::int16_t int16() noexcept;
  std::int32_t int32() noexcept;
  std::int64_t int64() noexcept;
  std::uint16_t uint16() noexcept;
  std::uint32_t uint32() noexcept;
  double float64() noexcept;
  weir::uuid uuid() noexcept;
  std::uint32_t varint() noexcept;

  /// Strings and bytes: `flexible` picks the compact layout. Null fails where it is not allowed.
  text string(bool flexible) noexcept;
  std::optional<text> nullable_string(bool flexible) noexcept;
  text blob(bool flexible) noexcept;
  std::optional<text> nullable_blob(bool flexible) noexcept;

  /// Arrays. `element_bytes` (at least 1) is the least an element takes: a count that cannot fit is refused before
  /// anything is allocated. `read(element)` fills one default-constructed element.
  template <class T, class Read>
  void array(bool flexible, std::size_t element_bytes, std::vector<T>& out, Read&& read) {
    const auto count = array_count(flexible, element_bytes);
    if (count < 0) return fail("null array where null is not allowed");
    elements(static_cast<std::size_t>(count), out, read);
  }
  template <class T, class Read>
  void nullable_array(bool flexible, std::size_t element_bytes, std::optional<std::vector<T>>& out, Read&& read) {
    const auto count = array_count(flexible, element_bytes);
    if (count < 0) return out.reset();
    elements(static_cast<std::size_t>(count), out.emplace(), read);
  }

  /// The byte in front of a nullable structure: is there one? (-1 no, 1 yes)
  bool structure_present() noexcept;

  /// Runs `read` on exactly the next `size` bytes; fails if they are not there or not all used.
  template <class Read>
  void exactly(std::size_t size, Read&& read) {
    if (size > left()) return fail("tagged field longer than what is left");
    const auto* const outer = end_;
    end_ = position_ + size;
    read();
    if (!ok()) return;
    if (position_ != end_) return fail("tagged field longer than its type");
    end_ = outer;
  }

  /// The next `size` bytes as they are.
  text raw(std::size_t size) noexcept;

 private:
  /// The next `size` bytes, or nullptr after a failure.
  const std::uint8_t* take(std::size_t size) noexcept;
  template <class T>
  T integer() noexcept;
  text not_null(std::optional<text> value) noexcept;
  /// -1 for null; otherwise a count whose elements can be there.
  std::int64_t array_count(bool flexible, std::size_t element_bytes) noexcept;
  /// -1 for null; failure also gives -1.
  std::int64_t compact_length() noexcept { return static_cast<std::int64_t>(varint()) - 1; }

  template <class T, class Read>
  void elements(std::size_t count, std::vector<T>& out, Read& read) {
    out.clear();
    if (count == 0) return;
    out.reserve(std::min(count, reserved_elements_max));
    for (std::size_t i = 0; i < count && ok(); ++i) read(out.emplace_back());
  }

  const std::uint8_t* begin_;
  const std::uint8_t* position_;
  const std::uint8_t* end_;
  std::size_t elements_left_;
  const char* reason_ = nullptr;
};

}  // namespace weir::protocol::wire
