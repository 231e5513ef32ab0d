#include "actors/node.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "actors/metadata_actor.hpp"
#include "actors/sweeper.hpp"
#include "actors/timed_assignor.hpp"
#include "base/guarded.hpp"
#include "base/log.hpp"
#include "group/heartbeat/heartbeat.hpp"

namespace weir::actors {

namespace {

using protocol::error_code;
using described = protocol::streams_group_describe_response::described_group_data;

/// Spec 01 sets no limit; a client that sends one is told so.
bool has_long_ids(const protocol::streams_group_heartbeat_request& request) {
  return too_long(request.group_id) || too_long(request.member_id);
}

/// Without this actor requests would wait for ever, so the process ends.
actor_handle indispensable(const char* part, actor_handle who) {
  on_failure_of(who, [part](const std::string& reason) { end_process(part, reason); });
  return who;
}

}  // namespace

row_collector::~row_collector() {
  if (!std::ranges::is_sorted(rows_, {}, &group::group_summary::id)) {
    std::ranges::sort(rows_, {}, &group::group_summary::id);
  }
  done_(std::move(rows_));
}

result<std::unique_ptr<coordinator>> coordinator::start(coordinator_options options, storage::record_log& log,
                                                        internal_topics& topics, clock& time,
                                                        metadata::image_ptr image) {
  auto started = node::start(std::move(options), {log, topics, time}, std::move(image), scheduling::threads);
  if (!started) return tl::unexpected(started.error());
  return std::unique_ptr<coordinator>(std::move(*started));
}

result<std::unique_ptr<node>> node::start(coordinator_options options, node_ports ports, metadata::image_ptr image,
                                          scheduling how) {
  if (auto checked = options.broker.check(); !checked) return tl::unexpected(checked.error());
  auto assignors = assignor::registry::make(options.broker.assignors,
                                            options.strict_kafka ? assignor::ties::as_kafka : assignor::ties::by_id);
  if (!assignors) return tl::unexpected(assignors.error());
  assignors->wrap(timed);
  std::unique_ptr<node> made(new node(std::move(options), std::move(*assignors), ports, std::move(image), how));
  if (auto loaded = made->load(); !loaded) return tl::unexpected(loaded.error());
  return made;
}

node::node(coordinator_options options, assignor::registry assignors, node_ports ports, metadata::image_ptr image,
           scheduling how)
    : assignors_(std::move(assignors)),
      images_(std::move(image)),
      defaults_(options.broker),
      appender_(ports.log, outcomes_),
      services_{std::move(options), ports.log,  ports.topics, ports.time, appender_, images_, hashes_,
                configs_,           defaults_,  assignors_,   counters_,  feed_},
      system_(how, services_.options.threads),
      groups_([this](const auto& entry, auto state, bool by_replay) {
        group_seed seed{&services_, entry, std::move(state), by_replay, {}};
        seed.retire = [this](const group_entry& e, const std::function<bool()>& nothing_waits) {
          return groups_.retire(e, nothing_waits);
        };
        return spawn<group_actor>(system_.caf(), std::move(seed));
      }) {
  supervisor_ = indispensable("directory", spawn<supervisor_actor>(system_.caf(), &groups_, &services_));
  groups_.set_supervisor(supervisor_);
  log_ = indispensable("log", spawn<log_actor>(system_.caf(), &groups_, outcomes_));
  outcomes_->open(log_);
  metadata_ = indispensable("metadata", spawn<metadata_actor>(system_.caf(), &groups_, &services_));
  if (const auto interval_ms = services_.options.clean_up_interval_ms; interval_ms > 0) {
    sweeper_ = indispensable("sweeper", spawn<sweeper_actor>(system_.caf(), &groups_, interval_ms));
  }
}

node::~node() {
  constexpr std::int64_t limit_ms = 5'000;
  stop(limit_ms);
  // What the actors use is about to go. Everything that was answered is durable, so ending here loses nothing.
  if (abandoned_) std::_Exit(EXIT_FAILURE);
}

/// Records of a group are adjacent, so one group at a time is built and handed to its actor.
result<void> node::load() {
  if (auto read = configs_.load(services_.log); !read) return read;
  if (auto read = defaults_.load(services_.log); !read) return read;
  std::shared_ptr<group::streams_group> current;
  std::size_t loaded = 0;
  const auto finish = [&] {
    if (!current || current->kind == group::group_kind::none) return;
    groups_.add_loaded(std::move(current));
    ++loaded;
  };
  auto replayed = services_.log.replay([&](std::string_view group_id, const group::record& r) {
    if (!current || current->id != group_id) {
      finish();
      current = std::make_shared<group::streams_group>();
      current->id = group_id;
    }
    group::apply(*current, r);
  });
  finish();
  if (replayed && loaded > 0) log::info("groups loaded from the log", {{"groups", loaded}});
  return replayed;
}

void node::let_go() {
  services_.is_letting_go = true;
  groups_.tell_all(let_go_message{});
}

void node::stop(std::int64_t limit_ms) {
  if (stopped_.exchange(true)) return;
  for (const auto& group : groups_.stop()) end(group);
  outcomes_->close();
  {
    const std::lock_guard lock(metadata_mutex_);
    end(std::exchange(metadata_, nullptr));
  }
  for (auto* actor : {&log_, &supervisor_, &sweeper_}) end(std::exchange(*actor, nullptr));
  groups_.set_supervisor(nullptr);
  abandoned_ = !system_.stop(limit_ms);
}

void node::heartbeat(heartbeat_call call) {
  count(counters_.heartbeats);
  const auto request = std::make_shared<pending_heartbeat>(std::move(call));
  const auto& asked = request->call().request;
  auto refused = group::check_request(asked, services_.options.strict_kafka);
  if (!refused && has_long_ids(asked)) {
    const auto most = std::to_string(storage::id_bytes_max);
    refused = group::refusal{error_code::invalid_request, "GroupId and MemberId can have at most " + most + " bytes."};
  }
  if (refused) {
    count(counters_.heartbeats_refused);
    return request->answer(group::refused(refused->code, refused->message));
  }
  groups_.tell(asked.group_id, heartbeat_message{request});
}

void node::describe(std::string group_id, reply<described> done) {
  auto request = std::make_shared<pending_reply<described>>(std::move(done), [group_id](error_code code) {
    described answer;
    answer.group_id = text(group_id);
    answer.error_code = protocol::code_of(code);
    return answer;
  });
  if (too_long(group_id) || !groups_.tell_existing(group_id, describe_message{request})) {
    request->answer(group::describe_nobody(group_id));
  }
}

void node::list(reply<std::vector<group::group_summary>> done) {
  list_some({.after = {}, .prefix = {}, .most = std::numeric_limits<std::size_t>::max()},
            [done = std::move(done)](group_rows all) { done(std::move(all.rows)); });
}

void node::list_some(group_range range, reply<group_rows> done) {
  auto found = groups_.rows(range);
  group_rows part;
  part.complete = found.is_end;
  part.last = found.last.empty() ? std::move(range.after).value_or("") : std::move(found.last);
  const auto collector = std::make_shared<row_collector>(
      std::move(found.rows),
      [part = std::move(part), done = std::move(done)](std::vector<group::group_summary> rows) mutable {
        part.rows = std::move(rows);
        done(std::move(part));
      });
  for (const auto& id : found.unknown) groups_.tell_existing(id, summary_message{collector});
}

void node::ask_for_view(const std::string& group_id, view_message message, reply<viewed_group> done) {
  const auto refused = [](error_code code) { return viewed_group(protocol::refuse(code)); };
  message.request = std::make_shared<pending_reply<viewed_group>>(std::move(done), refused);
  if (!groups_.tell_existing(group_id, message)) message.request->reject(error_code::group_id_not_found);
}

void node::view(std::string group_id, reply<viewed_group> done) {
  ask_for_view(group_id, {.request = nullptr, .with_timeline = true, .member = {}}, std::move(done));
}

void node::view_state(std::string group_id, reply<viewed_group> done) {
  ask_for_view(group_id, {.request = nullptr, .with_timeline = false, .member = {}}, std::move(done));
}

void node::view_member(std::string group_id, std::string member, reply<viewed_group> done) {
  ask_for_view(group_id, {.request = nullptr, .with_timeline = false, .member = std::move(member)}, std::move(done));
}

void node::health_of(std::string group_id, std::string member, reply<told_health> done) {
  const auto refused = [](error_code code) { return told_health(protocol::refuse(code)); };
  const probe_message message{std::move(member),
                              std::make_shared<pending_reply<told_health>>(std::move(done), refused)};
  if (!groups_.tell_existing(group_id, message)) message.request->reject(error_code::group_id_not_found);
}

void node::timeline_of(std::string group_id, timeline_query query, reply<told_timeline> done) {
  const auto refused = [](error_code code) { return told_timeline(protocol::refuse(code)); };
  const timeline_message message{query, std::make_shared<pending_reply<told_timeline>>(std::move(done), refused)};
  if (!groups_.tell_existing(group_id, message)) message.request->reject(error_code::group_id_not_found);
}

void node::commit(commit_request request, reply<error_code> done) {
  write_offsets(std::move(request), std::move(done), false);
}

void node::check_commit(commit_request request, reply<error_code> done) {
  write_offsets(std::move(request), std::move(done), true);
}

void node::write_offsets(commit_request request, reply<error_code> done, bool check_only) {
  const commit_message message{std::make_shared<const commit_request>(std::move(request)),
                               std::make_shared<pending_reply<error_code>>(std::move(done), same_code), check_only};
  if (too_long(message.commit->group_id)) return message.request->reject(error_code::invalid_group_id);
  groups_.tell(message.commit->group_id, message);
}

void node::fetch(fetch_request request, reply<fetched_offsets> done) {
  const auto refused = [](error_code code) {
    fetched_offsets answer;
    answer.error = code;
    return answer;
  };
  const fetch_message message{std::make_shared<const fetch_request>(std::move(request)),
                              std::make_shared<pending_reply<fetched_offsets>>(std::move(done), refused), nullptr};
  if (too_long(message.fetch->group_id)) return message.request->reject(error_code::invalid_group_id);
  if (!groups_.tell_existing(message.fetch->group_id, message)) message.request->answer({});
}

void node::check_fetch(fetch_request request, reply<error_code> done) {
  const fetch_message message{std::make_shared<const fetch_request>(std::move(request)), nullptr,
                              std::make_shared<pending_reply<error_code>>(std::move(done), same_code)};
  if (too_long(message.fetch->group_id)) return message.check->reject(error_code::invalid_group_id);
  groups_.tell(message.fetch->group_id, message);
}

void node::delete_group(std::string group_id, reply<error_code> done) {
  auto request = std::make_shared<pending_reply<error_code>>(std::move(done), same_code);
  const bool is_known = !too_long(group_id) && groups_.tell_existing(group_id, delete_message{request});
  if (!is_known) request->reject(error_code::group_id_not_found);
}

void node::alter_config(std::string group_id, config_edit edit, reply<protocol::kafka_result<void>> done) {
  using altered = protocol::kafka_result<void>;
  const auto refused = [](error_code code) -> altered {
    return protocol::refuse(error_code::coordinator_not_available,
                            "not known to be written, try again (" + std::string(protocol::name(code)) + ")");
  };
  auto request = std::make_shared<pending_reply<altered>>(std::move(done), refused);
  if (too_long(group_id)) {
    const auto most = std::to_string(storage::id_bytes_max);
    return request->answer(
        protocol::refuse(error_code::invalid_request, "a group id can have at most " + most + " bytes"));
  }
  groups_.tell(group_id, alter_config_message{std::make_shared<const config_edit>(std::move(edit)), request});
}

void node::config(std::string group_id, reply<group::overrides> done) { done(configs_.get(group_id).overrides); }

/// Settings may be made before the group is; all else needs it.
void node::administer(admin_request request, reply<admin_result> done) {
  const auto refused = [](error_code code) { return admin_result(protocol::refuse(code, "not done, try again")); };
  const admin_message message{std::make_shared<const admin_request>(std::move(request)),
                              std::make_shared<pending_reply<admin_result>>(std::move(done), refused)};
  const auto& group_id = message.asked->group_id;
  if (too_long(group_id)) {
    const auto most = std::to_string(storage::id_bytes_max);
    return message.request->answer(
        protocol::refuse(error_code::invalid_group_id, "a group id can have at most " + most + " bytes"));
  }
  const bool makes_group = std::holds_alternative<change_settings>(message.asked->what);
  if (makes_group ? groups_.tell(group_id, message) : groups_.tell_existing(group_id, message)) return;
  message.request->answer(protocol::refuse(error_code::group_id_not_found, "there is no group " + group_id));
}

void node::publish_image(metadata::image_ptr image, std::function<void()> done) {
  publish_message message{std::move(image), std::make_shared<publish_done>(std::move(done))};
  const std::lock_guard lock(metadata_mutex_);
  tell(metadata_, message);
}

}  // namespace weir::actors
