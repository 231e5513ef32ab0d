// The coordinator of one group around the functional core, as small as it can be: decides, applies at once, writes
// later, holds answers until their writes are durable, and forgets what could not be written. Checks after every change
// what must hold of the group. No threads, no clock: the scene says what time it is and when the disk is ready.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assignor/registry.hpp"
#include "group/offsets/commit.hpp"
#include "group/streams_group.hpp"
#include "metadata/hash_cache.hpp"
#include "tests/simulation/answer_rules.hpp"
#include "tests/simulation/byte_log.hpp"
#include "tests/simulation/defect.hpp"
#include "tests/simulation/plan.hpp"

namespace weir::simulation {

class node {
 public:
  using reply = std::function<void(const response&)>;
  /// The plan must outlive the node.
  node(const plan& p, defect broken);

  /// The reply comes once the answer's writes are durable, or with error 15 if they failed, or never.
  void heartbeat(const request& r, const group::request_context& context, std::int64_t now_ms, reply done);
  /// OffsetCommit of one partition; whether it was accepted.
  bool commit(const group::commit_check& asked, std::int64_t now_ms);
  void remove_member(const std::string& member_id, std::int64_t now_ms);
  void delete_group();

  [[nodiscard]] std::optional<std::int64_t> wake_up_at() const;
  void wake_up(std::int64_t now_ms);
  void set_image(metadata::image_ptr next);
  [[nodiscard]] const metadata::image_ptr& image() const noexcept { return image_; }
  void configure(const std::string& key, const std::string& value);
  [[nodiscard]] const group::group_config& config() const noexcept { return config_; }
  /// Internal topics that answers asked for since the last call.
  [[nodiscard]] std::map<std::string, group::internal_topic, std::less<>> take_missing_topics();

  [[nodiscard]] bool has_unwritten() const noexcept { return !unwritten_.empty(); }
  /// The disk has taken everything that waits.
  void written();
  /// The disk has refused it.
  void not_written(std::int64_t now_ms);
  /// The process ends and starts again: what is not durable, who waits and soft state are lost.
  void restart(std::int64_t now_ms);
  /// At the end: the whole log in every form against the state.
  void check_replay_in_every_form() const;

  [[nodiscard]] const group::streams_group& state() const noexcept { return group_; }
  /// Grows with every change of hard state.
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }

 private:
  struct held_answer {
    std::uint64_t write;
    response answer;
    reply done;
  };
  struct epochs {
    std::int32_t group = 0;
    std::int32_t assignment = 0;
  };

  [[nodiscard]] group::world world(std::int64_t now_ms);
  group::heartbeat_outcome decide(const request& r, const group::request_context& context, const group::world& world);
  void write(group::records records);
  void apply(const std::vector<group::soft_update>& updates);
  void note_move(const group::record& r);
  void check_processes() const;
  void check_readers() const;
  void check_epochs(const group::streams_group& group);
  void rebuild(std::int64_t now_ms);
  void begin_long_turn();

  const plan& plan_;
  defect broken_;
  metadata::image_ptr image_;
  int turns_left_ = 0;  ///< heartbeats until the patterns have been tried on the topics of the image
  metadata::hash_cache hashes_;
  assignor::registry assignors_;
  group::overrides overrides_;
  group::group_config config_;

  group::streams_group group_;
  group::streams_group durable_;  ///< what the log has
  byte_log log_;
  std::deque<group::records> unwritten_;
  std::deque<held_answer> held_;
  std::uint64_t writes_ = 0;    ///< decided
  std::uint64_t durables_ = 0;  ///< of them durable
  std::uint64_t changes_ = 0;
  epochs durable_epochs_;
  std::map<std::string, group::internal_topic, std::less<>> missing_topics_;
  std::set<std::string> moved_processes_;  ///< that a static member returned in, until the group is STABLE
};

}  // namespace weir::simulation
