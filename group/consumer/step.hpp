// What the steps of a consumer heartbeat share. Private to group/consumer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "group/consumer/assignors.hpp"
#include "group/consumer/consumer_group.hpp"

namespace weir::group {

using consumer_request = protocol::consumer_group_heartbeat_request;

struct consumer_call {
  const streams_group& group;
  const consumer_request& request;
  const consumer_caller& caller;
  const consumer_world& world;

  [[nodiscard]] bool is_join() const noexcept { return request.member_epoch == 0; }
  [[nodiscard]] const consumer_members& members() const noexcept { return group.soft.consumer; }
};

/// The checks that need no member, and then whether the request fits what lives under the id, in the order of a 4.4
/// broker.
[[nodiscard]] std::optional<refusal> check_consumer_request(const consumer_call& c);
[[nodiscard]] std::optional<refusal> check_consumer_group(const consumer_call& c);

/// The member of a request that does not join: by instance id if it has one, which must be the member's.
[[nodiscard]] protocol::kafka_result<const consumer_member*> find_consumer(const consumer_call& c);

/// The members as a request leaves them.
struct consumer_view {
  const consumer_members& now;
  std::vector<std::string_view> gone = {};   ///< ascending
  std::string_view id = {};                  ///< of the member that is new or has changed
  const consumer_member* changed = nullptr;  ///< as it is then; null: none

  /// Calls visit(id, member) for each in the order of the ids.
  template <class Visit>
  void each(Visit visit) const {
    bool is_told = changed == nullptr;
    for (const auto& [other, member] : now.members) {
      if (!is_told && id <= other) {
        visit(id, *changed);
        is_told = true;
      }
      if (other != id && !std::ranges::binary_search(gone, std::string_view(other))) visit(other, member);
    }
    if (!is_told) visit(id, *changed);
  }
};

/// Why epoch and assignment of a group may have to change.
struct consumer_cause {
  bool has_new_wishes = false;
  std::int32_t departures = 0;
  bool may_assign = false;                 ///< a target may be computed now
  std::string_view replaced_id = {};       ///< the changed member takes over this one's target
};

/// Epoch and target assignment of a group as a request leaves them.
struct settled_group {
  group::records records;  ///< the group's, if there is a new epoch
  std::int32_t epoch = 1;
  std::shared_ptr<const consumer_assignment> assignment;
  std::shared_ptr<const matched_topics> matched;
};

/// What is new goes into the changes, too.
[[nodiscard]] settled_group settle_consumers(const streams_group& group, const consumer_view& view,
                                             const consumer_cause& cause, const consumer_world& world,
                                             consumer_changes& changes);

/// The assignor most members vote for; `uniform` if several or none are.
[[nodiscard]] std::string_view elected_assignor(const consumer_view& view);

/// Whether a member wants the topic; one that does not exist nobody wants.
[[nodiscard]] bool wants_topic(const consumer_subscription& wanted, const matched_topics& matched,
                               const metadata::image& image, const uuid& topic_id);

/// The next step of a member on its way to the target assignment. `is_due`: also if it has reached it, since it wants
/// something else than before.
void reconcile_consumer(consumer_member& member, std::string_view member_id, const consumer_call& c,
                        const settled_group& settled, bool is_due);

/// They leave the group, each with an epoch of its own. The ids look into the group, ascending.
[[nodiscard]] consumer_outcome remove_consumers(const streams_group& group, std::vector<std::string_view> ids,
                                                const consumer_world& world);

}  // namespace weir::group
