"""A streams application whose members heartbeat on demand, and somebody who reads about it on the web page."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))

import admin  # noqa: E402
from case_steps import ROLES, MemberView  # noqa: E402
from ports import wait_until  # noqa: E402
from suite import expect  # noqa: E402
from wire import error_name  # noqa: E402

REBALANCE_MS, PARTITIONS, WAIT_SECONDS = 1500, 4, 20


class Reader:
    """Somebody at the web page, who must find there what the API has just told."""

    def __init__(self, weir, page):
        self.weir, self.page = weir, page

    def opens(self, group, tab):
        self.page.go(f"http://127.0.0.1:{self.weir.http_port}/#/")
        self.page.run(f"location.hash = '#/groups/{group}/{tab}'")

    def finds_event(self, group, event):
        self.opens(group, "timeline")
        row = f"#event-{event['index']}"
        wanted = [event["cause"], event["member_id"] or "", event["by"] or ""]
        wanted += [f"{one['what']}: {one['old']} → {one['new']}" for one in event["changes"]]
        for words in wanted:
            self.page.wait_text(words, row)

    def finds_wait(self, group, text):
        """Times go on between the API's answer and the page's."""
        self.opens(group, "overview")
        pattern = json.dumps(re.sub(r"\d+", r"\\d+", re.escape(text)))
        self.page.wait(f"new RegExp({pattern}).test(document.querySelector('#waits')?.innerText)")


class Application:
    """A streams application of its own: group, source topic, members. Nobody heartbeats but on demand."""

    def __init__(self, weir, client, reader, name, stateful=False, create=True):
        self.weir, self.client, self.reader, self.group = weir, client, reader, name
        self.topic, self.changelog = f"{name}-in", f"{name}-store-changelog"
        changelogs = [{"Name": self.changelog, "Partitions": 0, "ReplicationFactor": 1}] if stateful else []
        self.topology = {"Epoch": 0, "Subtopologies": [{"SubtopologyId": "0", "SourceTopics": [self.topic],
                                                        "StateChangelogTopics": changelogs}]}
        if create:
            admin.create_topic(client, self.topic, PARTITIONS)
            if stateful:
                admin.create_topic(client, self.changelog, PARTITIONS)
        self.members = {}

    def send(self, member, fields):
        answer = admin.heartbeat(self.client, {"GroupId": self.group, "MemberId": member, **fields})
        expect(answer["ErrorCode"] == 0, f"{member}: {error_name(answer['ErrorCode'])} {answer['ErrorMessage']}")
        self.members.setdefault(member, MemberView()).learn(fields, answer)
        return answer

    def join(self, member, **fields):
        return self.send(member, {"MemberEpoch": 0, "RebalanceTimeoutMs": REBALANCE_MS, "ProcessId": f"p-{member}",
                                  "Topology": self.topology, **{role: [] for role in ROLES}, **fields})

    def beat(self, member, **fields):
        """Acknowledges what the member was last given."""
        view = self.members[member]
        own = {} if view.instance is None else {"InstanceId": view.instance}
        return self.send(member, {"MemberEpoch": view.epoch, **own, **view.held(), **fields})

    def leave(self, member, epoch=-1, **fields):
        answer = self.send(member, {"MemberEpoch": epoch, **fields})
        if epoch == -1:
            del self.members[member]
        return answer

    def settle(self):
        def is_stable():
            for member in list(self.members):
                self.beat(member)
            return self.document()["state"] == "Stable"
        wait_until(is_stable, WAIT_SECONDS, f"{self.group} is stable")

    def document(self):
        status, body = self.weir.http(f"/v1/groups/{self.group}")
        expect(status == 200, f"{status} {body}")
        return body

    def timeline(self, query=""):
        """Items, newest first."""
        status, body = self.weir.http(f"/v1/groups/{self.group}/timeline{query}")
        expect(status == 200, f"{status} {body}")
        return body["items"]

    def newest(self, cause):
        """The newest event of that cause, which must be there, and on the page."""
        found = self.timeline(f"?cause={cause}")
        expect(found, f"no event {cause} among {[one['cause'] for one in self.timeline()]}")
        self.reader.finds_event(self.group, found[0])
        return found[0]

    def waits(self, reason):
        """The first entry with that reason, which must be there; its sentence is in the words and on the page, too."""
        document = self.document()
        found = [one for one in document["waiting"] if one["reason"] == reason]
        expect(found, f"{document['state']} waits for {document['waiting']}, not {reason}")
        expect(found[0]["text"] in document["waiting_for"], f"the words lack '{found[0]['text']}'")
        self.reader.finds_wait(self.group, found[0]["text"])
        return found[0]
