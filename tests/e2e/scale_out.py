"""How long tasks of a real application stand still when it grows, and when an instance is killed.

    python3 tests/e2e/scale_out.py                                   everything, one after the other
    python3 tests/e2e/scale_out.py --runs 3.9.1/grow --binary ...    one of them

A Kafka Streams 4.4 application with a store of 200,000 keys in 8 tasks runs through the gateway and gets constant
input. grow: from one instance to three, with `highly_available`. kill: of two instances with a standby of each task one
is killed with SIGKILL. grow-sticky and grow-sticky-warm: as grow with `sticky`, without warm-ups (what Kafka does) and
with them; figures only. A task stands still from one output record to the next, by the times at which the broker
appended them, less the longest time between two records of its input. Growing must stop no task for longer than a
heartbeat interval and a second; after a kill the tasks must go on from the standby: within the session time-out, two
heartbeat intervals and a second, with next to nothing restored. One run at a time, and better on a machine that does
little else. Logs stay in build/e2e/logs.
"""
import argparse
import contextlib
import json
import re
import sys
import time

from e2e import LOGS, SESSION, START_SECONDS, Site, build_app

import admin
from broker import VERSIONS, jars
from checks import Checks
from ports import wait_until
from weir import BINARY
from wire import ROOT

HA, STICKY = {"group.streams.assignors": "highly_available"}, {"group.streams.assignors": "sticky"}
KINDS = {"grow": HA, "kill": {**HA, "group.streams.num.standby.replicas": 1},
         "grow-sticky": {**STICKY, "group.streams.num.warmup.replicas": 0}, "grow-sticky-warm": STICKY}
RUNS = tuple(f"{version}/{kind}" for version in reversed(VERSIONS) for kind in KINDS)
APPLICATION = "values"
INPUT, OUTPUT = "values-in", "values-out"
PARTITIONS, THREADS = 8, 2
KEYS, PER_SECOND = 200_000, 400
SETTLED_RECORDS = 8 * PER_SECOND
FILL_SECONDS, MOVE_SECONDS = 240, 180
HEARTBEAT_MS = SESSION["group.streams.heartbeat.interval.ms"]
SESSION_MS = SESSION["group.streams.session.timeout.ms"]
GROW_MS = HEARTBEAT_MS + 1000
KILL_MS = SESSION_MS + 2 * HEARTBEAT_MS + 1000
RESTORED_MAX = KEYS // 100
LEAD_MS = 2000  # before the move: a task that stops at once had put something out before


def now_ms():
    return int(time.time() * 1000)


class Run(Site):
    """One application on one broker, from its first instance to the figures."""

    def __init__(self, name, binary):
        version, self.kind = name.split("/")
        super().__init__(version, LOGS / f"scale-out-{name.replace('/', '-')}", binary)

    def instance(self, number):
        name = f"instance-{number}"
        return self.java(name, "StoreApp", self.bootstrap, APPLICATION, self.folder / name)

    def measure(self):
        """Figures of the move by name, and the gaps of the same length of time before it."""
        self.start_servers(KINDS[self.kind])
        with self.client() as client:
            for topic in (INPUT, OUTPUT):
                admin.create_topic(client, topic, PARTITIONS, {"message.timestamp.type": "LogAppendTime"})
        instances = 2 if self.kind == "kill" else 1
        for number in range(1, instances + 1):
            self.instance(number).wait_for("-> RUNNING", START_SECONDS)
        feed = self.java("feed", "Feed", self.bootstrap, KEYS, PER_SECOND, talks=True)
        feed.wait_for("filled", FILL_SECONDS)
        self.await_committed(KEYS)
        self.await_even(instances)
        if self.kind == "kill":
            self.await_standbys(instances)
        feed.say("go")
        self.note("constant input")
        self.await_committed(self.committed(APPLICATION) + SETTLED_RECORDS)
        begin = now_ms()
        self.await_committed(self.committed(APPLICATION) + SETTLED_RECORDS)
        moved, restored_before = now_ms(), self.restored()
        figures = self.kill() if self.kind == "kill" else self.grow()
        self.await_committed(self.committed(APPLICATION) + SETTLED_RECORDS)
        end = now_ms()
        feed.say("stop")
        feed.wait_for("sent ", START_SECONDS)
        calm = self.gaps("before", begin, moved)
        return {**self.gaps("move", moved - LEAD_MS, end), "stop_ms_before": calm["stop_ms"], **figures,
                "restored": self.restored() - restored_before, "seconds": (end - moved) / 1000}

    def await_committed(self, records):
        wait_until(lambda: self.committed(APPLICATION) >= records, FILL_SECONDS, f"{records} records are processed",
                   pause=0.3)

    def grow(self):
        """Two more instances; until every task is where it shall be."""
        begin = time.monotonic()
        for number in (2, 3):
            self.instance(number)
        for number in (2, 3):
            self.processes[f"instance-{number}"].wait_for("-> RUNNING", MOVE_SECONDS)
        group = self.await_even(3)
        self.note("three instances run")
        return {"settled_s": time.monotonic() - begin, "epoch": group["GroupEpoch"]}

    def kill(self):
        begin = time.monotonic()
        self.processes["instance-1"].kill()
        self.note("instance-1 killed")
        group = self.await_even(1)
        return {"settled_s": time.monotonic() - begin, "epoch": group["GroupEpoch"]}

    def await_even(self, instances):
        """Waits until every thread has its share, nothing warms up and the group is stable; its description."""
        members = instances * THREADS
        share = (PARTITIONS // members, -(-PARTITIONS // members))

        def even():
            group = self.group(APPLICATION)
            if group["GroupState"] != "Stable" or len(group["Members"]) != members:
                return None
            held = [member["Assignment"] for member in group["Members"]]
            counts = [sum(len(t["Partitions"]) for t in h["ActiveTasks"]) for h in held]
            is_even = min(counts) >= share[0] and max(counts) <= share[1] and sum(counts) == PARTITIONS
            return group if is_even and not any(h["WarmupTasks"] for h in held) else None
        return wait_until(even, MOVE_SECONDS, f"the tasks are spread over {members} threads", pause=0.3)

    def await_standbys(self, instances):
        """Waits until each task has a copy that once had nothing left to read, and all of it has been reported."""
        def copied():
            said = "\n".join(self.processes[f"instance-{n}"].output() for n in range(1, instances + 1))
            return len(set(re.findall(r"standby (\d+) caught up", said))) == PARTITIONS
        wait_until(copied, MOVE_SECONDS, "the standbys have caught up", pause=0.3)
        self.note("standbys have caught up")

    def gaps(self, name, begin, end):
        """Worst of all tasks between two times."""
        reader = self.java(f"gaps-{name}", "Gaps", self.bootstrap, PARTITIONS, begin, end)
        status = reader.wait(START_SECONDS)
        rows = re.findall(r"partition (\d+) output (\d+) gap (\d+) input (\d+) late (\d+)", reader.output())
        if status != 0 or len(rows) != PARTITIONS or any(int(row[1]) == 0 for row in rows):
            raise RuntimeError(f"no gaps:\n{reader.tail()}")
        stops = sorted(max(0, int(gap) - int(between)) for _, _, gap, between, _ in rows)
        return {"stop_ms": stops[-1], "stop_ms_median": stops[len(stops) // 2], "late_ms": max(int(r[4]) for r in rows)}

    def note_group(self):
        """What Weir knows of the group, for whoever looks into a failure."""
        if self.weir is not None and self.weir.process.alive():
            (self.logs / "group.json").write_text(json.dumps(self.weir.http(f"/v1/groups/{APPLICATION}")[1], indent=1))

    def restored(self):
        """Records that instance 2, and 3, restored so far for tasks that they were to run."""
        return sum(int(count) for name in ("instance-2", "instance-3") if name in self.processes
                   for count in re.findall(r"^restored \d+ (\d+)$", self.processes[name].output(), re.MULTILINE))


def judge(checks, name, figures):
    kind = name.split("/")[1]
    text = ", ".join(f"{key} {value:.1f}" if isinstance(value, float) else f"{key} {value}"
                     for key, value in figures.items())
    if kind == "grow":
        checks.count(f"{name}: no task stops for longer than {GROW_MS} ms ({text})", figures["stop_ms"] <= GROW_MS)
    elif kind == "kill":
        checks.count(f"{name}: tasks go on within {KILL_MS} ms ({text})", figures["stop_ms"] <= KILL_MS)
        checks.count(f"{name}: no store is restored", figures["restored"] <= RESTORED_MAX,
                     f"{figures['restored']} records")
    else:
        checks.count(f"{name}: all tasks run in the end ({text})", True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", help=f"of {', '.join(RUNS)}", default=None)
    parser.add_argument("--binary", default=BINARY, help="the weir to start (default build/release/weir)")
    options = parser.parse_args()
    runs = options.runs.split(",") if options.runs else RUNS
    unknown = set(runs) - set(RUNS)
    if unknown:
        parser.error(f"no such run: {', '.join(sorted(unknown))}")
    build_app()
    for version in sorted({run.split("/")[0] for run in runs}):
        jars(version)
    checks = Checks()
    for name in runs:
        with contextlib.closing(Run(name, options.binary)) as run:
            try:
                judge(checks, name, run.measure())
            except Exception as error:  # the other runs go on
                run.note_group()
                checks.count(name, False, f"{type(error).__name__}: {error}\n" + "\n".join(run.notes)
                             + f"\n{run.tails()}\nlogs: {run.logs.relative_to(ROOT)}")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
