"""Consumer groups (KIP-848) of embedded mode against a real Kafka 4.4 broker: the same requests to both, every answer
compared.

    python3 tests/conformance/consumer_groups.py                              Weir and a broker, both started here
    python3 tests/conformance/consumer_groups.py --reference 127.0.0.1:9092   against a broker that runs already
    python3 tests/conformance/consumer_groups.py --show                       with every step and its answer

Each function `play_*` is one story on groups and topics of its own. A step is one line: what was asked, and the answer
with names in place of topic ids. The last line is "N passed, N failed".
"""
import argparse
import contextlib
import pathlib
import sys
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import admin  # noqa: E402
from broker import Broker  # noqa: E402
from ports import wait_until  # noqa: E402
from weir import Weir  # noqa: E402
from wire import Client, error_name  # noqa: E402

LOADING = (14, 15, 16)
# Answers of both sides are alike only if both have these.
SHARED = {"group.streams.initial.rebalance.delay.ms": 0, "group.streams.assignment.interval.ms": 0}
BROKER = {**SHARED, "group.consumer.assignment.interval.ms": 0, "group.consumer.migration.policy": "disabled",
          "offsets.topic.num.partitions": 1}
WEIR = {**SHARED, "strict.kafka": "true"}


class Side:
    """One of the two systems: what was asked of it and what it said, line by line."""

    def __init__(self, address, prefix):
        host, port = address.rsplit(":", 1)
        self.client = Client(host, port, client_id="consumer-test")
        self.prefix, self.lines, self.topics, self.ids = prefix, [], {}, {}
        self.exact = True
        self.epochs, self.held, self.instances = {}, {}, {}  # by member: what it was told last

    def close(self):
        self.client.close()

    # --- names ---

    def name(self, short):
        return f"{self.prefix}-{short}"

    def plain(self, text):
        return text.replace(f"{self.prefix}-", "") if isinstance(text, str) else text

    def member(self, short):
        """The id of a member; the same on both sides, so that orders agree."""
        return self.ids.setdefault(short, str(uuid.uuid5(uuid.NAMESPACE_OID, short)))

    def member_name(self, member_id):
        names = [short for short, known in self.ids.items() if known == member_id]
        return names[0] if names else ("(made)" if member_id else member_id)

    def make_topic(self, short, partitions):
        admin.create_topic(self.client, self.name(short), partitions)
        answer = self.client.call("Metadata", 12, {"Topics": [{"Name": self.name(short)}]})
        self.topics[answer["Topics"][0]["TopicId"]] = short
        time.sleep(0.3)  # a broker shows a topic before its group coordinator knows it

    def note(self, what, answer):
        self.lines.append(f"{what} -> {self.plain(str(answer))}")

    # --- heartbeats ---

    def parts(self, assignment):
        """An assignment by topic name."""
        if assignment is None:
            return None
        known = [(self.topics.get(t["TopicId"], "?"), sorted(t["Partitions"])) for t in assignment["TopicPartitions"]]
        return sorted(known)

    def owned(self, parts):
        ids = {short: topic_id for topic_id, short in self.topics.items()}
        return None if parts is None else [{"TopicId": ids.get(topic, uuid.UUID(int=7)), "Partitions": list(partitions)}
                                           for topic, partitions in parts]

    def call(self, api, version, body):
        deadline = time.monotonic() + 20
        while True:
            answer = self.client.call(api, version, body)
            if answer.get("ErrorCode") not in LOADING or time.monotonic() > deadline:
                return answer
            time.sleep(0.1)

    def beat(self, who, epoch=None, topics=None, owned=None, version=1, group="g", quiet=False, **more):
        """ConsumerGroupHeartbeat; at the epoch the member was told last if none is given."""
        epoch = self.epochs.get(who, 0) if epoch is None else epoch
        body = {"GroupId": self.name(group) if group else "", "MemberId": self.member(who) if who else "",
                "MemberEpoch": epoch, "TopicPartitions": self.owned(owned),
                "SubscribedTopicNames": None if topics is None else [self.name(t) if t else "" for t in topics], **more}
        if body.get("SubscribedTopicRegex"):
            body["SubscribedTopicRegex"] = body["SubscribedTopicRegex"].replace("PREFIX", self.prefix)
        answer = self.call("ConsumerGroupHeartbeat", version, body)
        if answer["ErrorCode"] == 0:
            self.epochs[who] = answer["MemberEpoch"]
            if answer["Assignment"] is not None:
                self.held[who] = self.parts(answer["Assignment"])
        if answer["MemberId"] and not who:
            self.ids["made-" + str(len(self.ids))] = answer["MemberId"]
        asked = {k: v for k, v in body.items() if k not in ("GroupId", "MemberId", "MemberEpoch") and v is not None}
        asked["TopicPartitions"] = owned
        if quiet:
            return answer
        told = [error_name(answer["ErrorCode"]), answer["ErrorMessage"], "made" if answer["MemberId"] and not who else
                self.member_name(answer["MemberId"]), answer["MemberEpoch"], answer["HeartbeatIntervalMs"],
                self.shown(self.parts(answer["Assignment"]))]
        for known, member_id in self.ids.items():
            told[1] = told[1].replace(member_id, known) if told[1] else told[1]
        self.note(f"{group}: {who} at {epoch} {asked}", told)
        return answer

    def join(self, who, topics=("t",), **more):
        more.setdefault("RebalanceTimeoutMs", 60000)
        return self.beat(who, 0, topics, [], **more)

    def settle(self, members):
        """Every member beats with what it was told last, until nobody has anything new; only the outcome is noted."""
        calm = 0
        for _ in range(15):
            news = False
            for who in members:
                more = {"InstanceId": self.instances[who]} if who in self.instances else {}
                before = self.epochs.get(who), self.held.get(who)
                answer = self.beat(who, owned=self.held.get(who), quiet=True, **more)
                if answer["ErrorCode"]:
                    return self.note(f"settle {who}", error_name(answer["ErrorCode"]))
                news = news or before != (self.epochs.get(who), self.held.get(who))
            calm = 0 if news else calm + 1
            if calm == 2:
                break
        return self.note("settled", [(who, self.epochs[who], self.shown(self.held.get(who))) for who in members])

    def shown(self, parts):
        """Which partitions exactly is up to the order of the topics' random ids, if there are several."""
        if parts is None or self.exact:
            return parts
        return sum(len(partitions) for _, partitions in parts)

    # --- what others see ---

    def describe(self, *groups, version=1, **more):
        groups = groups or ("g",)
        answer = self.client.call("ConsumerGroupDescribe", version,
                                  {"GroupIds": [self.name(g) if g else "" for g in groups], **more})
        for group in answer["Groups"]:
            members = sorted(
                (self.member_name(m["MemberId"]), m["InstanceId"], m["RackId"], m["MemberEpoch"], m["ClientId"],
                 m["ClientHost"], [self.plain(t) for t in m["SubscribedTopicNames"]], m["SubscribedTopicRegex"],
                 self.shown(self.parts(m["Assignment"])),
                 self.shown(self.parts(m["TargetAssignment"])), m.get("MemberType"))
                for m in group["Members"])
            self.note(f"describe {self.plain(group['GroupId'])}",
                      [error_name(group["ErrorCode"]), group["ErrorMessage"], group["GroupState"], group["GroupEpoch"],
                       group["AssignmentEpoch"], group["AssignorName"], group["AuthorizedOperations"], members])

    def list(self, **filters):
        answer = self.client.call("ListGroups", 5, filters)
        rows = sorted((self.plain(g["GroupId"]), g["ProtocolType"], g["GroupState"], g["GroupType"])
                      for g in answer["Groups"] if g["GroupId"].startswith(self.prefix))
        self.note(f"list {filters}", rows)

    def others(self, group="g", classic_member=""):
        """What the APIs of other protocols say about the group."""
        name = self.name(group)
        streams = {"GroupId": name, "MemberId": "s", "ProcessId": "p", "RebalanceTimeoutMs": 1000,
                   "ActiveTasks": [], "StandbyTasks": [], "WarmupTasks": [],
                   "Topology": {"Epoch": 0, "Subtopologies": [{"SubtopologyId": "0", "SourceTopics": [self.name("t")]}]}}
        for epoch in (0, 1, -1):
            body = {**streams, "MemberEpoch": epoch}
            if epoch != 0:
                body = {"GroupId": name, "MemberId": "s", "MemberEpoch": epoch}
            answer = self.call("StreamsGroupHeartbeat", 0, body)
            self.note(f"streams heartbeat at {epoch}", error_name(answer["ErrorCode"]))
        answer = self.client.call("StreamsGroupDescribe", 0, {"GroupIds": [name]})["Groups"][0]
        self.note("streams describe", [error_name(answer["ErrorCode"]), answer["ErrorMessage"]])
        for version in (5, 6):
            answer = self.client.call("DescribeGroups", version, {"Groups": [name]})["Groups"][0]
            self.note(f"describe classic {version}", [error_name(answer["ErrorCode"]), answer.get("ErrorMessage"),
                                                      answer["GroupState"], answer["ProtocolType"], answer["Members"]])
        for member in {"", classic_member, "nobody"}:
            self.classic(group, member)

    def classic(self, group, member):
        name = self.name(group)
        member = self.member(member) if member not in ("", "nobody") else member
        answer = self.call("SyncGroup", 5, {"GroupId": name, "GenerationId": 1, "MemberId": member,
                                            "ProtocolType": "consumer", "ProtocolName": "range"})
        self.note(f"sync {self.member_name(member)}", error_name(answer["ErrorCode"]))
        answer = self.call("Heartbeat", 4, {"GroupId": name, "GenerationId": 1, "MemberId": member})
        self.note(f"classic heartbeat {self.member_name(member)}", error_name(answer["ErrorCode"]))
        answer = self.call("LeaveGroup", 5, {"GroupId": name, "Members": [{"MemberId": "somebody"}]})
        self.note("classic leave", [error_name(answer["ErrorCode"]), [error_name(m["ErrorCode"])
                                                                    for m in answer["Members"]]])

    def join_classic(self, member="", group="g", protocol="consumer", version=9):
        answer = self.call("JoinGroup", version, {
            "GroupId": self.name(group), "SessionTimeoutMs": 6000, "RebalanceTimeoutMs": 6000, "MemberId": member,
            "ProtocolType": protocol, "Protocols": [{"Name": "range", "Metadata": bytes(12)}]})
        self.note(f"join classic {member} as {protocol}", [error_name(answer["ErrorCode"]), bool(answer["MemberId"])])
        return answer

    def commit(self, who, epoch, topic="t", version=9, group="g", partition=0, **more):
        answer = self.client.call("OffsetCommit", version, {
            "GroupId": self.name(group), "GenerationIdOrMemberEpoch": epoch, "MemberId": self.member(who) if who else "",
            "Topics": [{"Name": self.name(topic), "Partitions": [{"PartitionIndex": partition, "CommittedOffset": 5}]}],
            **more})
        self.note(f"{group}: commit {who} {epoch} {partition} {version} {more}",
                  error_name(answer["Topics"][0]["Partitions"][0]["ErrorCode"]))

    def start_transaction(self, group="g"):
        self.call("FindCoordinator", 4, {"KeyType": 1, "CoordinatorKeys": [self.name("x")]})
        for _ in range(100):
            self.producer = self.client.call("InitProducerId", 4, {"TransactionalId": self.name("x"),
                                                                   "TransactionTimeoutMs": 60000})
            if self.producer["ErrorCode"] == 0:
                break
            time.sleep(0.1)
        answer = self.client.call("AddOffsetsToTxn", 3, {
            "TransactionalId": self.name("x"), "ProducerId": self.producer["ProducerId"],
            "ProducerEpoch": self.producer["ProducerEpoch"], "GroupId": self.name(group)})
        self.note("transaction", error_name(answer["ErrorCode"]))

    def end_transaction(self):
        answer = self.client.call("EndTxn", 3, {
            "TransactionalId": self.name("x"), "ProducerId": self.producer["ProducerId"],
            "ProducerEpoch": self.producer["ProducerEpoch"], "Committed": True})
        self.note("end", error_name(answer["ErrorCode"]))
        time.sleep(0.5)

    def txn_commit(self, who, epoch, version=4, group="g", **more):
        answer = self.client.call("TxnOffsetCommit", version, {
            "TransactionalId": self.name("x"), "GroupId": self.name(group),
            "ProducerId": self.producer["ProducerId"], "ProducerEpoch": self.producer["ProducerEpoch"],
            "GenerationIdOrMemberEpoch": epoch, "MemberId": self.member(who) if who else "",
            "Topics": [{"Name": self.name("t"), "Partitions": [{"PartitionIndex": 0, "CommittedOffset": 5}]}], **more})
        self.note(f"{group}: transactional commit {who} {epoch} {version}",
                  error_name(answer["Topics"][0]["Partitions"][0]["ErrorCode"]))

    def fetch(self, who=None, epoch=-1, group="g", version=9):
        answer = self.client.call("OffsetFetch", version, {"Groups": [{
            "GroupId": self.name(group), "MemberId": self.member(who) if who else None, "MemberEpoch": epoch,
            "Topics": [{"Name": self.name("t"), "PartitionIndexes": [0]}]}]})["Groups"][0]
        self.note(f"{group}: fetch {who} {epoch}", [error_name(answer["ErrorCode"]),
                                                    [p["CommittedOffset"] for t in answer["Topics"]
                                                     for p in t["Partitions"]]])

    def delete_offsets(self, group="g", topic="t"):
        answer = self.client.call("OffsetDelete", 0, {"GroupId": self.name(group), "Topics": [
            {"Name": self.name(topic), "Partitions": [{"PartitionIndex": 0}]}]})
        self.note(f"{group}: delete offsets of {topic}",
                  [error_name(answer["ErrorCode"]), [error_name(p["ErrorCode"]) for t in answer["Topics"]
                                                     for p in t["Partitions"]]])

    def delete(self, group="g"):
        answer = self.client.call("DeleteGroups", 2, {"GroupsNames": [self.name(group)]})
        self.note(f"delete {group}", error_name(answer["Results"][0]["ErrorCode"]))


# --- stories -----------------------------------------------------------------------------------------------------------

def play_one_member(s):
    s.make_topic("t", 3)
    s.beat("a", 1)
    s.beat("a", -1)
    s.join("a")
    s.describe()
    s.list()
    s.beat("a", 2, owned=[("t", [0, 1, 2])])
    s.describe()
    s.beat("a", 2)
    s.beat("a", 2, ["t"], owned=[("t", [0, 1, 2])], RebalanceTimeoutMs=60000)
    s.beat("a", 2, ["t"], owned=[("t", [0, 1])], RebalanceTimeoutMs=60000)
    s.join("a")
    s.beat("a", 2, RebalanceTimeoutMs=30000)
    s.others(classic_member="a")
    s.join_classic()
    s.join_classic("nobody")
    s.join_classic(protocol="connect")
    s.delete()
    s.beat("a", -1)
    s.describe()
    s.list()
    s.list(StatesFilter=["Empty"])
    s.list(TypesFilter=["consumer"])
    s.list(TypesFilter=["classic"])
    s.others(classic_member="a")
    s.beat("a", 2)
    s.delete()
    s.describe()
    s.list()
    s.delete()


def play_refusals(s):
    s.make_topic("t", 3)
    s.beat("a", 0, ["t"], [], group="", RebalanceTimeoutMs=1000)
    for version in (0, 1):
        s.beat("", 0, ["t"], [], version=version, group=f"v{version}", RebalanceTimeoutMs=1000)
        s.beat("", 1, ["t"], [], version=version, group=f"v{version}", RebalanceTimeoutMs=1000)
    s.beat("a", 0, ["t"], [], RebalanceTimeoutMs=-1)
    s.beat("a", 0, ["t"], [], RebalanceTimeoutMs=0)
    s.beat("a", 0, ["t"], [("t", [0])], RebalanceTimeoutMs=1000)
    s.beat("a", 0, ["t"], None, RebalanceTimeoutMs=1000)
    s.beat("a", 0, None, [], RebalanceTimeoutMs=1000)
    s.beat("a", 0, [], [], RebalanceTimeoutMs=1000, group="g0")
    s.beat("a", 0, [""], [], RebalanceTimeoutMs=1000, group="g1")
    s.beat("a", 0, ["t", "t"], [], RebalanceTimeoutMs=1000, group="g2")
    s.beat("a", 0, ["bad topic!"], [], RebalanceTimeoutMs=1000, group="g3")
    s.beat("a", 0, ["t"], [], RebalanceTimeoutMs=1000, InstanceId="")
    s.beat("a", 0, ["t"], [], RebalanceTimeoutMs=1000, RackId="")
    s.beat("a", 0, ["t"], [], RebalanceTimeoutMs=1000, ServerAssignor="foo")
    s.beat("a", 0, ["t"], [], RebalanceTimeoutMs=1000, ServerAssignor="")
    s.beat("a", 0, ["t"], [], RebalanceTimeoutMs=1000, SubscribedTopicRegex="")
    s.beat("a", 0, None, [], RebalanceTimeoutMs=1000, SubscribedTopicRegex="", group="g4")
    s.beat("a", 0, None, [], RebalanceTimeoutMs=1000, SubscribedTopicRegex="(", group="g5")
    s.beat("a", -2)
    s.beat("a", -2, InstanceId="i")
    s.beat("a", -3)
    s.beat("a", -1, InstanceId="")
    s.join("a")
    s.beat("a", 3)
    s.beat("a", 1)
    s.beat("b", 2)
    s.beat("b", -1)
    s.beat("a", -3)
    s.beat("a", 2, ServerAssignor="foo")
    s.beat("a", 2, ["t"], RackId="")
    s.beat("a", 2, SubscribedTopicRegex="(")
    s.beat("a", 2, owned=[("t", [7])])
    s.beat("a", 2, owned=[("?", [0])])
    s.beat("a", 2, RebalanceTimeoutMs=0)
    s.beat("a", 2, InstanceId="i")
    s.beat("a", -2, InstanceId="i")
    s.describe()
    s.describe("g", "none", "", "g0", "g1", "g2", "g3", "v0", "v1", IncludeAuthorizedOperations=True)
    s.list()


def play_two_members(s):
    """The second gets its part when the first has given it up."""
    s.make_topic("t", 4)
    s.join("a")
    s.beat("a", 2, owned=[("t", [0, 1, 2, 3])])
    s.join("b")
    s.describe()
    s.beat("b", 3)
    first = s.beat("a", 2)
    kept = s.parts(first["Assignment"])
    s.describe()
    s.beat("b", 3)
    s.beat("a", 2, owned=[("t", [0, 1, 2, 3])])
    s.beat("a", 2)
    s.describe()
    s.beat("a", 2, owned=kept)
    s.describe()
    s.beat("a", 2, owned=kept)
    second = s.beat("b", 3)
    s.describe()
    s.beat("b", 3, owned=s.parts(second["Assignment"]))
    s.beat("b", 2)
    s.beat("a", 3)
    s.join("a")
    s.beat("a", 3)
    s.beat("b", -1)
    s.describe()
    s.beat("a", 3)
    s.describe()
    s.beat("a", 4, owned=[("t", [0, 1, 2, 3])])
    s.beat("a", 3, owned=kept)
    s.beat("a", 3, owned=[("t", [0, 1, 2, 3])])
    s.describe()
    s.beat("b", 3)


def play_three_members(s):
    s.make_topic("t", 7)
    for who in "abc":
        s.join(who)
        s.settle("abc"["abc".index("a"):"abc".index(who) + 1])
        s.describe()
    s.beat("b", -1)
    s.settle("ac")
    s.describe()
    admin.add_partitions(s.client, s.name("t"), 9)
    time.sleep(0.5)
    s.settle("ac")
    s.describe()
    s.join("d")
    s.join("e")
    s.settle("acde")
    s.describe()


def play_several_topics(s):
    s.exact = False
    s.make_topic("t", 7)
    s.make_topic("u", 2)
    for who in "abc":
        s.join(who, ["t", "u"])
    s.settle("abc")
    s.describe()
    s.join("d", ["u"])
    s.settle("abcd")
    s.describe()
    s.beat("b", -1)
    s.settle("acd")
    s.describe()


def play_previous_epoch(s):
    s.make_topic("t", 6)
    s.join("a")
    s.join("b")
    s.settle("ab")
    s.join("c")
    s.beat("a")
    s.beat("b")
    s.beat("c")
    s.beat("a", owned=s.held["a"])
    s.beat("c")
    s.beat("c", 4, owned=s.held["c"])
    s.beat("c", 3, owned=s.held["c"])
    s.beat("a", 3, owned=s.held["a"])
    s.beat("a", 2, owned=s.held["a"])
    s.beat("b", owned=s.held["b"])
    s.beat("c")
    s.beat("c", 3, owned=s.held["c"])
    s.settle("abc")
    s.beat("c", 3, owned=s.held["c"])
    s.join("d")
    s.beat("a")
    s.beat("d", -1)
    s.beat("a")
    s.beat("a", owned=s.held["a"])
    s.settle("abc")
    s.describe()


def play_range(s):
    s.make_topic("t", 5)
    s.make_topic("u", 3)
    s.join("a", ["t", "u"], ServerAssignor="range")
    s.join("b", ["t", "u"], ServerAssignor="range")
    s.describe()
    s.settle("ab")
    s.describe()
    s.join("c", ["u"], ServerAssignor="uniform")
    s.settle("abc")
    s.describe()
    s.join("d", ["t", "u"])
    s.describe()
    s.settle("abcd")
    s.beat("c", -1)
    s.settle("abd")
    s.describe()


def play_static(s):
    s.make_topic("t", 4)
    s.instances = {"a": "i", "b": "j", "c": "i", "d": "i"}
    s.join("a", InstanceId="i")
    s.join("b", InstanceId="j")
    s.settle("ab")
    s.describe()
    s.join("c", InstanceId="i")
    s.beat("c", 3, InstanceId="i")
    s.beat("a", 3, InstanceId="j")
    s.beat("a", 3)
    s.join("a")
    s.join("e")
    s.join("e", InstanceId="j")
    s.beat("e", -1)
    s.settle("ab")
    s.beat("a", -2, InstanceId="j")
    s.beat("a", -2, InstanceId="k")
    s.beat("a", -2, InstanceId="i")
    s.describe()
    s.beat("a", 3, InstanceId="i")
    s.beat("a", -2, InstanceId="i")
    s.join("c", InstanceId="i")
    s.describe()
    s.beat("a", 3, InstanceId="i")
    s.join("a", InstanceId="i")
    s.beat("c", InstanceId="i")
    s.beat("c", -2, InstanceId="i")
    s.join("d", ["t"], InstanceId="i", RebalanceTimeoutMs=50000, RackId="r")
    s.describe()
    s.beat("d", -2, InstanceId="i")
    s.join("d", ["u"], InstanceId="i")
    s.describe()
    s.beat("b", InstanceId="j")
    s.settle("bd")
    s.describe()
    s.beat("d", -1, InstanceId="j")
    s.beat("d", -1, InstanceId="i")
    s.beat("b", -2, InstanceId="j")
    s.describe()
    s.delete()
    s.list()


def play_subscriptions(s):
    s.make_topic("t", 2)
    s.join("a", ["t", "later"])
    s.describe()
    s.make_topic("later", 2)
    s.beat("a")
    s.settle("a")
    s.describe()
    s.beat("a", None, ["t"])
    s.settle("a")
    s.describe()
    s.beat("a", None, ["later", "t"])
    s.settle("a")
    s.beat("a", None, ["t", "later"])
    s.beat("a", None, [])
    s.settle("a")
    s.describe()
    s.beat("a", None, ["t"], RackId="r1")
    s.settle("a")
    s.describe()
    s.beat("a", RackId="r2")
    s.settle("a")
    s.beat("a", ServerAssignor="range")
    s.settle("a")
    s.describe()
    s.beat("a", ServerAssignor="uniform")
    s.join("b", None, SubscribedTopicRegex="")
    s.settle("ab")
    s.describe()
    admin.delete_topic(s.client, s.name("t"))
    time.sleep(0.5)
    s.settle("a")
    s.describe()


def play_assignor_votes(s):
    s.make_topic("t", 2)
    s.join("a", ServerAssignor="range")
    s.describe()
    s.join("b", ServerAssignor="uniform")
    s.describe()
    s.join("c")
    s.describe()
    s.join("d", ServerAssignor="range")
    s.describe()
    s.beat("a", -1)
    s.beat("d", -1)
    s.describe()


def play_patterns(s):
    s.make_topic("t1", 2)
    s.make_topic("t2", 2)
    s.make_topic("x", 2)
    s.beat("a", 0, None, [], RebalanceTimeoutMs=60000, SubscribedTopicRegex="PREFIX-t.*", quiet=True)
    time.sleep(0.5)
    s.settle("a")
    s.describe()
    s.beat("a", SubscribedTopicRegex="PREFIX-x", quiet=True)
    time.sleep(0.5)
    s.settle("a")
    s.describe()
    s.beat("a", None, ["t1"], SubscribedTopicRegex="PREFIX-x")
    s.settle("a")
    s.describe()
    s.beat("a", SubscribedTopicRegex="")
    s.settle("a")
    s.describe()


def play_order_of_checks(s):
    """Two mistakes in one request: which is told."""
    s.make_topic("t", 1)
    wrong = {"member": {"who": ""}, "instance": {"InstanceId": ""}, "rack": {"RackId": ""},
             "timeout": {"RebalanceTimeoutMs": -1}, "owned": {"owned": None}, "topics": {"topics": None},
             "assignor": {"ServerAssignor": "foo"}, "pattern": {"SubscribedTopicRegex": "("}, "group": {"group": ""}}
    for first in wrong:
        for second in wrong:
            if first < second:
                asked = {"who": "a", "epoch": 0, "topics": ["t"], "owned": [], "RebalanceTimeoutMs": 1000,
                         **wrong[first], **wrong[second]}
                s.note(f"{first} and {second}", s.beat(quiet=True, **asked)["ErrorMessage"])
    for epoch in (-1, -2, -3, 5):
        for mistake in ("member", "instance", "rack", "assignor", "pattern", "group"):
            asked = {"who": "a", "epoch": epoch, **wrong[mistake]}
            answer = s.beat(quiet=True, **asked)
            s.note(f"{mistake} at {epoch}", [error_name(answer["ErrorCode"]), answer["ErrorMessage"]])


def play_rebalance_timeout(s):
    """Who does not give up its partitions in time is out."""
    s.make_topic("t", 2)
    s.join("a", RebalanceTimeoutMs=700)
    s.join("b")
    s.beat("a")
    s.beat("a", owned=[("t", [0, 1])])
    time.sleep(1.5)
    s.beat("a")
    s.describe()
    s.beat("b")
    s.settle("b")
    s.describe()


def play_offsets(s):
    s.make_topic("t", 2)
    s.make_topic("u", 2)
    s.join("a")
    s.beat("a", owned=[("t", [0, 1])])
    s.start_transaction()
    for epoch in (2, 1, 3, 0, -1):
        for who in ("a", "nobody", ""):
            s.commit(who, epoch)
            s.txn_commit(who, epoch)
            if who or epoch == -1:  # a broker fails over an epoch without a member
                s.fetch(who or None, epoch)
    s.commit("a", 2, version=8)
    s.commit("a", 1, version=8)
    s.commit("a", 2, GroupInstanceId="i")
    s.end_transaction()
    s.join("b")
    s.settle("ab")
    s.describe()
    s.start_transaction()
    for partition in (0, 1):
        for epoch in (2, 3):
            s.commit("a", epoch, partition=partition)
            s.commit("b", epoch, partition=partition)
    s.txn_commit("a", 2)
    s.txn_commit("b", 2)
    s.commit("a", 2, topic="u")
    s.delete_offsets()
    s.delete_offsets(topic="u")
    s.end_transaction()
    s.beat("a", -1)
    s.beat("b", -1)
    s.start_transaction()
    s.fetch()
    s.commit("", -1)
    s.commit("a", -1)
    s.commit("a", 3)
    s.commit("", 3)
    s.txn_commit("", -1)
    s.txn_commit("a", 2)
    s.end_transaction()
    s.fetch("a", 2)
    s.fetch("a", -1)
    s.delete_offsets()
    s.commit("", -1)
    s.delete()
    s.fetch()
    s.list()


def play_other_kinds(s):
    """Empty classic groups become consumer groups, others stay what they are."""
    s.make_topic("t", 2)
    s.commit("", -1, group="simple")
    s.beat("a", 1, group="simple")
    s.beat("a", -1, group="simple")
    s.join("a", group="simple")
    s.describe("simple")
    s.fetch(group="simple")
    s.list()
    answer = s.join_classic(group="classic")
    s.beat("a", 1, group="classic")
    s.join("a", group="classic")
    s.list()
    s.join_classic(answer["MemberId"], group="classic")
    s.beat("a", -1, group="classic")
    s.join_classic(group="classic")
    s.join_classic("nobody", group="classic")
    s.list()
    s.describe("classic")
    s.join("a", group="classic")
    s.list()
    s.join_classic("nobody", group="simple")
    s.beat("a", -1, group="simple")
    s.join_classic("nobody", group="simple")
    s.list()
    s.describe("simple")
    s.beat("a", 2, group="simple")
    s.join("a", group="simple")
    s.beat("a", -1, group="simple")
    s.join_classic(group="simple", protocol="connect")
    s.list()
    s.describe("simple")
    s.fetch(group="simple")
    streams = {"GroupId": s.name("streams"), "MemberId": "s", "MemberEpoch": 0, "ProcessId": "p",
               "RebalanceTimeoutMs": 1000, "ActiveTasks": [], "StandbyTasks": [], "WarmupTasks": [],
               "Topology": {"Epoch": 0, "Subtopologies": [{"SubtopologyId": "0", "SourceTopics": [s.name("t")]}]}}
    member = s.join_classic(group="live")["MemberId"]
    s.join_classic(member, group="live")
    for epoch in (0, 1, -1):
        s.beat("a", epoch, ["t"], [], group="live", RebalanceTimeoutMs=1000)
    s.describe("live")
    s.note("streams", error_name(s.call("StreamsGroupHeartbeat", 0, streams)["ErrorCode"]))
    for _ in range(2):
        s.join("a", group="streams")
        s.beat("a", 1, group="streams")
        s.describe("streams")
        s.client.call("StreamsGroupHeartbeat", 0, {"GroupId": s.name("streams"), "MemberId": "s", "MemberEpoch": -1})


STORIES = {name.removeprefix("play_").replace("_", " "): story for name, story in list(globals().items())
           if name.startswith("play_")}


def run(story, address, prefix):
    side = Side(address, prefix)
    try:
        admin.find_coordinator(side.client, side.name("g"))
        story(side)
    except Exception as error:  # the lines up to here say where
        side.lines.append(f"{type(error).__name__}: {error}")
    finally:
        side.close()
    return side.lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", help="host:port of a broker that runs already")
    parser.add_argument("--subject", help="host:port of a Weir that runs already")
    parser.add_argument("--only", default="", help="stories whose name contains this")
    parser.add_argument("--show", action="store_true", help="every step and its answer")
    parser.add_argument("--alone", action="store_true", help="ask the reference only")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        reference = options.reference or stack.enter_context(Broker("4.4.0", BROKER)).address
        subject = options.subject
        if not options.alone and not subject:
            subject = stack.enter_context(Weir(WEIR, name="consumer-groups")).address
        passed = failed = 0
        for name, story in STORIES.items():
            if options.only not in name:
                continue
            prefix = f"c{uuid.uuid4().hex[:6]}"
            expected = run(story, reference, prefix)
            told = expected if options.alone else run(story, subject, prefix)
            alike = expected == told
            passed, failed = (passed + 1, failed) if alike else (passed, failed + 1)
            print(f"{'passed' if alike else 'FAILED'} {name}", flush=True)
            for at in range(max(len(expected), len(told))):
                lines = [side[at] if at < len(side) else "(nothing)" for side in (expected, told)]
                if lines[0] == lines[1]:
                    if options.show:
                        print(f"    {lines[0]}")
                else:
                    print(f"    broker: {lines[0]}\n    weir:   {lines[1]}")
        print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
