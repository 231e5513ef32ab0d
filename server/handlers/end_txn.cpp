// EndTxn (26): spec 05, 4.11.
#include "protocol/messages/end_txn_request.hpp"
#include "protocol/messages/end_txn_response.hpp"
#include "server/handlers/fenced.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void end_txn::handle(request asked, call c, embedded_node& node) {
  const producer_claim claim{asked.transactional_id.str(), asked.producer_id, asked.producer_epoch};
  const auto finish = [c](const protocol::kafka_result<producer_identity>& ended) {
    protocol::end_txn_response out;
    out.error_code = ended ? 0 : code_of(fenced_in(ended.error().code, c.version()));
    if (ended) {  // goes out in versions that give an epoch
      out.producer_id = ended->id;
      out.producer_epoch = ended->epoch;
    }
    c.answer(out);
  };
  node.producers.end(claim, asked.committed, c.version(), node.coordinator, finish);
}

}  // namespace weir::server::handlers
