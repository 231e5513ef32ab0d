// AddOffsetsToTxn (25): spec 05, 4.11.
#include "protocol/messages/add_offsets_to_txn_request.hpp"
#include "protocol/messages/add_offsets_to_txn_response.hpp"
#include "server/handlers/fenced.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void add_offsets_to_txn::handle(request asked, call c, embedded_node& node) {
  const producer_claim claim{asked.transactional_id.str(), asked.producer_id, asked.producer_epoch};
  const auto added = node.producers.add_group(claim, asked.group_id);
  protocol::add_offsets_to_txn_response out;
  out.error_code = added ? 0 : code_of(fenced_in(added.error().code, c.version()));
  c.answer(out);
}

}  // namespace weir::server::handlers
