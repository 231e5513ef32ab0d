"""A gateway whose clients lack rights, whose group ids are in use upstream, and whose upstream misbehaves.

    python3 tests/integration/gateway_faults.py [--binary build/release/weir] [--only NAME]
"""
import struct
import sys

from gateway_traps import GROUP, GROUP_NOT_FOUND, JOIN, MEMBER, TOPIC, Suite, expect, run

from fake_broker import ALL_OPERATIONS, VERSIONS  # gateway_traps put tests/support on the path
from ports import wait_until
from wire import WireError, request_frame

TOPIC_FORBIDDEN, GROUP_FORBIDDEN, NOT_AVAILABLE, NOT_COORDINATOR = 29, 30, 15, 16
READ, DELETE, DESCRIBE = 1 << 3, 1 << 6, 1 << 8
SHARE_GROUP_DESCRIBE = 77


def rights(operations):
    """A DescribeGroups answer that grants these on every group."""
    return lambda request, version: {"Groups": [
        {"GroupId": group, "GroupState": "Dead", "AuthorizedOperations": operations} for group in request["Groups"]]}


def cut_off(client):
    """The gateway ended the connection instead of answering."""
    try:
        client.receive_frame()
    except (WireError, OSError):
        return True
    return False


class Faults(Suite):
    """Foreign ids, missing rights, a misbehaving upstream."""

    # --- whose group is it (spec 05, 8.7) ---

    def test_8_7_a_consumer_group_upstream_is_not_taken_over_even_if_it_is_empty(self):
        with self.gateway({**VERSIONS, "ConsumerGroupDescribe": (0, 0)}) as g:
            g.broker.answers["ConsumerGroupDescribe"] = lambda request, version: {"Groups": [
                {"GroupId": GROUP, "GroupState": "Empty"}]}
            answer = g.client.call("StreamsGroupHeartbeat", 1, JOIN)
            expect(answer["ErrorCode"] == GROUP_NOT_FOUND, f"{answer}")
            del g.broker.answers["ConsumerGroupDescribe"]
            g.join()
            asked = len(g.broker.seen("ConsumerGroupDescribe"))
            g.client.call("StreamsGroupHeartbeat", 1, {**JOIN, "MemberId": "member-2"})
            expect(len(g.broker.seen("ConsumerGroupDescribe")) == asked, "asked for a group that is ours")

    def test_8_7_a_streams_group_upstream_is_not_taken_over(self):
        versions = {**VERSIONS, "StreamsGroupHeartbeat": (0, 0), "StreamsGroupDescribe": (0, 0)}
        with self.gateway(versions, {"upstream.allow.streams.groups": "true"}) as g:
            g.broker.answers["StreamsGroupDescribe"] = lambda request, version: {"Groups": [
                {"GroupId": GROUP, "GroupState": "Empty"}]}
            answer = g.client.call("StreamsGroupHeartbeat", 1, JOIN)
            expect(answer["ErrorCode"] == GROUP_NOT_FOUND, f"{answer}")
            del g.broker.answers["StreamsGroupDescribe"]
            g.join()

    def test_8_7_a_share_group_upstream_is_not_taken_over(self):
        with self.gateway({**VERSIONS, "ListGroups": (0, 5), SHARE_GROUP_DESCRIBE: (1, 1)}) as g:
            g.broker.answers["ListGroups"] = lambda request, version: {"Groups": [
                {"GroupId": GROUP, "GroupState": "Empty", "GroupType": "share"}]}
            answer = g.client.call("StreamsGroupHeartbeat", 1, JOIN)
            expect(answer["ErrorCode"] == GROUP_NOT_FOUND, f"{answer}")
            expect(g.broker.seen("ListGroups")[0][1]["TypesFilter"] == ["share"], "all groups were asked for")

    def test_8_7_an_upstream_that_cannot_tell_right_now_is_asked_again_later(self):
        with self.gateway({**VERSIONS, "ConsumerGroupDescribe": (0, 0)}) as g:
            g.broker.answers["ConsumerGroupDescribe"] = lambda request, version: {"Groups": [
                {"GroupId": GROUP, "ErrorCode": NOT_COORDINATOR}]}
            expect(g.client.call("StreamsGroupHeartbeat", 1, JOIN)["ErrorCode"] == NOT_COORDINATOR, "taken over")
            del g.broker.answers["ConsumerGroupDescribe"]
            g.join()

    # --- rights (spec 05, 7 and 8.8) ---

    def test_7_describe_needs_describe_on_the_group(self):
        with self.gateway() as g:
            g.join()
            g.broker.forbidden.add(GROUP)
            with g.weir.client() as other:
                group = other.call("StreamsGroupDescribe", 1, {"GroupIds": [GROUP, ""]})["Groups"]
                expect([entry["ErrorCode"] for entry in group] == [GROUP_FORBIDDEN, 24], f"{group}")
                expect(not group[0]["Members"] and group[0]["Topology"] is None, f"told: {group}")

    def test_7_describe_needs_describe_on_the_topics(self):
        with self.gateway() as g:
            g.join()
            asked = {"GroupIds": [GROUP], "IncludeAuthorizedOperations": True}
            group = g.client.call("StreamsGroupDescribe", 1, asked)["Groups"][0]
            expect(group["ErrorCode"] == 0 and len(group["Members"]) == 1, f"{group}")
            expect(group["AuthorizedOperations"] == ALL_OPERATIONS, f"not upstream's word: {group}")
            g.broker.forbidden.add(TOPIC)
            group = g.client.call("StreamsGroupDescribe", 1, asked)["Groups"][0]
            expect(group["ErrorCode"] == TOPIC_FORBIDDEN, f"{group}")
            expect(not group["Members"] and group["Topology"] is None, f"told: {group}")

    def test_f5_a_join_needs_describe_on_the_topics_but_a_bad_name_comes_first(self):
        with self.gateway() as g:
            g.broker.forbidden.add(TOPIC)
            answer = g.client.call("StreamsGroupHeartbeat", 1, JOIN)
            expect(answer["ErrorCode"] == TOPIC_FORBIDDEN and answer["ErrorMessage"] is None, f"{answer}")
            bad = {"Epoch": 0, "Subtopologies": [{"SubtopologyId": "0", "SourceTopics": [TOPIC, "no/slash"]}]}
            answer = g.client.call("StreamsGroupHeartbeat", 1, {**JOIN, "Topology": bad})
            expect(answer["ErrorCode"] == 130, f"{answer}")
            answer = g.client.call("StreamsGroupHeartbeat", 1, {**JOIN, "MemberId": ""})
            expect(answer["ErrorCode"] == TOPIC_FORBIDDEN, f"F5 comes before V2: {answer}")
            g.broker.forbidden.clear()
            g.join()

    def test_f5_topics_that_a_pattern_matches_are_asked_about(self):
        matching = {"Epoch": 0, "Subtopologies": [{"SubtopologyId": "0", "SourceTopicRegex": [TOPIC[:-1] + "."]}]}
        with self.gateway() as g:
            g.broker.forbidden.add(TOPIC)
            answer = g.client.call("StreamsGroupHeartbeat", 1, {**JOIN, "Topology": matching})
            expect(answer["ErrorCode"] == TOPIC_FORBIDDEN and answer["ErrorMessage"] is None, f"{answer}")
            g.broker.forbidden.clear()
            answer = g.client.call("StreamsGroupHeartbeat", 1, {**JOIN, "Topology": matching})
            expect(answer["ErrorCode"] == 0 and not answer["Status"], f"{answer}")

    def test_8_8_a_right_that_is_taken_away_ends_within_seconds(self):
        with self.gateway() as g:
            epoch = g.join()
            g.broker.forbidden.add(GROUP)
            expect(g.beat(epoch)["ErrorCode"] == 0, "asked for each heartbeat")
            wait_until(lambda: g.beat(epoch)["ErrorCode"] == GROUP_FORBIDDEN, 15, "the refusal")
            g.broker.forbidden.clear()
            expect(g.beat(epoch)["ErrorCode"] == 0, "a refusal was remembered")

    def test_8_9_heartbeats_do_not_wait_for_an_upstream_that_is_silent(self):
        with self.gateway() as g:
            epoch = g.join()
            asked = len(g.broker.seen("DescribeGroups"))
            g.broker.answers["DescribeGroups"] = lambda request, version: None

            def asked_again():
                expect(g.beat(epoch)["ErrorCode"] == 0, "a member is lost")
                return len(g.broker.seen("DescribeGroups")) > asked
            wait_until(asked_again, 15, "the next question")
            expect(g.beat(epoch)["ErrorCode"] == 0, "the heartbeat waits for the answer")

    def test_7_other_apis_need_their_own_rights(self):
        with self.gateway() as g:
            g.join()
            g.broker.answers["DescribeGroups"] = rights(READ | DESCRIBE)
            with g.weir.client() as reader:
                deleted = reader.call("DeleteGroups", 2, {"GroupsNames": [GROUP]})["Results"][0]
                expect(deleted["ErrorCode"] == GROUP_FORBIDDEN, f"{deleted}")
                expect(reader.call("JoinGroup", 5, {"GroupId": GROUP, "ProtocolType": "consumer", "Protocols": []})
                       ["ErrorCode"] == 23, "not ours?")
            g.broker.answers["DescribeGroups"] = rights(DELETE | DESCRIBE)
            with g.weir.client() as deleter:
                deleted = deleter.call("DeleteGroups", 2, {"GroupsNames": [GROUP]})["Results"][0]
                expect(deleted["ErrorCode"] == 68, f"{deleted}")
                expect(deleter.call("JoinGroup", 5, {"GroupId": GROUP, "ProtocolType": "consumer", "Protocols": []})
                       ["ErrorCode"] == GROUP_FORBIDDEN, "the kind of a group was told")
                fetched = deleter.call("OffsetFetch", 7, {"GroupId": GROUP, "Topics": None})
                expect(fetched["ErrorCode"] == 0, f"DESCRIBE is enough to read offsets: {fetched}")

    def test_4_8_groups_that_may_not_be_described_are_not_listed(self):
        with self.gateway() as g:
            g.join()
            g.broker.forbidden.add(GROUP)

            def listed():
                return [e["GroupId"] for e in g.client.call("ListGroups", 5, {})["Groups"]]
            expect(listed() == ["a-consumer"], f"{listed()}")
            g.broker.cluster_operations = DESCRIBE
            expect(listed() == ["a-consumer", GROUP], f"DESCRIBE on the cluster shows all: {listed()}")

    def test_4_7_describe_groups_masks_ours_and_keeps_refusals_and_order(self):
        with self.gateway() as g:
            g.join()
            g.broker.answers["DescribeGroups"] = lambda request, version: {"Groups": [
                {"GroupId": group, "GroupState": "Empty", "AuthorizedOperations": READ} for group in request["Groups"]]}
            groups = g.client.call("DescribeGroups", 5, {"Groups": ["x", GROUP, "y"]})["Groups"]
            states = [(entry["GroupId"], entry["GroupState"]) for entry in groups]
            expect(states == [("x", "Empty"), (GROUP, "Dead"), ("y", "Empty")], f"{states}")
            del g.broker.answers["DescribeGroups"]
            g.broker.forbidden.add(GROUP)
            group = g.client.call("DescribeGroups", 5, {"Groups": [GROUP]})["Groups"][0]
            expect(group["ErrorCode"] == GROUP_FORBIDDEN, f"{group}")

    def test_4_3_a_refused_fetch_of_version_1_says_so_on_each_partition(self):
        with self.gateway() as g:
            g.join()
            g.broker.forbidden.add(GROUP)
            with g.weir.client() as other:
                topics = other.call("OffsetFetch", 1, {"GroupId": GROUP, "Topics": [
                    {"Name": TOPIC, "PartitionIndexes": [0, 1]}]})["Topics"]
            errors = [p["ErrorCode"] for topic in topics for p in topic["Partitions"]]
            expect(errors == [GROUP_FORBIDDEN] * 2, f"{topics}")

    # --- an upstream that misbehaves ---

    def spoil(self, g, api, spoilt, version=12):
        """One connection suffers, the next is fine."""
        g.broker.spoilt[api] = spoilt
        with g.weir.client() as victim:
            victim.send(api, version, {})
            expect(cut_off(victim), f"{api} was answered")
        del g.broker.spoilt[api]
        expect(g.client.call("Metadata", 12, {})["ClusterId"] == "fake-cluster", "the gateway is gone")

    def test_an_answer_that_is_cut_short_is_not_passed_on(self):
        with self.gateway() as g:
            g.join()
            self.spoil(g, "DescribeCluster", lambda frame: struct.pack(">i", len(frame) - 7) + frame[4:-3], 1)

    def test_an_answer_to_another_request_is_not_passed_on(self):
        with self.gateway() as g:
            g.join()
            self.spoil(g, "Fetch", lambda frame: frame[:4] + struct.pack(">i", 12345) + frame[8:])

    def test_an_answer_of_unlikely_size_is_not_passed_on(self):
        with self.gateway() as g:
            g.join()
            self.spoil(g, "Fetch", lambda frame: b"\x7f\xff\xff\xff" + frame[4:])
            self.spoil(g, "Fetch", lambda frame: b"\xff\xff\xff\xff" + frame[4:])
            self.spoil(g, "Fetch", lambda frame: None)

    def test_a_close_after_produce_without_acknowledgement_reaches_the_client(self):
        with self.gateway() as g:
            g.broker.spoilt["Produce"] = lambda frame: None
            g.broker.answers["Produce"] = lambda request, version: {}
            g.client.socket.sendall(request_frame("Produce", 9, {"Acks": 0, "TimeoutMs": 1000, "TopicData": []}, 1))
            expect(cut_off(g.client), "a lost record went unnoticed")

    def test_a_client_that_leaves_in_the_middle_takes_nobody_along(self):
        with self.gateway() as g:
            epoch = g.join()
            for api, version, body in (
                    ("Fetch", 12, {}), ("ListGroups", 4, {}), ("StreamsGroupDescribe", 1, {"GroupIds": [GROUP]}),
                    ("DeleteGroups", 2, {"GroupsNames": ["other"]}), ("OffsetFetch", 7, {"GroupId": GROUP})):
                upstream = "DescribeGroups" if api in ("StreamsGroupDescribe", "OffsetFetch") else api
                g.broker.slow[upstream] = 0.2
                before = len(g.broker.seen(upstream))
                with g.weir.client() as leaver:
                    leaver.send(api, version, body)
                    wait_until(lambda: len(g.broker.seen(upstream)) > before, 10, f"{api} upstream")
                g.broker.slow.clear()
                expect(g.beat(epoch)["ErrorCode"] == 0, f"after {api}")

    def test_an_upstream_that_goes_away_is_told_as_a_coordinator_that_is_not_available(self):
        with self.gateway() as g:
            epoch = g.join()
            g.broker.__exit__()
            g.broker.spoilt["Metadata"] = lambda frame: None  # the connections that are open end too
            wait_until(lambda: "refused" in g.weir.http("/readyz")[1], 10, "/readyz turns red")
            text = g.weir.http("/readyz")[1]
            faults = [line for line in text.splitlines() if line.startswith("[-]")]
            expect(len(faults) == 1 and faults[0].count(g.broker.address) == 1, f"/readyz: {text}")
            with g.weir.client(timeout=5) as client:
                found = client.call("FindCoordinator", 4, {"KeyType": 0, "CoordinatorKeys": [GROUP]})["Coordinators"]
                expect([entry["ErrorCode"] for entry in found] == [NOT_AVAILABLE], f"{found}")
                joined = client.call("StreamsGroupHeartbeat", 1, {**JOIN, "MemberId": "member-2"})
                expect(joined["ErrorCode"] == NOT_AVAILABLE, f"{joined}")
                client.send("Metadata", 12, {})
                expect(cut_off(client), "Metadata was answered")
            expect(g.beat(epoch)["ErrorCode"] == 0, "a member that is known needs no upstream")
            expect("weir_protocol_errors_total 0" in g.weir.http("/metrics")[1], "clients are blamed")

    def test_throttle_times_of_the_upstream_reach_the_client(self):
        with self.gateway() as g:
            epoch = g.join()
            g.broker.answers["OffsetFetch"] = lambda request, version: {"ThrottleTimeMs": 321, "Topics": []}
            answer = g.client.call("OffsetFetch", 9, {"Groups": [
                {"GroupId": GROUP, "MemberId": MEMBER, "MemberEpoch": epoch, "Topics": None}]})
            expect(answer["ThrottleTimeMs"] == 321, f"{answer}")


if __name__ == "__main__":
    sys.exit(run(Faults, __doc__))
