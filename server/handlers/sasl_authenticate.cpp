// SaslAuthenticate (36): a plaintext listener has no SASL state to be in (spec 05, 1.2).
#include "protocol/error_codes.hpp"
#include "protocol/messages/sasl_authenticate_request.hpp"
#include "protocol/messages/sasl_authenticate_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void sasl_authenticate::handle(request /*asked*/, call c, embedded_node& /*node*/) {
  protocol::sasl_authenticate_response out;
  out.error_code = code_of(protocol::error_code::illegal_sasl_state);
  out.error_message = "SaslAuthenticate request received on a listener without SASL";
  c.answer(out);
}

}  // namespace weir::server::handlers
