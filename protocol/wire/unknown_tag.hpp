// unknown_tag: a tagged field of a newer schema. Kept while decoding and written back, so relaying loses nothing.
#pragma once

#include <cstdint>

#include "base/text.hpp"

namespace weir::protocol::wire {

class reader;
class writer;

/// Lists of these rise strictly by tag and hold no tag that the message knows in that version.
struct unknown_tag {
  std::uint32_t tag = 0;
  text data;

  bool operator==(const unknown_tag&) const = default;
};

}  // namespace weir::protocol::wire

namespace weir::protocol {
using wire::unknown_tag;
}  // namespace weir::protocol
