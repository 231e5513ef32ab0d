// The group APIs besides heartbeats, commits and describe, as the listener of embedded mode hands them on: classic
// and consumer members, transactions, deleted offsets, topology descriptions. Part of the coordinator.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "group/classic/classic_group.hpp"
#include "group/consumer/consumer_group.hpp"
#include "group/description.hpp"
#include "group/offsets/delete.hpp"
#include "protocol/error_codes.hpp"

namespace weir::actors {

/// Called exactly once with the answer, on any thread; must not block or throw.
template <class Answer>
using reply = std::function<void(Answer)>;

/// A request whose texts look into its frame. Whoever asks keeps the frame until it is answered, best in the reply.
template <class Request>
using framed = std::shared_ptr<const Request>;

/// OffsetDelete.
struct offset_deletion_request {
  std::string group_id;
  std::vector<group::offset_name> offsets;
};
struct offset_deletion_answer {
  protocol::error_code error = protocol::error_code::none;
  std::vector<protocol::error_code> partitions;  ///< parallel to what was asked for; empty with an error
};

/// A transaction that ends, as far as one group is concerned.
struct transaction_end {
  std::string group_id;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  bool commit = false;
  bool has_offsets = false;  ///< the group was given some: a commit that finds none is INVALID_TXN_STATE, they are lost
};

class group_apis {
 public:
  virtual ~group_apis() = default;

  /// Spec 05, 4.5. Durable before the answer.
  virtual void delete_offsets(offset_deletion_request request, reply<offset_deletion_answer> done) = 0;
  /// What the transaction holds back becomes visible and durable, or is dropped. Nothing held back is no error.
  virtual void end_transaction(transaction_end end, reply<protocol::error_code> done) = 0;
  /// Spec 05, 4.10. UNSUPPORTED_VERSION unless descriptions are kept.
  virtual void update_description(framed<protocol::streams_group_topology_description_update_request> request,
                                  reply<protocol::kafka_result<void>> done) = 0;

  // Spec 05, 4.7. `context.now_ms` is the coordinator's to fill.
  virtual void join_classic(framed<protocol::join_group_request> request, group::classic_context context,
                            reply<protocol::join_group_response> done) = 0;
  virtual void sync_classic(framed<protocol::sync_group_request> request,
                            reply<protocol::sync_group_response> done) = 0;
  virtual void beat_classic(framed<protocol::heartbeat_request> request, reply<protocol::error_code> done) = 0;
  virtual void leave_classic(framed<protocol::leave_group_request> request, std::int16_t version,
                             reply<protocol::leave_group_response> done) = 0;
  /// As DescribeGroups version 6 tells it.
  virtual void describe_classic(std::string group_id,
                                reply<protocol::describe_groups_response::described_group_data> done) = 0;

  /// KIP-848. Durable before the answer.
  virtual void heartbeat_consumer(framed<protocol::consumer_group_heartbeat_request> request,
                                  group::consumer_caller caller,
                                  reply<protocol::consumer_group_heartbeat_response> done) = 0;
  virtual void describe_consumers(
      std::string group_id, reply<protocol::consumer_group_describe_response::described_group_data> done) = 0;

  /// What lives under the id. Cheap, any thread.
  [[nodiscard]] virtual group::group_kind kind_of(std::string_view group_id) const = 0;
  /// Ids that have overrides, in order, whether the group exists or not.
  [[nodiscard]] virtual std::vector<std::string> configured_groups() const = 0;
};

}  // namespace weir::actors
