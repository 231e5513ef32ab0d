"""What an operator does on the web page, in a headless Chromium, to groups of a real Weir: each change is planned,
confirmed and made, or refused in the server's words.

    python3 tests/integration/page_actions.py [--binary build/release/weir] [--only NAME] [--logs build/test-logs]
"""
import contextlib
import json
import pathlib
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import admin  # noqa: E402
from page_case import GROUP, PageCase, page_main  # noqa: E402
from page_documents import NONE, large_group  # noqa: E402
from ports import wait_until  # noqa: E402
from suite import expect  # noqa: E402
from weir import Weir  # noqa: E402

SETTINGS = {"group.streams.initial.rebalance.delay.ms": 0, "group.streams.num.standby.replicas": 0,
            "group.streams.heartbeat.interval.ms": 1000, "group.streams.min.heartbeat.interval.ms": 1000,
            "group.streams.assignment.interval.ms": 0, "group.streams.num.warmup.replicas": 0}
HOSTILE, MEMBER, PROCESS = "<img src=x onerror=alert(1)>\u202e", "<b>m/%2e</b>", "<i>p</i>?#"
SPELLED = "<img src=x onerror=alert(1)>\\u{202e}"
TOKEN = "quite-secret"
STANDBYS = "streams.num.standby.replicas"
SECONDS = 60
FIELD = "document.getElementById('set-streams.num.standby.replicas')"


class ActionTests(PageCase):
    """One application of two processes with two threads each."""

    def document(self, group=GROUP, weir=None):
        status, body = (weir or self.weir).http(f"/v1/groups/{urllib.parse.quote(group, safe='')}")
        expect(status == 200, f"{group}: HTTP {status}")
        return body

    def causes(self, group=GROUP, weir=None):
        _, body = (weir or self.weir).http(f"/v1/groups/{urllib.parse.quote(group, safe='')}/timeline")
        return [one["cause"] for one in body["items"]]

    @contextlib.contextmanager
    def another(self, **settings):
        """A Weir with a group of one member, which does nothing."""
        with Weir({**SETTINGS, **settings}, self.weir.binary, self.logs, "page-other") as other:
            with other.client() as client:
                admin.create_topic(client, "text-lines", 2)
                join(client, GROUP, "m", "p")
                yield other

    # --- what is done -----------------------------------------------------------------------------------------

    def test_a_rebalance_is_planned_confirmed_and_told(self):
        before = self.document()["group_epoch"]
        with self.group() as page:
            page.wait("document.querySelector('#act-rebalance')")
            page.click("#act-rebalance")
            page.wait_text("tasks would move", "dialog")
            page.wait_text("Before and after", "dialog table caption")
            expect(self.document()["group_epoch"] == before, "the plan has changed the group")
            self.picture(page, "rebalance")
            self.confirm(page, "A new assignment is on its way")
            page.wait_text("rebalance-requested", "#last-change")
        expect(self.causes()[:2].count("rebalance-requested") == 1, f"{self.causes()}")

    def test_a_member_is_removed_and_comes_back(self):
        member = self.document()["members"][0]["member_id"]
        with self.group() as page:
            page.wait(f"document.getElementById('remove-{member}')")
            page.run(f"document.getElementById('remove-{member}').click()")
            page.wait_text("tasks would move", "dialog")
            expect(member in page.text("dialog"), "the dialog does not name the member")
            self.confirm(page, "It is removed")
        wait_until(lambda: "member-removed" in self.causes(), SECONDS, "the timeline tells of it")
        self.settle()

    def test_a_process_is_drained_and_gets_tasks_again(self):
        process = self.document()["members"][0]["process_id"]

        def active(document):
            return sum(len(partitions) for one in document["members"] if one["process_id"] == process
                       for partitions in one["assigned"]["active"].values())
        with self.group() as page:
            page.wait(f"document.getElementById('drain-{process}')")
            page.run(f"document.getElementById('drain-{process}').click()")
            page.wait_text("4 tasks would move", "dialog")
            expect(active(self.document()) == 4, "the plan has moved tasks")
            self.confirm(page, "It is being drained")
            page.wait_text("drained", "#processes", SECONDS)
            wait_until(lambda: active(self.document()) == 0, SECONDS, "the process has no tasks")
            self.picture(page, "drained")
            page.wait(f"document.getElementById('undrain-{process}')")
            page.run(f"document.getElementById('undrain-{process}').click()")
            page.wait_text("tasks would move", "dialog")
            self.confirm(page, "It gets tasks again")
            page.wait(f"document.getElementById('drain-{process}')", SECONDS)
        wait_until(lambda: active(self.document()) == 4, SECONDS, "the process has tasks again")
        expect(self.document()["drained_processes"] == [], "it is still drained")
        self.settle()

    def test_settings_are_previewed_changed_and_given_back(self):
        with self.group() as page:
            self.open_settings(page)
            page.click("#settings-preview")
            page.wait_text("Nothing is changed.", "#settings-said")
            page.choose(f"[id='set-{STANDBYS}']", "1")
            page.click("#settings-preview")
            page.wait_text("Before and after", "dialog table caption")
            expect("0 → 1" in page.text("#settings-changes"), page.text("#settings-changes"))
            expect(self.setting() == ("0", "flag"), "the preview has changed the setting")
            self.picture(page, "settings")
            self.confirm(page, "in force")
            page.wait_text(f"{STANDBYS}\t1\tgroup", "#config")
            self.open_settings(page)
            page.run(f"document.getElementById('drop-{STANDBYS}').click()")
            page.click("#settings-preview")
            page.wait_text("no longer set", "#settings-changes")
            self.confirm(page, "in force")
            page.wait_text(f"{STANDBYS}\t0\tflag", "#config")
        self.settle()

    def test_settings_that_others_changed_meanwhile_are_a_conflict(self):
        with self.group(refused=(412,)) as page:
            self.open_settings(page)
            page.choose(f"[id='set-{STANDBYS}']", "1")
            self.weir.http(f"/v1/groups/{GROUP}/config", "PATCH", {"streams.session.timeout.ms": 50_000})
            page.click("#settings-preview")
            page.wait_text("have been changed since they were read", "#change-problem")
            expect(self.setting() == ("0", "flag"), "it was changed in spite of the conflict")
            self.picture(page, "conflict")
            page.click("#change-again")
            page.wait(f"{FIELD}?.value === '1'")
            expect(page.run("document.getElementById('set-streams.session.timeout.ms').value") == "50000",
                   "the settings were not read again")
            page.click("#settings-preview")
            page.wait("document.querySelector('#change-make')")
            self.weir.http(f"/v1/groups/{GROUP}/config", "PATCH", {"streams.session.timeout.ms": 51_000})
            page.click("#change-make")
            page.wait("document.querySelector('#change-problem')")
            expect(self.setting() == ("0", "flag"), "it was changed in spite of the second conflict")
        self.weir.http(f"/v1/groups/{GROUP}/config", "DELETE")

    def test_a_value_that_does_not_fit_is_refused_by_name(self):
        with self.group(refused=(400,)) as page:
            self.open_settings(page)
            page.choose(f"[id='set-{STANDBYS}']", "many")
            page.click("#settings-preview")
            page.wait_text(STANDBYS, "#change-problem")
            expect(page.count("#change-make") == 0, "it can be confirmed")

    def test_an_empty_group_is_deleted_and_others_cannot_be(self):
        with self.weir.client() as client:
            admin.find_coordinator(client, "left-over")
            admin.commit_offset(client, {"GroupId": "left-over", "GenerationIdOrMemberEpoch": -1, "MemberId": ""},
                                "text-lines", 0, 7)
        with self.group() as page:
            page.wait("document.querySelector('#act-rebalance')")
            expect(page.count("#act-delete") == 0, "a group with members can be deleted")
        with self.group(group="left-over", refused=(404,)) as page:
            page.wait("document.querySelector('#act-delete')")
            page.click("#act-delete")
            page.wait_text("committed offsets", "dialog")
            page.wait("document.querySelector('#change-make')")
            page.click("#change-make")
            page.wait("location.hash === '#/groups'")
            page.wait_text(GROUP, "#groups")
            expect("left-over" not in page.text("#groups"), "it is still listed")
        expect(self.weir.http("/v1/groups/left-over")[0] == 404, "it is still there")

    # --- what is refused --------------------------------------------------------------------------------------

    def test_without_the_token_the_server_says_so_and_with_it_the_change_is_made(self):
        with self.another(**{"http.token": TOKEN}) as other:
            before = self.document(weir=other)["group_epoch"]
            with self.group(weir=other, refused=(401,)) as page:
                page.wait("document.querySelector('#act-rebalance')")
                page.click("#act-rebalance")
                page.wait_text("Authorization: Bearer", "#change-problem")
                expect(page.count("#change-make") == 0, "it can be confirmed without a token")
                self.picture(page, "token")
                page.choose("#token-field", "wrong")
                page.click("#token-keep")
                page.wait_text("not a configured one", "#change-problem")
                page.choose("#token-field", TOKEN)
                page.click("#token-keep")
                page.wait_text("tasks would move", "dialog")
                expect(self.document(weir=other)["group_epoch"] == before, "a refused change was made")
                self.confirm(page, "on its way")
                kept = page.run("JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])")
                expect(json.loads(kept) == ["", {}, {"weir-token": TOKEN}], f"kept: {kept}")
                page.wait_text("rebalance-requested by token", "#last-change")
            with self.group(weir=other) as page:
                page.wait("document.querySelector('#act-rebalance')")
                expect(page.run("sessionStorage.length") == 0, "another tab knows the token")

    def test_where_changes_are_switched_off_none_is_offered(self):
        with self.another() as other:
            other.restart(http__listeners=f"http://0.0.0.0:{other.http_port}")
            with self.group(weir=other, refused=(403,)) as page:
                page.wait("document.querySelector('#remove-m')")
                page.click("#remove-m")
                page.wait_text("changes are switched off", "#change-problem")
                expect(page.count("#change-make") + page.count("#change-again") == 0, "it can be tried again")
                page.press("Escape")
                page.wait_text("changes are switched off", "#no-changes")
                expect(page.count("#actions button, #members td button, #processes td button") == 0,
                       "changes are offered")

    # --- names, keys ------------------------------------------------------------------------------------------

    def test_hostile_names_are_only_text_and_can_be_acted_on(self):
        with self.weir.client() as client:
            join(client, HOSTILE, MEMBER, PROCESS)
            join(client, HOSTILE, "other", "other-process")
        with self.open(f"#/groups/{urllib.parse.quote(HOSTILE, safe='')}") as page:
            page.wait("document.querySelector('#processes td button')")
            page.click("#processes td button")
            page.wait_text(PROCESS, "dialog")
            page.wait("document.querySelector('#change-make')")
            expect(page.count("dialog img, dialog b, dialog i") == 0, "a name became an element")
            self.confirm(page, "being drained")
            expect(self.document(HOSTILE)["drained_processes"] == [PROCESS], "another process is drained")
            page.click("#members td button")
            page.wait_text(MEMBER, "dialog")
            self.confirm(page, "removed")
            page.click("#act-settings")
            page.wait_text(SPELLED, "dialog")
        left = [one["member_id"] for one in self.document(HOSTILE)["members"]]
        expect(left == ["other"], f"left: {left}")

    def test_a_change_is_made_and_given_up_by_keys(self):
        before = self.document()["group_epoch"]
        with self.group() as page:
            page.wait("document.querySelector('#act-rebalance')")
            page.run("document.querySelector('#act-rebalance').focus()")
            page.press("Enter")
            page.wait("document.querySelector('#change-make')")
            page.press("Escape")
            page.wait("!document.querySelector('dialog').open")
            page.wait("document.activeElement.id === 'act-rebalance'")
            expect(self.document()["group_epoch"] == before, "what was given up was made")
            page.press("Enter")
            page.wait("document.querySelector('#change-make')")
            page.tab_to("change-make")
            page.press("Enter")
            page.wait_text("on its way", "#change-done")
        expect(self.document()["group_epoch"] > before, "the change was not made")

    # --- what is seen besides -----------------------------------------------------------------------------------

    def test_health_balance_near_misses_and_alarms_are_told(self):
        document = large_group()
        document["members"] = document["members"][:6]
        document["members"][5].update(assigned=NONE, target=NONE, rack_id="r1", member_epoch=-2)
        document["state"] = "NotReady"
        document["near_misses"] = [{"time": "2026-01-02T03:04:05.678Z", "member_id": "member-0001",
                                    "what": "late-heartbeat", "after_ms": 40_000, "limit_ms": 45_000}]
        document["alarms"] = [{"cause": "session-expired", "member_id": "member-0002", "count": 5, "window_ms": 600_000,
                               "since": "2026-01-02T03:04:05.678Z"}]
        # Weir itself knows no such group, so it has no offsets of it.
        with self.group(group="large", answers={"/v1/groups/large": document}, refused=(404,)) as page:
            page.wait_text("not healthy: no member can run anything", "#head")
            page.wait_text("Active tasks per thread: 0 to 2.", "#fairness")
            for part, text in (("#fairness", "Threads without any task: 1 (member-0005)"),
                               ("#near-misses", "late-heartbeat\t40.0 s\t45.0 s"), ("#members", "AWAY"),
                               ("#alarms", "session-expired: 5 times in 10 min 0 s by member-0002")):
                expect(text in page.text(part), f"no '{text}' in {page.text(part)!r}")
            expect("process-000\t/127.0.0.1\t-\t4\t8" in page.text("#processes"), page.text("#processes"))
            self.picture(page, "troubles")

    def test_how_fast_copies_catch_up_is_told(self):
        asked = []

        def answer(_):
            asked.append(1)
            document = large_group()
            document["members"] = document["members"][:1]
            document["config"] = [{"name": "streams.task.offset.interval.ms", "value": "1", "origin": "group"}]
            moves = min(len(asked), 2)
            for offsets in document["members"][0]["task_offsets"].values():
                offsets.update(dict.fromkeys(offsets, 5_000 + 1_000 * moves))
            return document
        with self.group("tasks", group="large", answers={"/v1/groups/large": answer, "/openapi.yaml": ""}) as page:
            page.wait_text("not known yet", "#catching-up")
            page.wait_text("3,000\t", "#catching-up")
            page.wait_text("stuck: nothing for", "#catching-up")

    # --- helpers ----------------------------------------------------------------------------------------------

    def open_settings(self, page):
        page.wait("document.querySelector('#act-settings')")
        page.click("#act-settings")
        page.wait(FIELD)

    def setting(self, name=STANDBYS):
        _, body = self.weir.http(f"/v1/groups/{GROUP}/config")
        return next((one["value"], one["origin"]) for one in body["config"] if one["name"] == name)


def join(client, group, member, process):
    """One member that joins and says no more."""
    admin.find_coordinator(client, group)
    answer = admin.heartbeat(client, {
        "GroupId": group, "MemberId": member, "MemberEpoch": 0, "RebalanceTimeoutMs": 60000, "ProcessId": process,
        "ActiveTasks": [], "StandbyTasks": [], "WarmupTasks": [],
        "Topology": {"Epoch": 0, "Subtopologies": [{"SubtopologyId": "0", "SourceTopics": ["text-lines"]}]}})
    admin.demand(answer["ErrorCode"], "heartbeat", answer["ErrorMessage"])


if __name__ == "__main__":
    sys.exit(page_main(ActionTests, SETTINGS, "page-actions-weir"))
