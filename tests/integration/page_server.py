"""The views of the web page that tell more than one group as it is, in a headless Chromium: the server with its
defaults and web hooks, the rehearsal of a migration, the assignors compared.

    python3 tests/integration/page_server.py [--binary build/release/weir] [--only NAME] [--logs build/test-logs]
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import admin  # noqa: E402
from page_case import GROUP, PageCase, page_main  # noqa: E402
from ports import free_port, wait_until  # noqa: E402
from receiver import Receiver  # noqa: E402
from suite import expect  # noqa: E402
from weir import Weir  # noqa: E402

SECONDS = 60
SECRET = "quite-secret"
SETTINGS = {"group.streams.initial.rebalance.delay.ms": 0, "group.streams.num.standby.replicas": 0,
            "group.streams.heartbeat.interval.ms": 1000, "group.streams.min.heartbeat.interval.ms": 1000,
            "group.streams.assignment.interval.ms": 0, "group.streams.num.warmup.replicas": 0,
            "webhook.backoff.ms": 20, "webhook.attempts.max": 2, "webhook.tokens": f"pager={SECRET}"}
OLD = "old-application"
STANDBYS = "streams.num.standby.replicas"
HOSTILE = "<img src=x onerror=alert(1)>\u202e"
SPELLED = "<img src=x onerror=alert(1)>\\u{202e}"
ELEMENTS = "main img, main b, main i, main script, dialog img, dialog b"


class ServerTests(PageCase):
    """One application of two processes with two threads each; one web hook that is taken, and one that is not."""

    def api(self, path, method="GET", body=None):
        status, document = self.weir.http(path, method, body)
        expect(status == 200, f"{method} {path}: {status} {document}")
        return document

    def default(self):
        return next((one["value"], one["origin"]) for one in self.api("/v1/config")["config"]
                    if one["group_name"] == STANDBYS)

    def left_behind(self):
        """An application of the classic protocol that has been stopped."""
        with self.weir.client() as client:
            admin.find_coordinator(client, OLD)
            admin.commit_offset(client, {"GroupId": OLD, "GenerationIdOrMemberEpoch": -1, "MemberId": ""},
                                "text-lines", 0, 7)

    # --- the server -------------------------------------------------------------------------------------------

    def test_defaults_are_shown_planned_changed_and_given_back(self):
        row = f"group.{STANDBYS}\t{{}}\t{{}}\t{STANDBYS}"
        with self.open("#/server") as page:
            page.wait_text(row.format(0, "flag"), "#defaults")
            page.wait_text("embedded mode", "#about")
            page.click("#act-defaults")
            page.wait(f"document.getElementById('set-{STANDBYS}')")
            page.click("#settings-preview")
            page.wait_text("Nothing is changed.", "#settings-said")
            page.choose(f"[id='set-{STANDBYS}']", "1")
            page.click("#settings-preview")
            page.wait_text("Groups that get another assignment by it: 1.", "#followers")
            expect(GROUP in page.text("#followers"), page.text("#followers"))
            expect("0 → 1" in page.text("#settings-changes"), page.text("#settings-changes"))
            expect(self.default() == ("0", "flag"), "the preview has changed a default")
            self.picture(page, "defaults-plan")
            self.confirm(page, "in force")
            page.wait_text(row.format(1, "run time"), "#defaults")
            page.wait_text(f"{STANDBYS}: none → 1", "#defaults-history")
            expect(self.default() == ("1", "run time"), f"{self.default()}")
            page.click("#act-defaults")
            page.wait(f"document.getElementById('drop-{STANDBYS}')")
            page.run(f"document.getElementById('drop-{STANDBYS}').click()")
            page.click("#settings-preview")
            page.wait_text("no longer set", "#settings-changes")
            self.confirm(page, "in force")
            page.wait_text(row.format(0, "flag"), "#defaults")
            page.wait_text(f"{STANDBYS}: 1 → none", "#defaults-history")
            self.picture(page, "server")
        self.settle()

    def test_defaults_that_others_changed_meanwhile_are_a_conflict_and_bad_ones_are_refused(self):
        timeout = "streams.session.timeout.ms"
        with self.open("#/server", refused=(400, 412)) as page:
            page.wait("document.querySelector('#act-defaults')")
            page.click("#act-defaults")
            page.wait(f"document.getElementById('set-{STANDBYS}')")
            page.choose(f"[id='set-{STANDBYS}']", "many")
            page.click("#settings-preview")
            page.wait_text(STANDBYS, "#change-problem")
            expect(page.count("#change-make") == 0, "it can be confirmed")
            page.press("Escape")
            page.click("#act-defaults")
            page.wait(f"document.getElementById('set-{STANDBYS}')?.value === '0'")
            page.choose(f"[id='set-{STANDBYS}']", "1")
            self.api("/v1/config", "PATCH", {timeout: 50_000})
            page.click("#settings-preview")
            page.wait_text("have been changed since they were read", "#change-problem")
            page.click("#change-again")
            page.wait(f"document.getElementById('set-{timeout}')?.value === '50000'")
            expect(page.run(f"document.getElementById('set-{STANDBYS}').value") == "1", "the edit is gone")
        expect(self.default() == ("0", "flag"), "it was changed in spite of the conflict")
        self.api("/v1/config", "DELETE")

    def test_web_hooks_are_told_with_what_fails_and_without_secrets(self):
        def hooks():
            return {one["name"]: one for one in self.api("/v1/webhooks")["items"]}
        wait_until(lambda: hooks()["dead"]["given_up"] > 0 and hooks()["pager"]["delivered"] > 0, SECONDS, "events")
        with self.open("#/server") as page:
            page.wait_text("pager\tdelivering\thttp://127.0.0.1:", "#hooks")
            page.wait_text("dead\tfailing\thttp://127.0.0.1:", "#hooks")
            page.wait_text("cannot ask http://127.0.0.1:", "#hooks")
            told = page.text("#hooks")
            expect("with a token" in told and "member-joined" in told, told)
            page.wait_text(f"\t{hooks()['pager']['delivered']}\t0 of 1,000\t0\t0\t0\t0\t", "#hooks")
            expect(SECRET not in page.run("document.documentElement.outerHTML"), "a secret is shown")
            self.picture(page, "web-hooks")
        expect(SECRET not in json.dumps(hooks()), "a secret is told")

    def test_without_hooks_it_says_so_and_where_changes_are_off_none_is_offered(self):
        with Weir({}, self.weir.binary, self.logs, "page-server-other") as other:
            other.restart(http__listeners=f"http://0.0.0.0:{other.http_port}")
            with self.open("#/server", weir=other, refused=(403,)) as page:
                page.wait_text("None: webhook.urls is empty.", "#hooks")
                page.wait("document.querySelector('#act-defaults')")
                page.click("#act-defaults")
                page.wait(f"document.getElementById('set-{STANDBYS}')")
                page.choose(f"[id='set-{STANDBYS}']", "1")
                page.click("#settings-preview")
                page.wait_text("changes are switched off", "#change-problem")
                page.press("Escape")
                page.wait_text("changes are switched off", "#no-changes")
                expect(page.count("#act-defaults") == 0, "the change is still offered")

    # --- the rehearsal ----------------------------------------------------------------------------------------

    def test_a_migration_is_rehearsed_from_the_page_of_its_group(self):
        self.left_behind()
        with self.group(group=OLD) as page:
            page.wait("document.querySelector('#act-rehearse')")
            page.click("#act-rehearse")
            page.wait(f"document.querySelector('#rh-group')?.value === '{OLD}'")
            self.all_have_names(page)
            page.choose("#rh-processes", "3")
            page.choose("#rh-sources-0", "text-lines")
            page.choose("#rh-changelogs-0", f"{OLD}-counts-changelog")
            page.choose("#rh-client", "# of the application\nnum.standby.replicas = 1\napplication.id: x\n")
            page.click("#rh-ask")
            page.wait_text("something will differ", "#rh-verdict")
            said = page.text("#rh-answer")
            for text in ("warning", "is empty, go", "1 partitions carry over", "goes on from them", "The way back",
                         f"{OLD}-counts-changelog\tchangelog\tok", "num.standby.replicas\t1\t0\twarning"):
                expect(text in said, f"no '{text}' in {said}")
            page.click("#rh-answer summary")
            page.wait_text("activePerProcessMax", "#rh-answer details")
            self.picture(page, "rehearsal")
            page.choose("#rh-config", f"{STANDBYS}=1")
            page.click("#rh-ask")
            page.wait_text("num.standby.replicas\t1\t1\tok", "#rh-answer")
        expect(self.api(f"/v1/groups/{OLD}")["type"] == "classic", "the rehearsal changed something")

    def test_a_topology_is_filled_in_from_json_and_by_hand(self):
        topology = {"subtopologies": [
            {"sources": ["text-lines"], "repartition_sinks": ["words"]},
            {"id": "counts", "repartition_sources": [{"name": "words", "partitions": 3}], "changelogs": ["c-changelog"],
             "copartition": [["words"]]}]}
        asked = []

        def answer(body):
            asked.append(json.loads(body))
            return {"group_id": "new", "status": "ok", "checks": [], "topics": [], "offsets": [], "settings": [],
                    "rights": ["READ on group new"], "plan": None, "way_back": []}
        with self.open("#/rehearsal?group=new", {"/v1/groups/new/rehearsal": answer}) as page:
            page.wait("document.querySelector('#rh-fill')")
            page.click("form summary")
            page.choose("#rh-json", "{")
            page.click("#rh-fill")
            page.wait_text("this is no JSON", "#rh-json-said")
            page.choose("#rh-json", json.dumps(topology))
            page.click("#rh-fill")
            page.wait_text("2 subtopologies are filled in", "#rh-json-said")
            expect(page.run("document.querySelector('#rh-repartition_sources-1').value") == "words=3", "partitions")
            page.click("#rh-add")
            page.wait("document.activeElement.id === 'rh-id-2'")
            page.choose("#rh-source_patterns-2", "logs-.*\nmore-.*")
            page.click("#rh-ask")
            page.wait_text("READ on group new", "#rh-answer")
            page.wait_text("nothing stands in its way", "#rh-verdict")
            page.run("document.querySelectorAll('#rh-parts fieldset button')[2].click()")
            page.wait("document.querySelectorAll('#rh-parts fieldset').length === 2")
            page.choose("#rh-repartition_sources-1", "words=three")
            page.click("#rh-ask")
            page.wait_text("words=three", "#rh-answer [role=alert]")
        topology["subtopologies"][0]["id"] = "0"
        topology["subtopologies"].append({"id": "2", "source_patterns": ["logs-.*", "more-.*"]})
        expect([one["topology"] for one in asked] == [topology], f"asked: {asked}")

    def test_what_is_mistaken_is_said_and_nothing_is_asked(self):
        with self.open("#/rehearsal", refused=(400,)) as page:
            page.wait("document.querySelector('#rh-ask')")
            page.click("#rh-ask")
            page.wait_text("application.id", "#rh-answer [role=alert]")
            page.choose("#rh-group", "new")
            page.choose("#rh-client", "no value")
            page.click("#rh-ask")
            page.wait_text("no value", "#rh-answer [role=alert]")
            page.choose("#rh-client", "")
            page.choose("#rh-config", "streams.no.such=1")
            page.choose("#rh-sources-0", "text-lines")
            page.click("#rh-ask")
            page.wait_text("streams.no.such", "#rh-answer [role=alert]")

    def test_hostile_names_are_only_text(self):
        with self.open("#/rehearsal") as page:
            page.wait("document.querySelector('#rh-ask')")
            page.choose("#rh-group", HOSTILE)
            page.choose("#rh-sources-0", "<b>topic</b>")
            page.choose("#rh-client", "num.standby.replicas=<i>1</i>")
            page.click("#rh-ask")
            page.wait_text(SPELLED, "#rh-answer h2")
            page.wait_text("<b>topic</b>", "#rh-answer")
            page.wait_text("<i>1</i>", "#rh-answer")
            page.wait_text("fail, or has to wait", "#rh-verdict")
            expect(page.count(ELEMENTS) == 0, "a name became an element")

    def test_a_server_that_wants_a_token_is_given_one_and_then_rehearses(self):
        with Weir({"http.token": SECRET}, self.weir.binary, self.logs, "page-server-other") as other, \
                self.open("#/rehearsal?group=new", weir=other, refused=(401,)) as page:
            page.wait("document.querySelector('#rh-ask')")
            page.choose("#rh-sources-0", "nowhere")
            page.click("#rh-ask")
            page.wait_text('see the button "Token"', "#rh-answer [role=alert]")
            page.click("#token-button")
            page.choose("#token-field", SECRET)
            page.click("#token-keep")
            page.wait("!document.querySelector('dialog').open")
            page.click("#rh-ask")
            page.wait_text("nowhere", "#rh-answer table")

    # --- the assignors ----------------------------------------------------------------------------------------

    def test_all_assignors_are_compared_on_the_group_as_it_is(self):
        before = self.api(f"/v1/groups/{GROUP}")["group_epoch"]
        question = {"add_members": [{"process_id": "new-process", "count": 2}]}
        names = [one["name"] for one in self.api("/v1/assignors")["items"]]
        expect(len(names) > 1, f"{names}")
        own = next(one["value"] for one in self.api(f"/v1/groups/{GROUP}/config")["config"]
                   if one["name"] == "streams.assignor.name")
        with self.group("what-if") as page:
            page.wait("document.querySelectorAll('#wi-members option').length === 4")
            page.choose("#wi-threads", "2")
            page.run("document.querySelector('#wi-compare').focus()")
            page.press("Enter")
            listed = "document.querySelector('#wi-answer table')?.querySelectorAll('tbody tr')"
            page.wait(f"{listed}?.length === {len(names)}")
            rows = page.run(f"[...{listed}].map((row) => row.innerText.split('\\t'))")
            for name, row in zip(names, rows, strict=True):
                plan = self.api(f"/v1/groups/{GROUP}/what-if", "POST", {**question, "assignor": name})
                after = plan["after"]
                expect(row[0].split()[0] == name and ("in force" in row[0]) == (name == own), f"{row} of {name}")
                expect(row[1] == str(plan["tasks_moved"]) and row[3] == str(plan["waiting"]), f"{row} of {plan}")
                expect(row[4] == f"{after['activePerMemberMin']} to {after['activePerMemberMax']}", f"{row} of {after}")
                expect(row[5] == f"{after['activePerProcessMin']} to {after['activePerProcessMax']}", f"{row}")
            page.click("#wi-answer details summary")
            page.wait_text("tasks would move", "#wi-answer details")
            self.all_have_names(page)
            self.picture(page, "compare")
            page.choose("#wi-config", "nonsense")
            page.click("#wi-compare")
            page.wait_text("nonsense", "#wi-answer [role=alert]")
        expect(self.api(f"/v1/groups/{GROUP}")["group_epoch"] == before, "the comparison has changed the group")

    # --- everywhere -------------------------------------------------------------------------------------------

    def test_every_control_has_a_name_in_light_and_in_dark(self):
        with self.open("#/server") as page:
            page.wait("document.querySelector('#hooks table') && document.querySelector('#defaults table')")
            self.all_have_names(page)
            page.dark(True)
            page.wait("getComputedStyle(document.body).backgroundColor === 'rgb(20, 25, 29)'")
            bad = "getComputedStyle(document.querySelector('.state-failing')).backgroundColor"
            page.wait(f"{bad} === 'rgb(74, 27, 27)'")
            self.picture(page, "server-dark")

    def test_the_server_is_reached_and_changed_by_keys(self):
        with self.open() as page:
            page.wait_text(GROUP, "#groups")
            page.press("s")
            page.wait("document.querySelector('#act-defaults')")
            page.tab_to("act-defaults")
            page.press("Enter")
            page.wait(f"document.getElementById('set-{STANDBYS}')")
            page.press("Escape")
            page.wait("document.activeElement.id === 'act-defaults'")


def main():
    with Receiver() as receiver:
        urls = f"pager={receiver.url(f'/{SECRET}?key={SECRET}')},dead=http://127.0.0.1:{free_port()}/{SECRET}"
        causes = "pager=member-joined,pager=member-left"
        return page_main(ServerTests, {**SETTINGS, "webhook.urls": urls, "webhook.causes": causes}, "page-server-weir")


if __name__ == "__main__":
    sys.exit(main())
