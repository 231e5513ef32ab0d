// answer_queue: the numbered slots of one connection. Requests take slots in order, answers fill them in any order, and
// only the prefix without a gap may be written: Kafka's clients take the answers of a connection in request order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/bytes.hpp"

namespace weir::server {

/// Slots are numbered 0, 1, 2, ... over the life of the connection.
class answer_queue {
 public:
  /// The next slot. Called by the connection's I/O thread.
  std::uint64_t reserve();

  /// Fills a slot; any thread. An empty frame means that the request gets no answer. True: the owner has to be woken,
  /// because a prefix became ready and nobody has been told. A slot filled twice or never reserved, and any slot after
  /// close(), is ignored.
  bool put(std::uint64_t slot, bytes frame);

  /// Moves the ready prefix to the end of `out`. If there is none, the next put() that makes one says so.
  void take_ready(std::vector<bytes>& out);

  /// Bytes of answers put and not yet taken.
  [[nodiscard]] std::size_t held_bytes() const;

  /// Drops what is there and all that comes.
  void close();

 private:
  struct slot_state {
    bytes frame;
    bool ready = false;
  };
  [[nodiscard]] slot_state& at(std::uint64_t slot) noexcept { return ring_[slot & (ring_.size() - 1)]; }
  void grow();

  mutable std::mutex mutex_;
  std::vector<slot_state> ring_;  // size is a power of two, or 0
  std::size_t held_bytes_ = 0;
  std::uint64_t first_ = 0;   // oldest slot not taken
  std::uint64_t next_ = 0;    // next slot to give out
  bool owner_knows_ = false;  // the owner has been told and has not found the prefix empty since
  bool closed_ = false;
};

}  // namespace weir::server
