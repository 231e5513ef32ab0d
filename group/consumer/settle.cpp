// What follows for a consumer group when its members or topics change: epoch, topics of patterns, target assignment.
#include <algorithm>

#include "base/limits.hpp"
#include "group/consumer/step.hpp"
#include "group/topology/patterns.hpp"

namespace weir::group {
namespace {

using topic_names = std::set<std::string, std::less<>>;

/// Each subscription once, however many members share it.
template <class Visit>
void each_subscription(const consumer_view& view, Visit visit) {
  std::set<const consumer_subscription*> seen;
  view.each([&](std::string_view, const consumer_member& member) {
    if (seen.insert(member.subscription.get()).second) visit(*member.subscription);
  });
}

std::shared_ptr<const pattern_matches> found_by_caller(const consumer_world& world, const std::string& pattern) {
  if (!world.tried) return nullptr;
  const auto found = world.tried->find(pattern);
  return found == world.tried->end() ? nullptr : found->second;
}

/// What was found before is not looked for again; `may_look`: at the topics of the image.
std::shared_ptr<const matched_topics> match_topics(const consumer_view& view, const consumer_world& world,
                                                   bool may_look) {
  const auto& known = *view.now.matched;
  auto made = std::make_shared<matched_topics>();
  each_subscription(view, [&](const consumer_subscription& wanted) {
    if (wanted.pattern.empty() || made->contains(wanted.pattern)) return;
    const auto before = known.find(wanted.pattern);
    if (before != known.end() && !may_look) {
      made->insert(*before);
    } else if (const auto tried = found_by_caller(world, wanted.pattern)) {
      made->emplace(wanted.pattern, tried);
    } else {
      const auto* const old = before == known.end() ? nullptr : before->second.get();
      auto matches = match_patterns(topology_of(wanted.pattern), world.image, old, false);
      if (matches) made->emplace(wanted.pattern, *std::move(matches));
    }
  });
  return made;
}

topic_names topics_of(const consumer_subscription& wanted, const matched_topics& matched) {
  auto names = wanted.topics;
  if (const auto found = matched.find(wanted.pattern); found != matched.end()) {
    const auto& matches = found->second->names.front();
    names.insert(matches.begin(), matches.end());
  }
  return names;
}

std::int64_t hash_of(const consumer_view& view, const matched_topics& matched, const consumer_world& world) {
  std::set<std::string> topics;
  each_subscription(view, [&](const consumer_subscription& wanted) {
    topics.insert(wanted.topics.begin(), wanted.topics.end());
  });
  for (const auto& [pattern, matches] : matched) {
    const auto& names = matches->names.front();
    topics.insert(names.begin(), names.end());
  }
  return world.hashes.group_hash(world.image, topics);
}

consumer_targets compute_targets(const consumer_view& view, const matched_topics& matched, const metadata::image& image,
                                 const consumer_targets& before) {
  consumer_wishes wanted;
  std::map<const consumer_subscription*, std::size_t> known;
  std::map<topic_names, std::size_t> by_topics;
  view.each([&](std::string_view id, const consumer_member& member) {
    const auto [found, is_new] = known.try_emplace(member.subscription.get());
    if (is_new) {
      const auto number = by_topics.size();
      found->second = by_topics.try_emplace(topics_of(*member.subscription, matched), number).first->second;
    }
    wanted.members.push_back(id);
    wanted.wish_of.push_back(found->second);
  });
  wanted.wishes.resize(by_topics.size());
  for (auto& [topics, number] : by_topics) wanted.wishes[number] = topics;
  return elected_assignor(view) == "range" ? assign_range(wanted, image) : assign_uniform(wanted, image, before);
}

/// Without those that have gone; whoever replaces a member has its target.
consumer_targets carried_over(const consumer_view& view, const consumer_cause& cause, consumer_targets targets) {
  if (!cause.replaced_id.empty()) {
    const auto found = targets.find(cause.replaced_id);
    const auto target = found == targets.end() ? std::make_shared<const partition_set>() : found->second;
    targets.insert_or_assign(std::string(view.id), target);
  }
  for (const auto& id : view.gone) {
    if (const auto found = targets.find(id); found != targets.end()) targets.erase(found);
  }
  return targets;
}

bool has_nobody(const consumer_view& view) {
  return view.changed == nullptr && view.gone.size() == view.now.members.size();
}

std::shared_ptr<const consumer_assignment> next_assignment(const consumer_view& view, const consumer_cause& cause,
                                                           const consumer_world& world, const settled_group& now) {
  const auto& before = *view.now.assignment;
  if (has_nobody(view)) {
    auto none = std::make_shared<consumer_assignment>();
    none->epoch = now.epoch;
    return none;
  }
  const auto interval_ms = world.options.assignment_interval_ms;
  const bool is_early = before.computed_ms != 0 && world.now_ms - before.computed_ms < interval_ms;
  const bool computes = cause.may_assign && now.epoch > before.epoch && !is_early;
  if (!computes && view.gone.empty()) return view.now.assignment;
  auto next = std::make_shared<consumer_assignment>(before);
  next->targets = carried_over(view, cause, std::move(next->targets));
  if (computes) {
    next->targets = compute_targets(view, *now.matched, world.image, next->targets);
    next->epoch = now.epoch;
    next->computed_ms = std::max<std::int64_t>(world.now_ms, 1);
  }
  return next;
}

/// What the patterns match from now on; also told to the changes if something about it may have changed.
std::shared_ptr<const matched_topics> look_at_topics(const consumer_view& view, const consumer_cause& cause,
                                                     const consumer_world& world, bool may_look,
                                                     consumer_changes& changes) {
  if (!cause.has_new_wishes && cause.departures == 0 && !may_look) return view.now.matched;
  changes.matched = match_topics(view, world, may_look);
  if (may_look) changes.image_version = world.image.version();
  return changes.matched;
}

}  // namespace

settled_group settle_consumers(const streams_group& group, const consumer_view& view, const consumer_cause& cause,
                               const consumer_world& world, consumer_changes& changes) {
  const auto stored = group.consumer.value_or(consumer_metadata());
  auto next = stored;
  settled_group out;
  const bool may_look = !world.patterns_are_pending && view.now.image_version != world.image.version();
  out.matched = look_at_topics(view, cause, world, may_look, changes);
  if (changes.matched) {
    next.metadata_hash = hash_of(view, *out.matched, world);
  }
  const bool has_news = cause.has_new_wishes || next.metadata_hash != stored.metadata_hash;
  next.epoch += cause.departures > 0 ? cause.departures : (has_news ? 1 : 0);
  out.epoch = next.epoch;
  if (!group.consumer && group.classic) out.records.push_back(classic_group_record{});
  if (!group.consumer || next != stored) out.records.push_back(consumer_group_record{next});
  out.assignment = next_assignment(view, cause, world, out);
  if (out.assignment != view.now.assignment) changes.assignment = out.assignment;
  return out;
}

std::string_view elected_assignor(const consumer_view& view) {
  std::map<std::string_view, std::size_t> votes;
  view.each([&](std::string_view, const consumer_member& member) {
    if (member.subscription->assignor) ++votes[*member.subscription->assignor];
  });
  return votes["range"] > votes["uniform"] ? "range" : consumer_assignors[0];
}

bool wants_topic(const consumer_subscription& wanted, const matched_topics& matched, const metadata::image& image,
                 const uuid& topic_id) {
  const auto* const topic = image.find(topic_id);
  if (topic == nullptr) return false;
  if (wanted.topics.contains(topic->name)) return true;
  const auto found = matched.find(wanted.pattern);
  return found != matched.end() && std::ranges::binary_search(found->second->names.front(), topic->name);
}

}  // namespace weir::group
