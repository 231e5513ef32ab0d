"""A scripted incident for each cause of a rebalance and each reason why a group waits: members over the wire bring it
about, and the admin API and the web page must say what happened and what the group waits for.

    python3 tests/integration/incidents.py [--binary build/release/weir] [--only NAME]
"""
import contextlib
import http.client
import json
import pathlib
import re
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import admin  # noqa: E402
from application import Application, PARTITIONS, REBALANCE_MS, Reader, WAIT_SECONDS  # noqa: E402
from browser import Browser  # noqa: E402
from ports import wait_until  # noqa: E402
from suite import expect, options_of, run_suite  # noqa: E402
from weir import Weir  # noqa: E402
from wire import ROOT  # noqa: E402

SESSION_MS = 3000
SETTINGS = {"group.streams.initial.rebalance.delay.ms": 0, "group.streams.assignment.interval.ms": 0,
            "group.streams.min.session.timeout.ms": 1000, "group.streams.session.timeout.ms": SESSION_MS,
            "group.streams.min.heartbeat.interval.ms": 100, "group.streams.heartbeat.interval.ms": 500,
            "group.streams.min.task.offset.interval.ms": 100, "timeline.loop.count": 3}
# Patterns that are slow to try, and so many topics that they take a second or two of processor time.
WILD_PATTERNS, WILD_TOPICS = [f"(?:a?b?){{300}}[0-9]*x{i}" for i in range(8)], 400


GROUP_METADATA, CURRENT_ASSIGNMENT, TOPOLOGY, UNKNOWN_STATE = 17, 22, 23, 127  # types of records, and a state


def names_of(source, enum):
    """What the program calls the values of an enumeration."""
    return re.findall(rf'case {enum}::\w+: return "([a-z-]+)"', (ROOT / "group" / source).read_text())


def look(seen, **wanted):
    for key, value in wanted.items():
        expect(seen[key] == value, f"{key} is {seen[key]!r}, not {value!r}: {seen}")


class Incidents:
    """Each method `test_*` is one incident."""

    def __init__(self, weir, page):
        self.weir, self.client, self.reader = weir, weir.client(), Reader(weir, page)

    def application(self, name, **options):
        return Application(self.weir, self.client, self.reader, name, **options)

    def pair(self, name, **options):
        """A has all tasks, B has joined and waits for its share."""
        app = self.application(name, **options)
        app.join("A")
        app.settle()
        app.join("B")
        return app

    # --- causes -----------------------------------------------------------------------------------------------

    def test_member_joined_and_target_computed(self):
        app = self.application("joined")
        app.join("A")
        event, target = app.newest("member-joined"), app.newest("target-computed")
        look(event, member_id="A", process_id="p-A", client_id="weir-test", by=None, computed_in_ms=None)
        look(target, tasks_moved=PARTITIONS, moved_truncated=False)
        expect(0 <= target["stable_after_ms"] < 1000, f"it was all there was to do: {target}")
        expect(target["computed_in_ms"] is not None and target["assignor"], f"{target}")
        tasks = [{"task": f"0_{p}", "role": "active", "from": None, "to": "A"} for p in range(PARTITIONS)]
        look(target, moved=tasks)
        expect(target["index"] == event["index"] + 1, "the index does not rise by one")

    def test_member_changed(self):
        app = self.application("changed")
        app.join("A")
        app.beat("A", RackId="r1")
        look(app.newest("member-changed"), member_id="A", changes=[{"what": "rack", "old": "none", "new": "r1"}])

    def test_member_left(self):
        app = self.pair("left")
        app.settle()
        app.leave("B")
        look(app.newest("member-left"), member_id="B")
        app.settle()
        expect(app.newest("member-left")["stable_after_ms"] is not None, "the rebalance has no end")

    def test_session_expired(self):
        app = self.pair("expired")
        app.settle()

        def gone():
            app.beat("A")
            return app.timeline("?cause=session-expired")
        look(wait_until(gone, WAIT_SECONDS, "the session of B ends", pause=0.3)[0], member_id="B")

    def test_rebalance_expired(self):
        app = self.pair("stuck")
        app.beat("A")
        waits = app.waits("revocation")
        look(waits, member_id="A", blocks=["B"])
        expect(0 < waits["ends_in_ms"] <= REBALANCE_MS and waits["since_ms"] is not None, f"{waits}")

        def gone():  # A's session lasts for longer
            app.beat("B")
            return app.timeline("?cause=rebalance-expired")
        event = wait_until(gone, WAIT_SECONDS, "the rebalance time-out of A", pause=0.2)[0]
        look(event, member_id="A")
        joined = [one for one in app.timeline("?cause=member-joined") if one["member_id"] == "B"][0]
        look(joined, stable_after_ms=None, last_member="A", last_reason="unrevoked")

    def test_metadata_changed(self):
        app = self.application("grown")
        app.join("A")
        admin.add_partitions(self.client, app.topic, PARTITIONS + 2)
        app.beat("A")
        changes = app.newest("metadata-changed")["changes"]
        expect({"what": "tasks of subtopology 0", "old": "4", "new": "6"} in changes, f"{changes}")

    def test_topology_not_ready_and_ready_again(self):
        app = self.application("topicless")
        app.join("A")
        admin.delete_topic(self.client, app.topic)
        app.beat("A")
        event = app.newest("metadata-changed")
        expect({"what": "validated topology epoch", "old": "0", "new": "-1"} in event["changes"], f"{event}")
        waits = app.waits("missing-topics")
        look(waits, topic=app.topic, found_partitions=None)
        admin.create_topic(self.client, app.topic, PARTITIONS)
        app.beat("A")
        event = app.newest("metadata-changed")
        expect({"what": "validated topology epoch", "old": "-1", "new": "0"} in event["changes"], f"{event}")
        lost = app.timeline("?cause=metadata-changed")[1]
        look(lost, stable_after_ms=None, last_reason="missing-topic", last_member=None)

    def test_config_changed_and_assignment_config_changed(self):
        app = self.application("tuned", stateful=True)
        app.join("A")
        admin.alter_group_config(self.client, app.group, {"streams.num.standby.replicas": "1"})
        app.beat("A")
        look(app.newest("config-changed"), by=None, stable_after_ms=None,
             changes=[{"what": "streams.num.standby.replicas", "old": "not set", "new": "1"}])
        changes = app.newest("assignment-config-changed")["changes"]
        expect(any("standby" in c["what"] and c["new"] == "1" for c in changes), f"{changes}")

    def test_warm_up_caught_up(self):
        app = self.application("warm", stateful=True)
        app.join("A")
        end = [{"SubtopologyId": "0", "Partition": p, "Offset": 50000} for p in range(PARTITIONS)]
        app.beat("A", TaskOffsets=end, TaskEndOffsets=end)
        app.join("B", TaskOffsets=[], TaskEndOffsets=[])
        app.settle()
        warm = sorted(p for _, p in app.members["B"].tasks["WarmupTasks"])
        expect(warm, f"B warms nothing up: {app.members['B'].tasks}")
        look(app.waits("warm-up"), member_id="B", holder="A", tasks=[f"0_{warm[0]}"])
        target = app.newest("target-computed")
        expect({"task": f"0_{warm[0]}", "role": "warmup", "from": None, "to": "B"} in target["moved"], f"{target}")

        def report(offset):
            return {"TaskOffsets": [{"SubtopologyId": "0", "Partition": p, "Offset": offset} for p in warm],
                    "TaskEndOffsets": [{"SubtopologyId": "0", "Partition": p, "Offset": 50000} for p in warm]}
        app.beat("B", **report(100))
        look(app.waits("warm-up"), lag=49900)
        app.beat("B", **report(50000))
        event = app.newest("warm-up-caught-up")
        expect({"task": f"0_{warm[0]}", "role": "active", "from": "A", "to": "B"} in event["moved"], f"{event}")

    def test_warm_up_stuck(self):
        app = self.application("unwarmed", stateful=True)
        status, answer = self.weir.http(f"/v1/groups/{app.group}/config", "PATCH",
                                        {"streams.task.offset.interval.ms": "100", "streams.num.warmup.replicas": "1"})
        expect(status == 200, f"{status} {answer}")
        app.join("A")
        end = [{"SubtopologyId": "0", "Partition": p, "Offset": 50000} for p in range(PARTITIONS)]
        app.beat("A", TaskOffsets=end, TaskEndOffsets=end)
        app.join("B", TaskOffsets=[], TaskEndOffsets=[])

        def stuck():
            for member in list(app.members):
                app.beat(member, **({} if member == "A" else {"TaskOffsets": [
                    {"SubtopologyId": "0", "Partition": p, "Offset": 7} for p in range(PARTITIONS)]}))
            return app.timeline("?cause=warm-up-stuck")
        wait_until(stuck, WAIT_SECONDS, "a warm-up that does not get on makes way")
        event = app.newest("warm-up-stuck")
        expect("does not get on in process p-B" in event["detail"], f"{event}")

    def test_member_removed_and_rebalance_requested(self):
        app = self.pair("administered")
        app.settle()
        status, answer = self.weir.http(f"/v1/groups/{app.group}/rebalance", "POST", {})
        expect(status == 202, f"{status} {answer}")
        asked = app.newest("rebalance-requested")
        look(asked, member_id="", group_epoch=answer["group_epoch"], detail="asked for")
        app.settle()
        status, answer = self.weir.http(f"/v1/groups/{app.group}/members/B/remove", "POST", {})
        expect(status == 200, f"{status} {answer}")
        look(app.newest("member-removed"), member_id="B", process_id="p-B", group_epoch=answer["group_epoch"])
        del app.members["B"]
        app.settle()
        expect(app.newest("member-removed")["stable_after_ms"] is not None, "the rebalance has no end")

    def test_topology_updated_and_who_is_waited_for_to_upgrade(self):
        app = self.pair("upgraded")
        app.settle()
        app.topology = {**app.topology, "Epoch": 1}
        app.join("A")
        event = app.newest("topology-updated")
        expect({"what": "topology epoch", "old": "0", "new": "1"} in event["changes"], f"{event}")
        look(app.waits("topology-upgrade"), blocks=["B"])
        app.join("B")
        left = [one["reason"] for one in app.document()["waiting"]]
        expect("topology-upgrade" not in left, f"everybody runs the new topology: {left}")

    def test_topology_ready_alone(self):
        app = self.application("readied")
        app.join("A")
        app.settle()
        self.rewrite(app, GROUP_METADATA, lambda value: {**value, "validatedTopologyEpoch": -1})
        app.beat("A")
        look(app.newest("topology-ready"), changes=[{"what": "validated topology epoch", "old": "-1", "new": "0"}])

    def test_topology_not_ready_alone(self):
        app = self.application("unreadied", create=False)
        app.join("A")
        self.rewrite(app, GROUP_METADATA, lambda value: {**value, "validatedTopologyEpoch": 0})
        app.beat("A")
        event = app.newest("topology-not-ready")
        look(event, changes=[{"what": "validated topology epoch", "old": "0", "new": "-1"}])
        expect(app.topic in event["detail"], f"the detail does not name the topic: {event}")

    # --- what a group waits for ---------------------------------------------------------------------------------

    def test_waits_for_a_slow_heartbeat_and_a_held_task(self):
        app = self.pair("slow")
        slow = app.waits("heartbeat")
        look(slow, member_id="A", blocks=["B"])
        expect(slow["ends_in_ms"] <= SESSION_MS and len(slow["tasks"]) == 2, f"{slow}")
        look(app.waits("held-task"), member_id="B", holder="A", tasks=slow["tasks"])

    def test_waits_for_the_initial_delay(self):
        app = self.application("delayed")
        admin.alter_group_config(self.client, app.group, {"streams.initial.rebalance.delay.ms": "2500"})
        app.join("A")
        delay = app.waits("initial-delay")
        expect(0 < delay["ends_in_ms"] <= 2500, f"{delay}")
        wait_until(lambda: app.timeline("?cause=target-computed"), WAIT_SECONDS, "the delay ends")

    def test_waits_for_the_assignment_interval(self):
        app = self.application("paced")
        admin.alter_group_config(self.client, app.group, {"streams.assignment.interval.ms": "10000"})
        app.join("A")
        app.join("B")
        interval = app.waits("assignment-interval")
        expect(0 < interval["ends_in_ms"] <= 10000, f"{interval}")

    def test_waits_for_a_static_member(self):
        app = self.application("static")
        app.join("A", InstanceId="i1")
        app.join("B")
        app.settle()
        app.leave("A", epoch=-2, InstanceId="i1")
        away = app.waits("static-member")
        look(away, member_id="A")
        expect(away["since_ms"] is not None and "i1" in away["text"], f"{away}")

    def test_waits_for_an_internal_topic_with_wrong_partitions(self):
        app = self.application("wrong", stateful=True, create=False)
        admin.create_topic(self.client, app.topic, PARTITIONS)
        admin.create_topic(self.client, app.changelog, PARTITIONS - 1)
        app.join("A")
        look(app.waits("missing-topics"), topic=app.changelog, expected_partitions=PARTITIONS,
             found_partitions=PARTITIONS - 1)

    def test_waits_for_a_look_at_the_topics_after_a_restart(self):
        app = self.application("unseen", create=False)
        app.join("A")
        before = app.timeline()
        self.restart()
        app.client = self.client
        expect(app.timeline() == before, "the timeline is another one after a restart")
        look(app.waits("unvalidated"), since_ms=None)
        look(app.document(), state_since=None)

    def test_waits_for_a_topology_that_its_log_lacks(self):
        app = self.application("bare", create=False)
        app.join("A")
        self.rewrite(app, TOPOLOGY, lambda value: None)
        look(app.document(), state="NotReady")
        app.waits("no-topology")

    def test_waits_for_a_member_whose_stored_state_is_not_known(self):
        app = self.application("foreign")
        app.join("A")
        app.settle()
        self.rewrite(app, CURRENT_ASSIGNMENT, lambda value: {**value, "state": UNKNOWN_STATE})
        look(app.document(), state="Reconciling")
        look(app.waits("unknown-member"), member_id="A")

    def test_waits_for_patterns_to_be_tried_on_many_topics(self):
        app = self.application("patterned")
        source = app.topology["Subtopologies"][0]
        source.update(SourceTopics=[], SourceTopicRegex=[f"{app.topic}|{wild}" for wild in WILD_PATTERNS])
        app.join("A")
        app.settle()
        names = [f"{'ab' * 25 + 'b' * (i % 9)}{i}" for i in range(WILD_TOPICS)]
        admin.create_topics(self.client, names)
        app.beat("A")
        for what in ("topology", "offsets"):
            _, told = self.weir.http(f"/v1/groups/{app.group}/{what}")
            expect("patterns of source topics" in (told["problem"] or ""), f"{what}: {told}")
        _, listed = self.weir.http(f"/v1/groups?prefix={app.group}")
        expect("patterns of source topics" in (listed["items"][0]["reason"] or ""), f"{listed}")
        _, health = self.weir.http(f"/v1/groups/{app.group}/health")
        expect(health["healthy"] and "patterns of source topics" in health["text"], f"{health}")
        seen = app.waits("patterns")
        expect("topics so far; until then the group goes on with those" in seen["text"], f"{seen}")

        def is_over():
            app.beat("A")
            return not app.document()["waiting"]
        wait_until(is_over, WAIT_SECONDS, "the patterns have been tried")
        app.settle()
        tasks = app.members["A"].tasks["ActiveTasks"]
        expect(len(tasks) == PARTITIONS, f"{tasks}")
        for what in ("topology", "offsets"):
            _, told = self.weir.http(f"/v1/groups/{app.group}/{what}")
            expect(told["problem"] is None, f"{what}: {told['problem']}")
        admin.delete_topics(self.client, names)

    def test_every_cause_and_reason_has_an_incident_here(self):
        script = pathlib.Path(__file__).read_text()
        for source, enum, asked in (("event.cpp", "cause", r'(newest\("|\?cause=)'),
                                    ("waiting_for.cpp", "waiting_reason", r'waits\("')):
            names = names_of(source, enum)
            expect(len(names) > 10, f"{enum}: {names}")
            lacking = [name for name in names if not re.search(rf'{asked}{name}"', script)]
            expect(not lacking, f"no incident of {enum} {lacking}")

    # --- near misses, loops ----------------------------------------------------------------------------------

    def test_a_heartbeat_that_came_just_in_time(self):
        app = self.application("late")
        app.join("A")
        wait_until(lambda: app.document()["members"][0]["session_ends_in_ms"] < SESSION_MS * 0.15, WAIT_SECONDS,
                   "most of the session is over", pause=0.02)
        app.beat("A")
        misses = app.document()["near_misses"]
        expect(len(misses) == 1, f"{misses}")
        look(misses[0], member_id="A", what="late-heartbeat", limit_ms=SESSION_MS)

    def test_a_rebalance_loop(self):
        app = self.application("loop")
        app.join("A")
        for _ in range(3):
            app.join("B")
            app.leave("B")
        alarms = {(one["cause"], one["member_id"]): one["count"] for one in app.document()["alarms"]}
        expect(alarms == {("member-joined", "B"): 3, ("member-left", "B"): 3}, f"{alarms}")
        expect("weir_rebalance_loops_total 2" in self.weir.http("/metrics")[1], "the counter lacks them")

    # --- the way of the news ---------------------------------------------------------------------------------

    def test_the_timeline_survives_a_kill_and_goes_on(self):
        app = self.pair("kept")
        app.settle()
        before = app.timeline()
        expect(all(one["stable_after_ms"] is not None for one in before), f"{before}")
        self.weir.kill()
        self.weir.start()
        self.client = app.client = self.weir.client()
        expect(app.timeline() == before, f"{app.timeline()} instead of {before}")
        app.leave("B")
        expect(app.timeline()[0]["index"] == before[0]["index"] + 1, "the index does not go on")

    def test_a_question_that_waits_is_answered_by_the_next_event(self):
        app = self.application("asked")
        app.join("A")
        index = app.timeline()[0]["index"]
        got = []
        asking = threading.Thread(target=lambda: got.extend(app.timeline(f"?index={index}&wait=8s")))
        asking.start()
        other = self.application("unasked")
        other.join("A")
        expect(not got, "answered by an event of another group")
        app.leave("A")
        asking.join(WAIT_SECONDS)
        expect(got and got[0]["cause"] == "member-left", f"{got[:1]}")

    def test_a_follower_is_told_and_goes_on_where_it_was(self):
        with self.following("/v1/events?group=followed&cause=member-left") as events:
            app = self.application("followed")
            app.join("A")
            app.join("B")
            app.leave("B")
            first = events()
        look(first["data"], group_id="followed", cause="member-left", member_id="B")
        expect(first["event"] == "member-left", f"{first}")
        app.leave("A")
        with self.following("/v1/events?group=followed&cause=member-left", first["id"]) as events:
            look(events()["data"], member_id="A")

    def test_a_deleted_group_has_no_timeline(self):
        app = self.application("deleted")
        app.join("A")
        app.leave("A")
        answer = self.client.call("DeleteGroups", 2, {"GroupsNames": [app.group]})
        admin.demand(answer["Results"][0]["ErrorCode"], "DeleteGroups")
        expect(self.weir.http(f"/v1/groups/{app.group}/timeline")[0] == 404, "it is still there")
        app.join("A")
        expect(app.timeline()[-1]["index"] == 1, "the new group has the story of the old one")

    def rewrite(self, app, kind, edit):
        """The group as another coordinator could have left it: its records of that type, exported, edited (None: left
        out) and imported again."""
        self.client.close()
        self.weir.stop()
        command = [str(self.weir.binary), "groups"]
        at = ["--data-dir", self.weir.settings["data.dir"], "--group", app.group]
        exported = subprocess.run([*command, "export", *at], check=True, capture_output=True, text=True).stdout
        lines = self.weir.folder / "edited.jsonl"
        header, *records = map(json.loads, exported.splitlines())
        for record in records:
            if record["key"]["type"] == kind:
                record["value"]["data"] = edit(record["value"]["data"])
        records = [record for record in records if record["value"]["data"] is not None]
        header["records"] = len(records)
        lines.write_text("".join(json.dumps(record) + "\n" for record in (header, *records)))
        done = subprocess.run([*command, "import", *at, "--replace", lines], capture_output=True, text=True)
        expect(done.returncode == 0, f"import: {done.stdout}{done.stderr}")
        self.weir.start()
        self.client = app.client = self.weir.client()

    # --- helpers ---------------------------------------------------------------------------------------------

    def restart(self):
        self.client.close()
        self.weir.restart()
        self.client = self.weir.client()

    @contextlib.contextmanager
    def following(self, path, last_id=None):
        """Yields a function that waits for the next event: a dictionary of its fields, `data` decoded."""
        connection = http.client.HTTPConnection("127.0.0.1", self.weir.http_port, timeout=WAIT_SECONDS)
        connection.request("GET", path, headers={} if last_id is None else {"Last-Event-ID": last_id})
        answer = connection.getresponse()
        expect(answer.getheader("Content-Type") == "text/event-stream", f"{answer.status}")

        def next_event():
            fields = {}
            while "data" not in fields:
                line = answer.readline().decode().rstrip("\n")
                name, _, value = line.partition(": ")
                if name:
                    fields[name] = value
            return {**fields, "data": json.loads(fields["data"])}
        try:
            yield next_event
        finally:
            connection.close()


def main():
    options = options_of(__doc__).parse_args()
    with Weir(SETTINGS, options.binary) as weir, Browser() as browser, \
            browser.page(f"http://127.0.0.1:{weir.http_port}/") as page:
        return run_suite(Incidents(weir, page), options.only)


if __name__ == "__main__":
    sys.exit(main())
