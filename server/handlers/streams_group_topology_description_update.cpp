// StreamsGroupTopologyDescriptionUpdate (93): spec 05, 4.10.
#include <memory>
#include <utility>

#include "protocol/messages/streams_group_topology_description_update_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"
#include "server/handlers/topic_answers.hpp"

namespace weir::server::handlers {

void streams_group_topology_description_update::handle(request asked, call c, embedded_node& node) {
  node.coordinator.update_description(std::make_shared<const request>(std::move(asked)),
                                      [c](const protocol::kafka_result<void>& stored) {
                                        protocol::streams_group_topology_description_update_response out;
                                        if (!stored) tell(out, stored.error());
                                        c.answer(out);
                                      });
}

}  // namespace weir::server::handlers
