#include "tests/unit/group/scenario.hpp"

#include <gtest/gtest.h>

#include "assignor/named_plan.hpp"
#include "assignor/sticky.hpp"
#include "group/administer.hpp"
#include "group/invariants.hpp"
#include "metadata/delta.hpp"

namespace weir::group {

using request_type = protocol::streams_group_heartbeat_request;

class scripted_assignor final : public assignor::assignor {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "sticky"; }
  [[nodiscard]] result<weir::assignor::flat_plan> assign(const weir::assignor::group_input& input) const override {
    if (is_broken) return fail("broken on purpose");
    if (!script) return sticky_.assign(input);
    weir::assignor::plan plan;
    for (const auto& [member, text] : *script) {
      const auto standby = text.find('S');
      auto& part = plan[member];
      part.active = tasks(std::string_view(text).substr(0, standby));
      if (standby != std::string::npos) part.standby = tasks(std::string_view(text).substr(standby + 1));
    }
    for (const auto& member : input.members) plan.try_emplace(std::string(member.member_id));
    return weir::assignor::numbered(plan, input);
  }

  std::optional<std::map<std::string, std::string>> script;
  bool is_broken = false;

 private:
  weir::assignor::sticky sticky_;
};

namespace {

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
  hashes_->subscribe(group_.id, group_.required_topics, group_.reads_patterns);
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

scenario& scenario::patterns(const pattern_knowledge& known) {
  patterns_ = known;
  return *this;
}

world scenario::view() const {
  return {.image = *image_,
          .hashes = *hashes_,
          .config = config_,
          .max_size = max_size_,
          .assignors = *assignors_,
          .strict_kafka = strict_,
          .now_ms = now_ms_,
          .patterns = patterns_};
}

request_type scenario::request(const std::string& member, int epoch, const with& fields) const {
  const auto last = endpoint_epochs_.find(member);
  return make_request(member, epoch, fields, app_, last == endpoint_epochs_.end() ? -1 : last->second);
}

std::string scenario::join(const std::string& member, const with& fields) {
  return send(request(member, 0, fields), fields);
}

std::string scenario::hb(const std::string& member, int epoch, const with& fields) {
  return send(request(member, epoch, fields), fields);
}

std::string scenario::send(const request_type& r, const with& fields) {
  last_ = {};
  if (auto bad = check_request(r, strict_)) {
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

scenario& scenario::carry_out(const change_outcome& outcome) {
  std::vector<const soft_update*> soft;
  for (const auto& update : outcome.soft) soft.push_back(&update);
  apply_all(outcome.records, soft);
  last_events_ = outcome.events;
  return *this;
}

scenario& scenario::drain(const std::set<std::string>& processes) {
  config_.drained_processes.clear();
  for (const auto& process_id : processes) config_.drained_processes.insert(mark_of(group_, process_id));
  return *this;
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

scenario& scenario::store(const record& r) {
  apply_all({r}, {});
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
    for (const auto& problem : check_invariants(group_, false)) ADD_FAILURE() << problem;
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
  return "g" + std::to_string(group_.metadata.epoch) + "/a" + std::to_string(group_.target_info.assignment_epoch) +
         " " + upper(name(state_of(group_)));
}

std::string scenario::member(const std::string& id) const {
  auto found = group_.members.find(id);
  return found == group_.members.end() ? "gone" : show(found->second.current);
}

std::string scenario::target(const std::string& id) const {
  auto found = group_.targets.find(id);
  return found == group_.targets.end() ? "none" : show(found->second);
}

std::string scenario::written() const { return show_types(last_records_); }

std::string scenario::endpoints() const { return show_endpoints(last_.answer); }

std::string scenario::events() const {
  std::string list;
  for (const auto& e : last_events_) {
    list += (list.empty() ? "" : ", ") + std::string(name(e.why)) + " g" + std::to_string(e.group_epoch) + "/a" +
            std::to_string(e.assignment_epoch);
    if (e.why == cause::target_computed) list += " moved " + std::to_string(e.tasks_moved);
  }
  return list;
}

}  // namespace weir::group
