// OffsetCommit (8): spec 05, 4.2.
#include <memory>

#include "protocol/messages/offset_commit_request.hpp"
#include "protocol/messages/offset_commit_response.hpp"
#include "server/handlers/commit_topics.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void offset_commit::handle(request asked, call c, embedded_node& node) {
  constexpr std::int16_t topic_ids_from = 10;
  const auto out = std::make_shared<protocol::offset_commit_response>();
  const commit_terms terms{.by_id = c.version() >= topic_ids_from,
                           .now_ms = node.time.now_ms(),
                           .retention_ms = asked.retention_time_ms,
                           .merges = true};
  auto commit = read_commit(asked, c.version(), *node.topics.current(), terms, *out);
  if (commit.entries.empty()) return c.answer(*out);
  node.coordinator.commit(std::move(commit), [c, out](protocol::error_code code) {
    decide(*out, code);
    c.answer(*out);
  });
}

}  // namespace weir::server::handlers
