#include "scenario.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>

#include "assignor/sticky.hpp"
#include "group/invariants.hpp"
#include "metadata/delta.hpp"

namespace weir::group {

using request_type = protocol::streams_group_heartbeat_request;
using response_type = protocol::streams_group_heartbeat_response;

class scripted_assignor final : public assignor::assignor {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "sticky"; }
  [[nodiscard]] result<weir::assignor::plan> assign(const weir::assignor::group_input& input) const override {
    if (is_broken) return fail("broken on purpose");
    if (!script) return sticky_.assign(input);
    weir::assignor::plan plan;
    for (const auto& [member, text] : *script) {
      const auto standby = text.find('S');
      auto& part = plan[member];
      part.active = tasks(std::string_view(text).substr(0, standby));
      if (standby != std::string::npos) part.standby = tasks(std::string_view(text).substr(standby + 1));
    }
    return plan;
  }

  std::optional<std::map<std::string, std::string>> script;
  bool is_broken = false;

 private:
  weir::assignor::sticky sticky_;
};

namespace {

int number(std::string_view text) {
  int value = 0;
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<std::string_view> parts(std::string_view text, char separator) {
  std::vector<std::string_view> list;
  while (!text.empty()) {
    const auto at = text.find(separator);
    if (at != 0) list.push_back(text.substr(0, at));
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  }
  return list;
}

std::vector<request_type::task_ids_data> wire_tasks(std::string_view text) {
  std::vector<request_type::task_ids_data> list;
  for (const auto& [subtopology, partitions] : tasks(text)) {
    request_type::task_ids_data entry;
    entry.subtopology_id = subtopology;
    entry.partitions.assign(partitions.begin(), partitions.end());
    list.push_back(entry);
  }
  return list;
}

std::vector<request_type::task_offset_data> wire_offsets(std::string_view text) {
  std::vector<request_type::task_offset_data> list;
  for (auto part : parts(text, ';')) {
    const auto under = part.find('_');
    const auto equals = part.find('=');
    request_type::task_offset_data entry;
    entry.subtopology_id = part.substr(0, under);
    entry.partition = number(part.substr(under + 1, equals - under - 1));
    entry.offset = number(part.substr(equals + 1));
    list.push_back(entry);
  }
  return list;
}

std::vector<request_type::topic_info_data> wire_infos(const std::vector<topic_info>& infos) {
  std::vector<request_type::topic_info_data> list;
  for (const auto& info : infos) {
    auto& entry = list.emplace_back();
    entry.name = info.name;
    entry.partitions = info.partitions;
    entry.replication_factor = info.replication_factor;
    for (const auto& [key, value] : info.configs) {
      auto& config = entry.topic_configs.emplace_back();
      config.key = key;
      config.value = value;
    }
  }
  return list;
}

request_type::topology_data wire_topology(const topology& app) {
  request_type::topology_data data;
  data.epoch = app.epoch;
  for (const auto& part : app.subtopologies) {
    auto& entry = data.subtopologies.emplace_back();
    entry.subtopology_id = part.id;
    entry.source_topics.assign(part.source_topics.begin(), part.source_topics.end());
    entry.source_topic_regex.assign(part.source_topic_regex.begin(), part.source_topic_regex.end());
    entry.state_changelog_topics = wire_infos(part.state_changelog_topics);
    entry.repartition_sink_topics.assign(part.repartition_sink_topics.begin(), part.repartition_sink_topics.end());
    entry.repartition_source_topics = wire_infos(part.repartition_source_topics);
    for (const auto& group : part.copartition_groups) {
      auto& indexes = entry.copartition_groups.emplace_back();
      indexes.source_topics = group.source_topics;
      indexes.repartition_source_topics = group.repartition_source_topics;
    }
  }
  return data;
}

std::string ranges(const std::set<std::int32_t>& partitions) {
  std::string text;
  for (auto first = partitions.begin(); first != partitions.end();) {
    auto last = first;
    while (std::next(last) != partitions.end() && *std::next(last) == *last + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(*first);
    if (last != first) text += (std::next(first) == last ? "," : "-") + std::to_string(*last);
    first = std::next(last);
  }
  return text;
}

std::string show_role(char role, const task_set& tasks) {
  std::string text;
  for (const auto& [subtopology, partitions] : tasks) {
    text += (text.empty() ? "" : ";") + subtopology + ":" + ranges(partitions);
  }
  return text.empty() ? "" : std::string(1, role) + "{" + text + "}";
}

task_set from_wire(const std::vector<response_type::task_ids_data>& list) {
  task_set set;
  for (const auto& entry : list) set[entry.subtopology_id.str()].insert(entry.partitions.begin(), entry.partitions.end());
  return set;
}

std::string show(const response_type& answer) {
  if (answer.error_code != 0) return "error " + std::to_string(answer.error_code);
  std::string text = "ep " + std::to_string(answer.member_epoch) + ", ";
  const int lists =
      answer.active_tasks.has_value() + answer.standby_tasks.has_value() + answer.warmup_tasks.has_value();
  if (lists == 0) text += "-";
  if (lists == 1 || lists == 2) text += "MIXED";
  if (lists == 3) {
    text += show(role_tasks{.active = from_wire(*answer.active_tasks),
                            .standby = from_wire(*answer.standby_tasks),
                            .warmup = from_wire(*answer.warmup_tasks)});
  }
  std::string codes;
  for (const auto& status : *answer.status) codes += (codes.empty() ? "" : ",") + std::to_string(status.status_code);
  return text + ", [" + codes + "]";
}

std::string topics(const std::vector<response_type::topic_partition_data>& list) {
  std::string text;
  for (const auto& entry : list) {
    text += (text.empty() ? "" : " ") + entry.topic.str() + " " +
            ranges(std::set<std::int32_t>(entry.partitions.begin(), entry.partitions.end()));
  }
  return text;
}

std::string state_name(member_state state) {
  switch (state) {
    case member_state::stable: return "STABLE";
    case member_state::unrevoked_tasks: return "UNREVOKED";
    case member_state::unreleased_tasks: return "UNRELEASED";
    case member_state::unknown: return "UNKNOWN";
  }
  return "?";
}

std::string upper(std::string_view name) {
  std::string text;
  for (char c : name) {
    if (!text.empty() && c >= 'A' && c <= 'Z') text += '_';
    text += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return text;
}

}  // namespace

scenario::scenario(bool strict)
    : strict_(strict), image_(std::make_shared<metadata::image>()), hashes_(std::make_unique<metadata::hash_cache>()) {
  auto stub = std::make_unique<scripted_assignor>();
  assignor_ = stub.get();
  std::vector<std::unique_ptr<const assignor::assignor>> all;
  all.push_back(std::move(stub));
  assignors_ = std::make_unique<assignor::registry>(std::move(all));
  group_.id = replayed_.id = "g";
  app_ = reading({"foo"});
  topic("foo", 4);
  delay(0).interval(0);
}

scenario& scenario::delay(int ms) { return set("streams.initial.rebalance.delay.ms", std::to_string(ms)); }
scenario& scenario::interval(int ms) { return set("streams.assignment.interval.ms", std::to_string(ms)); }

scenario& scenario::set(const std::string& name, const std::string& value) {
  overrides_[name] = value;
  const auto checked = check(overrides_, broker_);
  EXPECT_TRUE(checked) << checked.error().message;
  config_ = effective(overrides_, broker_);
  return *this;
}

scenario& scenario::app(topology next) {
  app_ = std::move(next);
  return *this;
}

scenario& scenario::topic(const std::string& name, int partitions) {
  metadata::topic made;
  const auto* known = image_->find(name);
  made.id = known != nullptr ? known->id : uuid{1, static_cast<std::uint64_t>(image_->version() + 2)};
  made.name = name;
  made.partition_racks.resize(static_cast<std::size_t>(partitions));
  metadata::image_builder next(image_);
  next.put_topic(made);
  set_image(next.build(image_->version() + 1));
  return *this;
}

scenario& scenario::no_topic(const std::string& name) {
  metadata::image_builder next(image_);
  next.remove_topic(name);
  set_image(next.build(image_->version() + 1));
  return *this;
}

void scenario::set_image(metadata::image_ptr next) {
  const auto changed = metadata::difference(*image_, *next);
  image_ = std::move(next);
  hashes_->subscribe(group_.id, group_.required_topics);
  if (!hashes_->invalidate(changed).empty()) invalidate_metadata(group_);
}

scenario& scenario::split(std::map<std::string, std::string> plan) {
  assignor_->script = std::move(plan);
  return *this;
}

scenario& scenario::break_assignor(bool broken) {
  assignor_->is_broken = broken;
  return *this;
}

scenario& scenario::max_size(int members) {
  max_size_ = members;
  return *this;
}

world scenario::view() const {
  return {.image = *image_,
          .hashes = *hashes_,
          .config = config_,
          .max_size = max_size_,
          .assignors = *assignors_,
          .strict_kafka = strict_,
          .now_ms = now_ms_};
}

request_type scenario::request(const std::string& member, int epoch, const with& fields) const {
  request_type r;
  r.group_id = "g";
  r.member_id = member;
  r.member_epoch = epoch;
  const bool joins = epoch == 0;
  const auto last = endpoint_epochs_.find(member);
  r.endpoint_information_epoch =
      fields.endpoint_epoch.value_or(joins || last == endpoint_epochs_.end() ? -1 : last->second);
  if (fields.instance) r.instance_id = *fields.instance;
  if (fields.rack) r.rack_id = *fields.rack;
  r.rebalance_timeout_ms = fields.rebalance_timeout_ms.value_or(joins ? 30'000 : -1);
  if (joins || fields.app) r.topology = wire_topology(fields.app.value_or(app_));
  if (joins || fields.own || fields.own_standby || fields.own_warmup) {
    r.active_tasks = wire_tasks(fields.own.value_or(""));
    r.standby_tasks = wire_tasks(fields.own_standby.value_or(""));
    r.warmup_tasks = wire_tasks(fields.own_warmup.value_or(""));
  }
  if (joins || fields.process) r.process_id = fields.process.value_or("p-" + member);
  if (fields.endpoint) {
    const auto colon = fields.endpoint->find(':');
    auto& to = r.user_endpoint.emplace();
    to.host = fields.endpoint->substr(0, colon);
    to.port = static_cast<std::uint16_t>(number(std::string_view(*fields.endpoint).substr(colon + 1)));
  }
  if (fields.tags) {
    auto& to = r.client_tags.emplace();
    for (const auto& [key, value] : *fields.tags) {
      auto& tag = to.emplace_back();
      tag.key = key;
      tag.value = value;
    }
  }
  if (fields.offsets) r.task_offsets = wire_offsets(*fields.offsets);
  if (fields.end_offsets) r.task_end_offsets = wire_offsets(*fields.end_offsets);
  r.shutdown_application = fields.shutdown;
  return r;
}

std::string scenario::join(const std::string& member, const with& fields) {
  return send(request(member, 0, fields), fields);
}

std::string scenario::hb(const std::string& member, int epoch, const with& fields) {
  return send(request(member, epoch, fields), fields);
}

std::string scenario::send(const request_type& r, const with& fields) {
  last_ = {};
  if (auto bad = check_request(r)) {
    last_.answer = refused(bad->code, bad->message);
  } else {
    const request_context context{.version = static_cast<std::int16_t>(fields.version),
                                  .client_id = text(fields.client_id),
                                  .client_host = "/127.0.0.1"};
    last_ = heartbeat(group_, r, context, view());
  }
  if (last_.answer.error_code != 0) {
    EXPECT_TRUE(last_.records.empty());
  }
  apply_all(last_.records, {&last_.soft});
  last_events_ = last_.events;
  if (last_.answer.error_code == 0 && r.member_epoch >= 0) {
    endpoint_epochs_[r.member_id.str()] = last_.answer.endpoint_information_epoch;
  }
  return show(last_.answer);
}

scenario& scenario::pass(std::int64_t ms) {
  now_ms_ += ms;
  last_records_.clear();
  last_events_.clear();
  group::records all;
  for (auto due = next_deadline(group_); due && *due <= now_ms_; due = next_deadline(group_)) {
    auto outcome = on_deadline(group_, view());
    EXPECT_FALSE(outcome.records.empty() && outcome.soft.empty()) << "a deadline that does nothing comes for ever";
    if (outcome.records.empty() && outcome.soft.empty()) break;
    std::vector<const soft_update*> soft;
    for (const auto& update : outcome.soft) soft.push_back(&update);
    apply_all(outcome.records, soft);
    all.insert(all.end(), outcome.records.begin(), outcome.records.end());
    last_events_.insert(last_events_.end(), outcome.events.begin(), outcome.events.end());
  }
  last_records_ = all;
  return *this;
}

scenario& scenario::pass_silently(std::int64_t ms) {
  now_ms_ += ms;
  return *this;
}

scenario& scenario::reload() {
  streams_group loaded;
  loaded.id = group_.id;
  for (const auto& r : log_) apply(loaded, r);
  EXPECT_TRUE(finish_load(loaded, config_, now_ms_).empty());
  group_ = std::move(loaded);
  compare_with_replay();
  return *this;
}

void scenario::apply_all(const group::records& changes, const std::vector<const soft_update*>& soft) {
  for (const auto& r : changes) {
    apply(group_, r);
    apply(replayed_, r);
    log_.push_back(r);
    for (const auto& problem : check_invariants(group_)) ADD_FAILURE() << problem;
  }
  for (const auto* update : soft) apply(group_, *update);
  for (const auto& problem : check_invariants(group_)) ADD_FAILURE() << problem;
  last_records_ = changes;
  compare_with_replay();
}

void scenario::compare_with_replay() const {
  for (const auto& difference : hard_differences(group_, replayed_)) {
    ADD_FAILURE() << "replay differs from live: " << difference;
  }
}

std::string scenario::group() const {
  return "g" + std::to_string(group_.metadata.epoch) + "/a" + std::to_string(group_.target_info.assignment_epoch) + " " +
         upper(name(state_of(group_)));
}

std::string scenario::member(const std::string& id) const {
  auto found = group_.members.find(id);
  if (found == group_.members.end()) return "gone";
  const auto& current = found->second.current;
  auto shown = state_name(current.state) + " " + std::to_string(current.member_epoch) + "/" +
               std::to_string(current.previous_member_epoch) + " " + group::show(without_epochs(current.assigned));
  if (!current.pending_revocation.empty()) {
    shown += " pending " + group::show(without_epochs(current.pending_revocation));
  }
  return shown;
}

std::string scenario::target(const std::string& id) const {
  auto found = group_.targets.find(id);
  return found == group_.targets.end() ? "none" : group::show(found->second);
}

std::string scenario::written() const {
  std::string types;
  for (const auto& r : last_records_) {
    types += (types.empty() ? "" : " ") + std::to_string(type_of(r)) + (is_tombstone(r) ? "t" : "");
  }
  return types;
}

std::string scenario::endpoints() const {
  const auto& answer = last_.answer;
  auto text = std::to_string(answer.endpoint_information_epoch) + ", ";
  if (!answer.partitions_by_user_endpoint) return text + "null";
  std::string list;
  for (const auto& entry : *answer.partitions_by_user_endpoint) {
    list += (list.empty() ? "" : "; ") + entry.user_endpoint.host.str() + ": ";
    const auto active = topics(entry.active_partitions);
    const auto standby = topics(entry.standby_partitions);
    list += active.empty() && standby.empty() ? "nothing" : active;
    if (!standby.empty()) list += (active.empty() ? "standby " : " standby ") + standby;
  }
  return text + "[" + list + "]";
}

std::string scenario::events() const {
  std::string list;
  for (const auto& e : last_events_) {
    list += (list.empty() ? "" : ", ") + std::string(name(e.why)) + " g" + std::to_string(e.group_epoch) + "/a" +
            std::to_string(e.assignment_epoch);
    if (e.why == cause::target_computed) list += " moved " + std::to_string(e.tasks_moved);
  }
  return list;
}

task_set tasks(std::string_view text) {
  task_set set;
  for (auto part : parts(text, ';')) {
    const auto colon = part.find(':');
    while (part.starts_with(' ')) part.remove_prefix(1);
    auto& partitions = set[std::string(part.substr(0, part.find(':')))];
    for (auto item : parts(part.substr(part.find(':') + 1), ',')) {
      const auto dash = item.find('-');
      const int first = number(item.substr(0, dash));
      const int last = dash == std::string_view::npos ? first : number(item.substr(dash + 1));
      for (int p = first; p <= last; ++p) partitions.insert(p);
    }
    static_cast<void>(colon);
  }
  std::erase_if(set, [](const auto& entry) { return entry.second.empty(); });
  return set;
}

task_epochs tasks_at(std::string_view text, std::int32_t epoch) {
  task_epochs set;
  for (const auto& [subtopology, partitions] : tasks(text)) {
    for (auto partition : partitions) set[subtopology][partition] = epoch;
  }
  return set;
}

std::string show(const role_tasks& tasks) {
  std::string text;
  for (const auto& role : {show_role('A', tasks.active), show_role('S', tasks.standby), show_role('W', tasks.warmup)}) {
    if (!role.empty()) text += (text.empty() ? "" : " ") + role;
  }
  return text.empty() ? "{}" : text;
}

std::vector<std::string> hard_differences(const streams_group& a, const streams_group& b) {
  std::vector<std::string> found;
  const auto compare = [&](const char* what, const auto& left, const auto& right) {
    if (!(left == right)) found.emplace_back(what);
  };
  compare("kind", a.kind, b.kind);
  compare("group metadata", a.metadata, b.metadata);
  compare("target metadata", a.target_info, b.target_info);
  compare("topology", a.topology, b.topology);
  compare("required topics", a.required_topics, b.required_topics);
  compare("members", a.members, b.members);
  compare("targets", a.targets, b.targets);
  compare("static members", a.static_members, b.static_members);
  compare("holders", a.held, b.held);
  compare("offsets", a.offsets, b.offsets);
  return found;
}

topology reading(const std::vector<std::string>& sources, const std::string& changelog) {
  subtopology part{.id = "0",
                   .source_topics = sources,
                   .source_topic_regex = {},
                   .state_changelog_topics = {},
                   .repartition_sink_topics = {},
                   .repartition_source_topics = {},
                   .copartition_groups = {}};
  if (!changelog.empty()) {
    part.state_changelog_topics.push_back({.name = changelog, .partitions = 0, .replication_factor = 1, .configs = {}});
  }
  return {.epoch = 0, .subtopologies = {part}};
}

}  // namespace weir::group
