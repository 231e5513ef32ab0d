"""The admin API of a real Weir over real sockets: what it changes is in force at once, plans are what then happens, a
drained process loses its tasks before it stops, and no mistake changes anything.

    python3 tests/integration/admin_api.py [--binary build/release/weir] [--only NAME]
"""
import http.client
import json
import pathlib
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import admin  # noqa: E402
import story  # noqa: E402
from ports import wait_until  # noqa: E402
from suite import expect, options_of, run_suite  # noqa: E402
from weir import Weir  # noqa: E402

SETTINGS = {"group.streams.initial.rebalance.delay.ms": 0, "group.streams.assignment.interval.ms": 0,
            "group.streams.acceptable.recovery.lag": 10}
STANDBYS, HEARTBEAT = "streams.num.standby.replicas", "streams.heartbeat.interval.ms"
GROUP = f"/v1/groups/{story.STREAMS}"
REHEARSED = {"topology": {"subtopologies": [{"sources": [story.INPUT]}]}}
TIMEOUT_SECONDS = 20
UNKNOWN_MEMBER = 25
END = 1000


class Member(story.Member):
    """A member that reports how far its state is: all of what it runs and, unless it is slow, of what it copies."""

    def __init__(self, name):
        super().__init__(name)
        self.is_slow = False

    def offsets(self):
        roles = story.ROLES[:1] if self.is_slow else story.ROLES
        return {(tasks["SubtopologyId"], partition): END for role in roles for tasks in self.tasks[role]
                for partition in tasks["Partitions"]}

    def beat(self, client):
        held = self.offsets()
        fields = {"GroupId": story.STREAMS, "MemberId": self.name, "MemberEpoch": self.epoch, **self.tasks,
                  "TaskOffsets": [entry(*task, offset) for task, offset in held.items()],
                  "TaskEndOffsets": [entry(*task, END) for task in held]}
        if self.epoch == 0:
            fields.update(self.intro)
        answer = client.call("StreamsGroupHeartbeat", 1, fields)
        if answer["ErrorCode"] == 0:
            self.epoch = answer["MemberEpoch"]
            for role in story.ROLES:
                if answer[role] is not None:
                    self.tasks[role] = answer[role]
        return answer

    def active(self):
        return sum(len(tasks["Partitions"]) for tasks in self.tasks["ActiveTasks"])


def entry(subtopology, partition, offset):
    return {"SubtopologyId": subtopology, "Partition": partition, "Offset": offset}


class Api:
    """Raw requests, with the headers of the answer."""

    def __init__(self, weir):
        self.port = weir.http_port

    def __call__(self, method, path, body=None, **headers):
        """(status, document or text, headers). `body`: a document, or bytes as they are."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            if body is not None:
                sent.setdefault("Content-Type", "application/json")
            data = body if isinstance(body, (bytes, type(None))) else json.dumps(body)
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            text = answer.read().decode()
            is_json = "json" in (answer.getheader("Content-Type") or "")
            return answer.status, json.loads(text) if is_json and text else text, dict(answer.getheaders())
        finally:
            connection.close()

    def get(self, path):
        status, document, _ = self("GET", path)
        expect(status == 200, f"GET {path}: {status} {document}")
        return document


class World:
    """A Weir with the group `words`, whose members a and b run three tasks each."""

    def __init__(self, binary, settings=None):
        self.weir = Weir({**SETTINGS, **(settings or {})}, binary)

    def __enter__(self):
        self.weir.start()
        self.client, self.api = self.weir.client(), Api(self.weir)
        story.create_topics(self.client)
        self.members = [Member("a"), Member("b")]
        self.settle()
        return self

    def __exit__(self, *_):
        self.client.close()
        self.weir.close()

    def settle(self):
        def stable():
            for member in self.members:
                member.beat(self.client)
            group = self.api.get(GROUP)
            is_whole = len(group["members"]) == len(self.members) and not group["waiting_for"]
            return group["state"] == "Stable" and is_whole
        wait_until(stable, TIMEOUT_SECONDS, "the group is stable")

    def document(self):
        return self.api.get(GROUP)

    def targets(self):
        return {member["member_id"]: {role: member["target"][role] for role in ("active", "standby")}
                for member in self.document()["members"]}

    def marks(self):
        """What no refused request may change."""
        document = self.document()
        return document["group_epoch"], document["assignment_epoch"], document["config"], self.targets()


class AdminApi:
    """Each method `test_*` is one promise."""

    def __init__(self, binary):
        self.binary = binary

    def test_settings_are_in_force_at_once_and_over_a_restart(self):
        with World(self.binary) as world:
            before = world.document()["group_epoch"]
            status, document, headers = world.api("PATCH", f"{GROUP}/config", {STANDBYS: 1, HEARTBEAT: 7000})
            wanted = {STANDBYS: "1", HEARTBEAT: "7000"}
            expect(status == 200 and document["overrides"] == wanted, f"{status} {document}")
            after = world.document()  # no heartbeat has come meanwhile
            expect(after["group_epoch"] == before + 1 and after["assignment_epoch"] == before + 1, f"epochs: {after}")
            expect(all(target["standby"] for target in world.targets().values()), f"standbys: {world.targets()}")
            expect(world.members[0].beat(world.client)["HeartbeatIntervalMs"] == 7000, "interval of the next heartbeat")
            causes = [event["cause"] for event in after["timeline"]]
            expect(causes[-2:] == ["assignment-config-changed", "target-computed"], f"causes: {causes}")
            world.weir.restart()
            again = world.api("GET", f"{GROUP}/config")
            expect(again[1]["overrides"] == document["overrides"], f"after a restart: {again}")
            expect(again[2]["ETag"] == headers["ETag"], "the same settings have the same tag")

    def test_defaults_of_all_groups_are_in_force_at_once_signed_and_over_a_restart(self):
        with World(self.binary, {"http.tokens": "ann=secret-of-ann"}) as world:
            token = {"Authorization": "Bearer secret-of-ann"}
            marks, tag = world.marks(), world.api("GET", "/v1/config")[2]["ETag"]
            expect(world.api("PUT", "/v1/config", {STANDBYS: 1})[0] == 401, "without a token")
            status, tried, _ = world.api("PUT", "/v1/config?dry_run=true", {STANDBYS: 1}, **token)
            expect(status == 200 and tried["groups"] == [story.STREAMS], f"{status} {tried}")
            status, problem, _ = world.api("PUT", "/v1/config", {STANDBYS: 99}, **token)
            expect(status == 400 and problem["kafka_error"] == "INVALID_CONFIG", f"{status} {problem}")
            expect(world.marks() == marks, "a dry run or a mistake changed something")
            status, done, _ = world.api("PUT", "/v1/config", {STANDBYS: 1}, If_Match=tag, **token)
            expect(status == 200 and done["overrides"] == {STANDBYS: "1"}, f"{status} {done}")
            expect(world.api("PUT", "/v1/config", {}, If_Match=tag, **token)[0] == 412, "an old tag")
            world.settle()
            expect(all(target["standby"] for target in world.targets().values()), f"standbys: {world.targets()}")
            event = [e for e in world.document()["timeline"] if e["cause"] == "assignment-config-changed"][-1]
            expect(event["by"] == "ann" and event["detail"] == f"{STANDBYS} 0 -> 1", f"{event}")
            world.weir.restart()
            world.client = world.weir.client()
            row = {row["name"]: row for row in world.document()["config"]}[STANDBYS]
            expect(row["value"] == "1" and row["origin"] == "run time", f"after a restart: {row}")
            history = world.api.get("/v1/config")["history"]
            expect(history[0]["by"] == "ann" and history[0]["changes"][0]["new"] == "1", f"{history}")
            expect(world.api("PATCH", f"{GROUP}/config", {STANDBYS: 0}, **token)[0] == 200, "of the group")
            world.settle()
            expect(not any(target["standby"] for target in world.targets().values()), "the group's own setting counts")

    def test_an_old_etag_changes_nothing(self):
        with World(self.binary) as world:
            tag = world.api("GET", f"{GROUP}/config")[2]["ETag"]
            expect(world.api("PUT", f"{GROUP}/config", {STANDBYS: 1}, If_Match=tag)[0] == 200, "the right tag")
            marks = world.marks()
            status, problem, _ = world.api("PUT", f"{GROUP}/config", {STANDBYS: 2}, If_Match=tag)
            expect(status == 412 and problem["kafka_error"] == "INVALID_UPDATE_VERSION", f"{status} {problem}")
            expect(world.api("DELETE", f"{GROUP}/config", If_Match=tag)[0] == 412, "DELETE with an old tag")
            expect(world.marks() == marks, "a refused change changed something")
            expect(world.api("DELETE", f"{GROUP}/config", If_Match="*")[1]["overrides"] == {}, "DELETE with *")

    def test_a_dry_run_changes_nothing_and_is_what_then_happens(self):
        changes = [("PATCH", f"{GROUP}/config", {STANDBYS: 1}), ("POST", f"{GROUP}/rebalance", {}),
                   ("PUT", f"{GROUP}/config", {"streams.assignor.name": "sticky"}),
                   ("POST", f"{GROUP}/processes/p-b/drain", {})]
        for method, path, body in changes:
            with World(self.binary) as world:
                marks = world.marks()
                status, plan, _ = world.api(method, f"{path}?dry_run=true", body)
                expect(status == 200, f"{path}: {status} {plan}")
                expect(world.marks() == marks, f"the dry run of {path} changed something")
                expect(world.api(method, path, body)[0] in (200, 202), f"{path} in earnest")
                expect(world.targets() == plan["target"], f"{path}: {plan['target']} became {world.targets()}")
                expect(world.document()["group_epoch"] == plan["group_epoch"], f"{path}: the epoch differs")

    def test_what_if_says_what_a_process_that_joins_will_get(self):
        with World(self.binary) as world:
            status, plan, _ = world.api("POST", f"{GROUP}/what-if", {"add_members": [{"process_id": "p-c"}]})
            expect(status == 200 and plan["tasks_moved"] == 2, f"{status} {plan}")
            expect(plan["state_to_restore"] == 2 * END and plan["waiting"] == 2, f"{plan}")
            world.members.append(Member("c"))
            world.members[-1].beat(world.client)
            got = {**world.targets(), "new-p-c-1": world.targets()["c"]}
            expect(all(got[name] == plan["target"][name] for name in plan["target"]), f"{plan['target']} became {got}")

    def test_a_rehearsal_says_what_a_migration_would_bring_and_changes_nothing(self):
        topology = {"subtopologies": [{"sources": [story.INPUT], "changelogs": ["new-store-changelog"]}]}
        path = f"/v1/groups/{story.EMPTY}/rehearsal"
        with World(self.binary) as world:
            marks = world.marks()
            story.classic_member(world.client, story.EMPTY, leaves=False)
            ask = {"topology": topology, "processes": 3, "client": {"num.standby.replicas": 1, "application.id": "x"}}

            def rehearse(asked=ask, to=path):
                status, answer, _ = world.api("POST", to, asked)
                expect(status == 200, f"{status} {answer}")
                return answer, {check["check"]: check for check in answer["checks"]}
            answer, checks = rehearse()
            expect(answer["status"] == "error" and "stop all of them first" in checks["group"]["text"], f"{answer}")
            story.classic_member(world.client, story.LIVE_CLASSIC, leaves=True)
            story.commit(world.client, story.LIVE_CLASSIC, {0: 7, 1: 8})
            answer, checks = rehearse(to=f"/v1/groups/{story.LIVE_CLASSIC}/rehearsal")
            expect(answer["status"] == "warning" and "is empty, go" in checks["group"]["text"], f"{answer}")
            expect("2 partitions carry over" in checks["offsets"]["text"], f"{checks}")
            expect(checks["internal-topics"]["text"].endswith("1 will be created: new-store-changelog"), f"{checks}")
            expect([row["name"] for row in answer["settings"]] == ["num.standby.replicas"], f"{answer['settings']}")
            plan = answer["plan"]
            expect(len(plan["target"]) == 3 and plan["after"]["activePerProcessMax"] == 2, f"{plan}")
            expect("classic" in answer["way_back"][1], f"{answer['way_back']}")
            answer, checks = rehearse({**ask, "config": {STANDBYS: 1}})
            expect(answer["settings"][0]["status"] == "ok", f"{answer['settings']}")
            expect(answer["plan"]["after"]["standbyPlaced"] == 6, f"{answer['plan']}")
            broken = {"subtopologies": [{"sources": [story.INPUT, "nowhere"]}]}
            answer, checks = rehearse({"topology": broken}, "/v1/groups/another/rehearsal")
            expect("nowhere" in checks["source-topics"]["text"] and answer["plan"] is None, f"{answer}")
            expect("there is no group another" in checks["group"]["text"], f"{checks}")
            expect("nothing to migrate" in rehearse(to=f"{GROUP}/rehearsal")[1]["group"]["text"], "a streams group")
            expect(world.marks() == marks, "the rehearsal changed something")
            names = {topic["name"] for topic in world.api.get("/v1/topics")["items"]}
            expect("new-store-changelog" not in names, f"{names}")
            expect(world.api("GET", "/v1/groups/another")[0] == 404, "the rehearsal made a group")

    def test_a_drained_process_loses_its_tasks_before_it_stops_and_nobody_stands_still(self):
        with World(self.binary) as world:
            a, b = world.members
            a.is_slow = True
            expect(world.api("POST", f"{GROUP}/processes/p-b/drain", {})[0] == 200, "drain")
            for _ in range(3):
                a.beat(world.client), b.beat(world.client)
            expect(b.active() == 3, f"b gave up tasks that a has not restored: {b.tasks}")
            expect(a.tasks["WarmupTasks"], "a warms up nothing")
            world.weir.restart()
            world.client = world.weir.client()
            a.is_slow = False
            self.drain_to_the_end(world, a, b)
            leave = {"GroupId": story.STREAMS, "MemberId": "b", "MemberEpoch": -1}
            expect(world.client.call("StreamsGroupHeartbeat", 1, leave)["ErrorCode"] == 0, "b leaves")
            expect(world.targets() == {"a": {"active": {"0": list(range(6))}, "standby": {}}}, f"{world.targets()}")
            world.members = [a, Member("b")]
            world.settle()
            expect(world.members[1].active() == 3, "the process gets no tasks when it comes back")

    def drain_to_the_end(self, world, a, b):
        def gone():
            a.beat(world.client), b.beat(world.client)
            expect(a.active() + b.active() <= 6, f"a task is run twice: {a.tasks} {b.tasks}")
            return a.active() == 6 and not any(b.tasks.values())
        wait_until(gone, TIMEOUT_SECONDS, "b holds nothing, a everything")
        world.settle()

    def test_a_drain_can_be_taken_back_and_the_last_process_not_be_drained(self):
        with World(self.binary) as world:
            before = world.targets()
            expect(world.api("POST", f"{GROUP}/processes/p-b/drain", {})[0] == 200, "drain")
            status, problem, _ = world.api("POST", f"{GROUP}/processes/p-a/drain", {})
            expect(status == 409 and "no other process" in problem["detail"], f"{status} {problem}")
            expect(world.api("POST", f"{GROUP}/processes/p-z/drain", {})[0] == 404, "an unknown process")
            expect(world.api("DELETE", f"{GROUP}/processes/p-b/drain")[0] == 200, "taken back")
            expect(world.targets() == before, f"{before} became {world.targets()}")

    def test_a_removed_member_is_told_and_its_tasks_go_to_the_other(self):
        with World(self.binary, {"http.tokens": "ann=secret-of-ann,bob=secret-of-bob"}) as world:
            token = {"Authorization": "Bearer secret-of-bob"}
            status, answer, _ = world.api("POST", f"{GROUP}/members/b/remove", {}, **token)
            expect(status == 200, f"{status} {answer}")
            expect(world.document()["timeline"][-1]["by"] == "bob", f"{world.document()['timeline'][-1]}")
            expect(world.members[1].beat(world.client)["ErrorCode"] == UNKNOWN_MEMBER, "b is not told")
            world.members.pop()
            world.settle()
            expect(world.members[0].active() == 6, "a has not all tasks")
            expect(world.api("DELETE", GROUP, **token)[0] == 409, "a group with members was deleted")
            world.api("POST", f"{GROUP}/members/a/remove", {}, **token)
            expect(world.api("GET", f"{GROUP}/health")[0] == 503, "a group without members is healthy")
            expect(world.api("DELETE", GROUP, **token)[0] == 204, "an empty group is not deleted")
            expect(world.api("GET", GROUP)[0] == 404, "the deleted group is there")

    def test_a_stop_does_not_wait_for_questions(self):
        topics = {story.INPUT: 30_000, story.CHANGELOG: 30_000}
        question = json.dumps({"partitions": topics, "add_members": [{"process_id": "n", "count": 500}]}).encode()
        head = f"POST {GROUP}/what-if HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        with World(self.binary, {"shutdown.timeout.ms": 5000}) as world:
            askers = [socket.create_connection(("127.0.0.1", world.weir.http_port)) for _ in range(16)]
            for asker in askers:
                asker.sendall(f"{head}Content-Length: {len(question)}\r\n\r\n".encode() + question)
            world.document()  # by then they have been taken
            world.client.close()
            status = world.weir.process.stop(10)
            expect(status == 0, f"it ended with status {status}")
            for asker in askers:
                asker.close()

    def test_tokens(self):
        with World(self.binary, {"http.token": "a-secret"}) as world:
            marks = world.marks()
            for wrong in (None, "Bearer", "Bearer ", "Bearer a-secre", "Bearer a-secret2", "Basic a-secret"):
                headers = {} if wrong is None else {"Authorization": wrong}
                for method, path in (("PUT", f"{GROUP}/config"), ("POST", f"{GROUP}/rebalance"), ("DELETE", GROUP),
                                     ("POST", f"{GROUP}/processes/p-b/drain")):
                    status = world.api(method, path, {}, **headers)[0]
                    expect(status == 401, f"{method} {path} with {wrong}: {status}")
            expect(world.marks() == marks, "somebody without a token changed something")
            expect(world.api("POST", f"{GROUP}/rebalance", {}, Authorization="Bearer a-secret")[0] == 202, "the token")
            expect(world.document()["timeline"][-2]["by"] == "token", "the token without a name")

    def test_mistakes_are_named_and_change_nothing(self):
        config, what_if = f"{GROUP}/config", f"{GROUP}/what-if"
        mistakes = [
            ("PUT", config, b"", 400, ""), ("PUT", config, b"{", 400, ""),
            ("PUT", config, [], 400, "must be an object"),
            ("PUT", config, {STANDBYS: {}}, 400, STANDBYS), ("PUT", config, {STANDBYS: "many"}, 400, STANDBYS),
            ("PUT", config, {STANDBYS: 3}, 400, "between 0 and 2"), ("PUT", config, {"streams.x": 1}, 400, "streams.x"),
            ("PATCH", config, {"streams.x": None}, 400, "streams.x"),
            ("PATCH", config, {"streams.assignor.name": "astrology"}, 400, "astrology"),
            ("PATCH", f"{config}?dry_run=yes", {}, 400, "dry_run"),
            ("PUT", config, b'{"a": "\xff"}', 400, ""), ("PUT", config, b"[" * 5000, 400, ""),
            ("POST", what_if, {"partitions": {"in": 0}}, 400, "partitions.in"),
            ("POST", what_if, {"partitions": {"in": 3}}, 409, "partitions"),
            ("POST", what_if, {"partitions": {"elsewhere": 3}}, 409, "elsewhere"),
            ("POST", what_if, {"add_members": [{"process_id": "p", "count": 100000}]}, 400, "add_members[0].count"),
            ("POST", what_if, {"remove_members": ["nobody"]}, 404, "nobody"),
            ("POST", what_if, {"assignor": "astrology"}, 400, "sticky"),
            ("POST", what_if, {"nonsense": 1}, 400, "nonsense"),
            ("POST", f"{GROUP}/rehearsal", {}, 400, "'topology'"),
            ("POST", f"{GROUP}/rehearsal", {"topology": {"subtopologies": []}}, 400, "topology.subtopologies"),
            ("POST", f"{GROUP}/rehearsal", {"topology": {"subtopologies": [{"sources": 1}]}}, 400, "sources"),
            ("POST", f"{GROUP}/rehearsal", {**REHEARSED, "processes": 2000}, 400, "processes"),
            ("POST", f"{GROUP}/rehearsal", {**REHEARSED, "processes": 500, "threads": 3}, 400, "threads"),
            ("POST", f"{GROUP}/rehearsal", {**REHEARSED, "client": {"a": []}}, 400, "client.a"),
            ("POST", f"{GROUP}/rehearsal", {**REHEARSED, "config": {STANDBYS: 9}}, 400, "between 0 and 2"),
            ("POST", f"{GROUP}/rehearsal", {**REHEARSED, "when": "now"}, 400, "when"),
            ("POST", f"{GROUP}/rebalance", {"now": True}, 400, "now"),
            ("POST", f"{GROUP}/rebalance?dryrun=true", {}, 400, "'dryrun'"),
            ("GET", f"{GROUP}?verbose", None, 400, "'verbose'"),
            ("POST", f"{GROUP}/rebalance?dry_run=false&dry_run=true", {}, 400, "more than once"),
            ("POST", "/v1/topics?dry_run=true", {"name": "dry"}, 400, "'dry_run'"),
            ("DELETE", config, {STANDBYS: None}, 400, "PATCH"),
            ("DELETE", f"{GROUP}/processes/nobody/drain", None, 404, "nobody"),
            ("POST", f"{GROUP}/processes//drain", {}, 400, "is empty"),
            ("POST", f"{GROUP}/members/nobody/remove", {}, 404, "nobody"),
            ("POST", "/v1/groups/nobody/rebalance", {}, 404, "nobody"),
            ("DELETE", "/v1/groups/nobody", None, 404, "nobody"),
            ("PUT", f"/v1/groups/{'x' * 300}/config", {}, 400, "249"),
            ("POST", f"{GROUP}/members/..%2F..%2Fetc/remove", {}, 404, ""),
            ("GET", "/v1/groups/..%2Fwords/config%00", None, 404, ""),
            ("GET", f"/v1/groups/%2e%2e/{story.STREAMS}", None, 404, ""), ("PUT", f"{GROUP}/health", {}, 405, "GET")]
        with World(self.binary) as world:
            marks = world.marks()
            for method, path, body, wanted, words in mistakes:
                status, problem, _ = world.api(method, path, body)
                what = f"{method} {path[:80]} {str(body)[:60]}"
                expect(status == wanted, f"{what}: {status} {str(problem)[:300]}")
                expect(isinstance(problem, dict) and problem["status"] == wanted, f"{what}: no problem document")
                expect(words in problem["detail"], f"{what}: nothing like '{words}' in {problem['detail'][:300]}")
            expect(world.api("POST", f"{GROUP}/rebalance", b"")[0] == 202, "an empty body")
            status = world.api("POST", f"{GROUP}/rebalance", b"{}", Content_Type="text/plain")[0]
            expect(status == 415, f"a form of a web page: {status}")
            epoch, _, *rest = world.marks()
            expect(epoch == marks[0] + 1 and rest[:1] == list(marks[2:3]), "a mistake changed something")

    def test_a_huge_body_is_not_read(self):
        with World(self.binary) as world, socket.create_connection(("127.0.0.1", world.weir.http_port),
                                                                   TIMEOUT_SECONDS) as raw:
            raw.sendall(f"PUT {GROUP}/config HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        "Content-Length: 2000000000\r\n\r\n{".encode())
            expect(b" 413 " in raw.recv(4096), "a body of 2 GB is waited for")

    def test_settings_before_the_group_and_reads_of_everything(self):
        with World(self.binary) as world:
            expect(world.api("PUT", "/v1/groups/later/config", {HEARTBEAT: 8000})[0] == 200, "before the group")
            expect(world.api("PUT", "/v1/groups/later/config?dry_run=true", {})[0] == 404, "a plan without a group")
            members = world.api.get(f"{GROUP}/members?limit=1")
            expect(len(members["items"]) == 1 and members["next"], f"{members}")
            expect(world.api.get(f"{GROUP}/members/b")["process_id"] == "p-b", "one member")
            tasks = world.api.get(f"{GROUP}/assignment")["tasks"]
            expect(len(tasks) == 6 and all(task["active"] == task["target_active"] for task in tasks), f"{tasks}")
            expect(world.api.get(f"{GROUP}/health")["healthy"], "the group is not healthy")
            expect(world.api.get(f"{GROUP}/members/a/health")["healthy"], "the member is not healthy")
            names = [item["name"] for item in world.api.get("/v1/assignors")["items"]]
            expect("sticky" in names and "highly_available" in names, f"{names}")
            values = {row["name"]: row for row in world.api.get("/v1/config")["config"]}
            expect(values["group.streams.acceptable.recovery.lag"]["origin"] == "flag", f"{values}")

    def test_a_rebalancing_group_is_healthy_and_one_without_its_topics_is_not(self):
        with World(self.binary) as world:
            world.members.append(Member("c"))
            world.members[-1].beat(world.client)
            expect(world.api("GET", f"{GROUP}/health")[0] == 200, "a rebalance is no fault")
            answer = world.client.call("DeleteTopics", 5, {"TopicNames": [story.INPUT], "TimeoutMs": 15000})
            expect(answer["Responses"][0]["ErrorCode"] == 0, "delete the topic")
            world.members[0].beat(world.client)
            status, health, _ = world.api("GET", f"{GROUP}/health")
            expect(status == 503 and story.INPUT in health["text"], f"{status} {health}")
            expect(world.api("GET", f"{GROUP}/members/a/health")[0] == 200, "starting the member anew would not help")

    # --- Commands ---------------------------------------------------------------------------------------------

    def test_commands_do_what_the_api_does(self):
        with World(self.binary, {"http.tokens": "ops=secret"}) as world, tempfile.NamedTemporaryFile("w") as token:
            token.write("secret\n")
            token.flush()

            def weir(*arguments, status=0, secret=True):
                command = [self.binary, "groups", *arguments, "--http", f"http://127.0.0.1:{world.weir.http_port}"]
                ended = subprocess.run([*command, *(["--token-file", token.name] if secret else [])], text=True,
                                       capture_output=True, timeout=TIMEOUT_SECONDS)
                expect(ended.returncode == status, f"{arguments}: {ended.returncode}\n{ended.stdout}{ended.stderr}")
                return ended.stdout + ended.stderr
            group = story.STREAMS
            expect(group in weir("list", secret=False), "list")
            expect("RESTORE" in weir("what-if", group, "--add-process", "p-c=2"), "the moves of a what-if")
            expect("RESTORE" in weir("set", group, f"{STANDBYS}=1", "--dry-run"), "the plan of a set")
            expect(world.api.get(f"{GROUP}/config")["overrides"] == {}, "a dry run changed something")
            expect(STANDBYS in weir("set", group, f"{STANDBYS}=1", "--unset", HEARTBEAT), "set")
            expect(json.loads(weir("set", group, "--unset", STANDBYS, "--json"))["overrides"] == {}, "unset, as JSON")
            told = weir("defaults", f"{STANDBYS}=1", "--dry-run")
            expect("Groups that would get another assignment: 1" in told, "defaults --dry-run")
            expect("run time" in weir("defaults", f"{STANDBYS}=1"), "defaults")
            expect("run time" in weir("defaults", secret=False), "defaults are shown to everybody")
            expect("between 0 and 2" in weir("defaults", f"{STANDBYS}=9", status=1), "a refused default")
            expect(json.loads(weir("defaults", "--replace", "--json"))["overrides"] == {}, "defaults --replace")
            with tempfile.NamedTemporaryFile("w", suffix=".json") as topology:
                json.dump(REHEARSED["topology"], topology)
                topology.flush()
                told = weir("rehearse", group, "--topology", topology.name, "--client", "num.standby.replicas=2")
                expect("nothing to migrate" in told and "2 standbys were set" in told and "way back" in told, told)
                weir("rehearse", group, "--topology", "/nowhere.json", status=1)
            expect("epoch" in weir("rebalance", group), "rebalance")
            expect("gets no tasks" in weir("drain", group, "p-b"), "drain")
            expect("gets tasks again" in weir("drain", group, "p-b", "--undo"), "drain --undo")
            expect("out of the group" in weir("remove-member", group, "b"), "remove-member")
            expect("has members" in weir("delete", group, status=1), "delete of a group with members")
            expect("between 0 and 2" in weir("set", group, f"{STANDBYS}=9", status=1), "a refusal")
            expect("Authorization" in weir("rebalance", group, status=1, secret=False), "without a token")
            weir("set", group, "nonsense", status=1)
            weir("drain", group, status=2)
            weir("remove-member", group, "a")
            expect("deleted" in weir("delete", group), "delete")
            admin.find_coordinator(world.client, "stranded")
            admin.heartbeat(world.client, {
                "GroupId": "stranded", "MemberId": "m", "MemberEpoch": 0, "RebalanceTimeoutMs": 60000, "ProcessId": "p",
                "ActiveTasks": [], "StandbyTasks": [], "WarmupTasks": [], "Topology": {
                    "Epoch": 0, "Subtopologies": [{"SubtopologyId": "0", "SourceTopics": ["nowhere"]}]}})
            why = json.loads(weir("list", "--prefix", "stranded", "--json", secret=False))["items"][0]["reason"]
            expect(why.startswith("waits for topics: ") and "nowhere" in why, why)
            shown = weir("list", secret=False)
            expect(why in shown and "REASON" in shown, "list says no reason")

    def test_bash_completes_commands_and_options(self):
        script = subprocess.run([self.binary, "completion", "bash"], text=True, capture_output=True, check=True).stdout

        def complete(*words):
            line = " ".join(f"'{word}'" for word in words)
            run = f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _weir; echo \"${{COMPREPLY[@]}}\""
            return subprocess.run(["bash", "-c", run], text=True, capture_output=True, check=True).stdout.split()
        expect(complete("weir", "gr") == ["groups"], f"{complete('weir', 'gr')}")
        expect(complete("weir", "groups", "dr") == ["drain"], f"{complete('weir', 'groups', 'dr')}")
        expect("--dry-run" in complete("weir", "groups", "set", "orders", "--d"), "an option behind an argument")


def main():
    options = options_of(__doc__).parse_args()
    return run_suite(AdminApi(str(options.binary)), options.only)


if __name__ == "__main__":
    sys.exit(main())
