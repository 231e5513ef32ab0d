// connection: one accepted client. Cuts frames, gives each request a slot, hands it to the session, writes answers in
// request order, and closes when a limit is passed. Everything but answer() and close() runs on its I/O thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "protocol/framing.hpp"
#include "server/answer_queue.hpp"
#include "server/io_thread.hpp"
#include "server/limits.hpp"
#include "server/load.hpp"
#include "server/session.hpp"
#include "server/transport.hpp"

namespace weir::server {

/// What all connections of a server share; outlives them all through their share in it.
struct server_shared {
  server_shared(const server_limits& most, const std::function<void()>& available)
      : limits(most), budget(most.in_flight_max, available), buffers(most.unfinished_bytes_max, available) {}

  server_limits limits;
  request_budget budget;
  buffer_budget buffers;
  server_totals totals;
  log::flood_guard closings{20, 10'000};  ///< lines about connections that were closed
  std::atomic<bool> stopping{false};
  session_factory* sessions = nullptr;  ///< used only while the server runs
};

class connection final : public client_connection,
                         public transport_owner,
                         public std::enable_shared_from_this<connection> {
 public:
  /// `closed` is called once, on the I/O thread, when the connection has been closed.
  connection(std::shared_ptr<io_thread> io, std::shared_ptr<server_shared> shared, connection_info info,
             std::unique_ptr<transport> bytes, std::function<void()> closed);
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection() override;

  // client_connection: any thread
  void answer(std::uint64_t slot, bytes frame) noexcept override;
  [[nodiscard]] const connection_info& info() const noexcept override { return info_; }
  void close(std::string reason) override;
  [[nodiscard]] std::size_t untaken_bytes() const override;
  [[nodiscard]] boost::asio::io_context& context() noexcept override { return io_->context(); }

  // I/O thread
  void start() noexcept;
  /// Writes the answers that are ready.
  void flush() noexcept;
  /// Goes on reading if a limit had stopped it.
  void resume() noexcept;
  /// Reads no more; closes when everything has been answered and written.
  void drain();
  void check_deadlines(std::int64_t now_ms) noexcept;
  /// Closes at once, without a line above debug level.
  void close_now(std::string_view reason);

 private:
  template <class Work>
  void serve(Work work) noexcept;
  void on_readable(bool broken) noexcept override;
  void on_writable(bool broken) noexcept override;
  void read();
  [[nodiscard]] std::span<std::uint8_t> read_buffer();
  void count_buffer();
  void drop_buffer();
  void take_requests();
  [[nodiscard]] bool take_one(byte_view frame);
  [[nodiscard]] bool may_take_one();
  void give_back_one();
  void wait_for_more();
  [[nodiscard]] bool takes_requests() const { return transport_ && !draining_ && !ended_; }
  [[nodiscard]] bool at_a_limit() const;
  void client_ended();
  void close_if_late(std::int64_t now_ms);
  void look_at_peer();
  void write();
  [[nodiscard]] bool write_once();
  void written(std::size_t count);
  void after_write();
  void offend(std::string_view reason);
  void time_out(std::string_view reason);
  void fault(const char* what);
  void tell(log::level at, std::string_view reason);
  void tell_and_shut(log::level at, std::string_view reason);
  void shut();

  std::shared_ptr<io_thread> io_;
  std::shared_ptr<server_shared> shared_;
  connection_info info_;
  std::unique_ptr<transport> transport_;  // null once closed
  std::function<void()> closed_;
  std::unique_ptr<connection_session> session_;
  protocol::frame_cutter cutter_;
  answer_queue answers_;
  std::vector<bytes> unwritten_;  // answers to write, from unwritten_first_ on
  std::size_t unwritten_first_ = 0;
  std::size_t unwritten_offset_ = 0;  // bytes of the first that are written
  std::size_t unwritten_bytes_ = 0;   // of all of them, what is written of the first included
  std::size_t held_ = 0;              // requests read and not yet answered and written
  std::int64_t last_use_ms_ = 0;
  std::int64_t frame_deadline_ms_ = 0;  // 0: no frame has begun
  std::int64_t write_deadline_ms_ = 0;  // 0: nothing waits to be written
  std::int64_t end_deadline_ms_ = 0;    // 0: the client has not ended its side, as far as is known
  bool waiting_read_ = false;
  bool waiting_write_ = false;
  std::size_t unfinished_bytes_ = 0;  // counted in the process's budget
  bool starved_ = false;  // of requests in flight
  bool no_room_ = false;  // for more of a frame
  bool draining_ = false;
  bool ended_ = false;  // the client sends no more: close when everything is answered
};

}  // namespace weir::server
