"""Plays the worked examples of the heartbeat specification (examples.txt) over the wire, once each.

    python3 tests/conformance/examples.py                     against build/release/weir
    python3 tests/conformance/examples.py --kafka             against a real Kafka 4.4.0 broker
    python3 tests/conformance/examples.py --only EX-05,EX-33

Where Weir is better than Kafka 4.4.0 on purpose, examples.txt has both answers. Exit status 1 if an example failed.
"""
import argparse
import pathlib
import sys
import time
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import admin  # noqa: E402
import target as targets  # noqa: E402
from case_steps import ROLES, MemberView, task_list, task_set  # noqa: E402
from example_table import SHORT_CONFIGS, parse_offsets, parse_tasks, read  # noqa: E402
from wire import WireError, error_name  # noqa: E402

LISTS = {"A": "ActiveTasks", "S": "StandbyTasks", "W": "WarmupTasks"}
ANSWER_FIELDS = {"ep": "MemberEpoch", "E": "EndpointInformationEpoch", "legacy": "AcceptableRecoveryLagLegacy"}
INTERVALS = {"interval": ("HeartbeatIntervalMs", "streams.heartbeat.interval.ms", 5000),
             "oi": ("TaskOffsetIntervalMs", "streams.task.offset.interval.ms", 60000),
             "lag": ("AcceptableRecoveryLag", "streams.acceptable.recovery.lag", 10000)}
REFUSED_SHAPE = {"MemberId": "", "MemberEpoch": 0, "HeartbeatIntervalMs": 0, "TaskOffsetIntervalMs": 0, "Status": [],
                 "AcceptableRecoveryLag": -1, "EndpointInformationEpoch": 0, "PartitionsByUserEndpoint": None,
                 "TopologyDescriptionRequired": False, **{role: None for role in ROLES}}
LEFT_SHAPE = {key: value for key, value in REFUSED_SHAPE.items() if key not in ("MemberId", "MemberEpoch")}
SETTLE_SECONDS = 10


class Failure(Exception):
    """A step whose answer is not the expected one."""


class Play:
    """One example on one target."""

    def __init__(self, target, example):
        self.target, self.example = target, example
        self.group = f"{example.id.lower()}-{uuid.uuid4().hex[:6]}"
        self.members, self.clients = {}, {}
        self.classic = {}  # name -> member id
        self.configs = {}

    def topic(self, name):
        """Topics are this run's own; a name with `!` in front is meant literally."""
        return name[1:].replace("_topic", " topic") if name.startswith("!") else f"{self.group}-{name}"

    def client(self, name="weir-test"):
        if name not in self.clients:
            self.clients[name] = self.target.client(client_id=name)
        return self.clients[name]

    def disconnect(self):
        for client in self.clients.values():
            client.close()
        self.clients = {}

    def run(self):
        self.configs = dict(self.example.configs)
        self.target.prepare(self.group, self.configs, {})
        try:
            admin.find_coordinator(self.client(), self.group)
            for name, partitions in self.example.topics.items():
                admin.create_topic(self.client(), self.topic(name), partitions)
            self.target.settle_metadata()
            for step in self.example.steps:
                self.step(step)
        finally:
            self.disconnect()

    def step(self, step):
        operation = getattr(self, f"do_{step.command.bare[0]}")
        expected = step.expectation(self.target.is_kafka)
        deadline = time.monotonic() + int(step.command.get("retry", 0)) / 1000
        try:
            wrong = operation(step.command, expected)
            while wrong and time.monotonic() < deadline:
                time.sleep(0.1)
                wrong = operation(step.command, expected)
        except (WireError, OSError, TimeoutError, admin.Refused) as error:
            wrong = [f"{type(error).__name__}: {error}"]
        if wrong:
            raise Failure(f"{step.text}\n    {'; '.join(wrong)}")

    # --- heartbeats -------------------------------------------------------------------------------------------

    def member(self, name):
        return self.members.setdefault(name, MemberView())

    def do_join(self, command, expected):
        name = command.bare[1]
        fields = {"MemberEpoch": 0, "RebalanceTimeoutMs": 30000, "ProcessId": f"p-{name}",
                  "Topology": self.example.topology(command.get("topology", "T0"), self.topic),
                  "EndpointInformationEpoch": -1, **{role: [] for role in ROLES}}
        return self.heartbeat(command, fields, expected)

    def do_hb(self, command, expected):
        fields = {"MemberEpoch": int(command.bare[2])}
        if command.get("topology"):
            fields["Topology"] = self.example.topology(command.get("topology"), self.topic)
        return self.heartbeat(command, fields, expected)

    def do_leave(self, command, expected):
        return self.do_hb(type(command)(f"hb {command.bare[1]} -1 topology={command.get('topology', '')}"), expected)

    def heartbeat(self, command, fields, expected):
        name = command.bare[1]
        fields = {"GroupId": self.group, "MemberId": name, **fields, **self.options(command)}
        version = int(command.get("version", 1))
        answer = admin.heartbeat(self.client(command.get("client", "weir-test")), fields, version)
        self.member(name).learn(fields, answer)
        if answer["ErrorCode"] or expected.get("err"):
            return self.refused(answer, expected, version)
        if fields["MemberEpoch"] < 0:
            return different(answer, LEFT_SHAPE) + self.compare(answer, expected)
        return self.intervals(answer, expected, version) + self.compare(answer, expected)

    def options(self, command):
        fields = {}
        if "own" in command.map:
            member = self.member(command.bare[1])
            own = command.get("own")
            lists = (own, command.get("standby", ""), command.get("warmup", ""))
            fields = member.held() if own == "@" else {r: task_list(parse_tasks(t)) for r, t in zip(ROLES, lists)}
        plain = {"rack": ("RackId", str), "timeout": ("RebalanceTimeoutMs", int), "process": ("ProcessId", str),
                 "E": ("EndpointInformationEpoch", int), "offsets": ("TaskOffsets", parse_offsets),
                 "end": ("TaskEndOffsets", parse_offsets), "tags": ("ClientTags", parse_tags)}
        fields.update({field: parse(command.get(key)) for key, (field, parse) in plain.items() if key in command.map})
        if "shutdown" in command.bare:
            fields["ShutdownApplication"] = True
        return {**fields, **command.raw}

    def refused(self, answer, expected, version):
        """An error answer: the code, and every other field at its default (spec 01, 1.6)."""
        wanted = int(expected.get("err", 0))
        if answer["ErrorCode"] != wanted:
            return [f"error {error_name(answer['ErrorCode'])} ({answer['ErrorCode']}), expected {wanted}: "
                    f"{answer['ErrorMessage']}"]
        return different(answer, {k: v for k, v in REFUSED_SHAPE.items() if version > 0 or k in answer})

    def intervals(self, answer, expected, version):
        """Every successful answer carries the effective values of the group (spec 01, 5.1)."""
        wrong = []
        for key, (field, config, default) in INTERVALS.items():
            wanted = int(expected.get(key) or self.configs.get(config, default))
            if (version > 0 or key != "lag") and answer[field] != wanted:
                wrong.append(f"{field} is {answer[field]}, expected {wanted}")
        return wrong

    def compare(self, answer, expected):
        wrong = compare_lists(answer, expected)
        codes = sorted(s["StatusCode"] for s in answer["Status"] or ())
        for key, value in expected.options:
            if key in ANSWER_FIELDS and answer[ANSWER_FIELDS[key]] != int(value):
                wrong.append(f"{ANSWER_FIELDS[key]} is {answer[ANSWER_FIELDS[key]]}, expected {value}")
            elif key == "st" and codes != sorted(int(c) for c in value.split(",") if c):
                wrong.append(f"status codes {codes}, expected {value or 'none'}: {answer['Status']}")
            elif key == "map":
                seen = answer["PartitionsByUserEndpoint"]
                if (None if value == "null" else int(value)) != (None if seen is None else len(seen)):
                    wrong.append(f"endpoints {seen}, expected {value}")
            elif key == "detail":
                code, _, text = value.partition(":")
                details = [s["StatusDetail"] for s in answer["Status"] or () if s["StatusCode"] == int(code)]
                if not any(text in detail for detail in details):
                    wrong.append(f"detail of status {code} lacks '{text}': {details}")
        return wrong

    def do_settle(self, command, _):
        """The members heartbeat and acknowledge until all are at one epoch with nothing to give up."""
        names, deadline = command.bare[1:], time.monotonic() + SETTLE_SECONDS
        while True:
            for name in names:
                member = self.member(name)
                fields = {"GroupId": self.group, "MemberId": name, "MemberEpoch": member.epoch, **member.held()}
                answer = admin.heartbeat(self.client(), fields)
                if answer["ErrorCode"]:
                    return [f"{name} was refused: {answer['ErrorCode']} {answer['ErrorMessage']}"]
                member.learn(fields, answer)
            if admin.describe_group(self.client(), self.group)["GroupState"] == "Stable":
                return []
            if time.monotonic() > deadline:
                return [f"not stable after {SETTLE_SECONDS} s"]

    # --- other kinds of groups ----------------------------------------------------------------------------------

    def do_classic(self, command, expected):
        action, name = command.bare[1:]
        if action == "leave":
            answer = self.client().call("LeaveGroup", 5, {"GroupId": self.group,
                                                          "Members": [{"MemberId": self.classic[name]}]})
            return check_code(answer, expected)
        answer = admin.join_classic(self.client(), 9, {
            "GroupId": self.group, "SessionTimeoutMs": 30000, "RebalanceTimeoutMs": 30000, "ProtocolType": "consumer",
            "Protocols": [{"Name": "range", "Metadata": b""}]})
        self.classic[name] = answer["MemberId"]
        return check_code(answer, expected)

    def do_consumer(self, command, expected):
        return check_code(self.client().call("ConsumerGroupHeartbeat", 1, {
            "GroupId": self.group, "MemberId": command.bare[1], "MemberEpoch": int(command.bare[2]),
            "RebalanceTimeoutMs": 30000, "SubscribedTopicNames": [self.topic("foo")], "TopicPartitions": []}), expected)

    def do_commit(self, command, expected):
        topic, offset = command.bare[1:]
        fields = {"GroupId": self.group, "MemberId": "", "GenerationIdOrMemberEpoch": -1}
        return check_code(admin.commit_offset(self.client(), fields, self.topic(topic), 0, int(offset)), expected)

    def do_offset(self, command, expected):
        group = admin.fetch_offset(self.client(), self.group, self.topic(command.bare[1]), 0)
        seen = group["Topics"][0]["Partitions"][0]["CommittedOffset"]
        return [] if seen == int(expected.get("at")) else [f"the committed offset is {seen}"]

    # --- looking, and what happens around the group -----------------------------------------------------------------

    def do_group(self, _, expected):
        group = admin.describe_group(self.client(), self.group)
        seen = {"err": str(group["ErrorCode"]), "g": f"{group['GroupEpoch']}/{group['AssignmentEpoch']}",
                "state": group["GroupState"], "members": str(len(group["Members"]))}
        wanted = {"err": "0", **expected.map}
        return [f"{key} is {seen[key]}, expected {value}" for key, value in wanted.items() if seen[key] != value]

    def do_member(self, command, expected):
        members = admin.describe_group(self.client(), self.group)["Members"]
        member = next((m for m in members if m["MemberId"] == command.bare[1]), None)
        if member is None:
            return [f"no member {command.bare[1]}"]
        wrong = compare_lists(member["Assignment"], expected)
        if "target" in expected.map:
            wrong += compare_tasks("target", expected.get("target"), member["TargetAssignment"]["ActiveTasks"])
        for key, field in (("offsets", "TaskOffsets"), ("end", "TaskEndOffsets")):
            if key in expected.map and member[field] != parse_offsets(expected.get(key)):
                wrong.append(f"{field} is {member[field]}")
        return wrong

    def do_topic(self, command, _):
        action, name = command.bare[1], self.topic(command.bare[2])
        count = int(command.bare[3]) if len(command.bare) > 3 else None
        if action == "wait":
            admin.wait_until(lambda: admin.topic_partitions(self.client(), name) == count, 15, f"{name} has {count}")
        else:
            call = {"create": admin.create_topic, "delete": admin.delete_topic, "add": admin.add_partitions}[action]
            call(self.client(), name, *([] if count is None else [count]))
        return []

    def do_config(self, command, _):
        configs = {SHORT_CONFIGS.get(name, name): value for name, value in command.options}
        self.disconnect()
        self.configs.update(configs)
        code = self.target.configure(self.group, configs)
        return [] if code == 0 else [f"refused with {code}"]

    def do_refused(self, command, _):
        refused = self.target.refuses(self.group, dict(command.options))
        return [] if refused else [f"accepted: {command.options}"]

    def do_wait(self, command, _):
        time.sleep(int(command.bare[1]) / 1000)
        return []

    def do_restart(self, _, __):
        self.disconnect()
        self.target.restart()
        admin.find_coordinator(self.client(), self.group)
        return []


def check_code(answer, expected):
    wanted = int(expected.get("err", 0))
    return [] if answer["ErrorCode"] == wanted else [f"error {answer['ErrorCode']}, expected {wanted}"]


def parse_tags(text):
    return [dict(zip(("Key", "Value"), tag.split(":", 1))) for tag in text.split(",") if tag]


def different(answer, shape):
    return [f"{key} is {answer[key]}, expected {value}" for key, value in shape.items() if answer[key] != value]


def compare_lists(answer, expected):
    """The three task lists of an answer, or those of a described member."""
    if "-" in expected.bare:
        return [f"{role} is {answer[role]}, expected null" for role in ROLES if answer[role] is not None]
    given = {role: expected.get(key) for key, role in LISTS.items()}
    if "{}" not in expected.bare and not any(given.values()):
        return []
    return [text for role in ROLES for text in compare_tasks(role, given[role] or "", answer[role])]


def compare_tasks(what, wanted, seen):
    """`wanted`: tasks, "#count", or "some"."""
    if seen is None:
        return [f"{what} is null, expected {wanted or 'an empty list'}"]
    tasks = task_set(seen)
    if wanted == "some":
        right = bool(tasks)
    elif wanted.startswith("#"):
        right = len(tasks) == int(wanted[1:])
    else:
        right = tasks == parse_tasks(wanted)
    return [] if right else [f"{what} is {sorted(tasks)}, expected {wanted or 'nothing'}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="IDS", help="for example EX-05,EX-33")
    targets.add_arguments(parser)
    options = parser.parse_args()
    examples = read(HERE / "examples.txt")
    if options.only:
        examples = [e for e in examples if e.id in options.only.split(",")]
    failed = 0
    target = targets.from_arguments(options)
    try:
        for example in examples:
            started = time.monotonic()
            try:
                Play(target, example).run()
                print(f"passed {example.id} {example.title} ({time.monotonic() - started:.1f} s)", flush=True)
            except Failure as failure:
                failed += 1
                print(f"FAILED {example.id} {example.title}\n  {failure}", flush=True)
    finally:
        target.close()
    print(f"{len(examples) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
