"""The traps of a gateway, one test each, against an upstream broker that keeps what it was sent.

    python3 tests/integration/gateway_traps.py [--binary build/release/weir] [--only NAME]
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from fake_broker import NODE_ID, VERSIONS, FakeBroker  # noqa: E402
from ports import wait_until  # noqa: E402
from suite import expect, options_of, run_suite  # noqa: E402
from weir import Weir  # noqa: E402
from wire import encode, request_frame  # noqa: E402

GROUP, MEMBER, TOPIC = "app", "member-1", "in"
NO_TASKS = {"ActiveTasks": [], "StandbyTasks": [], "WarmupTasks": []}
JOIN = {"GroupId": GROUP, "MemberId": MEMBER, "MemberEpoch": 0, "EndpointInformationEpoch": -1, "ProcessId": "process",
        "RebalanceTimeoutMs": 30000, **NO_TASKS,
        "Topology": {"Epoch": 0, "Subtopologies": [{"SubtopologyId": "0", "SourceTopics": [TOPIC]}]}}
SETTINGS = {"mode": "gateway", "group.streams.initial.rebalance.delay.ms": 0,
            "group.streams.assignment.interval.ms": 0}
UNKNOWN_MEMBER, GROUP_NOT_FOUND, UNSUPPORTED, STALE_EPOCH, CLUSTER_AUTHORIZATION_FAILED = 25, 69, 35, 113, 31
NOT_AVAILABLE, FENCED_INSTANCE, REBOOTSTRAP, MISSING_SOURCE_TOPICS = 15, 82, 129, 1


class Gateway:
    """A Weir in front of a fake broker, and one client of it."""

    def __init__(self, binary, versions=None, settings=None):
        self.broker = FakeBroker(versions)
        self.broker.topics[TOPIC] = 2
        self.weir = Weir({**SETTINGS, **(settings or {}), "upstream.bootstrap.servers": self.broker.address}, binary)

    def __enter__(self):
        self.weir.start()
        wait_until(lambda: "no answer yet" not in self.answer_of_readyz(), 10, "a first answer of the upstream")
        self.client = self.weir.client()
        return self

    def answer_of_readyz(self):
        return str(self.weir.http("/readyz")[1])

    def __exit__(self, *_):
        self.client.close()
        self.weir.close()
        self.broker.__exit__()

    def join(self):
        """The member joins and has both tasks."""
        answer = self.client.call("StreamsGroupHeartbeat", 1, JOIN)
        expect(answer["ErrorCode"] == 0, f"join: {answer}")
        return answer["MemberEpoch"]

    def ours(self, endpoint):
        return endpoint["Host"] == "127.0.0.1" and endpoint["Port"] == self.weir.port

    def beat(self, epoch, member=MEMBER, **fields):
        return self.client.call("StreamsGroupHeartbeat", 1, {
            "GroupId": GROUP, "MemberId": member, "MemberEpoch": epoch, "EndpointInformationEpoch": -1, **fields})

    def commit(self, epoch, version=9, member=MEMBER, partition=0):
        answer = self.client.call("OffsetCommit", version, {
            "GroupId": GROUP, "MemberId": member, "GenerationIdOrMemberEpoch": epoch,
            "Topics": [{"Name": TOPIC, "Partitions": [{"PartitionIndex": partition, "CommittedOffset": 42}]}]})
        return answer["Topics"][0]["Partitions"][0]["ErrorCode"]

    def fetch_offsets(self, member, epoch):
        answer = self.client.call("OffsetFetch", 9, {"RequireStable": True, "Groups": [{
            "GroupId": GROUP, "MemberId": member, "MemberEpoch": epoch,
            "Topics": [{"Name": TOPIC, "PartitionIndexes": [0]}]}]})
        return answer["Groups"][0]


class Suite:
    """Each method `test_*` is one test."""

    def __init__(self, binary):
        self.binary = binary

    def gateway(self, versions=None, settings=None):
        return Gateway(self.binary, versions, settings)


class Traps(Suite):
    """The traps, by number."""

    def test_1_answers_leave_in_request_order_when_some_are_local(self):
        with self.gateway() as g:
            epoch = g.join()
            g.broker.slow["Fetch"] = 0.5
            beat = {"GroupId": GROUP, "MemberId": MEMBER, "MemberEpoch": epoch, "EndpointInformationEpoch": -1}
            fetched = g.client.send("Fetch", 12, {})
            beaten = g.client.send("StreamsGroupHeartbeat", 1, beat)
            listed = g.client.send("Metadata", 12, {})
            g.client.receive("Fetch", 12, fetched)
            expect(g.client.receive("StreamsGroupHeartbeat", 1, beaten)["ErrorCode"] == 0, "heartbeat refused")
            g.client.receive("Metadata", 12, listed)

    def test_1b_a_produce_without_acknowledgement_takes_no_slot(self):
        with self.gateway() as g:
            g.client.send("Produce", 9, {"Acks": 0, "TimeoutMs": 1000, "TopicData": []})
            expect(g.client.call("Metadata", 12, {})["ClusterId"] == "fake-cluster", "the next answer is not its own")

    def test_2_find_coordinator_is_asked_upstream_too(self):
        with self.gateway() as g:
            g.join()
            for version in (3, 4):
                asked = {"Key": GROUP} if version < 4 else {"CoordinatorKeys": [GROUP]}
                answer = g.client.call("FindCoordinator", version, {**asked, "KeyType": 0})
                found = answer if version < 4 else answer["Coordinators"][0]
                expect(found["NodeId"] == NODE_ID and g.ours(found), f"not our address: {found}")
            expect(len(g.broker.seen("FindCoordinator")) == 2, "the upstream was not asked")

    def test_2b_an_error_in_find_coordinator_is_not_taken_for_an_address(self):
        nobody = {"NodeId": -1, "Host": "", "Port": -1, "ErrorCode": NOT_AVAILABLE}
        with self.gateway() as g:
            g.broker.answers["FindCoordinator"] = lambda request, version: nobody if version < 4 else {
                "Coordinators": [{"Key": key, **nobody} for key in request["CoordinatorKeys"]]}
            for version in (3, 4):
                asked = {"Key": "other"} if version < 4 else {"CoordinatorKeys": ["other"]}
                answer = g.client.call("FindCoordinator", version, {**asked, "KeyType": 0})
                found = answer if version < 4 else answer["Coordinators"][0]
                expect({field: found[field] for field in nobody} == nobody, f"version {version}: {found}")

    def test_3_offset_fetch_goes_upstream_without_member_and_only_if_the_member_is_right(self):
        with self.gateway() as g:
            epoch = g.join()
            g.broker.offsets[(TOPIC, 0)] = 17
            expect(g.fetch_offsets(MEMBER, epoch + 1)["ErrorCode"] == STALE_EPOCH, "wrong epoch accepted")
            expect(g.fetch_offsets("stranger", epoch)["ErrorCode"] == UNKNOWN_MEMBER, "stranger accepted")
            expect(not g.broker.seen("OffsetFetch"), "a refused fetch went upstream")
            answer = g.fetch_offsets(MEMBER, epoch)
            expect(answer["Topics"][0]["Partitions"][0]["CommittedOffset"] == 17, f"not upstream's offset: {answer}")
            version, sent = g.broker.wait_for("OffsetFetch")
            expect(sent["GroupId"] == GROUP and sent["RequireStable"], f"version {version}: {sent}")

    def test_3b_offset_commit_goes_upstream_as_a_simple_group_in_its_version(self):
        with self.gateway() as g:
            epoch = g.join()
            expect(g.commit(epoch + 1) == STALE_EPOCH, "a newer epoch was accepted")
            expect(g.commit(epoch, member="stranger") == UNKNOWN_MEMBER, "a stranger was accepted")
            expect(g.commit(epoch, version=8) == UNSUPPORTED, "a member committed with version 8")
            expect(not g.broker.seen("OffsetCommit"), "a refused commit went upstream")
            expect(g.commit(epoch) == 0, "commit refused")
            version, sent = g.broker.wait_for("OffsetCommit")
            expect(version == 8, f"version {version} sent to an upstream that has 8")
            expect(sent["GenerationIdOrMemberEpoch"] == -1 and sent["MemberId"] == "", f"member went upstream: {sent}")

    def test_3c_a_fetch_does_not_overtake_a_commit_that_is_under_way(self):
        with self.gateway() as g:
            epoch = g.join()
            g.broker.slow["OffsetCommit"] = 0.5
            committing = g.client.send("OffsetCommit", 9, {
                "GroupId": GROUP, "MemberId": MEMBER, "GenerationIdOrMemberEpoch": epoch,
                "Topics": [{"Name": TOPIC, "Partitions": [{"PartitionIndex": 0, "CommittedOffset": 1}]}]})
            g.broker.wait_for("OffsetCommit")
            with g.weir.client() as other:
                asked = other.send("OffsetFetch", 7, {"GroupId": GROUP, "Topics": [
                    {"Name": TOPIC, "PartitionIndexes": [0]}]})
                g.client.receive("OffsetCommit", 9, committing)
                other.receive("OffsetFetch", 7, asked)
            order = g.broker.history
            expect(order.index(("answered", "OffsetCommit")) < order.index(("asked", "OffsetFetch")),
                   f"the fetch went upstream before the commit was answered: {order}")

    def test_3d_a_late_commit_counts_for_a_task_that_was_kept_and_for_no_other(self):
        with self.gateway() as g:
            late = g.join()
            g.client.call("StreamsGroupHeartbeat", 1, {**JOIN, "MemberId": "member-2", "ProcessId": "process-2"})
            kept = g.beat(late)["ActiveTasks"]
            epoch = g.beat(late, **{**NO_TASKS, "ActiveTasks": kept})["MemberEpoch"]
            partition = kept[0]["Partitions"]
            expect(len(partition) == 1 and epoch > late, f"epoch {late} to {epoch}, kept {kept}")
            expect(g.commit(late, partition=1 - partition[0]) == STALE_EPOCH, "a task that was given up was committed")
            expect(not g.broker.seen("OffsetCommit"), "a refused commit went upstream")
            expect(g.commit(late, partition=partition[0]) == 0, "a commit on its way during the rebalance was refused")
            expect(len(g.broker.seen("OffsetCommit")) == 1, "it did not reach the upstream")

    def test_3e_a_batch_of_fetches_is_answered_for_our_groups_and_others(self):
        for upstream_max in (7, 9):
            with self.gateway({**VERSIONS, "OffsetFetch": (0, upstream_max)}) as g:
                g.join()
                g.broker.offsets[(TOPIC, 0)] = 17
                topics = [{"Name": TOPIC, "PartitionIndexes": [0]}]
                answer = g.client.call("OffsetFetch", 9, {"Groups": [
                    {"GroupId": group, "Topics": topics} for group in ("other", GROUP, "nobody")]})
                offsets = {group["GroupId"]: group["Topics"][0]["Partitions"][0]["CommittedOffset"]
                           for group in answer["Groups"]}
                expect(offsets == {"other": 17, GROUP: 17, "nobody": 17}, f"upstream {upstream_max}: {answer}")

    def test_3f_commits_of_other_groups_go_upstream_with_their_member(self):
        with self.gateway() as g:
            for version in (8, 9):  # the upstream has 8
                g.client.call("OffsetCommit", version, {
                    "GroupId": "other", "MemberId": "theirs", "GenerationIdOrMemberEpoch": version,
                    "Topics": [{"Name": TOPIC, "Partitions": [{"PartitionIndex": 0, "CommittedOffset": 42}]}]})
            sent = [(v, body["GroupId"], body["MemberId"], body["GenerationIdOrMemberEpoch"])
                    for v, body in g.broker.seen("OffsetCommit")]
            expect(sent == [(8, "other", "theirs", 8), (8, "other", "theirs", 9)], f"{sent}")

    def test_4_transactional_commit_goes_upstream_without_generation_and_member(self):
        with self.gateway() as g:
            epoch = g.join()
            request = {"TransactionalId": "t", "GroupId": GROUP, "ProducerId": 1, "ProducerEpoch": 0,
                       "GenerationIdOrMemberEpoch": epoch, "MemberId": MEMBER, "GroupInstanceId": None,
                       "Topics": [{"Name": TOPIC, "Partitions": [{"PartitionIndex": 0, "CommittedOffset": 5}]}]}
            answer = g.client.call("TxnOffsetCommit", 3, request)
            expect(answer["Topics"][0]["Partitions"][0]["ErrorCode"] == 0, f"refused: {answer}")
            _, sent = g.broker.wait_for("TxnOffsetCommit")
            expect(sent["GenerationIdOrMemberEpoch"] == -1 and sent["MemberId"] == "", f"member went upstream: {sent}")
            stale = g.client.call("TxnOffsetCommit", 3, {**request, "GenerationIdOrMemberEpoch": epoch + 1})
            expect(stale["Topics"][0]["Partitions"][0]["ErrorCode"] != 0, "a newer epoch was accepted")
            expect(len(g.broker.seen("TxnOffsetCommit")) == 1, "a refused commit went upstream")

    def test_5_an_unknown_version_of_api_versions_gets_the_range_in_version_0(self):
        with self.gateway() as g:
            body = encode("ApiVersionsRequest", 4, {"ClientSoftwareName": "x", "ClientSoftwareVersion": "1"})
            frame = bytearray(request_frame("ApiVersions", 4, {"ClientSoftwareName": "x", "ClientSoftwareVersion": "1"},
                                            9))
            frame[6:8] = b"\x00\x63"
            expect(frame.endswith(body), "the frame is not what this test thinks")
            g.client.socket.sendall(bytes(frame))
            answer = g.client.receive("ApiVersions", 0, 9)
            keys = [(k["ApiKey"], k["MinVersion"], k["MaxVersion"]) for k in answer["ApiKeys"]]
            expect(answer["ErrorCode"] == UNSUPPORTED and keys == [(18, 0, 5)], f"{answer}")
            expect(g.client.call("Metadata", 12, {})["ClusterId"] == "fake-cluster", "the connection is gone")

    def test_5b_whom_a_client_means_is_judged_here_and_not_told_upstream(self):
        with self.gateway() as g:
            def meant(cluster, node):
                answer = g.client.call("ApiVersions", 5, {"ClientSoftwareName": "x", "ClientSoftwareVersion": "1",
                                                          "ClusterId": cluster, "NodeId": node})
                return answer["ErrorCode"], bool(answer["ApiKeys"])
            expect(meant("fake-cluster", NODE_ID) == (0, True), f"refused: {meant('fake-cluster', NODE_ID)}")
            expect(meant(None, -1) == (0, True), f"refused: {meant(None, -1)}")
            expect(meant("fake-cluster", NODE_ID + 1) == (REBOOTSTRAP, False), "another node is not here")
            expect(meant("another-cluster", NODE_ID) == (REBOOTSTRAP, False), "another cluster is not here")
            asked = g.broker.seen("ApiVersions")
            expect(asked and all(version < 5 for version, _ in asked), f"told upstream: {asked}")

    def test_6_the_recovery_lag_travels_in_version_1_only(self):
        with self.gateway() as g:
            epoch = g.join()
            beat = {"GroupId": GROUP, "MemberId": MEMBER, "MemberEpoch": epoch, "EndpointInformationEpoch": -1}
            expect(g.client.call("StreamsGroupHeartbeat", 1, beat)["AcceptableRecoveryLag"] == 10000, "no lag in 1")
            old = g.client.call("StreamsGroupHeartbeat", 0, beat)
            expect(old["ErrorCode"] == 0 and old["AcceptableRecoveryLagLegacy"] == 0, f"version 0: {old}")

    def test_7_streams_group_apis_are_offered_in_all_their_versions(self):
        with self.gateway() as g:
            ranges = g.client.ranges()
            expect(ranges[88] == (0, 1) and ranges[89] == (0, 1), f"88: {ranges.get(88)}, 89: {ranges.get(89)}")
            expect(ranges[8][1] == 9 and ranges[9][1] == 9 and ranges[16][1] == 5, f"not raised: {ranges}")
            expect(ranges[0] == VERSIONS["Produce"] and 27 not in ranges, f"{ranges}")

    def test_8_no_address_of_the_upstream_reaches_a_client(self):
        with self.gateway() as g:
            for version in range(13):
                brokers = g.client.call("Metadata", version, {})["Brokers"]
                nodes = [broker["NodeId"] for broker in brokers]
                expect(nodes == [NODE_ID] and g.ours(brokers[0]), f"Metadata {version}: {brokers}")
            described = g.client.call("Metadata", 12, {})["Topics"][0]["Partitions"][0]
            expect((described["LeaderId"], described["ReplicaNodes"], described["IsrNodes"]) ==
                   (NODE_ID, [NODE_ID], [NODE_ID]), f"ids of the cluster were changed: {described}")
            for version in (0, 1):
                brokers = g.client.call("DescribeCluster", version, {})["Brokers"]
                expect(g.ours(brokers[0]), f"DescribeCluster {version}: {brokers}")
            fetched = g.client.call("Fetch", 16, {})["NodeEndpoints"]
            expect(fetched and g.ours(fetched[0]), f"Fetch: {fetched}")
            produced = g.client.call("Produce", 10, {"Acks": 1, "TimeoutMs": 1000})["NodeEndpoints"]
            expect(produced and g.ours(produced[0]), f"Produce: {produced}")

    def test_9_internal_topics_are_created_upstream(self):
        with self.gateway() as g:
            topology = {"Epoch": 0, "Subtopologies": [{
                "SubtopologyId": "0", "SourceTopics": [TOPIC],
                "StateChangelogTopics": [{"Name": "app-log", "TopicConfigs": [{"Key": "cleanup.policy",
                                                                                "Value": "compact"}]}]}]}
            answer = g.client.call("StreamsGroupHeartbeat", 1, {**JOIN, "Topology": topology})
            expect([s["StatusCode"] for s in answer["Status"]] == [3], f"{answer}")
            _, sent = g.broker.wait_for("CreateTopics")
            created = sent["Topics"][0]
            expect((created["Name"], created["NumPartitions"], created["ReplicationFactor"]) == ("app-log", 2, -1),
                   f"{created}")
            expect(created["Configs"] == [{"Name": "cleanup.policy", "Value": "compact"}], f"{created}")
            beat = {"GroupId": GROUP, "MemberId": MEMBER, "EndpointInformationEpoch": -1}
            epoch = [answer["MemberEpoch"]]

            def ready():
                got = g.client.call("StreamsGroupHeartbeat", 1, {**beat, "MemberEpoch": epoch[0]})
                epoch[0] = got["MemberEpoch"]
                return not got["Status"]
            wait_until(ready, 10, "the group is ready once its topic exists")

    def test_9b_all_internal_topics_go_in_one_request_and_a_refusal_is_told_to_the_members(self):
        with self.gateway() as g:
            names = [f"app-log-{n}" for n in range(20)]
            g.broker.answers["CreateTopics"] = lambda request, version: {"Topics": [
                {"Name": topic["Name"], "ErrorCode": CLUSTER_AUTHORIZATION_FAILED, "ErrorMessage": "not for you"}
                for topic in request["Topics"]]}
            topology = {"Epoch": 0, "Subtopologies": [{
                "SubtopologyId": "0", "SourceTopics": [TOPIC],
                "StateChangelogTopics": [{"Name": name} for name in names]}]}
            answer = g.client.call("StreamsGroupHeartbeat", 1, {**JOIN, "Topology": topology})
            _, sent = g.broker.wait_for("CreateTopics")
            expect(sorted(t["Name"] for t in sent["Topics"]) == sorted(names), f"{sent}")
            beat = {"GroupId": GROUP, "MemberId": MEMBER, "EndpointInformationEpoch": -1}
            epoch = [answer["MemberEpoch"]]

            def told():
                got = g.client.call("StreamsGroupHeartbeat", 1, {**beat, "MemberEpoch": epoch[0]})
                epoch[0] = got["MemberEpoch"]
                return any("not for you" in (status["StatusDetail"] or "") for status in got["Status"])
            wait_until(told, 10, "the members are told why the topics are missing")
            expect(len(g.broker.seen("CreateTopics")) == 1, "one back-off for all, not asked again at once")

    def test_10_a_live_classic_group_upstream_is_not_taken_over(self):
        with self.gateway() as g:
            g.broker.answers["DescribeGroups"] = lambda request, version: {"Groups": [
                {"GroupId": GROUP, "GroupState": "Stable", "ProtocolType": "consumer", "AuthorizedOperations": 328}]}
            answer = g.client.call("StreamsGroupHeartbeat", 1, JOIN)
            expect(answer["ErrorCode"] == GROUP_NOT_FOUND, f"{answer}")

    def test_10b_a_rehearsal_sees_the_group_and_the_offsets_of_the_upstream_and_changes_nothing(self):
        body = {"topology": {"subtopologies": [{"sources": [TOPIC], "changelogs": ["app-store-changelog"]}]},
                "processes": 2, "client": {"num.standby.replicas": 1}}
        live = {"GroupId": GROUP, "GroupState": "Stable", "ProtocolType": "consumer", "Members": [
            {"MemberId": "m-1", "ClientHost": "/10.0.0.1"}]}
        offsets = [{"Name": TOPIC, "Partitions": [
            {"PartitionIndex": p, "CommittedOffset": offset, "Metadata": ""} for p, offset in ((0, 42), (1, -1))]}]
        with self.gateway() as g:
            def rehearse():
                status, answer = g.weir.http(f"/v1/groups/{GROUP}/rehearsal", "POST", body)
                expect(status == 200, f"{status} {answer}")
                return answer, {check["check"]: check for check in answer["checks"]}
            wait_until(lambda: g.weir.http("/readyz")[0] == 200, 10, "the gateway is ready")
            g.broker.answers["DescribeGroups"] = lambda request, version: {"Groups": [live]}
            g.broker.answers["OffsetFetch"] = lambda request, version: {"Topics": offsets}
            answer, checks = rehearse()
            expect(checks["group"]["status"] == "error" and "m-1 at /10.0.0.1" in checks["group"]["text"], f"{checks}")
            live.update(GroupState="Empty", Members=[])
            answer, checks = rehearse()
            expect(checks["group"]["text"] == f"group {GROUP} is empty, go", f"{checks}")
            carried = [{"topic": TOPIC, "partitions": 1, "carries_over": True}]
            expect(answer["offsets"] == carried, f"{answer['offsets']}")
            expect(f"READ on group {GROUP}" in answer["rights"] and f"DESCRIBE on topic {TOPIC}" in answer["rights"],
                   f"{answer['rights']}")
            expect("1 standbys were set on the client, 0 are in force" in answer["settings"][0]["text"], f"{answer}")
            expect(answer["plan"]["after"]["activePerProcessMax"] == 1, f"{answer['plan']}")
            expect("will be created" in checks["internal-topics"]["text"], f"{checks}")
            live["GroupState"] = "Dead"
            expect("no group" in rehearse()[1]["group"]["text"], "a group that is not there")
            live["ErrorCode"] = NOT_AVAILABLE
            expect("COORDINATOR_NOT_AVAILABLE" in rehearse()[1]["group"]["text"], "why nothing is known")
            g.broker.answers["DescribeGroups"] = lambda request, version: {"Groups": []}
            expect(rehearse()[1]["group"]["status"] == "warning", "an upstream that says nothing")
            expect(not g.broker.seen("CreateTopics") and not g.broker.seen("OffsetCommit"), "something was changed")
            expect(g.weir.http(f"/v1/groups/{GROUP}")[0] == 404, "the rehearsal made a group")

    def test_11_a_principal_without_read_on_the_group_is_refused(self):
        with self.gateway() as g:
            g.broker.answers["DescribeGroups"] = lambda request, version: {"Groups": [
                {"GroupId": GROUP, "GroupState": "Dead", "AuthorizedOperations": 1 << 8}]}
            expect(g.client.call("StreamsGroupHeartbeat", 1, JOIN)["ErrorCode"] == 30, "READ was not asked for")

    def test_12_groups_of_both_coordinators_are_listed_once_and_filtered(self):
        with self.gateway() as g:
            g.join()
            both = {e["GroupId"]: e["GroupType"] for e in g.client.call("ListGroups", 5, {})["Groups"]}
            expect(both == {"a-consumer": "classic", GROUP: "streams"}, f"{both}")
            only = g.client.call("ListGroups", 5, {"TypesFilter": ["Streams"]})["Groups"]
            expect([e["GroupId"] for e in only] == [GROUP], f"{only}")

    def test_13_a_live_streams_group_is_not_deleted_upstream(self):
        with self.gateway() as g:
            epoch = g.join()
            result = g.client.call("DeleteGroups", 2, {"GroupsNames": [GROUP]})["Results"][0]
            expect(result["ErrorCode"] == 68 and not g.broker.seen("DeleteGroups"), f"{result}")
            g.client.call("StreamsGroupHeartbeat", 1, {"GroupId": GROUP, "MemberId": MEMBER, "MemberEpoch": -1,
                                                       "EndpointInformationEpoch": epoch})
            result = g.client.call("DeleteGroups", 2, {"GroupsNames": [GROUP]})["Results"][0]
            expect(result["ErrorCode"] == 0 and g.broker.seen("DeleteGroups"), f"{result}")

    def test_14_an_upstream_with_streams_groups_of_its_own_is_refused(self):
        with self.gateway({**VERSIONS, "StreamsGroupHeartbeat": (0, 1)}) as g:
            status, body = g.weir.http("/readyz?verbose")
            expect(status == 503 and "upstream.allow.streams.groups" in str(body), f"{status}: {body}")

    def test_15_a_static_member_restarts_without_a_rebalance_and_the_admin_api_says_who_is_away(self):
        with self.gateway() as g:
            static = {"InstanceId": "instance-1"}
            epoch = g.client.call("StreamsGroupHeartbeat", 1, {**JOIN, **static})["MemberEpoch"]
            left = g.beat(-2, **static)
            expect((left["ErrorCode"], left["MemberEpoch"]) == (0, -2), f"{left}")
            waiting = g.weir.http(f"/v1/groups/{GROUP}")[1]["waiting_for"]
            expect(len(waiting) == 1, f"{waiting}")
            expect(re.fullmatch(rf"static member instance-1 \({MEMBER}\) to come back: it left for a while; "
                                r"since \d+ ms; it is removed in \d+ ms", waiting[0]), f"{waiting}")
            back = g.client.call("StreamsGroupHeartbeat", 1, {**JOIN, **static, "MemberId": "member-again"})
            expect((back["ErrorCode"], back["MemberEpoch"]) == (0, epoch), f"epoch {epoch}: {back}")
            expect(sorted(back["ActiveTasks"][0]["Partitions"]) == [0, 1], f"{back}")
            group = g.weir.http(f"/v1/groups/{GROUP}")[1]
            expect((group["state"], group["group_epoch"], group["waiting_for"]) == ("Stable", epoch, []), f"{group}")
            expect(g.beat(epoch, **static)["ErrorCode"] == FENCED_INSTANCE, "the former self is still there")

    def test_16_a_topic_that_goes_away_upstream_is_told_by_a_heartbeat_and_the_group_heals(self):
        with self.gateway(settings={"upstream.poll.interval.ms": 100}) as g:
            epoch = [g.join()]

            def beat():
                got = g.beat(epoch[0], **NO_TASKS)
                expect(got["ErrorCode"] == 0, f"{got}")
                epoch[0] = got["MemberEpoch"]
                return got
            partitions = g.broker.topics.pop(TOPIC)

            def told():
                statuses = beat()["Status"] or []
                return any(s["StatusCode"] == MISSING_SOURCE_TOPICS and TOPIC in s["StatusDetail"] for s in statuses)
            wait_until(told, 10, "the members are told that the topic is missing")
            expect(told(), "told once only")
            g.broker.topics[TOPIC] = partitions
            wait_until(lambda: beat()["ActiveTasks"] and not told(), 10, "the tasks are back")

    def test_16b_a_topic_created_through_the_gateway_is_seen_without_waiting_for_the_next_poll(self):
        with self.gateway(settings={"upstream.poll.interval.ms": 3600000}) as g:
            topology = {"Epoch": 0, "Subtopologies": [{"SubtopologyId": "0", "SourceTopics": ["late"]}]}
            joined = g.client.call("StreamsGroupHeartbeat", 1, {**JOIN, "Topology": topology})
            expect([s["StatusCode"] for s in joined["Status"]] == [MISSING_SOURCE_TOPICS], f"{joined}")
            g.client.call("CreateTopics", 7, {"timeoutMs": 15000, "Topics": [
                {"Name": "late", "NumPartitions": 3, "ReplicationFactor": 1}]})
            wait_until(lambda: g.beat(joined["MemberEpoch"])["ActiveTasks"], 10, "the tasks of the new topic")

    def test_17_a_broker_without_rack_for_a_moment_is_no_change_and_another_rack_is_one(self):
        with self.gateway(settings={"upstream.poll.interval.ms": 50}) as g:
            epoch = g.join()

            def rack(name):
                """From now on the broker says that it is there; returns once it was asked again."""
                g.broker.rack, before = name, len(g.broker.seen("Metadata"))
                wait_until(lambda: len(g.broker.seen("Metadata")) > before + 2, 10, "polls of the upstream")
            rack(None)
            expect(g.beat(epoch)["MemberEpoch"] == epoch, "a rack that is not told moved the group epoch")
            rack("another")
            wait_until(lambda: g.beat(epoch)["MemberEpoch"] == epoch + 1, 10, "the new rack")
            expect(g.weir.http(f"/v1/groups/{GROUP}")[1]["group_epoch"] == epoch + 1, "more than one epoch")


def run(suite, description):
    """Runs every `test_*` method of a class of suites; returns how the process shall exit."""
    options = options_of(description).parse_args()
    return run_suite(suite(options.binary), options.only)


if __name__ == "__main__":
    sys.exit(run(Traps, __doc__))
