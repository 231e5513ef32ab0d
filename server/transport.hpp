// transport: the bytes of one accepted connection. connection.cpp knows only this interface, so that an encrypted
// transport can take the place of the plain one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/bytes.hpp"

namespace weir::server {

/// What one attempt to move bytes gave.
struct io_count {
  enum class state : std::uint8_t {
    moved,    ///< `bytes` of them, at least one
    blocked,  ///< nothing now; wait
    ended,    ///< the peer has closed its side
    failed,   ///< the connection is broken
  };
  state what = state::moved;
  std::size_t bytes = 0;
};

/// What the peer has done to the connection, as far as can be seen without reading.
enum class peer_state : std::uint8_t {
  open,
  ended,  ///< it sends no more; whether it still takes answers is not known
  gone,   ///< the connection is broken
};

/// Told when waiting is over, on the connection's I/O thread. `broken`: it is of no use to try.
class transport_owner {
 public:
  virtual ~transport_owner() = default;
  virtual void on_readable(bool broken) noexcept = 0;
  virtual void on_writable(bool broken) noexcept = 0;
};

/// Used by the connection's I/O thread alone. Nothing blocks. Destroying it closes the connection; owners that wait are
/// told `broken` afterwards.
class transport {
 public:
  virtual ~transport() = default;
  virtual io_count read_some(std::span<std::uint8_t> into) = 0;
  /// Writes the parts one after the other, as far as the peer takes them.
  virtual io_count write_some(std::span<const byte_view> parts) = 0;
  [[nodiscard]] virtual peer_state peer() const = 0;
  /// At most one wait of each kind at a time; the owner is kept alive until it has been told.
  virtual void wait_readable(std::shared_ptr<transport_owner> owner) = 0;
  virtual void wait_writable(std::shared_ptr<transport_owner> owner) = 0;
};

}  // namespace weir::server
