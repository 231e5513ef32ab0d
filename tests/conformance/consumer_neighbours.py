"""Stories of consumer_groups.py about what else there is under the id of a consumer group: offsets, other kinds."""
from wire import error_name


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
