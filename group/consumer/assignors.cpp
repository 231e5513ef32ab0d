#include "group/consumer/assignors.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/java_hash.hpp"

namespace weir::group {
namespace {

using wish_numbers = std::vector<std::size_t>;
using topic_list = std::vector<const metadata::topic*>;

/// Which wishes name a topic, for every topic there is.
std::map<std::string_view, wish_numbers> wishes_by_topic(const consumer_wishes& wanted) {
  std::map<std::string_view, wish_numbers> out;
  for (std::size_t wish = 0; wish < wanted.wishes.size(); ++wish) {
    for (const auto& name : wanted.wishes[wish]) out[name].push_back(wish);
  }
  return out;
}

/// Topics that the same members want.
struct topic_kind {
  std::vector<std::size_t> members;  ///< in the order given
  topic_list topics;                 ///< by name
};

std::vector<topic_kind> kinds_of(const consumer_wishes& wanted, const metadata::image& image,
                                 const std::vector<std::size_t>& order) {
  std::map<wish_numbers, topic_list> by_wishes;
  for (const auto& [name, wishes] : wishes_by_topic(wanted)) {
    if (const auto* const topic = image.find(name)) by_wishes[wishes].push_back(topic);
  }
  std::vector<topic_kind> out;
  for (auto& [wishes, topics] : by_wishes) {
    auto& kind = out.emplace_back();
    kind.topics = std::move(topics);
    std::vector<bool> is_in(wanted.wishes.size());
    for (const auto wish : wishes) is_in[wish] = true;
    for (const auto member : order) {
      if (is_in[wanted.wish_of[member]]) kind.members.push_back(member);
    }
  }
  return out;
}

using partition_name = std::pair<const metadata::topic*, std::int32_t>;

/// Deals topics of one kind after another; members carry what they got of the kinds before.
class uniform_dealer {
 public:
  uniform_dealer(const consumer_wishes& wanted, const consumer_targets& before)
      : wanted_(wanted), before_(before), loads_(wanted.members.size()), made_(wanted.members.size()) {}

  void deal(const topic_kind& kind) {
    std::size_t partitions = 0;
    for (const auto* topic : kind.topics) partitions += topic->partition_racks.size();
    auto extra = fill_level(kind, partitions);
    keep(kind, extra);
    give(kind, extra);
    for (const auto member : kind.members) loads_[member] += got_[member];
  }

  consumer_targets finish() {
    consumer_targets out;
    for (std::size_t i = 0; i < made_.size(); ++i) {
      out.emplace_hint(out.end(), wanted_.members[i], std::make_shared<const partition_set>(std::move(made_[i])));
    }
    return out;
  }

 private:
  /// Finds how high all members can be filled alike; the partitions that are left then.
  std::size_t fill_level(const topic_kind& kind, std::size_t partitions) {
    std::vector<std::size_t> sorted;
    for (const auto member : kind.members) sorted.push_back(loads_[member]);
    std::ranges::sort(sorted);
    std::size_t below = 0;  // members that are filled up
    std::size_t sum = 0;    // of what they carry
    while (below < sorted.size() && sorted[below] * below - sum <= partitions) sum += sorted[below++];
    level_ = (partitions + sum) / below;
    return (partitions + sum) % below;
  }

  [[nodiscard]] std::size_t quota(std::size_t member) const { return level_ - std::min(level_, loads_[member]); }
  [[nodiscard]] bool may_have_more(std::size_t member) const { return loads_[member] <= level_; }

  void take(std::size_t member, const partition_name& what) {
    made_[member][what.first->id].insert(what.second);
    ++got_[member];
  }

  /// Who has one more than its part keeps it while there are such parts, first come first served.
  void keep(const topic_kind& kind, std::size_t& extra) {
    got_.assign(loads_.size(), 0);
    has_extra_.assign(loads_.size(), false);
    taken_.clear();
    for (const auto member : kind.members) {
      const auto found = before_.find(wanted_.members[member]);
      if (found == before_.end()) continue;
      for (const auto* topic : kind.topics) keep_of_topic(member, *topic, *found->second, extra);
    }
  }

  void keep_of_topic(std::size_t member, const metadata::topic& topic, const partition_set& had, std::size_t& extra) {
    const auto partitions = had.find(topic.id);
    if (partitions == had.end()) return;
    for (const auto partition : partitions->second) {
      if (partition >= topic.partition_count() || taken_.contains({&topic, partition})) continue;
      if (got_[member] >= quota(member)) {
        if (extra == 0 || has_extra_[member] || !may_have_more(member)) return;
        --extra;
        has_extra_[member] = true;
      }
      taken_.emplace(&topic, partition);
      take(member, {&topic, partition});
    }
  }

  /// What nobody has kept, in order. Extra parts go to the last members that have none yet.
  void give(const topic_kind& kind, std::size_t extra) {
    std::vector<partition_name> free;
    for (const auto* topic : kind.topics) {
      for (std::int32_t p = 0; p < topic->partition_count(); ++p) {
        if (!taken_.contains({topic, p})) free.emplace_back(topic, p);
      }
    }
    auto candidates = static_cast<std::size_t>(std::ranges::count_if(
        kind.members, [&](std::size_t member) { return !has_extra_[member] && may_have_more(member); }));
    auto next = free.begin();
    for (const auto member : kind.members) {
      auto part = quota(member);
      if (!has_extra_[member] && may_have_more(member)) part += candidates-- <= extra ? 1 : 0;
      while (next != free.end() && got_[member] < part) take(member, *next++);
    }
  }

  const consumer_wishes& wanted_;
  const consumer_targets& before_;
  std::vector<std::size_t> loads_;   // by member, of earlier kinds
  std::vector<partition_set> made_;  // by member
  // Of the present kind, by member.
  std::size_t level_ = 0;
  std::vector<std::size_t> got_;
  std::vector<bool> has_extra_;
  std::set<partition_name> taken_;
};

}  // namespace

consumer_targets assign_uniform(const consumer_wishes& wanted, const metadata::image& image,
                                const consumer_targets& before) {
  uniform_dealer dealer(wanted, before);
  auto kinds = kinds_of(wanted, image, java_map_order(wanted.members));
  std::ranges::stable_sort(kinds, {}, [](const topic_kind& kind) { return kind.members.size(); });
  for (const auto& kind : kinds) {
    if (!kind.members.empty()) dealer.deal(kind);
  }
  return dealer.finish();
}

consumer_targets assign_range(const consumer_wishes& wanted, const metadata::image& image) {
  std::vector<std::size_t> order(wanted.members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<partition_set> made(wanted.members.size());
  for (const auto& kind : kinds_of(wanted, image, order)) {
    const auto members = static_cast<std::int32_t>(kind.members.size());
    if (members == 0) continue;
    for (const auto* topic : kind.topics) {
      std::int32_t next = 0;
      for (std::int32_t i = 0; i < members; ++i) {
        const auto run = topic->partition_count() / members + (i < topic->partition_count() % members ? 1 : 0);
        if (run == 0) break;
        auto& part = made[kind.members[static_cast<std::size_t>(i)]][topic->id];
        for (const auto end = next + run; next < end; ++next) part.insert(part.end(), next);
      }
    }
  }
  consumer_targets out;
  for (std::size_t i = 0; i < made.size(); ++i) {
    out.emplace_hint(out.end(), wanted.members[i], std::make_shared<const partition_set>(std::move(made[i])));
  }
  return out;
}

}  // namespace weir::group
