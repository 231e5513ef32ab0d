// Members of a consumer group that go.
#include "group/consumer/step.hpp"

namespace weir::group {

consumer_outcome remove_consumers(const streams_group& group, std::vector<std::string_view> ids,
                                  const consumer_world& world) {
  consumer_outcome outcome;
  auto changes = std::make_shared<consumer_changes>();
  for (const auto id : ids) changes->steps.push_back({.id = std::string(id), .member = {}});
  const auto departures = static_cast<std::int32_t>(ids.size());
  const consumer_view view{.now = group.soft.consumer, .gone = std::move(ids)};
  const consumer_cause cause{.departures = departures};
  outcome.records = settle_consumers(group, view, cause, world, *changes).records;
  outcome.soft.consumer = std::move(changes);
  return outcome;
}

consumer_outcome expire_consumers(const streams_group& group, const consumer_world& world) {
  std::vector<std::string_view> late;
  for (const auto& [id, member] : group.soft.consumer.members) {
    const auto rebalance = member.rebalance_deadline_ms.value_or(member.session_deadline_ms);
    if (std::min(member.session_deadline_ms, rebalance) <= world.now_ms) late.emplace_back(id);
  }
  return late.empty() ? consumer_outcome() : remove_consumers(group, std::move(late), world);
}

}  // namespace weir::group
