#include "actors/directory.hpp"

#include <utility>

namespace weir::actors {

void directory::add_loaded(std::shared_ptr<group::streams_group> state) {
  auto& s = shard_of(state->id);
  const std::unique_lock lock(s.mutex);
  auto id = state->id;
  add(s, std::move(id), std::move(state));
}

void directory::add(shard& to, std::string group_id, std::shared_ptr<group::streams_group> state) {
  auto entry = std::make_shared<group_entry>();
  entry->id = std::move(group_id);
  if (state) entry->kind = state->kind;
  entry->actor = make_(entry, std::move(state), false);
  actors::tell(supervisor_, watch_message{entry->id, entry->actor});
  to.groups.emplace(entry->id, entry);
  const std::lock_guard lock(order_mutex_);
  order_.emplace(entry->id, entry);
}

group::group_kind directory::kind_of(std::string_view group_id) const {
  const auto& s = shard_of(group_id);
  const std::shared_lock lock(s.mutex);
  const auto found = s.groups.find(group_id);
  return found == s.groups.end() ? group::group_kind::none : found->second->kind.load();
}

std::vector<std::string> directory::ids() const {
  std::vector<std::string> out;
  const std::lock_guard lock(order_mutex_);
  out.reserve(order_.size());
  for (const auto& [id, entry] : order_) out.emplace_back(id);
  return out;
}

directory::part directory::rows(const group_range& range) const {
  part out;
  std::vector<std::shared_ptr<const group_entry>> found;
  {
    const std::lock_guard lock(order_mutex_);
    const bool is_start = !range.after || range.prefix > *range.after;
    auto at = is_start ? order_.lower_bound(range.prefix) : order_.upper_bound(*range.after);
    const auto is_in = [&] { return at != order_.end() && at->first.starts_with(range.prefix); };
    for (; is_in() && found.size() < range.most; ++at) found.push_back(at->second);
    out.is_end = found.size() < range.most;
  }
  if (!found.empty()) out.last = found.back()->id;
  for (const auto& entry : found) {
    if (const auto row = entry->row()) {
      out.rows.push_back(*row);
    } else {
      out.unknown.push_back(entry->id);
    }
  }
  return out;
}

std::size_t directory::size() const {
  std::size_t all = 0;
  for (const auto& s : shards_) {
    const std::shared_lock lock(s.mutex);
    all += s.groups.size();
  }
  return all;
}

bool directory::retire(const group_entry& entry, const std::function<bool()>& nothing_waits) {
  auto& s = shard_of(entry.id);
  const std::unique_lock lock(s.mutex);
  const auto found = s.groups.find(entry.id);
  if (found == s.groups.end() || found->second.get() != &entry || !nothing_waits()) return false;
  s.groups.erase(found);
  const std::lock_guard order_lock(order_mutex_);
  order_.erase(entry.id);
  return true;
}

void directory::replace(std::string_view group_id, actor_number dead) {
  auto& s = shard_of(group_id);
  const std::unique_lock lock(s.mutex);
  const auto found = s.groups.find(group_id);
  if (stopped_ || found == s.groups.end() || number_of(found->second->actor) != dead) return;
  const auto& entry = found->second;
  entry->actor = make_(entry, nullptr, true);
  actors::tell(supervisor_, watch_message{entry->id, entry->actor});
}

std::vector<actor_handle> directory::stop() {
  stopped_ = true;
  std::vector<actor_handle> all;
  for (auto& s : shards_) {
    const std::unique_lock lock(s.mutex);
    for (auto& [id, entry] : s.groups) all.push_back(std::move(entry->actor));
    s.groups.clear();
  }
  const std::lock_guard lock(order_mutex_);
  order_.clear();
  return all;
}

supervisor_actor::supervisor_actor(caf::actor_config& config, directory* groups, group_services* services)
    : base_actor(config), groups_(groups), services_(services) {
  on_end_of_watched([this](actor_number who, bool failed) {
    const auto found = watched_.find(who);
    if (found == watched_.end()) return;
    auto group_id = std::move(found->second);
    watched_.erase(found);
    if (failed) died(std::move(group_id), who);
  });
}

message_handlers supervisor_actor::make_behavior() {
  return {[this](const watch_message& m) {
            watched_.emplace(number_of(m.actor), m.group_id);
            watch(m.actor);
          },
          [this](const respawn_message& m) { groups_->replace(m.group_id, m.dead); }};
}

void supervisor_actor::died(std::string group_id, actor_number who) {
  count(services_->counters.respawns);
  const auto pause = pace_.pause_ms(group_id, services_->time.now_ms());
  log::warn("the actor of a group is replaced", {{"group", group_id}, {"in_ms", pause}});
  if (pause == 0) return groups_->replace(group_id, who);
  wake_me_in(pause, respawn_message{std::move(group_id), who});
}

}  // namespace weir::actors
