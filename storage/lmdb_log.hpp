// The log of one node: every live record and the small tables beside them in one LMDB environment, written in batches
// by one thread. Opened by cli/serve, outlives the coordinator.
#pragma once

#include <memory>

#include "storage/lmdb_env.hpp"
#include "storage/log_writer.hpp"
#include "storage/record_log.hpp"

namespace weir::storage {

struct lmdb_log_options {
  lmdb_options environment;
  log_writer_options writer;
};

class lmdb_log final : public record_log {
 public:
  /// Errors: those of lmdb_env::open, in words for the operator.
  static result<std::unique_ptr<lmdb_log>> open(lmdb_log_options options);
  /// As stop().
  ~lmdb_log() override;

  void append(append_request request) override;
  result<void> replay(const visitor& visit) override;
  result<void> replay_group(std::string_view group_id, const visitor& visit) override;
  result<void> read_table(table from, const std::function<void(std::string_view, std::string_view)>& visit) override;
  result<void> read_back(table from, std::string_view prefix, std::string_view below,
                         const stopping_visitor& visit) override;
  result<std::optional<std::string>> read_value(table from, std::string_view key) override;
  [[nodiscard]] bool full() const noexcept override { return writer_->full(); }
  [[nodiscard]] std::optional<std::string> not_writable() const override { return writer_->not_writable(); }
  [[nodiscard]] std::size_t queued() const noexcept override { return writer_->queued(); }

  /// Writes what is queued; later appends are refused.
  void stop() { writer_->stop(); }

 private:
  class store;
  lmdb_log() = default;

  std::unique_ptr<lmdb_env> env_;
  std::unique_ptr<store> store_;
  std::unique_ptr<log_writer> writer_;
};

}  // namespace weir::storage
