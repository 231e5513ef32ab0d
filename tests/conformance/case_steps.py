"""Plays the steps of one case: what the members know, each operation, and the comparison with what is expected."""
import time

import admin
from wire import WireError, error_name

ROLES = ("ActiveTasks", "StandbyTasks", "WarmupTasks")
NOT_COMPARED = ("Error", "note")
SETTLE_SECONDS = 20
QUIET_ROUNDS = 4


class CaseFailure(Exception):
    """A step whose answer is not the expected one."""


def task_set(entries):
    """Task list of a message -> set of (subtopology, partition)."""
    return {(e["SubtopologyId"], p) for e in entries or () for p in e["Partitions"]}


def task_list(tasks):
    subtopologies = sorted({s for s, _ in tasks})
    return [{"SubtopologyId": s, "Partitions": sorted(p for t, p in tasks if t == s)} for s in subtopologies]


class MemberView:
    """What one client knows of itself: last epoch, last assignment, and how it introduced itself."""

    def __init__(self):
        self.epoch, self.instance, self.process = 0, None, ""
        self.tasks = {role: set() for role in ROLES}

    def learn(self, request, answer):
        self.instance = request.get("InstanceId", self.instance)
        self.process = request.get("ProcessId", self.process)
        if answer["ErrorCode"] != 0:
            return
        self.epoch = answer["MemberEpoch"]
        for role in ROLES:
            if answer[role] is not None:
                self.tasks[role] = task_set(answer[role])

    def held(self):
        return {role: task_list(self.tasks[role]) for role in ROLES}


class CaseRun:
    """One case on one target. `play` runs its steps and raises CaseFailure at the first that fails."""

    def __init__(self, target, case, group):
        self.target, self.case, self.group = target, case, group
        self.client = target.client(client_id=group)
        self.members, self.saved, self.owners, self.classic = {}, {}, {}, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()

    def play(self):
        admin.find_coordinator(self.client, self.group)
        for topic in self.case["topics"]:
            if "racks" in topic:
                self.target.create_topic_with_racks(topic["name"], topic["racks"])
            else:
                admin.create_topic(self.client, topic["name"], topic["partitions"])
        self.target.settle_metadata()
        for number, step in enumerate(self.case["steps"], 1):
            try:
                self.step(step)
            except (CaseFailure, WireError, OSError, TimeoutError, admin.Refused) as failure:
                raise CaseFailure(f"step {number} {step['op']} {step.get('MemberId', '')}: {failure}") from failure

    def step(self, step):
        operation = getattr(self, f"op_{step['op']}", None)
        if operation is None:
            raise CaseFailure(f"no such operation: {step['op']}")
        expect = step.get("expect", {})
        if self.target.is_kafka:
            expect = step.get("expect_kafka_4_4", expect)
        deadline = time.monotonic() + step.get("retryMs", 0) / 1000
        while True:
            expected = {k: self.resolve(v) for k, v in expect.items() if k not in NOT_COMPARED}
            seen = operation(step)
            wrong = [w for key, value in expected.items() for w in self.compare(key, value, seen)]
            if not wrong or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        if wrong:
            raise CaseFailure("; ".join(wrong) + (f" (error text: {seen['ErrorMessage']})"
                                                  if seen.get("ErrorMessage") else ""))
        for name, path in step.get("save", {}).items():
            self.saved[name] = seen[path]

    # --- values -----------------------------------------------------------------------------------------------

    def resolve(self, value):
        """Numbers written as "@A", "@A-1", "#x+1" -> the number; everything else unchanged."""
        if isinstance(value, dict):
            return {k: self.resolve(v) for k, v in value.items()}
        if not isinstance(value, str) or value[:1] not in ("@", "#"):
            return value
        name, step = value[1:], 0
        for sign in "+-":
            head, found, tail = name.rpartition(sign)
            if found and tail.isdigit():
                name, step = head, int(tail) * (1 if sign == "+" else -1)
        known = self.saved[name] if value[0] == "#" else self.member(name).epoch
        return known + step

    def member(self, name):
        return self.members.setdefault(name, MemberView())

    def offsets(self, text):
        """"@warm:B:4950" -> that offset for every warm-up task B holds."""
        if not isinstance(text, str):
            return text
        _, name, offset = text.split(":")
        return [{"SubtopologyId": s, "Partition": p, "Offset": int(offset)}
                for s, p in sorted(self.member(name).tasks["WarmupTasks"])]

    # --- comparison -------------------------------------------------------------------------------------------

    def compare(self, key, expected, seen):
        """What is wrong with `seen` as to one expectation, as texts."""
        special = getattr(self, f"check_{key}", None)
        if special is not None:
            return special(expected, seen)
        if key not in seen:
            return [f"the answer has no {key}"]
        return [] if equal(key, expected, seen[key]) else [f"{key} is {show(key, seen[key])}, expected {expected}"]

    @staticmethod
    def check_StatusDetailContains(expected, seen):
        texts = {str(s["StatusCode"]): s["StatusDetail"] for s in seen["Status"] or ()}
        wanted = [(code, part) for code, parts in expected.items()
                  for part in (parts if isinstance(parts, list) else [parts])]
        return [f"detail of status {code} lacks '{part}': {texts.get(code)}"
                for code, part in wanted if part not in texts.get(code, "")]

    @staticmethod
    def check_ErrorMessageContains(expected, seen):
        return [] if expected in (seen["ErrorMessage"] or "") else [f"error text lacks '{expected}'"]

    def check_members(self, expected, seen):
        return [f"member {name}: {text}" for name, wanted in expected.items() for key, value in wanted.items()
                for text in self.compare(key, value, self.view(name))]

    def check_invariants(self, expected, seen):
        return [text for invariant in expected for text in seen["invariants"].broken(invariant)]

    # --- operations: each returns what can be looked at -----------------------------------------------------------

    def op_heartbeat(self, step):
        name, fields = step["MemberId"], {"GroupId": self.group}
        plain = ("GroupId", "MemberId", "MemberEpoch", "RebalanceTimeoutMs", "ProcessId", "InstanceId", "RackId",
                 "UserEndpoint", "EndpointInformationEpoch", "ShutdownApplication", "ClientTags")
        fields.update({key: self.resolve(step[key]) for key in plain if key in step})
        if "Topology" in step:
            fields["Topology"] = self.case["topologies"][step["Topology"]]
        for role in ROLES:
            if role in step:
                value = step[role]
                fields[role] = task_list(self.member(value[1:]).tasks[role]) if isinstance(value, str) else value
        for key in ("TaskOffsets", "TaskEndOffsets"):
            if key in step:
                fields[key] = self.offsets(step[key])
        answer = admin.heartbeat(self.client, fields, step.get("version", 1))
        if fields["GroupId"] == self.group:
            self.member(name).learn(fields, answer)
        return heartbeat_view(answer)

    def beat(self, name):
        """One ordinary heartbeat of a member that acknowledges what it holds."""
        member = self.member(name)
        fields = {"GroupId": self.group, "MemberId": name, "MemberEpoch": member.epoch, **member.held()}
        if member.instance is not None:
            fields["InstanceId"] = member.instance
        answer = admin.heartbeat(self.client, fields)
        if answer["ErrorCode"] != 0:
            raise CaseFailure(f"{name} was refused: {error_name(answer['ErrorCode'])} {answer['ErrorMessage']}")
        member.learn(fields, answer)
        return answer

    def op_settle(self, step):
        names, before = step["members"], dict(self.owners)
        deadline, quiet, last = time.monotonic() + SETTLE_SECONDS, 0, None
        while quiet < QUIET_ROUNDS:
            statuses = [sorted(s["StatusCode"] for s in self.beat(name)["Status"] or ()) for name in names]
            now = [(self.member(n).epoch, self.member(n).held()) for n in names], statuses
            waiting = any(5 in codes for codes in statuses)
            quiet, last = (0 if now != last or waiting else quiet + 1), now
            if time.monotonic() > deadline:
                raise CaseFailure(f"not settled after {SETTLE_SECONDS} s: {now}")
            time.sleep(0.05 if not waiting else 0.2)
        self.owners = {t: n for n in names for t in self.member(n).tasks["ActiveTasks"]}
        moved = sum(1 for t, n in self.owners.items() if before.get(t, n) != n)
        return {"invariants": Invariants({n: self.member(n) for n in names}, moved)}

    def op_keepalive(self, step):
        deadline = time.monotonic() + step["ms"] / 1000
        while time.monotonic() < deadline:
            for name in step["members"]:
                self.beat(name)
            time.sleep(0.2)
        return {}

    def view(self, name):
        member = self.member(name)
        counts = {role[:-1] + "Count": len(member.tasks[role]) for role in ROLES}
        return {**member.held(), **counts, "MemberEpoch": member.epoch}

    def op_check_member(self, step):
        return self.view(step["MemberId"])

    def op_describe(self, step):
        group = admin.describe_group(self.client, self.group)
        topology = group["Topology"]
        return {**group, "MemberCount": len(group["Members"]), "TopologyIsNull": topology is None,
                "MemberIds": sorted(m["MemberId"] for m in group["Members"]),
                "SubtopologyCount": len(topology["Subtopologies"] or ()) if topology else 0}

    def op_list_groups(self, step):
        rows = self.client.call("ListGroups", 5, {})["Groups"]
        row = next((r for r in rows if r["GroupId"] == self.group), None)
        return {"present": row is not None, **(row or {})}

    def op_rpc(self, step):
        answer = self.client.call(step["api"], step["version"], step["request"])
        return flatten(answer)

    def op_create_topic(self, step):
        admin.create_topic(self.client, step["name"], step["partitions"])
        return {}

    def op_delete_topic(self, step):
        admin.delete_topic(self.client, step["name"])
        return {}

    def op_add_partitions(self, step):
        admin.add_partitions(self.client, step["name"], step["count"])
        return {}

    def op_topic_partitions(self, step):
        return {"partitions": admin.topic_partitions(self.client, step["name"])}

    def op_set_racks(self, step):
        self.target.set_racks(step["name"], step["racks"])
        return {}

    def op_alter_group_config(self, step):
        self.client.close()
        code = self.target.configure(self.group, step["configs"])
        self.client = self.target.client(client_id=self.group)
        return {"ErrorCode": code}

    def op_offset_commit(self, step):
        fields = {"GroupId": self.group, "MemberId": step["MemberId"],
                  "GenerationIdOrMemberEpoch": self.resolve(step["MemberEpoch"])}
        answer = admin.commit_offset(self.client, fields, step["Topic"], step["Partition"], step["Offset"])
        return {"ErrorCode": answer["ErrorCode"]}

    def op_offset_fetch(self, step):
        group = admin.fetch_offset(self.client, self.group, step["Topic"], step["Partition"])
        if group["ErrorCode"] != 0:
            return {"ErrorCode": group["ErrorCode"]}
        return group["Topics"][0]["Partitions"][0]

    def op_delete_group(self, step):
        answer = self.client.call("DeleteGroups", 2, {"GroupsNames": [self.group]})
        return answer["Results"][0]

    def op_classic_join(self, step):
        answer = admin.join_classic(self.client, 9, {
            "GroupId": self.group, "SessionTimeoutMs": 30000, "RebalanceTimeoutMs": 30000, "ProtocolType": "consumer",
            "Protocols": [{"Name": "stream", "Metadata": b""}]})
        self.classic[step["as"]] = answer["MemberId"]
        return answer

    def op_classic_leave(self, step):
        return self.client.call("LeaveGroup", 5, {"GroupId": self.group,
                                                  "Members": [{"MemberId": self.classic[step["as"]]}]})

    def op_consumer_heartbeat(self, step):
        return self.client.call("ConsumerGroupHeartbeat", 1, {
            "GroupId": self.group, "MemberId": step["MemberId"], "MemberEpoch": step["MemberEpoch"],
            "RebalanceTimeoutMs": 60000, "SubscribedTopicNames": [step["Topic"]], "TopicPartitions": []})

    def op_restart_coordinator(self, step):
        self.client.close()
        self.target.restart()
        self.client = self.target.client(client_id=self.group)
        admin.find_coordinator(self.client, self.group)
        return {}

    def op_wait(self, step):
        time.sleep(step["ms"] / 1000)
        return {}


class Invariants:
    """Properties of the assignment over all members of a settled group."""

    def __init__(self, members, moved):
        self.members, self.moved = members, moved
        self.active = {n: m.tasks["ActiveTasks"] for n, m in members.items()}
        self.copies = {n: m.tasks["StandbyTasks"] | m.tasks["WarmupTasks"] for n, m in members.items()}

    def broken(self, invariant):
        """Texts; empty if it holds."""
        for mark in ("<=", "="):
            name, found, number = invariant.partition(mark)
            if found:
                value = self.figure(name)
                holds = value <= int(number) if mark == "<=" else value == int(number)
                return [] if holds else [f"{invariant} does not hold: {value}"]
        return getattr(self, invariant.replace("-", "_"))()

    def figure(self, name):
        counts = [len(tasks) for tasks in self.active.values()]
        totals = [len(self.active[n]) + len(self.copies[n]) for n in self.members]
        if name == "sub-spread":
            subtopologies = {s for tasks in self.active.values() for s, _ in tasks}
            return max((spread([sum(1 for s, _ in tasks if s == sub) for tasks in self.active.values()])
                        for sub in subtopologies), default=0)
        return {"tasks": sum(counts), "standbys": sum(len(t) for t in self.copies.values()), "moved": self.moved,
                "active-spread": spread(counts), "total-spread": spread(totals)}[name]

    def each_active_once(self):
        owners = {}
        for name, tasks in self.active.items():
            for task in tasks:
                owners.setdefault(task, []).append(name)
        return [f"task {task} is active at {', '.join(names)}" for task, names in owners.items() if len(names) > 1]

    def no_copy_beside_its_active(self):
        active = {(self.members[n].process, t) for n, tasks in self.active.items() for t in tasks}
        return [f"{n} holds a copy of {t} beside its active task" for n, tasks in self.copies.items() for t in tasks
                if (self.members[n].process, t) in active]

    def standbys_on_distinct_processes(self):
        places = [(self.members[n].process, t) for n, tasks in self.copies.items() for t in tasks]
        return [f"two copies of {t} on process {p}" for p, t in set(places) if places.count((p, t)) > 1]


def spread(counts):
    return max(counts, default=0) - min(counts, default=0)


def heartbeat_view(answer):
    """The answer with what expectations also name: counts, the set of status codes, endpoints."""
    counts = {role[:-1] + "Count": len(task_set(answer[role])) for role in ROLES}
    endpoints = answer["PartitionsByUserEndpoint"]
    return {**answer, **counts, "StatusCodes": sorted(s["StatusCode"] for s in answer["Status"] or ()),
            "EndpointCount": len(endpoints or ()), "PartitionsByUserEndpointIsNull": endpoints is None,
            **{f"{role}EndpointPartitions": partitions_of(endpoints or (), f"{role}Partitions")
               for role in ("Active", "Standby")}}


def partitions_of(endpoints, field):
    """How many partitions all endpoints together name in that list."""
    return sum(len(topic["Partitions"]) for endpoint in endpoints for topic in endpoint[field])


def flatten(value, path=""):
    """Nested answer -> dotted paths."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return {path: value}
    flat = {}
    for key, inner in items:
        flat.update(flatten(inner, f"{path}.{key}" if path else str(key)))
    return flat


def equal(key, expected, seen):
    """One expectation: a value, or a comparison such as {"gt": 1}."""
    if isinstance(expected, dict) and expected:
        tests = {"gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "lt": lambda a, b: a < b,
                 "le": lambda a, b: a <= b, "ne": lambda a, b: a != b, "in": lambda a, b: a in b}
        return all(tests[name](seen, value) for name, value in expected.items())
    if key in ROLES and expected is not None:
        return seen is not None and task_set(expected) == task_set(seen)
    if key in ("StatusCodes", "MemberIds"):
        return sorted(expected) == sorted(seen)
    return expected == seen


def show(key, seen):
    return sorted(task_set(seen)) if key in ROLES and seen is not None else seen
