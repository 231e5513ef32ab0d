"""Clients that change a Weir all the time and remember what was asked and what was answered, and when; and the
comparison of what a data folder holds with what they remember.

The times are those of CLOCK_MONOTONIC, so that they can be compared with a trace of the process.
"""
import bisect
import pathlib
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import admin  # noqa: E402
from wire import WireError, error_name  # noqa: E402

SETTINGS = {"group.streams.initial.rebalance.delay.ms": 0, "group.streams.assignment.interval.ms": 0}
TOPIC, PARTITIONS = "in", 4
COMMITTERS, CHANGERS = 3, 2
CONFIG, CONFIG_BASE, CONFIG_SPAN = "streams.session.timeout.ms", 45_000, 15_000
CONFIG_GROUP = "tuned"
TOPICS_MAX = 500
UNKNOWN_MEMBER = 25
TASK_ROLES = ("ActiveTasks", "StandbyTasks", "WarmupTasks")


class Over(Exception):
    """The load has been stopped."""


class Register:
    """A number that only grows: every value asked for and every value answered, each with its time."""

    def __init__(self):
        self.asked, self.answered = [], []

    def ask(self, value):
        self.asked.append((time.monotonic_ns(), value))

    def answer(self, value):
        self.answered.append((time.monotonic_ns(), value))

    @staticmethod
    def last(entries, at_ns):
        count = bisect.bisect_right(entries, at_ns, key=lambda entry: entry[0])
        return entries[count - 1][1] if count else 0

    def bounds(self, at_ns):
        """(at least, at most) what must hold at that time."""
        return self.last(self.answered, at_ns), self.last(self.asked, at_ns)


class Client(threading.Thread):
    """One client's thread. What it finds wrong is kept in `problem` and ends it."""

    def __init__(self, load, name):
        super().__init__(name=name, daemon=True)
        self.load, self.problem, self.answered = load, None, 0
        self.connection = None

    def run(self):
        try:
            while True:
                self.turn()
        except Over:
            pass
        except Exception as error:  # kept for the main thread, which ends the test with it
            self.problem = f"{self.name}: {type(error).__name__} {error}"
        finally:
            if self.connection is not None:
                self.connection.close()

    def call(self, api, version, fields, code_of):
        """Sends until it is answered by something other than "try again"."""
        while not self.load.over.is_set():
            try:
                if self.connection is None:
                    self.connection = self.load.weir.client(timeout=10)
                answer = self.connection.call(api, version, fields)
            except (OSError, WireError):
                if self.connection is not None:
                    self.connection.close()
                self.connection = None
                self.load.over.wait(0.01)
                continue
            if code_of(answer) not in admin.LOADING:
                self.answered += 1
                return answer
            self.load.over.wait(0.005)
        raise Over

    def heartbeat(self, group, member, epoch, **more):
        return self.call("StreamsGroupHeartbeat", 1, {"GroupId": group, "MemberId": member, "MemberEpoch": epoch,
                                                      **more}, lambda answer: answer["ErrorCode"])

    def enter(self, group, member):
        topology = {"Epoch": 0, "Subtopologies": [{"SubtopologyId": "0", "SourceTopics": [TOPIC]}]}
        answer = self.heartbeat(group, member, 0, RebalanceTimeoutMs=60_000, ProcessId=member, Topology=topology,
                                **{role: [] for role in TASK_ROLES})
        self.demand(answer["ErrorCode"], "join", answer["ErrorMessage"])
        return answer["MemberEpoch"]

    def demand(self, code, what, message=None):
        if code != 0:
            raise AssertionError(f"{what}: {error_name(code)} {message or ''}")


class Committer(Client):
    """Commits the next number for all partitions in one request, and heartbeats in between."""

    def __init__(self, load, number):
        super().__init__(load, f"commits-{number}")
        self.offset, self.epoch = Register(), None

    def turn(self):
        if self.epoch is None:
            self.epoch = self.enter(self.name, "m")
        wanted = self.offset.bounds(time.monotonic_ns())[1] + 1
        self.offset.ask(wanted)
        answer = self.call("OffsetCommit", 9, {
            "GroupId": self.name, "MemberId": "m", "GenerationIdOrMemberEpoch": self.epoch,
            "Topics": [{"Name": TOPIC, "Partitions": [{"PartitionIndex": n, "CommittedOffset": wanted,
                                                       "CommittedMetadata": ""} for n in range(PARTITIONS)]}]},
            self.code_of)
        self.demand(self.code_of(answer), "commit")
        self.offset.answer(wanted)
        steady = self.heartbeat(self.name, "m", self.epoch)
        self.demand(steady["ErrorCode"], "heartbeat", steady["ErrorMessage"])

    @staticmethod
    def code_of(answer):
        codes = {p["ErrorCode"] for topic in answer["Topics"] for p in topic["Partitions"]}
        if len(codes) > 1:
            raise AssertionError(f"one commit was answered with {codes}")
        return codes.pop()

    def check(self, state, at_ns):
        low, high = self.offset.bounds(at_ns)
        found = {state.offsets.get((self.name, TOPIC, n), 0) for n in range(PARTITIONS)}
        if len(found) > 1:
            return f"{self.name}: a commit is there by half: {sorted(found)}"
        value = found.pop()
        if not low <= value <= high:
            return f"{self.name}: offset {value}, but {low} had been answered and {high} asked for"
        return None


class Changer(Client):
    """Members of one group that join and leave, one after the other."""

    def __init__(self, load, number):
        super().__init__(load, f"changes-{number}")
        self.epoch, self.number = Register(), 0
        self.joining, self.joined, self.leaving, self.left = Register(), Register(), Register(), Register()

    def turn(self):
        self.number += 1
        member = f"m{self.number}"
        self.joining.answer(self.number)
        epoch = self.enter(self.name, member)
        if epoch <= self.epoch.bounds(time.monotonic_ns())[0]:
            raise AssertionError(f"epoch {epoch} after {self.epoch.answered[-1][1]} had been answered")
        self.epoch.answer(epoch)
        self.joined.answer(self.number)
        self.leaving.answer(self.number)
        answer = self.heartbeat(self.name, member, -1)
        if answer["ErrorCode"] != UNKNOWN_MEMBER:  # the answer to an earlier try was lost
            self.demand(answer["ErrorCode"], "leave", answer["ErrorMessage"])
        self.left.answer(self.number)

    def check(self, state, at_ns):
        epoch, low = state.epochs.get(self.name, 0), self.epoch.bounds(at_ns)[0]
        if epoch < low:
            return f"{self.name}: epoch {epoch}, but {low} had been answered"
        joining, joined, leaving, left = (r.bounds(at_ns)[0] for r in (self.joining, self.joined, self.leaving,
                                                                       self.left))
        present = {int(member[1:]) for group, member in state.members if group == self.name}
        if joined > leaving and joined not in present:
            return f"{self.name}: member {joined} is missing"
        wrong = {n for n in present if n <= left or n > joining}
        return f"{self.name}: members {sorted(wrong)} should not be there" if wrong else None


class TopicMaker(Client):
    """Creates topics, one after the other, up to a number."""

    def __init__(self, load):
        super().__init__(load, "topics")
        self.made = Register()

    def turn(self):
        number = self.made.bounds(time.monotonic_ns())[1] + 1
        if number > TOPICS_MAX:
            raise Over
        self.made.ask(number)
        answer = self.call("CreateTopics", 7, {"timeoutMs": 15_000, "Topics": [
            {"Name": f"t{number}", "NumPartitions": 1, "ReplicationFactor": 1}]}, self.code_of)
        if self.code_of(answer) != 36:  # TOPIC_ALREADY_EXISTS: the answer to an earlier try was lost
            self.demand(self.code_of(answer), "create topic")
        self.made.answer(number)
        self.load.over.wait(0.02)

    @staticmethod
    def code_of(answer):
        return answer["Topics"][0]["ErrorCode"]

    def check(self, state, at_ns):
        low, high = self.made.bounds(at_ns)
        found = {int(name[1:]) for name in state.topics if name != TOPIC}
        missing = set(range(1, low + 1)) - found
        if missing or any(n > high for n in found):
            return f"topics {sorted(missing)[:3]} are missing; {low} had been answered, {high} asked for"
        return None


class Tuner(Client):
    """Alters the settings of a group, one value after the other."""

    def __init__(self, load):
        super().__init__(load, "settings")
        self.value = Register()

    def turn(self):
        number = self.value.bounds(time.monotonic_ns())[1] + 1
        if number > CONFIG_SPAN:
            raise Over
        self.value.ask(number)
        answer = self.call("IncrementalAlterConfigs", 1, {"ValidateOnly": False, "Resources": [
            {"ResourceType": admin.GROUP_RESOURCE, "ResourceName": CONFIG_GROUP, "Configs": [
                {"Name": CONFIG, "ConfigOperation": admin.SET, "Value": str(CONFIG_BASE + number)}]}]},
            lambda got: got["Responses"][0]["ErrorCode"])
        self.demand(answer["Responses"][0]["ErrorCode"], "alter", answer["Responses"][0]["ErrorMessage"])
        self.value.answer(number)
        self.load.over.wait(0.005)

    def check(self, state, at_ns):
        low, high = self.value.bounds(at_ns)
        found = int(state.configs.get((CONFIG_GROUP, CONFIG), CONFIG_BASE)) - CONFIG_BASE
        return None if low <= found <= high else f"settings {found}, but {low} had been answered and {high} asked for"


class Load:
    """All clients of one Weir, which must be running with topic `in`."""

    def __init__(self, weir):
        self.weir, self.over = weir, threading.Event()
        with weir.client() as client:
            admin.create_topic(client, TOPIC, PARTITIONS)
        self.created_ns = time.monotonic_ns()
        self.clients = [*(Committer(self, n) for n in range(COMMITTERS)), *(Changer(self, n) for n in range(CHANGERS)),
                        TopicMaker(self), Tuner(self)]

    def start(self):
        for client in self.clients:
            client.start()

    def stop(self):
        self.over.set()
        for client in self.clients:
            client.join(20)

    def answers(self):
        return sum(client.answered for client in self.clients)

    def problem(self):
        return next((client.problem for client in self.clients if client.problem), None)

    def check(self, state, at_ns):
        """What the state lacks of what had been answered at that time, or has by half; None if all is well."""
        if TOPIC not in state.topics and at_ns >= self.created_ns:
            return f"topic {TOPIC} is missing"
        return next(filter(None, (client.check(state, at_ns) for client in self.clients)), None)


class State:
    """What weir_image_state said about a folder."""

    def __init__(self, text):
        self.epochs, self.members, self.offsets, self.topics, self.configs = {}, set(), {}, set(), {}
        for words in map(str.split, text.splitlines()):
            if words[0] == "group":
                self.epochs[words[1]] = int(words[2])
            elif words[0] == "member":
                self.members.add((words[1], words[2]))
            elif words[0] == "offset":
                self.offsets[words[1], words[2], int(words[3])] = int(words[4])
            elif words[0] == "topic":
                self.topics.add(words[1])
            elif words[0] == "config":
                self.configs[words[1], words[2]] = words[3]


def read_folder(program, folder):
    """(State, None), or (None, why) if the folder cannot be opened or holds something by half."""
    ended = subprocess.run([program, folder], capture_output=True, check=False, timeout=120)
    said = ended.stderr.decode(errors="replace").strip()
    if ended.returncode != 0:
        return None, said.splitlines()[-1] if said else f"status {ended.returncode}"
    try:
        return State(ended.stdout.decode()), None
    except (ValueError, IndexError) as error:  # torn pages can still open and hold names that nobody wrote
        return None, f"holds what nobody wrote: {error}"


def programs(binary):
    """(weir_image_state, weir_disk_shim.so) beside a weir binary."""
    folder = pathlib.Path(binary).resolve().parent / "bin"
    return folder / "weir_image_state", folder / "weir_disk_shim.so"
