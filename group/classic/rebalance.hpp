// The rebalance of a classic group: everybody joins, the leader assigns. Steps shared by its requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "group/classic/classic_group.hpp"

namespace weir::group {

/// What the member says for a protocol; empty if it does not support it.
[[nodiscard]] std::string metadata_for(const classic_member& member, std::string_view protocol);

/// Answers that only say why not.
[[nodiscard]] protocol::join_group_response refuse_join(protocol::error_code code, std::string_view member_id);
[[nodiscard]] protocol::sync_group_response refuse_sync(protocol::error_code code);

/// Every member has to join again. Who waits for the leader is told.
void start_rebalance(classic_members& group, classic_outcome& outcome, std::int64_t now_ms);

/// A member that goes: its waiting requests get `why`.
void tell_dropped(const classic_members& group, const std::string& member_id, classic_outcome& outcome,
                  protocol::error_code why = protocol::error_code::unknown_member_id);

/// Takes the member out and tells it.
void drop_classic_member(classic_members& group, const std::string& member_id, classic_outcome& outcome,
                         protocol::error_code why = protocol::error_code::unknown_member_id);

/// The next generation, if everybody has joined; the group is empty if nobody is left.
void finish_if_all_joined(classic_members& group, classic_outcome& outcome, std::int64_t now_ms);

/// The next generation with those who have joined; as long as nobody has, everybody is waited for once more.
void finish_late(classic_members& group, classic_outcome& outcome, std::int64_t now_ms);

/// The member has just taken the place of `former_id`, itself under another id. If the group is stable and would
/// choose the same protocol again, it goes on without a rebalance (KIP-345), and this is the answer. A leader is to
/// assign nothing: from version 9 on it is told so, an older client is told that its former self leads.
[[nodiscard]] std::optional<protocol::join_group_response> resume_static(const classic_members& group,
                                                                         const std::string& member_id,
                                                                         const std::string& former_id,
                                                                         std::int16_t version);

/// A member that joins again as it is, because it has not seen the answer or has nothing new to say: the answer of the
/// present generation, once more. Nothing if this begins a rebalance: the leader's does while the group is stable.
[[nodiscard]] std::optional<protocol::join_group_response> repeat_join(const classic_members& group,
                                                                       const protocol::join_group_request& request);

/// Whether the request names a protocol that every member supports; `but_for` is the member that asks.
[[nodiscard]] bool has_common_protocol(const classic_members& group, const protocol::join_group_request& request,
                                       std::string_view but_for);

/// The answer of a member that has an assignment.
[[nodiscard]] protocol::sync_group_response assignment_of(const classic_members& group, const classic_member& member);

}  // namespace weir::group
