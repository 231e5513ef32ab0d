#include "gateway/group_rights.hpp"

#include <algorithm>
#include <limits>

namespace weir::gateway {
namespace {

using protocol::error_code;

/// What an upstream says that does not tell rights.
constexpr std::int32_t not_said = std::numeric_limits<std::int32_t>::min();

/// A principal that may not DESCRIBE gets an error instead of the bits, whatever else it may do.
bool allows(std::int32_t operations, operation wanted) {
  if (operations == not_said || wanted == operation::describe) return true;
  return (operations & (1 << static_cast<int>(wanted))) != 0;
}

}  // namespace

error_code judge(const described_group& group, operation wanted) noexcept {
  const auto failure = static_cast<error_code>(group.error_code);
  // An id that the upstream does not take is for our own checks to refuse.
  if (failure == error_code::invalid_group_id) return error_code::none;
  if (failure != error_code::none) return failure;
  return allows(group.authorized_operations, wanted) ? error_code::none : error_code::group_authorization_failed;
}

group_rights::answer group_rights::allowed(std::string_view group_id, operation wanted, std::int64_t now_ms) {
  const auto found = words_.find(group_id);
  if (found == words_.end() || !allows(found->second.operations, wanted)) return {};
  word& last = found->second;
  const std::int64_t age_ms = now_ms - last.told_ms;
  // While the question is open an old word serves on: a silent upstream must not end members.
  if (age_ms >= usable_ms && !last.asked) return {};
  const bool ask = age_ms >= fresh_ms && !last.asked;
  last.asked = last.asked || ask;
  return {true, ask};
}

void group_rights::told(std::string_view group_id, const described_group& group, std::int64_t now_ms) {
  const auto failure = static_cast<error_code>(group.error_code);
  if (failure != error_code::none && failure != error_code::group_authorization_failed) {
    return not_told(group_id, now_ms);
  }
  const auto found = words_.find(group_id);
  if (failure != error_code::none) {
    if (found != words_.end()) words_.erase(found);
    return;
  }
  const word now{group.authorized_operations, now_ms, false};
  if (found != words_.end()) {
    found->second = now;
    return;
  }
  make_room();
  words_.emplace(group_id, now);
}

void group_rights::not_told(std::string_view group_id, std::int64_t now_ms) {
  const auto found = words_.find(group_id);
  if (found == words_.end()) return;
  found->second.told_ms = now_ms;
  found->second.asked = false;
}

void group_rights::make_room() {
  if (words_.size() < groups_max) return;
  words_.erase(std::ranges::min_element(words_, {}, [](const auto& entry) { return entry.second.told_ms; }));
}

}  // namespace weir::gateway
