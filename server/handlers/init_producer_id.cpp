// InitProducerId (22): spec 05, 4.11.
#include "protocol/messages/init_producer_id_request.hpp"
#include "protocol/messages/init_producer_id_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/fenced.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void init_producer_id::handle(request asked, call c, embedded_node& node) {
  constexpr std::int16_t fenced_from = 4;
  const auto finish = [c](const protocol::kafka_result<producer_identity>& given) {
    protocol::init_producer_id_response out;
    out.error_code = given ? 0 : code_of(fenced_in(given.error().code, c.version(), fenced_from));
    out.producer_id = given ? given->id : -1;
    out.producer_epoch = given ? given->epoch : std::int16_t{-1};
    c.answer(out);
  };
  if ((asked.producer_id < 0) != (asked.producer_epoch < 0)) {
    return finish(protocol::refuse(protocol::error_code::invalid_request));  // half an identity
  }
  if (!asked.transactional_id) return finish(node.producers.new_producer());
  if (asked.transactional_id->empty()) return finish(protocol::refuse(protocol::error_code::invalid_request));
  const producer_claim claim{asked.transactional_id->str(), asked.producer_id, asked.producer_epoch};
  node.producers.init(claim, asked.transaction_timeout_ms, node.coordinator, finish);
}

}  // namespace weir::server::handlers
