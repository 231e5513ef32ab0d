// A coordinator that does what the test says: no actors, no groups, answers inside the call.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "actors/coordinator.hpp"
#include "group/defaults.hpp"
#include "protocol/codec.hpp"
#include "protocol/messages/streams_group_heartbeat_response.hpp"

namespace weir::server::testing {

class fake_coordinator final : public actors::coordinator {
 public:
  using described_group = protocol::streams_group_describe_response::described_group_data;

  /// Answered to every heartbeat that comes; the calls are kept.
  protocol::streams_group_heartbeat_response heartbeat_answer;
  std::vector<actors::heartbeat_call> heartbeats;
  std::map<std::string, described_group> described;
  std::vector<group::group_summary> groups;
  protocol::error_code commit_result = protocol::error_code::none;
  std::vector<actors::commit_request> commits;
  std::map<std::string, actors::fetched_offsets> fetched;
  std::vector<actors::fetch_request> fetches;
  std::map<std::string, protocol::error_code> deletable;
  std::map<std::string, group::overrides> overrides;
  std::vector<metadata::image_ptr> images;
  /// Keeps the answers to publish_image() until the test calls them.
  bool hold_published = false;
  std::vector<std::function<void()>> published;
  actors::coordinator_options settings;
  mutable std::mutex mutex;  ///< I/O threads call while the test looks

  void let_go() override {}
  void stop(std::int64_t /*limit_ms*/) override {}

  void heartbeat(actors::heartbeat_call call) override {
    const std::lock_guard lock(mutex);
    call.sink->answer(call.slot,
                      protocol::encode_response_frame(call.correlation_id, heartbeat_answer, call.context.version));
    heartbeats.push_back(std::move(call));
  }

  void describe(std::string group_id, actors::reply<described_group> done) override {
    const auto found = described.find(group_id);
    if (found != described.end()) return done(found->second);
    described_group unknown;
    unknown.error_code = code_of(protocol::error_code::group_id_not_found);
    unknown.group_id = text(group_id);
    unknown.group_state = "Dead";
    done(std::move(unknown));
  }
  void list(actors::reply<std::vector<group::group_summary>> done) override { done(groups); }
  void list_some(actors::group_range, actors::reply<actors::group_rows> done) override { done({groups, {}, true}); }
  void view(std::string /*group_id*/, actors::reply<actors::viewed_group> done) override {
    done(protocol::refuse(protocol::error_code::group_id_not_found));
  }

  void view_state(std::string group_id, actors::reply<actors::viewed_group> done) override {
    view(std::move(group_id), std::move(done));
  }
  void view_member(std::string group_id, std::string /*member*/, actors::reply<actors::viewed_group> done) override {
    view(std::move(group_id), std::move(done));
  }
  void health_of(std::string /*group_id*/, std::string /*member*/, actors::reply<actors::told_health> done) override {
    done(protocol::refuse(protocol::error_code::group_id_not_found));
  }

  void timeline_of(std::string /*group_id*/, actors::timeline_query /*query*/,
                   actors::reply<actors::told_timeline> done) override {
    done(protocol::refuse(protocol::error_code::group_id_not_found));
  }

  void commit(actors::commit_request request, actors::reply<protocol::error_code> done) override {
    commits.push_back(std::move(request));
    done(commit_result);
  }
  void check_commit(actors::commit_request /*request*/, actors::reply<protocol::error_code> done) override {
    done(commit_result);
  }
  void fetch(actors::fetch_request request, actors::reply<actors::fetched_offsets> done) override {
    fetches.push_back(request);
    done(fetched[request.group_id]);
  }
  void check_fetch(actors::fetch_request /*request*/, actors::reply<protocol::error_code> done) override {
    done(protocol::error_code::none);
  }
  void delete_group(std::string group_id, actors::reply<protocol::error_code> done) override {
    const auto found = deletable.find(group_id);
    done(found == deletable.end() ? protocol::error_code::group_id_not_found : found->second);
  }

  actors::offset_deletion_answer deletion_answer;
  std::vector<actors::offset_deletion_request> deletions;
  void delete_offsets(actors::offset_deletion_request request,
                      actors::reply<actors::offset_deletion_answer> done) override {
    deletions.push_back(std::move(request));
    done(deletion_answer);
  }
  std::vector<actors::transaction_end> ends;
  protocol::error_code end_result = protocol::error_code::none;
  void end_transaction(actors::transaction_end end, actors::reply<protocol::error_code> done) override {
    ends.push_back(std::move(end));
    done(end_result);
  }
  protocol::kafka_result<void> description_result;
  void update_description(actors::framed<protocol::streams_group_topology_description_update_request> /*request*/,
                          actors::reply<protocol::kafka_result<void>> done) override {
    done(description_result);
  }

  // Classic members: those of one group, decided by the rules themselves.
  group::streams_group classic;
  void join_classic(actors::framed<protocol::join_group_request> request, group::classic_context context,
                    actors::reply<protocol::join_group_response> done) override {
    const auto outcome = group::join_classic(classic, *request, context);
    take(outcome);
    done(outcome.answer ? *outcome.answer : outcome.joined.back().second);
  }
  void sync_classic(actors::framed<protocol::sync_group_request> request,
                    actors::reply<protocol::sync_group_response> done) override {
    const auto outcome = group::sync_classic(classic, *request, 0);
    take(outcome);
    done(outcome.answer ? *outcome.answer : outcome.synced.back().second);
  }
  void beat_classic(actors::framed<protocol::heartbeat_request> request,
                    actors::reply<protocol::error_code> done) override {
    const auto outcome = group::beat_classic(classic, *request, 0);
    take(outcome);
    done(outcome.answer);
  }
  void leave_classic(actors::framed<protocol::leave_group_request> request, std::int16_t version,
                     actors::reply<protocol::leave_group_response> done) override {
    const auto outcome = group::leave_classic(classic, *request, version, 0);
    take(outcome);
    done(outcome.answer);
  }
  void describe_classic(std::string group_id,
                        actors::reply<protocol::describe_groups_response::described_group_data> done) override {
    auto asked = classic;
    if (group_id != classic.id) asked = {};
    asked.id = std::move(group_id);
    done(group::describe_classic(asked));
  }
  std::vector<group::consumer_caller> consumers;
  protocol::consumer_group_heartbeat_response consumer_answer;
  void heartbeat_consumer(actors::framed<protocol::consumer_group_heartbeat_request> /*request*/,
                          group::consumer_caller caller,
                          actors::reply<protocol::consumer_group_heartbeat_response> done) override {
    consumers.push_back(std::move(caller));
    done(consumer_answer);
  }
  void describe_consumers(
      std::string group_id,
      actors::reply<protocol::consumer_group_describe_response::described_group_data> done) override {
    group::streams_group asked;
    asked.kind = kind_of(group_id);
    if (asked.kind == group::group_kind::consumer) asked.consumer.emplace();
    asked.id = std::move(group_id);
    done(group::describe_consumers(asked, metadata::image()));
  }
  void take(const group::classic_outcome& outcome) {
    for (const auto& r : outcome.records) group::apply(classic, r);
    group::apply(classic, outcome.soft);
  }
  std::map<std::string, group::group_kind, std::less<>> kinds;
  [[nodiscard]] group::group_kind kind_of(std::string_view group_id) const override {
    const auto found = kinds.find(group_id);
    return found == kinds.end() ? group::group_kind::none : found->second;
  }
  [[nodiscard]] std::vector<std::string> configured_groups() const override {
    std::vector<std::string> ids;
    for (const auto& [id, set] : overrides) ids.push_back(id);
    return ids;
  }

  void alter_config(std::string group_id, actors::config_edit edit,
                    actors::reply<protocol::kafka_result<void>> done) override {
    auto set = overrides[group_id];
    if (auto edited = edit(set); !edited) return done(edited);
    if (auto valid = group::check(set, settings.broker); !valid) {
      return done(protocol::refuse(protocol::error_code::invalid_config, valid.error().message));
    }
    overrides[group_id] = std::move(set);
    done({});
  }
  void config(std::string group_id, actors::reply<group::overrides> done) override { done(overrides[group_id]); }

  group::overrides tuned;  ///< what defaults() have beside `settings`
  [[nodiscard]] actors::defaults_ptr defaults() const override {
    return std::make_shared<actors::group_defaults>(
        actors::group_defaults{.set = tuned, .broker = group::with_defaults(tuned, settings.broker), .history = {}});
  }
  void alter_defaults(actors::defaults_request, actors::reply<actors::defaults_result> done) override { done({}); }
  void administer(actors::admin_request, actors::reply<actors::admin_result> done) override { done({}); }

  void publish_image(metadata::image_ptr image, std::function<void()> done) override {
    images.push_back(std::move(image));
    if (hold_published) {
      published.push_back(std::move(done));
    } else {
      done();
    }
  }
  [[nodiscard]] metadata::image_ptr image() const override { return images.empty() ? nullptr : images.back(); }
  [[nodiscard]] const actors::coordinator_options& options() const noexcept override { return settings; }
};

}  // namespace weir::server::testing
