"""The web page in a headless Chromium, over a real Weir with real members.

    python3 tests/integration/page.py [--binary build/release/weir] [--only NAME] [--logs build/test-logs]

Screenshots are left with the logs. No test may leave an error on the console or ask anybody but Weir for anything.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import admin  # noqa: E402
from page_documents import LARGE_MEMBERS, LARGE_TASKS, described_topology, large_group, story, what_if  # noqa: E402
from page_case import GROUP, PageCase, page_main  # noqa: E402
from suite import expect  # noqa: E402

HOSTILE = "<img src=x onerror=alert(1)>\"'&\u202egnp.exe"
SCRIPT = "</script><script>alert(2)</script>"
SPELLED = "<img src=x onerror=alert(1)>\"'&\\u{202e}gnp.exe"
SETTINGS = {"group.streams.initial.rebalance.delay.ms": 0, "group.streams.num.standby.replicas": 1,
            "group.streams.heartbeat.interval.ms": 1000, "group.streams.min.heartbeat.interval.ms": 1000,
            "group.streams.assignment.interval.ms": 0}
GROUPS = 10_000
PATIENCE = 60
MATRIX = "document.querySelector('#matrix')"
CELL = "document.querySelector('#cell').innerText"


class PageTests(PageCase):
    """All share one Weir with one application of three processes."""

    processes, threads, tasks = 3, 2, (8, 4)

    def documents(self, **resources):
        """Documents that stand in for those of Weir: of the group, and what it says it offers."""
        paths = ("groups/{group}/timeline", "groups/{group}/what-if", "assignors")
        offered = "".join(f"  /v1/{path}:\n" for path in paths)
        return {"/openapi.yaml": offered, **{f"/v1/{path}": document for path, document in resources.items()}}

    # --- the list ---------------------------------------------------------------------------------------------

    def test_the_list_shows_groups_with_state_and_leads_to_them_by_keys(self):
        with self.open() as page:
            page.wait_text(GROUP, "#groups")
            page.wait_text("Stable", "#states")
            rows = "[...document.querySelectorAll('tbody tr')]"
            row = page.run(f"{rows}.find((row) => row.innerText.includes('{GROUP}')).innerText")
            expect(row.split("\t")[1:4] == ["streams", "Stable", "6"], f"row: {row!r}")
            self.picture(page, "groups")
            page.press("/")
            expect(page.run("document.activeElement.id") == "prefix", "'/' does not lead to the filter")
            page.type("word-")
            page.wait("document.querySelectorAll('#groups tbody tr').length === 1")
            page.press("Enter")
            page.run("document.activeElement.blur()")
            page.press("j")
            page.press("Enter")
            page.wait_text("Group epoch", "#head")
            expect(page.run("location.hash") == f"#/groups/{GROUP}", "Enter does not open the group")

    def test_filters_are_in_the_address_and_work(self):
        with self.open("#/groups?state=Dead&prefix=nothing") as page:
            page.wait_text("No group fits.", "#groups")
            expect(page.run("document.querySelector('#state').value") == "Dead", "the state is not chosen")
            page.choose("#state", "")
            page.choose("#prefix", "")
            page.wait_text(GROUP, "#groups")
            page.wait("location.hash === '#/groups'")

    def test_ten_thousand_groups_are_paged(self):
        with self.weir.client() as client:
            admin.find_coordinator(client, "z-many-00000")
            for n in range(GROUPS):
                client.send("OffsetCommit", 8, simple_commit(f"z-many-{n:05}", n))
                if n % 20 == 19:
                    for _ in range(20):
                        client.receive_frame()
        with self.open("#/groups?prefix=z-many-") as page:
            page.wait_text("z-many-00099", "#groups")
            expect(page.count("#groups tbody tr") == 100, "a page has 100 groups")
            page.click("#page-next")
            page.wait_text("z-many-00100", "#groups")
            expect("z-many-00099" not in page.text("#groups") and page.text("#page-number") == "Page 2",
                   "not the second page")
            page.click("#page-before")
            page.wait_text("z-many-00000", "#groups")
            page.choose("#prefix", "z-many-0999")
            page.wait("document.querySelectorAll('#groups tbody tr').length === 10")
            asked = "performance.getEntriesByType('resource').filter((one) => one.name.includes('v1/groups'))"
            took = page.run(f"{asked}.at(-1).duration")
            expect(took < 2000, f"a filtered page took {took:.0f} ms")

    def test_hostile_names_are_only_text(self):
        with self.weir.client(client_id=HOSTILE) as client:
            answer = admin.heartbeat(client, {
                "GroupId": HOSTILE, "MemberId": "<b>member</b>", "MemberEpoch": 0, "RebalanceTimeoutMs": 60000,
                "ProcessId": SCRIPT, "ActiveTasks": [], "StandbyTasks": [], "WarmupTasks": [], "Topology": {
                    "Epoch": 0, "Subtopologies": [{"SubtopologyId": "<i>0</i>", "SourceTopics": ["text-lines"]}]}})
            admin.demand(answer["ErrorCode"], "hostile heartbeat", answer["ErrorMessage"])
        with self.open("#/groups?prefix=%3Cimg") as page:
            page.wait_text(SPELLED, "#groups")
            page.click("#groups a")
            page.wait_text("<b>member</b>", "#members")
            page.wait_text(SPELLED, "#members")
            page.wait_text(SPELLED, "h1")
            for tab, text in (("tasks", SCRIPT), ("topology", "<i>0</i>"), ("timeline", SPELLED)):
                page.click(f"#tab-{tab}")
                page.wait_text(text, "#tab")
            expect(page.count("main img, main script, main i, main b") == 0,
                   "a name became an element")
            self.picture(page, "hostile")

    # --- one group --------------------------------------------------------------------------------------------

    def test_the_overview_tells_members_and_where_settings_come_from(self):
        with self.group() as page:
            page.wait("document.querySelectorAll('#members tbody tr').length === 6")
            page.wait_text("Stable", "#head")
            settings = page.text("#config")
            expect("streams.num.standby.replicas\t1\tflag" in settings, f"settings: {settings}")
            expect("It waits for nothing." in page.text("#waits"), "a stable group waits for nothing")
            page.choose("#member-filter", "no such")
            page.wait_text("No member fits.", "#members")
            self.picture(page, "overview")

    def test_the_overview_shows_the_lag_and_its_partitions_when_asked(self):
        with self.group() as page:
            page.wait_text("all\t8\t", "#lag")
            expect(page.count("#lag-partitions table") == 0, "partitions are there unasked")
            page.click("#lag-open")
            page.wait("document.querySelectorAll('#lag-partitions tbody tr').length === 8")
            page.wait_text("text-lines\t0\t", "#lag-partitions")
            page.click("#lag-open")
            page.wait("document.querySelectorAll('#lag-partitions tbody tr').length === 0")
        partition = {"topic": "in", "partition": 7, "committed_offset": 1000, "leader_epoch": 0, "metadata": "",
                     "end_offset": 3000, "lag": 2000, "reason": None, "task": "0_7", "member_id": "m"}
        document = {"group_id": GROUP, "as_of": "2026-01-02T03:04:05.000Z", "problem": "the upstream is silent",
                    "total": {"partitions": 2, "lag": 2000, "without_lag": 1}, "left_out": 0, "next": None,
                    "subtopologies": [{"subtopology_id": "0", "partitions": 2, "lag": 2000, "without_lag": 1}],
                    "items": [partition]}
        with self.group(answers={f"/v1/groups/{GROUP}/offsets": document}) as page:
            page.wait_text("Not everything is known: the upstream is silent", "#lag")
            page.wait_text("0\t2\t2,000\t1", "#lag")
            page.click("#lag-open")
            page.wait_text("in\t7\t1,000\t3,000\t2,000\t0_7\tm", "#lag-partitions")
            self.picture(page, "lag")

    def test_a_group_that_waits_says_for_what(self):
        with self.weir.client() as client:
            admin.heartbeat(client, {
                "GroupId": "waiting", "MemberId": "m", "MemberEpoch": 0, "RebalanceTimeoutMs": 60000, "ProcessId": "p",
                "ActiveTasks": [], "StandbyTasks": [], "WarmupTasks": [],
                "Topology": {"Epoch": 0, "Subtopologies": [{"SubtopologyId": "0", "SourceTopics": ["no-such-topic"]}]}})
        with self.open("#/groups?prefix=waiting") as page:
            page.wait_text("waits for topics: ", "#groups")
            page.wait_text("no-such-topic", "#groups tbody td:last-child")
            self.picture(page, "groups-why")
            page.choose("#prefix", GROUP)
            page.wait_text("Stable", "#groups")
            expect(page.text("#groups tbody td:last-child") == "", "a stable group has a reason")
        with self.group(group="waiting") as page:
            page.wait_text("NotReady", "#head")
            page.wait_text("no-such-topic", "#waits")

    def test_the_page_follows_a_group_that_changes(self):
        with self.group() as page:
            page.wait("document.querySelectorAll('#members tbody tr').length === 6")
            with self.simulated(GROUP, 1, 1):
                page.wait("document.querySelectorAll('#members tbody tr').length === 7", PATIENCE)
            page.wait("document.querySelectorAll('#members tbody tr').length === 6", PATIENCE)
        self.settle()

    def test_an_unknown_group_is_said_to_be_one(self):
        with self.group(group="nobody", refused=(404,)) as page:
            page.wait_text("there is no group 'nobody'", "[role=alert]")

    def test_a_group_that_no_browser_can_ask_for_is_said_to_be_one(self):
        for dots in (".", ".."):
            with self.group(group=dots) as page:
                page.wait_text(f"a browser cannot ask for what is called '{dots}'", "[role=alert]")

    def test_the_matrix_shows_every_task_and_is_driven_by_keys(self):
        with self.group("tasks") as page:
            page.wait_text("8 tasks on 6 members of 3 processes: 8 active, 4 standby", "#matrix-totals")
            page.run(f"{MATRIX}.focus()")
            page.press("ArrowDown")
            page.press("ArrowRight")
            page.wait(f"{CELL}.includes('Task 1_1:') && {CELL}.includes('active') && {CELL}.includes('standby')")
            page.choose("#matrix-form", "process")
            page.run(f"{MATRIX}.focus()")
            page.press("End")
            page.wait(f"{CELL}.includes('Task 1_3')")
            self.picture(page, "matrix")

    def test_a_matrix_of_a_thousand_members_and_two_thousand_tasks(self):
        answers = {"/v1/groups/large": large_group()}
        with self.group("tasks", answers, "large") as page:
            page.wait_text(f"{LARGE_TASKS:,} tasks on {LARGE_MEMBERS:,} members", "#matrix-totals", PATIENCE)
            page.choose("#matrix-form", "member")
            page.run(f"{MATRIX}.focus()")
            for _ in range(3):
                page.press("End")
            page.wait(f"{CELL}.includes('Task 19_99 at member-0000')")
            took = page.run("""(async () => {
              const matrix = document.querySelector('#matrix');
              const frame = () => new Promise((done) => requestAnimationFrame(done));
              const began = performance.now();
              for (let i = 0; i < 20; ++i) { matrix.scrollTop = i * 1000; matrix.scrollLeft = i * 2000; await frame(); }
              return (performance.now() - began) / 20;
            })()""")
            expect(took < 200, f"a step of scrolling takes {took:.0f} ms")
            painted = page.run("""(() => {
              const canvas = document.querySelector('#matrix canvas');
              const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
              return new Set(pixels).size;
            })()""")
            expect(painted > 10, "the matrix is empty after scrolling")
            page.wait_text("1,234", "#catching-up")
            expect(page.run("document.querySelector('#catching-up progress').value > 0"), "no progress is shown")
            page.run(f"{MATRIX}.scrollTo(0, 0)")
            self.picture(page, "matrix-large")

    def test_the_topology_is_drawn_and_listed(self):
        with self.group("topology") as page:
            page.wait("document.querySelector('#graph svg')")
            drawn = page.run("[...document.querySelectorAll('#graph text')].map((t) => t.textContent)")
            for label in ("text-lines", "Subtopology 0", "Subtopology 1"):
                expect(label in drawn, f"{label} is not drawn: {drawn}")
            expect(page.count("#graph .edge") == 4, "edges are missing")
            expect("text-lines" in page.text("#topology-list"), "the list has no topics")
            self.picture(page, "topology")

    def test_processors_are_drawn_if_described(self):
        answers = {f"/v1/groups/{GROUP}/topology": described_topology()}
        with self.group("topology", answers) as page:
            page.wait("document.querySelector('#graph svg')")
            page.choose("#topology-form", "processors")
            page.wait("document.querySelectorAll('#graph .store').length === 1")
            expect(page.count("#graph .part") == 2, "subtopologies have no frames")
            self.picture(page, "processors")

    def test_the_timeline_tells_why(self):
        with self.group("timeline") as page:
            page.wait_text("member-joined", "#events")
            page.wait_text("weir-simulate", "#events")
            page.wait("[...document.querySelector('#cause').options].some((o) => o.value === 'target-computed')")
            page.choose("#cause", "target-computed")
            causes = "[...document.querySelectorAll('#events .cause')]"
            page.wait(f"{causes}.every((cause) => cause.innerText === 'target-computed')")
            self.picture(page, "timeline")

    def test_the_timeline_shows_moved_tasks_and_durations(self):
        answers = self.documents(**{f"groups/{GROUP}/timeline": story()})
        with self.group("timeline", answers) as page:
            page.wait_text("stable after 1.5 s", "#events")
            page.wait_text("computed in 0.42 ms", "#events")
            page.wait_text("had not given up its tasks yet", "#events")
            page.click("#events summary")
            page.wait_text("1_3", "#events table")
            expect("from-member\tto-member" in page.text("#events table"), page.text("#events"))

    def test_what_if_asks_and_shows_the_difference(self):
        asked = []

        def answer(body):
            asked.append(json.loads(body))
            return what_if()
        answers = self.documents(**{f"groups/{GROUP}/what-if": answer, "assignors": {
            "items": [{"name": "sticky", "description": "", "default": True}], "next": None}})
        with self.group("overview", answers) as page:
            page.wait("!document.querySelector('#tab-what-if').hidden")
            page.press("5")
            page.wait("document.querySelectorAll('#wi-members option').length === 6")
            page.wait("document.querySelectorAll('#wi-assignor option').length === 2")
            page.run("""document.querySelector('#wi-config').value = 'streams.num.standby.replicas=2';
              document.querySelector('#wi-threads').value = 2;
              document.querySelector('#wi-partitions').value = 'text-lines=8';
              document.querySelector('#wi-assignor').value = 'sticky';
              document.querySelector('#wi-members').options[0].selected = true;
              document.querySelector('#wi-ask').click()""")
            page.wait_text("3 tasks would move", "#wi-answer")
            said = page.text("#wi-answer")
            for text in ("with 1,200 records to restore", "active per thread max\t4\t3", "all standbys in one rack"):
                expect(text in said, f"no '{text}' in {said}")
            member = page.run("document.querySelector('#wi-members').options[0].value")
            expect(asked == [{"assignor": "sticky", "config": {"streams.num.standby.replicas": "2"},
                              "add_members": [{"process_id": "new-process", "count": 2}], "remove_members": [member],
                              "partitions": {"text-lines": 8}}], f"asked: {asked}")
            self.picture(page, "what-if")

    # --- everywhere -------------------------------------------------------------------------------------------

    def test_keys_lead_everywhere(self):
        with self.group() as page:
            page.wait("document.querySelector('#tab-tasks')")
            for key, tab in (("2", "tasks"), ("3", "topology"), ("4", "timeline"), ("1", "overview")):
                page.press(key)
                page.wait(f"document.querySelector('#tab-{tab}[aria-current]')")
                expect(page.run("document.activeElement.tagName") == "H1", "the focus is not at the head of the view")
            page.press("?", shift=True)
            page.wait("document.querySelector('dialog').open")
            page.press("Escape")
            page.wait("!document.querySelector('dialog').open")
            for key, view, head in (("r", "rehearsal", "Rehearsal of"), ("s", "server", "Server"),
                                    ("g", "groups", "Groups")):
                page.press(key)
                page.wait(f"document.querySelector('#view-{view}[aria-current=page]')")
                page.wait_text(head, "h1")
                expect(page.run("document.activeElement.tagName") == "H1", "the focus is not at the head of the view")
            page.wait_text(GROUP, "#groups")

    def test_tab_goes_through_everything_in_order(self):
        with self.open() as page:
            page.wait_text(GROUP, "#groups")
            page.run("document.querySelector('.skip').focus()")
            seen = []
            for _ in range(10):
                page.press("Tab")
                seen.append(page.run("document.activeElement.id || document.activeElement.className"))
            expect(seen == ["brand", "view-groups", "view-rehearsal", "view-server", "token-button",
                            "theme-button", "keys-button", "prefix", "state", "scroll"],
                   f"in this order: {seen}")

    def test_light_and_dark_follow_the_system_and_the_switch(self):
        paper = "getComputedStyle(document.body).backgroundColor"
        with self.group("tasks") as page:
            page.wait_text("8 tasks", "#matrix-totals")
            page.dark(True)
            page.wait(f"{paper} === 'rgb(20, 25, 29)'")
            corner = f"""(() => {{
              const copy = new OffscreenCanvas(1, 1).getContext('2d', {{ willReadFrequently: true }});
              copy.drawImage({MATRIX}.querySelector('canvas'), -2, -2);
              return copy.getImageData(0, 0, 1, 1).data.join();
            }})()"""
            page.wait(f"{corner} === '20,25,29,255'")
            self.picture(page, "dark")
            page.press("t")
            page.wait(f"{paper} === 'rgb(255, 255, 255)'")
            page.run("localStorage.removeItem('weir-theme')")

    def test_every_control_has_a_name(self):
        with self.group("tasks") as page:
            page.wait_text("8 tasks", "#matrix-totals")
            self.all_have_names(page)
            expect(page.run("document.documentElement.lang") == "en", "no language is named")


def simple_commit(group, offset):
    """An OffsetCommit that makes a group of nothing but an offset."""
    return {"GroupId": group, "GenerationIdOrMemberEpoch": -1, "MemberId": "", "Topics": [{
        "Name": "text-lines", "Partitions": [
            {"PartitionIndex": 0, "CommittedOffset": offset, "CommittedMetadata": ""}]}]}


if __name__ == "__main__":
    sys.exit(page_main(PageTests, SETTINGS, "page-weir"))
