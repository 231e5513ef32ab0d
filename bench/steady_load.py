"""Many members that send steady heartbeats at a fixed rate, or as fast as they are answered, and how long each answer
takes. For measurements; what is asked in the measured time is made beforehand.
"""
import array
import collections
import gc
import multiprocessing
import os
import random
import select
import socket
import struct
import time
import uuid

from wire import request_frame

API, VERSION = "StreamsGroupHeartbeat", 1
TOPIC = "text-lines"
ROLES = ("ActiveTasks", "StandbyTasks", "WarmupTasks")
AT_ONCE = 100
SETTLING_ROUNDS = 60
CORRELATION = slice(8, 12)  # of a request, after its length, key and version
ERROR = struct.Struct(">h")
ERROR_AT = 4 + 4 + 1 + 4  # of an answer: length, correlation id, no tagged fields, throttle time
PRIORITY = -10  # of who measures: otherwise it would wait for a processor and call that the server's time


class Member:
    """One stream thread of an application with so many subtopologies over one topic each."""

    def __init__(self, group, process, subtopologies, client_offsets=False):
        self.group, self.id, self.process = group, str(uuid.uuid4()), process
        self.subtopologies, self.reports = subtopologies, client_offsets
        self.epoch, self.tasks, self.endpoints = 0, {role: [] for role in ROLES}, -1
        self.is_settled = False

    def request(self):
        fields = {"GroupId": self.group, "MemberId": self.id, "MemberEpoch": self.epoch, **self.tasks,
                  "EndpointInformationEpoch": self.endpoints}
        if self.reports and self.epoch > 0:
            fields.update(TaskOffsets=self.offsets(90_000), TaskEndOffsets=self.offsets(100_000))
        if self.epoch == 0:
            fields.update(RebalanceTimeoutMs=300_000, ProcessId=self.process, ClientTags=[], Topology={
                "Epoch": 0, "Subtopologies": [
                    {"SubtopologyId": str(n), "SourceTopics": [topic(n)], "StateChangelogTopics": [
                        {"Name": f"{self.group}-{n}-changelog"}] if self.reports else []}
                    for n in range(self.subtopologies)]})
        return fields

    def offsets(self, offset):
        return [{"SubtopologyId": tasks["SubtopologyId"], "Partition": partition, "Offset": offset + partition}
                for role in ROLES for tasks in self.tasks[role] for partition in tasks["Partitions"]]

    def take(self, answer):
        """Follows the answer. It is settled when that brings nothing new."""
        if answer["ErrorCode"] != 0:
            raise RuntimeError(f"heartbeat of {self.id}: {answer['ErrorCode']} {answer['ErrorMessage']}")
        before = self.epoch
        self.epoch, self.endpoints = answer["MemberEpoch"], answer["EndpointInformationEpoch"]
        news = [role for role in ROLES if answer[role] is not None]
        for role in news:
            self.tasks[role] = answer[role]
        self.is_settled = not news and self.epoch == before and not answer["Status"]

    def steady_frame(self):
        """What it sends while nothing happens."""
        return request_frame(API, VERSION, {
            "GroupId": self.group, "MemberId": self.id, "MemberEpoch": self.epoch, "EndpointInformationEpoch":
            self.endpoints, **dict.fromkeys((*ROLES, "Topology", "TaskOffsets", "TaskEndOffsets"))}, 0)


def topic(number):
    return f"{TOPIC}-{number}"


def join(client, members):
    """Has all members join and heartbeat until each group is as it will stay."""
    moving = members
    for _ in range(SETTLING_ROUNDS):
        for first in range(0, len(moving), AT_ONCE):
            part = moving[first:first + AT_ONCE]
            numbers = [client.send(API, VERSION, member.request()) for member in part]
            for member, number in zip(part, numbers):
                member.take(client.receive(API, VERSION, number))
        newest = collections.defaultdict(int)
        for member in members:
            newest[member.group] = max(newest[member.group], member.epoch)
        moving = [member for member in members if not member.is_settled or member.epoch < newest[member.group]
                  or not newest[member.group]]
        if not moving:
            return
        time.sleep(0.1)
    raise RuntimeError(f"{len(moving)} members do not settle")


class Load:
    """A process that sends the members' heartbeats. `rate` a second, evenly, over `connections`; 0 = closed loop, each
    connection sends the next when the one before is answered. Times are those of CLOCK_MONOTONIC in nanoseconds."""

    def __init__(self, address, members, rate, connections):
        frames = [member.steady_frame() for member in members]
        random.Random(1).shuffle(frames)
        self._ours, theirs = multiprocessing.Pipe()
        self._child = multiprocessing.Process(target=run, args=(theirs, address, frames, rate, connections),
                                              daemon=True)
        self._child.start()
        theirs.close()

    def stop(self):
        """[(when it was answered, nanoseconds it took)], and the lateness of the sender in nanoseconds, sorted."""
        self._ours.send("stop")
        when, took, late = (array.array("q", self._ours.recv_bytes()) for _ in range(3))
        self._child.join(30)
        return list(zip(when, took)), sorted(late)


class Connection:
    """One socket with the send times of what is not answered, in order."""

    def __init__(self, address):
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.waiting, self.rest = collections.deque(), b""

    def send(self, frame):
        self.waiting.append(time.monotonic_ns())
        self.socket.sendall(frame)

    def receive(self, when, took):
        """Reads what is there; the number of answers."""
        data = self.rest + self.socket.recv(1 << 18)
        now, at, count = time.monotonic_ns(), 0, 0
        while len(data) - at >= 4:
            size = int.from_bytes(data[at:at + 4], "big") + 4
            if len(data) - at < size:
                break
            code = ERROR.unpack_from(data, at + ERROR_AT)[0]
            if code != 0:
                raise RuntimeError(f"a heartbeat was answered {code}")
            when.append(now)
            took.append(now - self.waiting.popleft())
            at, count = at + size, count + 1
        self.rest = data[at:]
        return count


def run(control, address, frames, rate, connections):
    """The process of a Load."""
    gc.disable()
    os.nice(PRIORITY)
    sending = [Connection(address) for _ in range(connections)]
    poll = select.epoll()
    by_number = {}
    for one in sending:
        poll.register(one.socket.fileno(), select.EPOLLIN)
        by_number[one.socket.fileno()] = one
    poll.register(control.fileno(), select.EPOLLIN)
    results = tuple(array.array("q") for _ in range(3))
    if rate:
        drive(poll, by_number, frames, rate, results)
    else:
        drive_closed(poll, by_number, frames, results)
    for one in results:
        control.send_bytes(one.tobytes())


def drive(poll, by_number, frames, rate, results):
    """Heartbeat n is due n / rate seconds after the start. Ends with what comes from no connection."""
    when, took, late = results
    sending = list(by_number.values())
    pause = 1_000_000_000 // rate
    start, sent = time.monotonic_ns(), 0
    while True:
        now = time.monotonic_ns()
        while start + sent * pause <= now:
            late.append(now - start - sent * pause)
            sending[sent % len(sending)].send(frames[sent % len(frames)])
            sent += 1
        left = (start + sent * pause - time.monotonic_ns()) / 1e9
        for number, _ in poll.poll(max(0.0, left)):
            if number not in by_number:
                return
            by_number[number].receive(when, took)


def drive_closed(poll, by_number, frames, results):
    when, took, _ = results
    sent = 0
    for one in by_number.values():
        one.send(frames[sent % len(frames)])
        sent += 1
    while True:
        for number, _ in poll.poll():
            if number not in by_number:
                return
            one = by_number[number]
            for _ in range(one.receive(when, took)):
                one.send(frames[sent % len(frames)])
                sent += 1
