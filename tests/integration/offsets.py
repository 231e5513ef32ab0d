"""Commits and input lag as the admin API tells them: who committed, who was refused and why, and how far the group has
read, in embedded mode and behind a gateway whose upstream answers, refuses or says nothing.

    python3 tests/integration/offsets.py [--binary build/release/weir] [--only NAME]
"""
import json
import subprocess
import sys
import threading
import time

from admin_api import GROUP as WORDS, TIMEOUT_SECONDS, World
from gateway_traps import GROUP as APP, MEMBER, STALE_EPOCH, TOPIC, UNKNOWN_MEMBER, Gateway

import story
from fake_broker import VERSIONS
from ports import wait_until
from suite import expect, options_of, run_suite

LAG = f"/v1/groups/{APP}/offsets"
GROUP_FORBIDDEN, METADATA_TOO_LARGE = 30, 12
QUICK_SECONDS = 8


def lags(document):
    """`topic-partition` to committed offset, end and lag."""
    return {f"{row['topic']}-{row['partition']}": (row["committed_offset"], row["end_offset"], row["lag"])
            for row in document["items"]}


def weir(binary, http_port, *arguments):
    """What `weir groups` prints."""
    ended = subprocess.run([binary, "groups", *arguments, "--http", f"http://127.0.0.1:{http_port}"], text=True,
                           capture_output=True, timeout=TIMEOUT_SECONDS)
    expect(ended.returncode == 0, f"{arguments}: {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def commit(client, member, epoch, offsets, topic=story.INPUT):
    """The error of an OffsetCommit of the group of World. `offsets` by partition, or all fields of it."""
    answer = client.call("OffsetCommit", 9, {
        "GroupId": story.STREAMS, "MemberId": member, "GenerationIdOrMemberEpoch": epoch,
        "Topics": [{"Name": topic, "Partitions": [
            {"PartitionIndex": p, **(what if isinstance(what, dict) else {"CommittedOffset": what})}
            for p, what in offsets.items()]}]})
    return answer["Topics"][0]["Partitions"][0]["ErrorCode"]


class Offsets:
    """Each method `test_*` is one promise."""

    def __init__(self, binary):
        self.binary = binary

    def test_commits_are_counted_by_member_with_the_last_refusal_and_those_of_strangers_by_group(self):
        with World(self.binary) as world:
            a = world.members[0]
            other = world.members[1].tasks["ActiveTasks"][0]["Partitions"][0]
            expect(commit(world.client, "a", a.epoch, {0: 5}) == 0, "a commit was refused")
            too_long = commit(world.client, "a", a.epoch, {0: {"CommittedOffset": 6, "CommittedMetadata": "m" * 5000}})
            expect(too_long == METADATA_TOO_LARGE, f"metadata that is too long: {too_long}")
            expect(commit(world.client, "a", a.epoch + 7, {0: 6}) == STALE_EPOCH, "a later epoch was accepted")
            expect(commit(world.client, "a", a.epoch - 1, {other: 6}) == STALE_EPOCH, "another's task was committed")
            expect(commit(world.client, "z", 1, {0: 7}) == UNKNOWN_MEMBER, "a stranger was accepted")
            counts = world.api.get(f"{WORDS}/members/a")["commits"]
            last = counts.pop("last_refused")
            expect(counts == {"accepted": 1, "refused": 2}, f"{counts}")
            expect(last["error"] == "STALE_MEMBER_EPOCH" and last["at"].startswith("20"), f"{last}")
            members = {one["member_id"]: one["commits"] for one in world.api.get(f"{WORDS}/members")["items"]}
            expect(members["b"] == {"accepted": 0, "refused": 0, "last_refused": None}, f"{members}")
            expect(world.document()["commits_refused_of_strangers"] == 1, "the stranger's commit is not counted")
            told = weir(self.binary, world.weir.http_port, "describe", story.STREAMS)
            expect("2 STALE_MEMBER_EPOCH" in told and "Strangers:    1 commits" in told, told)
            world.weir.restart()
            expect(world.api.get(f"{WORDS}/members/a")["commits"]["refused"] == 0, "counts outlive a restart")

    def test_embedded_lag_is_of_the_groups_own_offsets_and_topics_without_data(self):
        with World(self.binary) as world:
            expect(commit(world.client, "a", world.members[0].epoch, {0: 5}) == 0, "a commit was refused")
            expect(commit(world.client, "a", world.members[0].epoch, {1: 9}, story.CHANGELOG) == 0, "another topic")
            document = world.api.get(f"{WORDS}/offsets")
            seen = lags(document)
            expect(len(seen) == story.PARTITIONS + 1 and document["problem"] is None, f"{document}")
            expect(seen[f"{story.INPUT}-0"] == (5, 0, 0) and seen[f"{story.INPUT}-1"] == (None, 0, None), f"{seen}")
            rows = {row["partition"]: row for row in document["items"] if row["topic"] == story.INPUT}
            holders = {p: one.name for one in world.members for tasks in one.tasks["ActiveTasks"]
                       for p in tasks["Partitions"]}
            told = {p: row["member_id"] for p, row in rows.items()}
            expect(told == holders, f"{told} instead of {holders}")
            expect(rows[3]["task"] == "0_3" and rows[1]["reason"] == "nothing is committed", f"{rows}")
            expect(document["total"] == {"partitions": 7, "lag": 0, "without_lag": 5}, f"{document['total']}")
            expect(document["subtopologies"][0]["partitions"] == 6, f"{document['subtopologies']}")
            only = world.api.get(f"{WORDS}/offsets?topic={story.INPUT}&limit=2")
            expect(len(only["items"]) == 2 and only["next"], f"{only}")
            rest = world.api.get(f"{WORDS}/offsets?topic={story.INPUT}&after={only['next']}")
            expect([row["partition"] for row in rest["items"]] == [2, 3, 4, 5] and not rest["next"], f"{rest}")

    def test_mistakes_are_named(self):
        with World(self.binary) as world:
            for path, status, words in ((f"{WORDS}/offsets?topic=nowhere", 404, "'nowhere'"),
                                        (f"{WORDS}/offsets?topic=", 400, "'topic'"),
                                        (f"{WORDS}/offsets?limit=0", 400, "'limit'"),
                                        (f"{WORDS}/offsets?after=zz", 400, "'after'"),
                                        (f"{WORDS}/offsets?partition=1", 400, "'partition'"),
                                        ("/v1/groups/nobody/offsets", 404, "'nobody'")):
                got, problem, _ = world.api("GET", path)
                expect(got == status and words in problem["detail"], f"{path}: {got} {problem}")

    def test_the_command_shows_partitions_sums_and_json(self):
        with World(self.binary) as world:
            port = world.weir.http_port
            commit(world.client, "a", world.members[0].epoch, {0: 5})
            told = weir(self.binary, port, "offsets", story.STREAMS)
            expect("TOPIC" in told and "nothing is committed" in told and "SUBTOPOLOGY" in told, told)
            sums = weir(self.binary, port, "offsets", story.STREAMS, "--summary")
            expect("TOPIC" not in sums.replace("SUBTOPOLOGY", "") and "SUBTOPOLOGY" in sums, sums)
            document = json.loads(weir(self.binary, port, "offsets", story.STREAMS, "--json", "--topic", story.INPUT))
            expect(lags(document)[f"{story.INPUT}-0"] == (5, 0, 0) and document["next"] is None, f"{document}")

    # --- behind a gateway ---------------------------------------------------------------------------------------

    def gateway(self, versions=None):
        return Gateway(self.binary, versions)

    def test_gateway_lag_is_asked_of_the_upstream(self):
        with self.gateway() as g:
            epoch = g.join()
            g.broker.offsets.update({(TOPIC, 0): 17, ("elsewhere", 3): 4})
            g.broker.ends.update({(TOPIC, 0): 50, (TOPIC, 1): 8})
            document = g.weir.http(LAG)[1]
            expect(lags(document) == {f"{TOPIC}-0": (17, 50, 33), f"{TOPIC}-1": (None, 8, None),
                                      "elsewhere-3": (4, None, None)}, f"{document}")
            expect(document["problem"] is None, f"{document}")
            expect(document["items"][0]["reason"] == "the upstream says UNKNOWN_TOPIC_OR_PARTITION", f"{document}")
            rows = {f"{row['topic']}-{row['partition']}": row for row in document["items"]}
            expect(rows[f"{TOPIC}-1"]["member_id"] == MEMBER and rows[f"{TOPIC}-1"]["task"] == "0_1", f"{rows}")
            expect(document["total"] == {"partitions": 3, "lag": 33, "without_lag": 2}, f"{document['total']}")
            version, asked = g.broker.seen("OffsetFetch")[0]
            expect(version == 7 and asked["GroupId"] == APP and asked["Topics"] is None, f"{version} {asked}")
            expect(g.commit(epoch + 1) == STALE_EPOCH and g.commit(epoch) == 0, "commits")
            counts = g.weir.http(f"/v1/groups/{APP}/members/{MEMBER}")[1]["commits"]
            expect((counts["accepted"], counts["refused"]) == (1, 1), f"{counts}")

    def test_gateway_ten_who_ask_cost_one_question(self):
        with self.gateway() as g:
            g.join()
            g.broker.slow["ListOffsets"] = 0.3
            documents = []
            askers = [threading.Thread(target=lambda: documents.append(g.weir.http(LAG)[1])) for _ in range(10)]
            for asker in askers:
                asker.start()
            for asker in askers:
                asker.join()
            expect(len(documents) == 10 and all(one == documents[0] for one in documents), f"{documents}")
            expect(len(g.broker.seen("ListOffsets")) == 1, "each of them was asked upstream")
            g.broker.ends[(TOPIC, 0)] = 9
            wait_until(lambda: lags(g.weir.http(LAG)[1])[f"{TOPIC}-0"][1] == 9, TIMEOUT_SECONDS, "a new answer")

    def test_gateway_with_a_silent_upstream_says_so_soon_and_serves_on(self):
        with self.gateway() as g:
            epoch = g.join()
            g.broker.offsets[(TOPIC, 0)] = 17
            g.broker.answers["ListOffsets"] = lambda request, version: None
            began = time.monotonic()
            status, document = g.weir.http(LAG)
            expect(status == 200 and time.monotonic() - began < QUICK_SECONDS, f"{status} {document}")
            expect("5000 ms" in document["problem"], f"{document}")
            expect(lags(document) == {f"{TOPIC}-0": (17, None, None), f"{TOPIC}-1": (None, None, None)}, f"{document}")
            expect(document["items"][0]["reason"] == document["problem"], f"{document}")
            expect(g.beat(epoch)["ErrorCode"] == 0 and g.weir.http("/readyz")[0] == 200, "the gateway suffers")
            expect("Not everything is known" in weir(self.binary, g.weir.http_port, "offsets", APP), "the command")
            del g.broker.answers["ListOffsets"]
            wait_until(lambda: g.weir.http(LAG)[1]["problem"] is None, TIMEOUT_SECONDS, "the lag is known again")

    def test_gateway_without_rights_or_without_upstream_says_why(self):
        with self.gateway() as g:
            g.join()
            g.broker.answers["OffsetFetch"] = lambda request, version: {"Topics": [], "ErrorCode": GROUP_FORBIDDEN}
            document = g.weir.http(LAG)[1]
            expect(document["problem"] == "the upstream says GROUP_AUTHORIZATION_FAILED", f"{document}")
            expect(lags(document)[f"{TOPIC}-0"] == (None, None, None), f"{document}")
            g.broker.spoilt.update({"OffsetFetch": lambda frame: None, "Metadata": lambda frame: None})
            g.broker.answers.clear()
            wait_until(lambda: g.weir.http("/readyz")[0] == 503, TIMEOUT_SECONDS, "the upstream is gone")
            wait_until(lambda: "upstream" in (g.weir.http(LAG)[1]["problem"] or "") and g.weir.http(LAG)[1]["problem"]
                       != "the upstream says GROUP_AUTHORIZATION_FAILED", TIMEOUT_SECONDS, "another reason")

    def test_gateway_an_upstream_without_list_offsets_is_no_fault(self):
        with self.gateway({api: range_ for api, range_ in VERSIONS.items() if api != "ListOffsets"}) as g:
            g.join()
            g.broker.offsets[(TOPIC, 0)] = 17
            document = g.weir.http(LAG)[1]
            expect(lags(document)[f"{TOPIC}-0"] == (17, None, None), f"{document}")
            expect("does not offer ListOffsets" in document["problem"], f"{document}")


def main():
    options = options_of(__doc__).parse_args()
    return run_suite(Offsets(str(options.binary)), options.only)


if __name__ == "__main__":
    sys.exit(main())
