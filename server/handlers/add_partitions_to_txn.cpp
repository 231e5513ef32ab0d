// AddPartitionsToTxn (24), as clients send it (version 3 and older): all partitions or none.
#include "protocol/messages/add_partitions_to_txn_request.hpp"
#include "protocol/messages/add_partitions_to_txn_response.hpp"
#include "server/handlers/fenced.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"
#include "server/handlers/topic_answers.hpp"

namespace weir::server::handlers {

void add_partitions_to_txn::handle(request asked, call c, embedded_node& node) {
  using protocol::error_code;
  const auto image = node.topics.current();
  protocol::add_partitions_to_txn_response out;
  bool all_known = true;
  for (const auto& wanted : asked.v3_and_below_topics) {
    const auto* const topic = image->find(wanted.name);
    auto& told = out.results_by_topic_v3_and_below.emplace_back();
    told.name = wanted.name;
    for (const auto index : wanted.partitions) {
      const bool is_known = has_partition(topic, index);
      all_known = all_known && is_known;
      auto& partition = told.results_by_partition.emplace_back();
      partition.partition_index = index;
      partition.partition_error_code = is_known ? 0 : code_of(error_code::unknown_topic_or_partition);
    }
  }
  auto code = error_code::operation_not_attempted;
  if (all_known) {
    const producer_claim claim{asked.v3_and_below_transactional_id.str(), asked.v3_and_below_producer_id,
                               asked.v3_and_below_producer_epoch};
    const auto added = node.producers.add_partitions(claim);
    code = added ? error_code::none : fenced_in(added.error().code, c.version());
  }
  for (auto& topic : out.results_by_topic_v3_and_below) {
    for (auto& partition : topic.results_by_partition) {
      if (partition.partition_error_code == 0) partition.partition_error_code = code_of(code);
    }
  }
  c.answer(out);
}

}  // namespace weir::server::handlers
