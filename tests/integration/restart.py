"""Kills of Weir are no event for a group: members that keep heartbeating across 20 of them keep epochs and tasks.

Two settled groups heartbeat all the time; a third one changes all the time, with joins, leaves and commits, so that
kills also hit writes: whatever was answered before a kill must still hold after it.

    python3 tests/integration/restart.py [--kills 20] [--seed 1] [--binary build/release/weir]
"""
import argparse
import pathlib
import random
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))

import admin  # noqa: E402
from case_steps import ROLES, MemberView  # noqa: E402
from ports import wait_until  # noqa: E402
from weir import BINARY, Weir  # noqa: E402
from wire import WireError, error_name  # noqa: E402

SETTINGS = {"group.streams.initial.rebalance.delay.ms": 0, "group.streams.assignment.interval.ms": 0,
            "group.streams.num.standby.replicas": 1}
TOPIC, CHANGELOG, PARTITIONS = "in", "store-changelog", 12
SETTLED = {"settled": 4, "stateless": 3}
CHANGING = "changing"
KILL_WITHIN_SECONDS = 0.4
ROUND_SECONDS = 20
PAUSE_SECONDS = 0.01


def topology(stateful):
    changelogs = [{"Name": CHANGELOG, "Partitions": 0, "ReplicationFactor": 1}] if stateful else []
    return {"Epoch": 0, "Subtopologies": [{"SubtopologyId": "0", "SourceTopics": [TOPIC],
                                           "StateChangelogTopics": changelogs}]}


class Caller:
    """A client that survives the server: it connects again and repeats what had no answer."""

    def __init__(self, weir, over):
        self.weir, self.over, self.connection = weir, over, None

    def call(self, send):
        """`send(client)` until it is answered; None once the test is over."""
        while not self.over.is_set():
            try:
                if self.connection is None:
                    self.connection = self.weir.client(timeout=10)
                answer = send(self.connection)
            except (OSError, WireError):
                if self.connection is not None:
                    self.connection.close()
                self.connection = None
                self.over.wait(0.02)
                continue
            if answer.get("ErrorCode") not in admin.LOADING:
                return answer
            self.over.wait(0.02)
        return None

    def heartbeat(self, fields):
        return self.call(lambda client: client.call("StreamsGroupHeartbeat", 1, fields))


class Runner(threading.Thread):
    """A client's thread; what it finds wrong is kept in `problem` and ends it."""

    def __init__(self, weir, over, name):
        super().__init__(name=name, daemon=True)
        self.caller, self.over, self.problem = Caller(weir, over), over, None
        self.answered = 0

    def run(self):
        try:
            while not self.over.is_set():
                self.turn()
                self.over.wait(PAUSE_SECONDS)
        except Exception as error:  # kept for the main thread, which ends the test with it
            self.problem = f"{self.name}: {error}"


class Settled(Runner):
    """A member of a settled group: nothing may ever change for it."""

    def __init__(self, weir, over, group, number):
        super().__init__(weir, over, f"{group}-{number}")
        self.group, self.view = group, MemberView()

    def fields(self, join=False):
        fields = {"GroupId": self.group, "MemberId": self.name, "MemberEpoch": self.view.epoch,
                  "EndpointInformationEpoch": 0, **self.view.held()}
        if join:
            fields.update(MemberEpoch=0, RebalanceTimeoutMs=60000, ProcessId=f"process-{self.name}",
                          Topology=topology(self.group == "settled"), **{role: [] for role in ROLES})
        return fields

    def beat(self, join=False):
        fields = self.fields(join)
        answer = self.caller.heartbeat(fields)
        if answer is not None:
            if answer["ErrorCode"]:
                raise AssertionError(f"refused: {error_name(answer['ErrorCode'])} {answer['ErrorMessage']}")
            self.view.learn(fields, answer)
            self.answered += 1
        return answer

    def turn(self):
        before = self.view.epoch, self.view.held()
        answer = self.beat()
        if answer is not None and (self.view.epoch, self.view.held()) != before:
            raise AssertionError(f"{before} became {(self.view.epoch, self.view.held())}")
        if answer is not None and answer["Status"]:
            raise AssertionError(f"status {answer['Status']}")


class Changing(Runner):
    """Joins with a new member id, commits an offset, leaves again; keeps what was answered."""

    def __init__(self, weir, over):
        super().__init__(weir, over, CHANGING)
        self.number, self.epoch, self.offset, self.unsure = 0, 0, 0, False

    def turn(self):
        self.number += 1
        member = f"member-{self.number}"
        answer = self.caller.heartbeat({
            "GroupId": CHANGING, "MemberId": member, "MemberEpoch": 0, "RebalanceTimeoutMs": 60000,
            "ProcessId": "changing", "Topology": topology(False), **{role: [] for role in ROLES}})
        self.keep(answer, "join")
        self.commit(member, answer)
        self.keep(self.caller.heartbeat({"GroupId": CHANGING, "MemberId": member, "MemberEpoch": -1}), "leave")

    def keep(self, answer, what):
        if answer is None:
            return
        # A leave whose answer was lost in a kill is repeated, and then finds no member.
        if answer["ErrorCode"] and not (what == "leave" and answer["ErrorCode"] == 25):
            raise AssertionError(f"{what} refused: {error_name(answer['ErrorCode'])} {answer['ErrorMessage']}")
        if answer["MemberEpoch"] > 0:
            if answer["MemberEpoch"] <= self.epoch:
                raise AssertionError(f"epoch {answer['MemberEpoch']} after {self.epoch} had been answered")
            self.epoch = answer["MemberEpoch"]
        self.answered += 1

    def commit(self, member, joined):
        if joined is None:
            return
        wanted = self.offset + 1
        answer = self.caller.call(lambda client: client.call("OffsetCommit", 9, {
            "GroupId": CHANGING, "MemberId": member, "GenerationIdOrMemberEpoch": joined["MemberEpoch"],
            "Topics": [{"Name": TOPIC, "Partitions": [
                {"PartitionIndex": 0, "CommittedOffset": wanted, "CommittedMetadata": ""}]}]}))
        if answer is not None:
            code = answer["Topics"][0]["Partitions"][0]["ErrorCode"]
            if code not in (0, *admin.LOADING):
                raise AssertionError(f"commit refused: {error_name(code)}")
            self.offset = wanted if code == 0 else self.offset


def settle(weir, members):
    """All members join; then they heartbeat until both groups are stable. Returns their descriptions."""
    for member in members:
        member.beat(join=True)
    with weir.client() as client:
        def stable():
            for member in members:
                member.beat()
            return all(admin.describe_group(client, group)["GroupState"] == "Stable" for group in SETTLED)
        wait_until(stable, ROUND_SECONDS, "both groups are stable")
        return {group: facts(admin.describe_group(client, group)) for group in SETTLED}


def facts(description):
    """What must not change: state, epochs, and each member's epoch and tasks."""
    members = {m["MemberId"]: (m["MemberEpoch"], {role: sorted((t["SubtopologyId"], tuple(t["Partitions"]))
                                                               for t in m["Assignment"][role]) for role in ROLES})
               for m in description["Members"]}
    return {key: description[key] for key in ("GroupState", "GroupEpoch", "AssignmentEpoch")} | {"members": members}


def check_round(weir, expected, changing):
    """After a restart: what had been answered before it still holds."""
    with weir.client() as client:
        for group, before in expected.items():
            now = facts(admin.describe_group(client, group))
            if now != before:
                raise AssertionError(f"group {group} was {before} and is {now}")
        epoch, offset = changing
        now = admin.describe_group(client, CHANGING)
        if epoch and now["GroupEpoch"] < epoch:
            raise AssertionError(f"epoch {epoch} had been answered; the group is at {now['GroupEpoch']}")
        answer = client.call("OffsetFetch", 9, {"Groups": [
            {"GroupId": CHANGING, "Topics": [{"Name": TOPIC, "PartitionIndexes": [0]}]}]})
        found = answer["Groups"][0]["Topics"][0]["Partitions"][0]["CommittedOffset"]
        if found < offset:
            raise AssertionError(f"offset {offset} had been committed; the group has {found}")


def kill_once(weir, runners, expected, chance):
    changer = runners[-1]
    time.sleep(chance.uniform(0, KILL_WITHIN_SECONDS))
    known = changer.epoch, changer.offset
    weir.kill()
    weir.start()
    check_round(weir, expected, known)
    marks = {runner: runner.answered for runner in runners}

    def all_answered():
        problem = next((r.problem for r in runners if r.problem), None)
        if problem:
            raise AssertionError(problem)
        return all(runner.answered > mark for runner, mark in marks.items())
    wait_until(all_answered, ROUND_SECONDS, "every client is answered after the restart")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--binary", default=BINARY)
    options = parser.parse_args()
    chance, over = random.Random(options.seed), threading.Event()
    passed, failure = 0, None
    with Weir(SETTINGS, options.binary) as weir:
        with weir.client() as client:
            admin.create_topic(client, TOPIC, PARTITIONS)
            admin.create_topic(client, CHANGELOG, PARTITIONS)
        members = [Settled(weir, over, group, n) for group, count in SETTLED.items() for n in range(count)]
        expected = settle(weir, members)
        runners = [*members, Changing(weir, over)]
        for runner in runners:
            runner.start()
        try:
            for _ in range(options.kills):
                kill_once(weir, runners, expected, chance)
                passed += 1
        except (AssertionError, RuntimeError, TimeoutError, OSError, WireError) as error:
            failure = f"FAILED after {passed} kills (seed {options.seed}): {error}\n{weir.process.tail()}"
        over.set()
        for runner in runners:
            runner.join(15)
        if failure is None:
            weir.stop()
    if failure:
        print(failure)
    print(f"{sum(r.answered for r in runners)} answers over {passed} kills; the changing group reached epoch "
          f"{runners[-1].epoch}")
    print(f"{passed} passed, {int(failure is not None)} failed")
    return 1 if failure else 0


if __name__ == "__main__":
    sys.exit(main())
