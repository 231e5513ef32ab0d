// TxnOffsetCommit (28): spec 05, 4.4. The transaction comes first, then the group.
#include <algorithm>
#include <memory>

#include "protocol/messages/txn_offset_commit_request.hpp"
#include "protocol/messages/txn_offset_commit_response.hpp"
#include "server/handlers/commit_topics.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;

/// Old clients do not know COORDINATOR_LOAD_IN_PROGRESS here (spec 04, 9.2).
error_code for_version(error_code code, std::int16_t version) {
  const bool is_old = version <= 1 && code == error_code::coordinator_load_in_progress;
  return is_old ? error_code::coordinator_not_available : code;
}

}  // namespace

void txn_offset_commit::handle(request asked, call c, embedded_node& node) {
  constexpr std::int16_t topic_ids_from = 6;
  const auto out = std::make_shared<protocol::txn_offset_commit_response>();
  const commit_terms terms{.by_id = c.version() >= topic_ids_from,
                           .now_ms = node.time.now_ms(),
                           .retention_ms = -1,
                           .merges = false};
  auto commit = read_commit(asked, c.version(), *node.topics.current(), terms, *out);
  commit.transactional = true;
  const auto finish = [c, out](error_code code) {
    decide(*out, for_version(code, c.version()));
    c.answer(*out);
  };
  if (commit.entries.empty()) return c.answer(*out);
  if (commit.group_id.empty()) return finish(error_code::invalid_group_id);
  const producer_claim claim{asked.transactional_id.str(), asked.producer_id, asked.producer_epoch};
  auto admitted = node.producers.admit_commit(claim, commit.group_id, c.version());
  if (!admitted) return finish(admitted.error().code);
  commit.producer = *admitted;
  const auto group_id = commit.group_id;
  const bool has_offsets = std::ranges::any_of(commit.entries, &group::offset_entry::is_stored);
  node.coordinator.commit(std::move(commit), [&node, claim, group_id, has_offsets, finish](error_code code) {
    if (code == error_code::none && has_offsets) node.producers.given_offsets(claim, group_id);
    finish(code);
  });
}

}  // namespace weir::server::handlers
