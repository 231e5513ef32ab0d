// Stands in for the coordinator and the catalogue in the tests of the admin API.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/coordinator.hpp"
#include "group/waiting_for.hpp"
#include "http/admin_api.hpp"

namespace weir::http::test {

class fake_coordinator final : public actors::coordinator {
 public:
  std::vector<group::group_summary> rows;
  std::map<std::string, std::shared_ptr<const group::group_view>> views;
  std::map<std::string, protocol::streams_group_describe_response::described_group_data> described;
  protocol::error_code without_view = protocol::error_code::group_id_not_found;
  metadata::image_ptr topics = std::make_shared<metadata::image>();

  void list(actors::reply<std::vector<group::group_summary>> done) override { done(rows); }
  void list_some(actors::group_range range, actors::reply<actors::group_rows> done) override {
    actors::group_rows out{{}, range.after.value_or(""), true};
    for (const auto& row : rows) {
      if (row.id <= range.after || !row.id.starts_with(range.prefix)) continue;
      if (!(out.complete = out.rows.size() < range.most)) break;
      out.rows.push_back(row);
      out.last = row.id;
    }
    rows_told += out.rows.size();
    done(std::move(out));
  }
  std::size_t rows_told = 0;  ///< by list_some()
  void view(std::string id, actors::reply<actors::viewed_group> done) override {
    const auto found = views.find(id);
    if (found != views.end()) return done(found->second);
    done(protocol::refuse(without_view));
  }
  void view_state(std::string id, actors::reply<actors::viewed_group> done) override {
    view(std::move(id), std::move(done));
  }
  void view_member(std::string id, std::string member, actors::reply<actors::viewed_group> done) override {
    view(std::move(id), [member, done = std::move(done)](actors::viewed_group viewed) {
      if (!viewed) return done(std::move(viewed));
      auto one = std::make_shared<group::group_view>(**viewed);
      one->group = group::with_one_member(one->group, member);
      done(std::shared_ptr<const group::group_view>(std::move(one)));
    });
  }
  std::size_t health_asked = 0;
  void health_of(std::string id, std::string member, actors::reply<actors::told_health> done) override {
    ++health_asked;
    view(std::move(id), [member, done = std::move(done)](const actors::viewed_group& viewed) {
      if (!viewed) return done(protocol::refuse(viewed.error().code));
      const auto& of = **viewed;
      auto health = group::health_of(of.group, of.state, member);
      health.waits = group::in_words(group::waits_of(of.group, of.config, of.now_ms));
      done(std::move(health));
    });
  }
  std::map<std::string, actors::timeline_page> timelines;
  std::vector<actors::timeline_query> timeline_queries;  ///< as they came
  void timeline_of(std::string id, actors::timeline_query query, actors::reply<actors::told_timeline> done) override {
    timeline_queries.push_back(query);
    const auto found = timelines.find(id);
    if (found != timelines.end()) return done(found->second);
    done(protocol::refuse(without_view));
  }
  void describe(std::string id,
                actors::reply<protocol::streams_group_describe_response::described_group_data> done) override {
    const auto found = described.find(id);
    done(found == described.end() ? group::describe_nobody(id) : found->second);
  }
  [[nodiscard]] metadata::image_ptr image() const override { return topics; }

  std::map<std::string, group::overrides> overrides;
  void config(std::string id, actors::reply<group::overrides> done) override { done(overrides[id]); }
  std::vector<actors::admin_request> administered;
  std::optional<protocol::kafka_error> refuses;  ///< what administer() answers
  void administer(actors::admin_request request, actors::reply<actors::admin_result> done) override {
    administered.push_back(request);
    if (refuses) return done(tl::unexpected(*refuses));
    auto& own = overrides[request.group_id];
    if (const auto* settings = std::get_if<actors::change_settings>(&request.what)) {
      auto next = group::overrides_after(own, settings->change, tuned->broker);
      if (!next) return done(tl::unexpected(next.error()));
      own = *std::move(next);
    }
    done(actors::admin_answer{7, own});
  }
  actors::defaults_ptr tuned = std::make_shared<actors::group_defaults>();
  std::vector<std::string> followers;  ///< groups that alter_defaults() names
  [[nodiscard]] actors::defaults_ptr defaults() const override { return tuned; }
  void alter_defaults(actors::defaults_request asked, actors::reply<actors::defaults_result> done) override {
    auto next = actors::defaults_after(*tuned, options_.broker, asked, {overrides.begin(), overrides.end()}, 1'000);
    if (!next) return done(tl::unexpected(next.error()));
    if (!asked.dry_run) tuned = *next;
    done(actors::defaults_answer{*next, followers});
  }
  protocol::error_code deletion = protocol::error_code::none;
  std::vector<std::string> deleted;
  void delete_group(std::string id, actors::reply<protocol::error_code> done) override {
    deleted.push_back(std::move(id));
    done(deletion);
  }

  // What the admin API never calls.
  void let_go() override {}
  void stop(std::int64_t) override {}
  void heartbeat(actors::heartbeat_call) override {}
  void commit(actors::commit_request, actors::reply<protocol::error_code>) override {}
  void check_commit(actors::commit_request, actors::reply<protocol::error_code>) override {}
  void fetch(actors::fetch_request, actors::reply<actors::fetched_offsets>) override {}
  void check_fetch(actors::fetch_request, actors::reply<protocol::error_code>) override {}
  void alter_config(std::string, actors::config_edit, actors::reply<protocol::kafka_result<void>>) override {}
  void delete_offsets(actors::offset_deletion_request, actors::reply<actors::offset_deletion_answer>) override {}
  void end_transaction(actors::transaction_end, actors::reply<protocol::error_code>) override {}
  void update_description(actors::framed<protocol::streams_group_topology_description_update_request>,
                          actors::reply<protocol::kafka_result<void>>) override {}
  void join_classic(actors::framed<protocol::join_group_request>, group::classic_context,
                    actors::reply<protocol::join_group_response>) override {}
  void sync_classic(actors::framed<protocol::sync_group_request>,
                    actors::reply<protocol::sync_group_response>) override {}
  void beat_classic(actors::framed<protocol::heartbeat_request>, actors::reply<protocol::error_code>) override {}
  void leave_classic(actors::framed<protocol::leave_group_request>, std::int16_t,
                     actors::reply<protocol::leave_group_response>) override {}
  void describe_classic(std::string, actors::reply<protocol::describe_groups_response::described_group_data>) override {
  }
  void heartbeat_consumer(actors::framed<protocol::consumer_group_heartbeat_request>, group::consumer_caller,
                          actors::reply<protocol::consumer_group_heartbeat_response>) override {}
  void describe_consumers(
      std::string, actors::reply<protocol::consumer_group_describe_response::described_group_data>) override {}
  [[nodiscard]] group::group_kind kind_of(std::string_view) const override { return group::group_kind::none; }
  [[nodiscard]] std::vector<std::string> configured_groups() const override { return {}; }
  void publish_image(metadata::image_ptr, std::function<void()>) override {}
  [[nodiscard]] const actors::coordinator_options& options() const noexcept override { return options_; }

 private:
  actors::coordinator_options options_;
};

class fake_topic_admin final : public topic_admin {
 public:
  std::vector<new_topic> created;
  std::optional<protocol::kafka_error> answer;

  void create(new_topic topic, std::function<void(std::optional<protocol::kafka_error>)> done) override {
    created.push_back(std::move(topic));
    done(answer);
  }
  std::vector<std::pair<std::string, rack_lists>> racks;
  void set_racks(std::string topic, rack_lists lists,
                 std::function<void(std::optional<protocol::kafka_error>)> done) override {
    racks.emplace_back(std::move(topic), std::move(lists));
    done(answer);
  }
};

/// Keeps the answer; what the server would do at leisure is done at once.
inline respond into(response& got) {
  return [&got](response out) { out.work ? out.work() : void(got = std::move(out)); };
}

/// An admin API over fakes; ask() runs one request through the router.
struct api_under_test {
  fake_coordinator groups;
  fake_topic_admin topics;
  weir::metrics::set metrics;
  admin_api parts;

  api_under_test() {
    parts.groups = &groups;
    parts.topics = &topics;
    parts.metrics = &metrics;
    parts.origin_of = [](std::string_view) { return std::string("default"); };
    parts.access.loopback_only = true;
    parts.version = "1.2.3";
    parts.mode = "embedded";
  }

  response ask(std::string_view method, std::string_view target, std::string body = {},
               std::optional<std::string> bearer = {}, std::optional<std::string> if_match = {}) {
    request asked;
    asked.if_match = std::move(if_match);
    asked.method = method;
    asked.host = "localhost:8080";
    asked.content_type = body.empty() ? "" : "application/json";
    asked.body = std::move(body);
    asked.bearer = std::move(bearer);
    response got;
    got.status = 0;
    if (!parse_target(target, asked)) return got;
    planner plans(groups);
    parts.plans = &plans;
    make_router(parts)(std::move(asked), into(got));
    return got;
  }
};

}  // namespace weir::http::test
