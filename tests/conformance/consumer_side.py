"""One of the two systems that consumer_groups.py compares: requests, and what it said to them, line by line."""
import re
import time
import uuid

import admin
from wire import Client, error_name

LOADING = (14, 15, 16)


class Side:
    """One of the two systems: what was asked of it and what it said, line by line."""

    def __init__(self, address, prefix):
        host, port = address.rsplit(":", 1)
        self.client = Client(host, port, client_id="consumer-test")
        self.prefix, self.lines, self.topics, self.ids = prefix, [], {}, {}
        self.exact, self.counts = True, True
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
        self.wait_for_topic(short)

    def wait_for_topic(self, short):
        """A broker shows a topic before its group coordinator knows it: until a member of another group has got it."""
        group, deadline = self.name(f"knows-{short}"), time.monotonic() + 20
        body = {"GroupId": group, "MemberId": self.member(f"who knows {short}"), "MemberEpoch": 0,
                "RebalanceTimeoutMs": 60000, "SubscribedTopicNames": [self.name(short)], "TopicPartitions": []}
        while not self.parts(self.call("ConsumerGroupHeartbeat", 1, body)["Assignment"]):
            if time.monotonic() > deadline:
                raise TimeoutError(f"topic {short} is not known to the group coordinator")
            time.sleep(0.05)
        self.call("ConsumerGroupHeartbeat", 1, {**body, "MemberEpoch": -1})
        admin.demand(self.client.call("DeleteGroups", 2, {"GroupsNames": [group]})["Results"][0]["ErrorCode"], "delete")

    def words(self, message):
        """A message with names; what is wrong with a pattern each library says in its own words."""
        for known, member_id in self.ids.items():
            message = message.replace(member_id, known) if message else message
        return re.sub("(is not a valid regular expression).*", r"\1", message) if message else message

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

    def beat(self, who, epoch=None, topics=None, owned=None, **more):
        """ConsumerGroupHeartbeat; at the epoch the member was told last if none is given. `more` may have `version`,
        `group` and `quiet`, which notes nothing; the rest are fields."""
        version, group, quiet = more.pop("version", 1), more.pop("group", "g"), more.pop("quiet", False)
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
        is_made = answer["MemberId"] and not who
        told = [error_name(answer["ErrorCode"]), self.words(answer["ErrorMessage"]),
                "made" if is_made else self.member_name(answer["MemberId"]), answer["MemberEpoch"],
                answer["HeartbeatIntervalMs"], self.shown(self.parts(answer["Assignment"]))]
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
        outcome = [(who, self.epochs[who], self.shown(self.held.get(who))) for who in members]
        if not self.counts:
            outcome.append(("all", 0, sum(len(p) for who in members for _, p in self.held.get(who) or [])))
        return self.note("settled", outcome if self.exact else sorted((each[1:] for each in outcome), key=str))

    def shown(self, parts):
        """Who gets which partitions is up to the order of the topics' random ids, if there are several: then it is how
        many. Of members that read different topics a broker decides that, too, by that order."""
        if parts is None or self.exact:
            return parts
        return sum(len(partitions) for _, partitions in parts) if self.counts else "some" if parts else "none"

    # --- what others see ---

    def describe(self, *groups, version=1, **more):
        groups = groups or ("g",)
        answer = self.client.call("ConsumerGroupDescribe", version,
                                  {"GroupIds": [self.name(g) if g else "" for g in groups], **more})
        for group in sorted(answer["Groups"], key=lambda g: g["GroupId"]):
            members = sorted(
                (self.member_name(m["MemberId"]), m["InstanceId"], m["RackId"], m["MemberEpoch"], m["ClientId"],
                 m["ClientHost"], sorted(self.plain(t) for t in m["SubscribedTopicNames"]), m["SubscribedTopicRegex"],
                 self.shown(self.parts(m["Assignment"])),
                 self.shown(self.parts(m["TargetAssignment"])), m.get("MemberType"))
                for m in group["Members"])
            if not self.exact:
                members = sorted((member[3], *member[8:10]) for member in members)
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
                   "Topology": {"Epoch": 0, "Subtopologies": [{"SubtopologyId": "0",
                                                               "SourceTopics": [self.name("t")]}]}}
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
        who = "again" if member else "anew"
        self.note(f"join classic {who} as {protocol}", [error_name(answer["ErrorCode"]), bool(answer["MemberId"])])
        return answer

    def commit(self, who, epoch, topic="t", partition=0, **more):
        version, group = more.pop("version", 9), more.pop("group", "g")
        answer = self.client.call("OffsetCommit", version, {
            "GroupId": self.name(group), "GenerationIdOrMemberEpoch": epoch,
            "MemberId": self.member(who) if who else "",
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
