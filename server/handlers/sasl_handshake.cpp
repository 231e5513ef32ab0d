// SaslHandshake (17): a plaintext listener has no SASL state to be in (spec 05, 1.2).
#include "protocol/error_codes.hpp"
#include "protocol/messages/sasl_handshake_request.hpp"
#include "protocol/messages/sasl_handshake_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void sasl_handshake::handle(request /*asked*/, call c, embedded_node& /*node*/) {
  protocol::sasl_handshake_response out;
  out.error_code = code_of(protocol::error_code::illegal_sasl_state);
  c.answer(out);
}

}  // namespace weir::server::handlers
