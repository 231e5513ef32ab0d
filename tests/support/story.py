"""Groups of every kind, made over the wire on Weir or on a broker, and what the server then says of them."""
import admin
from ports import wait_until

ROLES = ("ActiveTasks", "StandbyTasks", "WarmupTasks")
INPUT, CHANGELOG, PARTITIONS = "in", "words-store-changelog", 6
STREAMS, SIMPLE, TRANSACTIONAL, EMPTY, DELETED = "words", "plain", "transactional", "empty-classic", "deleted"
LIVE_CLASSIC, LIVE_CONSUMER = "live-classic", "live-consumer"
STORED = (STREAMS, SIMPLE, TRANSACTIONAL, EMPTY)
STABLE_SECONDS = 60
CONCURRENT_TRANSACTIONS, TRANSACTION = 51, 1
SETTINGS = {"group.streams.initial.rebalance.delay.ms": 0, "group.streams.assignment.interval.ms": 0,
            "group.streams.num.standby.replicas": 1, "group.streams.num.warmup.replicas": 0}

TOPOLOGY = {"Epoch": 3, "Subtopologies": [
    {"SubtopologyId": "0", "SourceTopics": [INPUT], "StateChangelogTopics": [
        {"Name": CHANGELOG, "Partitions": 0, "ReplicationFactor": 1,
         "TopicConfigs": [{"Key": "cleanup.policy", "Value": "compact"}]}]}]}
DESCRIPTION = {"Subtopologies": [{"SubtopologyId": "0", "Nodes": [
    {"Name": "SOURCE", "NodeType": 1, "SourceTopics": [INPUT], "SinkTopic": None, "Stores": [], "Successors": []}]}],
    "GlobalStores": []}


class Member:
    """A stream thread that does what it is told."""

    def __init__(self, name, instance=None, rack=None):
        self.name, self.epoch, self.tasks = name, 0, {role: [] for role in ROLES}
        self.intro = {"InstanceId": instance, "RackId": rack, "RebalanceTimeoutMs": 60000, "ProcessId": f"p-{name}",
                      "Topology": TOPOLOGY, "UserEndpoint": {"Host": f"{name}.example", "Port": 8081},
                      "ClientTags": [{"Key": "zone", "Value": f"z-{name}"}]}

    def beat(self, client):
        """One heartbeat; the answer."""
        fields = {"GroupId": STREAMS, "MemberId": self.name, "MemberEpoch": self.epoch,
                  "InstanceId": self.intro["InstanceId"], **self.tasks}
        if self.epoch == 0:
            fields.update(self.intro)
        answer = admin.heartbeat(client, fields)
        admin.demand(answer["ErrorCode"], f"heartbeat of {self.name}", answer["ErrorMessage"])
        self.epoch = answer["MemberEpoch"]
        for role in ROLES:
            if answer[role] is not None:
                self.tasks[role] = answer[role]
        return answer


def create_topics(client):
    for topic in (INPUT, CHANGELOG):
        admin.create_topic(client, topic, PARTITIONS)


def tell(client):
    """The whole story. Returns the members of the streams group, which go on living."""
    for group in (*STORED, DELETED):
        admin.find_coordinator(client, group)
    members = [Member("a"), Member("b", rack="r1"), Member("c", instance="static-c")]
    settle(client, members)
    commit(client, STREAMS, {p: 100 + p for p in range(PARTITIONS)}, members[0])
    commit(client, SIMPLE, {0: 7, 1: 8})
    commit(client, SIMPLE, {1: 9})
    commit(client, DELETED, {0: 1})
    deleted = client.call("DeleteGroups", 2, {"GroupsNames": [DELETED]})
    admin.demand(deleted["Results"][0]["ErrorCode"], "DeleteGroups")
    transactions(client)
    classic_member(client, EMPTY, leaves=True)
    commit(client, EMPTY, {2: 22})
    return members


def settle(client, members):
    def stable():
        for member in members:
            member.beat(client)
        group = admin.describe_group(client, STREAMS)
        return group["GroupState"] == "Stable" and len(group["Members"]) == len(members)
    wait_until(stable, STABLE_SECONDS, "the streams group is stable", pause=0.2)


def commit(client, group, offsets, member=None):
    topics = [{"Name": INPUT, "Partitions": [
        {"PartitionIndex": p, "CommittedOffset": o, "CommittedLeaderEpoch": 0, "CommittedMetadata": f"m{p}"}
        for p, o in offsets.items()]}]
    answer = client.call("OffsetCommit", 9, {
        "GroupId": group, "MemberId": member.name if member else "",
        "GenerationIdOrMemberEpoch": member.epoch if member else -1, "Topics": topics})
    for partition in answer["Topics"][0]["Partitions"]:
        admin.demand(partition["ErrorCode"], f"commit of {group}")


def transactions(client):
    """One that commits, one that aborts, and one that is left open."""
    commit(client, TRANSACTIONAL, {0: 1, 1: 1, 2: 1})
    for partition, end in ((0, True), (1, False), (2, None)):
        name = f"transaction-{partition}"
        until_done(lambda: client.call("FindCoordinator", 4, {  # noqa: B023
            "KeyType": TRANSACTION, "CoordinatorKeys": [name]})["Coordinators"][0], name)  # noqa: B023
        producer = until_done(lambda: client.call("InitProducerId", 4, {  # noqa: B023
            "TransactionalId": name, "TransactionTimeoutMs": 60000}), name)  # noqa: B023
        identity = {"TransactionalId": name, "ProducerId": producer["ProducerId"],
                    "ProducerEpoch": producer["ProducerEpoch"]}
        joined = {**identity, "GroupId": TRANSACTIONAL}
        until_done(lambda: client.call("AddOffsetsToTxn", 3, joined), name)  # noqa: B023
        topics = [{"Name": INPUT, "Partitions": [{"PartitionIndex": partition, "CommittedOffset": 1000,
                                                  "CommittedLeaderEpoch": -1, "CommittedMetadata": ""}]}]
        answer = client.call("TxnOffsetCommit", 3, {**joined, "GenerationIdOrMemberEpoch": -1, "MemberId": "",
                                                    "Topics": topics})
        admin.demand(answer["Topics"][0]["Partitions"][0]["ErrorCode"], "TxnOffsetCommit")
        if end is not None:
            until_done(lambda: client.call("EndTxn", 3, {**identity, "Committed": end}), name)  # noqa: B023
    wait_until(lambda: fetched(client, TRANSACTIONAL)[INPUT, 0][0] == 1000, STABLE_SECONDS, "the transaction is there")


def until_done(send, what):
    """Repeats a request while the transaction coordinator loads or is busy."""
    answers = []

    def done():
        answers.append(send())
        return answers[-1]["ErrorCode"] not in (*admin.LOADING, CONCURRENT_TRANSACTIONS)
    wait_until(done, STABLE_SECONDS, what, pause=0.2)
    admin.demand(answers[-1]["ErrorCode"], what)
    return answers[-1]


def classic_member(client, group, leaves):
    """Joins a classic group alone, and leaves it again if it is to be empty."""
    answer = admin.join_classic(client, 7, {
        "GroupId": group, "SessionTimeoutMs": 60000, "RebalanceTimeoutMs": 60000, "ProtocolType": "consumer",
        "Protocols": [{"Name": "range", "Metadata": b"subscription"}]})
    admin.demand(answer["ErrorCode"], f"JoinGroup {group}")
    member = answer["MemberId"]
    synced = client.call("SyncGroup", 5, {
        "GroupId": group, "GenerationId": answer["GenerationId"], "MemberId": member, "ProtocolType": "consumer",
        "ProtocolName": "range", "Assignments": [{"MemberId": member, "Assignment": b"assignment"}]})
    admin.demand(synced["ErrorCode"], f"SyncGroup {group}")
    if leaves:
        left = client.call("LeaveGroup", 3, {"GroupId": group, "Members": [{"MemberId": member}]})
        admin.demand(left["ErrorCode"], f"LeaveGroup {group}")


def consumer_member(client, group):
    """Joins a group of the consumer protocol."""
    admin.find_coordinator(client, group)
    answer = client.call("ConsumerGroupHeartbeat", 0, {
        "GroupId": group, "MemberId": "consumer-member", "MemberEpoch": 0, "RebalanceTimeoutMs": 60000,
        "SubscribedTopicNames": [INPUT], "TopicPartitions": []})
    admin.demand(answer["ErrorCode"], f"ConsumerGroupHeartbeat {group}", answer["ErrorMessage"])


def describe_topology(client, member):
    """The description that Weir asks for; a broker without the plug-in asks for none."""
    answer = client.call("StreamsGroupTopologyDescriptionUpdate", 0, {
        "GroupId": STREAMS, "MemberId": member.name, "TopologyEpoch": TOPOLOGY["Epoch"],
        "TopologyDescription": DESCRIPTION})
    admin.demand(answer["ErrorCode"], "StreamsGroupTopologyDescriptionUpdate")


def fetched(client, group):
    """{(topic, partition): (offset, leader epoch, metadata)} of a group."""
    entry = until_done(lambda: client.call("OffsetFetch", 9, {
        "Groups": [{"GroupId": group, "Topics": None}], "RequireStable": False})["Groups"][0], f"OffsetFetch {group}")
    return {(t["Name"], p["PartitionIndex"]): (p["CommittedOffset"], p["CommittedLeaderEpoch"], p["Metadata"])
            for t in entry["Topics"] for p in t["Partitions"]}


def state(client):
    """What the server says of the stored groups, in a form that can be compared. The list is asked for last: a broker
    leaves out partitions that it does not lead yet."""
    offsets = {group: fetched(client, group) for group in STORED}
    streams = admin.describe_group(client, STREAMS)
    admin.demand(streams["ErrorCode"], "StreamsGroupDescribe")
    streams["Members"].sort(key=lambda m: m["MemberId"])
    groups = until_done(lambda: client.call("ListGroups", 5, {"StatesFilter": [], "TypesFilter": []}), "ListGroups")
    classic = client.call("DescribeGroups", 5, {"Groups": [EMPTY, SIMPLE]})["Groups"]
    return {
        "listed": {g["GroupId"]: (g["GroupType"], g["GroupState"], g["ProtocolType"]) for g in groups["Groups"]
                   if g["GroupId"] in (*STORED, DELETED)},
        "streams": streams,
        "classic": {g["GroupId"]: (g["ErrorCode"], g["GroupState"], g["ProtocolType"], len(g["Members"]))
                    for g in classic},
        "offsets": offsets,
    }
