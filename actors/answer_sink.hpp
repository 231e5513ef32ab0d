// answer_sink: where encoded answers go. Apart from coordinator.hpp so that sockets need not know the group rooms.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace weir::actors {

/// A connection with numbered slots. answer() may be called from any thread.
class answer_sink {
 public:
  virtual ~answer_sink() = default;
  /// frame: the whole response frame including its 4-byte length; takes slot's place in the order of the connection.
  virtual void answer(std::uint64_t slot, bytes frame) noexcept = 0;
};

}  // namespace weir::actors
