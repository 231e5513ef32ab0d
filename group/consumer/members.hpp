// The members of a consumer group (KIP-848), as embedded mode has them (docs/decisions/017): they are soft state, a
// restart makes them join again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/uuid.hpp"
#include "metadata/image.hpp"

namespace weir::group {

/// Partitions by topic id.
using partition_set = std::map<uuid, std::set<std::int32_t>>;
/// The same, each with the member epoch at which its member got it.
using partition_epochs = std::map<uuid, std::map<std::int32_t, std::int32_t>>;

[[nodiscard]] bool contains(const partition_set& partitions, const uuid& topic_id, std::int32_t partition) noexcept;
[[nodiscard]] bool contains(const partition_epochs& partitions, const uuid& topic_id, std::int32_t partition) noexcept;

enum class consumer_member_state : std::uint8_t { stable, unrevoked_partitions, unreleased_partitions };

/// What a member wants. Never changes once it is made; members that want the same may share one.
struct consumer_subscription {
  std::set<std::string, std::less<>> topics;  ///< by name
  std::string pattern;                        ///< empty: none
  std::optional<std::string> assignor;        ///< its vote

  bool operator==(const consumer_subscription&) const = default;
};

/// Times in milliseconds, deadlines in clock milliseconds.
struct consumer_member {
  static constexpr std::int32_t away_epoch = -2;

  std::optional<std::string> instance_id;
  std::optional<std::string> rack_id;
  std::string client_id;
  std::string client_host;
  std::int32_t rebalance_timeout_ms = -1;
  std::shared_ptr<const consumer_subscription> subscription =
      std::make_shared<const consumer_subscription>();  ///< never null
  std::int32_t epoch = 0;
  std::int32_t previous_epoch = 0;
  consumer_member_state state = consumer_member_state::stable;
  partition_epochs assigned;
  partition_epochs pending_revocation;  ///< nobody else gets them before the member has given them up
  std::int64_t session_deadline_ms = 0;
  std::optional<std::int64_t> rebalance_deadline_ms;  ///< while something is to be given up

  /// The member epoch at which it got a partition that it may still use.
  [[nodiscard]] std::optional<std::int32_t> got_at(const uuid& topic_id, std::int32_t partition) const noexcept;
  /// A static member that has left for a while.
  [[nodiscard]] bool is_away() const noexcept { return epoch == away_epoch; }
  bool operator==(const consumer_member&) const = default;
};

/// A target assignment. Never changes once it is made.
struct consumer_assignment {
  std::map<std::string, std::shared_ptr<const partition_set>, std::less<>> targets;  ///< by member id
  std::int32_t epoch = 1;
  std::int64_t computed_ms = 0;  ///< 0: never

  /// Nothing for a member without a target.
  [[nodiscard]] const partition_set& target_of(std::string_view member_id) const;
};

struct pattern_matches;  // topology/patterns.hpp

/// Topics that match, by pattern. A pattern that no topic was tried on yet is not there.
using matched_topics = std::map<std::string, std::shared_ptr<const pattern_matches>, std::less<>>;

/// What happens to one member: as it is from now on; nothing: it is gone.
struct consumer_step {
  std::string id;
  std::optional<consumer_member> member;
};

/// What a request or a deadline changes. Null or empty: stays.
struct consumer_changes {
  bool forgets_all = false;  ///< before the rest
  std::vector<consumer_step> steps;
  std::shared_ptr<const consumer_assignment> assignment;
  std::shared_ptr<const matched_topics> matched;
  std::optional<std::int64_t> image_version;
};

/// No version of an image: those begin with -1.
inline constexpr std::int64_t no_image = -2;

/// `members` gains and loses only by put and erase, which keep what is derived.
struct consumer_members {
  std::map<std::string, consumer_member, std::less<>> members;
  std::shared_ptr<const consumer_assignment> assignment = std::make_shared<const consumer_assignment>();
  std::shared_ptr<const matched_topics> matched = std::make_shared<const matched_topics>();
  /// Of the topics that hash and patterns were looked up in; no_image: in none, or not in all.
  std::int64_t image_version = no_image;

  std::map<std::string, std::string, std::less<>> instances;          ///< derived: instance id to member id
  std::map<uuid, std::map<std::int32_t, std::size_t>> holders;  ///< derived: members that hold a partition

  [[nodiscard]] std::optional<std::int64_t> next_deadline() const;
  [[nodiscard]] bool is_held(const uuid& topic_id, std::int32_t partition) const noexcept;
  /// Topics that members subscribe to, by name or pattern; views into this object.
  [[nodiscard]] std::set<std::string_view> topics_read() const;

  /// A new member, or one that is replaced by what it has become.
  void put(const std::string& id, consumer_member member);
  void erase(std::string_view id);
  void take(const consumer_changes& changes);
};

}  // namespace weir::group
