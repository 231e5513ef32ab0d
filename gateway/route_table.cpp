#include "gateway/route_table.hpp"

#include <algorithm>
#include <array>

namespace weir::gateway {
namespace {

constexpr std::array<route_row, 59> table{{
    {0, route::rewrite, 0, 13, false},  // Produce: NodeEndpoints from v10 on
    {1, route::rewrite, 0, 18, false},  // Fetch: NodeEndpoints from v16 on
    {2, route::relay, 0, 11, false},    // ListOffsets
    {3, route::rewrite, 0, 13, false},  // Metadata
    {8, route::group, 0, 9, true},      // OffsetCommit
    {9, route::group, 0, 9, true},      // OffsetFetch
    {10, route::rewrite, 0, 6, false},  // FindCoordinator: always asked upstream, see spec 05, 8.11.2
    {11, route::group, 0, 9, false},    // JoinGroup
    {12, route::group, 0, 4, false},    // Heartbeat
    {13, route::group, 0, 5, false},    // LeaveGroup
    {14, route::group, 0, 5, false},    // SyncGroup
    {15, route::group, 0, 6, false},    // DescribeGroups
    {16, route::group, 0, 5, true},     // ListGroups
    {17, route::relay, 1, 1, false},    // SaslHandshake: v0 is followed by tokens without Kafka headers
    {18, route::local, 0, 5, true},     // ApiVersions
    {19, route::topics, 0, 7, false},   // CreateTopics
    {20, route::topics, 0, 6, false},   // DeleteTopics
    {21, route::relay, 0, 2, false},    // DeleteRecords
    {22, route::relay, 0, 5, false},    // InitProducerId
    {23, route::relay, 0, 4, false},    // OffsetForLeaderEpoch
    {24, route::relay, 0, 5, false},    // AddPartitionsToTxn
    {25, route::relay, 0, 4, false},    // AddOffsetsToTxn
    {26, route::relay, 0, 5, false},    // EndTxn
    {28, route::group, 0, 5, false},    // TxnOffsetCommit
    {29, route::relay, 0, 3, false},    // DescribeAcls
    {30, route::relay, 0, 3, false},    // CreateAcls
    {31, route::relay, 0, 3, false},    // DeleteAcls
    {32, route::relay, 0, 4, false},    // DescribeConfigs
    {33, route::relay, 0, 2, false},    // AlterConfigs
    {34, route::relay, 0, 2, false},    // AlterReplicaLogDirs
    {35, route::relay, 0, 5, false},    // DescribeLogDirs
    {36, route::relay, 0, 2, false},    // SaslAuthenticate
    {37, route::topics, 0, 3, false},   // CreatePartitions
    {38, route::relay, 0, 3, false},    // CreateDelegationToken
    {39, route::relay, 0, 2, false},    // RenewDelegationToken
    {40, route::relay, 0, 2, false},    // ExpireDelegationToken
    {41, route::relay, 0, 3, false},    // DescribeDelegationToken
    {42, route::group, 0, 3, false},    // DeleteGroups
    {43, route::relay, 0, 2, false},    // ElectLeaders
    {44, route::relay, 0, 1, false},    // IncrementalAlterConfigs
    {45, route::relay, 0, 1, false},    // AlterPartitionReassignments
    {46, route::relay, 0, 0, false},    // ListPartitionReassignments
    {47, route::group, 0, 0, false},    // OffsetDelete
    {48, route::relay, 0, 1, false},    // DescribeClientQuotas
    {49, route::relay, 0, 1, false},    // AlterClientQuotas
    {50, route::relay, 0, 0, false},    // DescribeUserScramCredentials
    {51, route::relay, 0, 0, false},    // AlterUserScramCredentials
    {55, route::relay, 0, 2, false},    // DescribeQuorum
    {57, route::relay, 0, 2, false},    // UpdateFeatures
    {60, route::rewrite, 0, 2, false},  // DescribeCluster
    {61, route::relay, 0, 0, false},    // DescribeProducers
    {65, route::relay, 0, 0, false},    // DescribeTransactions
    {66, route::relay, 0, 2, false},    // ListTransactions
    {68, route::group, 0, 1, false},    // ConsumerGroupHeartbeat
    {69, route::group, 0, 1, false},    // ConsumerGroupDescribe
    {74, route::relay, 0, 1, false},    // ListConfigResources
    {75, route::relay, 0, 0, false},    // DescribeTopicPartitions
    {88, route::local, 0, 1, true},     // StreamsGroupHeartbeat
    {89, route::local, 0, 1, true},     // StreamsGroupDescribe
}};

static_assert(std::is_sorted(table.begin(), table.end(),
                             [](const route_row& a, const route_row& b) { return a.key < b.key; }));

}  // namespace

std::span<const route_row> routes() noexcept { return table; }

const route_row* find_route(std::int16_t key) noexcept {
  const auto found = std::lower_bound(table.begin(), table.end(), key,
                                      [](const route_row& row, std::int16_t wanted) { return row.key < wanted; });
  return found != table.end() && found->key == key ? &*found : nullptr;
}

}  // namespace weir::gateway
