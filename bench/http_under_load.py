"""How fast the admin API answers what its page asks while heartbeats run, and what that costs the heartbeats.

    python3 bench/http_under_load.py [--binary build/release/weir] [--groups 10000] [--rounds 12] [--closed]

One Weir with many groups of three members and one group of 1,000 members with 2,000 tasks and a standby of each; all of
them send heartbeats. Rounds without and with open pages alternate, since the speed of a machine changes: the figure is
the ratio of the two. Then the documents of the page are asked for one after the other, as fast as they come, to see how
long each takes under that load. With --closed the heartbeats come as fast as they are answered, which leaves no
processor idle; without it at the rate at which that many members send them. Prints "N passed, N failed" over the goals.
"""
import argparse
import collections
import http.client
import pathlib
import random
import statistics
import sys
import threading
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import admin  # noqa: E402
import steady_load  # noqa: E402
from checks import Checks  # noqa: E402
from weir import BINARY, Weir  # noqa: E402

SETTINGS = {"group.streams.initial.rebalance.delay.ms": 3000, "group.streams.assignment.interval.ms": 0,
            "group.streams.max.session.timeout.ms": 1_800_000, "group.streams.session.timeout.ms": 1_800_000,
            "log.level": "warn"}
LARGE, LARGE_MEMBERS, LARGE_PARTS, LARGE_PARTITIONS, THREADS = "large", 1_000, 20, 100, 4
MEMBERS, INTERVAL_SECONDS = 3, 5
CONNECTIONS, CLOSED_CONNECTIONS = 300, 64
PAGES = 3  # of the list, and as many of the large group
LIST_SECONDS, COUNT_SECONDS, GROUP_SECONDS = 5, 30, 10  # as groups.js and api.js ask
ASK_ROUNDS = 60
MOMENTS = random.Random(1)
LIST_GOAL_MS, GROUP_GOAL_MS, GROWTH_GOAL = 50, 100, 1.10
LISTS = {"first page": "/v1/groups?limit=100", "by prefix": "/v1/groups?limit=100&prefix=many-0500",
         "by state, all": "/v1/groups?limit=100&state=Stable", "by state, none": "/v1/groups?limit=100&state=NotReady"}
GROUP_DOCUMENTS = {"group": f"/v1/groups/{LARGE}", "timeline": f"/v1/groups/{LARGE}/timeline?limit=50",
                   "topology": f"/v1/groups/{LARGE}/topology"}
COUNTS = {"counts": "/metrics"}


class Http:
    """One connection that is kept, and asks as a browser does."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def get(self, path):
        """(milliseconds until the whole answer was there, its bytes on the wire)."""
        began = time.monotonic_ns()
        self.connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: HTTP {answer.status} {body[:200]}")
        return (time.monotonic_ns() - began) / 1e6, len(body)


class Pages:
    """PAGES browsers with the list and as many with the large group, for as long as the context lasts. They have been
    open for a while: each asks next at a moment of its own within its interval."""

    def __init__(self, port):
        self.port, self.over, self.threads = port, threading.Event(), []

    def __enter__(self):
        for _ in range(PAGES):
            for path, seconds in ((LISTS["first page"], LIST_SECONDS), (COUNTS["counts"], COUNT_SECONDS),
                                  (GROUP_DOCUMENTS["group"], GROUP_SECONDS)):
                wait = MOMENTS.uniform(0, seconds)
                self.threads.append(threading.Thread(target=self.run, args=(path, seconds, wait), daemon=True))
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def run(self, path, seconds, wait):
        client = Http(self.port)
        while not self.over.wait(wait):
            client.get(path)
            wait = seconds


def set_up(weir, groups):
    """All members, settled."""
    subtopologies = max(LARGE_PARTS, 1)
    with weir.client() as client:
        for number in range(subtopologies):
            admin.create_topic(client, steady_load.topic(number), LARGE_PARTITIONS if number else 20)
        admin.find_coordinator(client, LARGE)
        admin.alter_group_config(client, LARGE, {"streams.num.standby.replicas": 1})
        small = [steady_load.Member(f"many-{n // MEMBERS:05}", str(uuid.uuid4()), 1) for n in range(groups * MEMBERS)]
        processes = [str(uuid.uuid4()) for _ in range(LARGE_MEMBERS // THREADS)]
        large = [steady_load.Member(LARGE, processes[n // THREADS], LARGE_PARTS, client_offsets=True)
                 for n in range(LARGE_MEMBERS)]
        began = time.monotonic()
        steady_load.join(client, large)
        steady_load.join(client, small)
        print(f"{len(small) + len(large):,} members in {groups + 1:,} groups settled in "
              f"{time.monotonic() - began:.0f} s", flush=True)
    return small + large


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def figures(values):
    return (f"p50 {percentile(values, 0.5):8.2f}  p99 {percentile(values, 0.99):8.2f}  "
            f"max {max(values):8.2f} ms of {len(values):,}")


def alternate(weir, rounds, seconds):
    """[(with pages, from, to)]; each round has both, in turns first."""
    spans = []
    for number in range(rounds):
        for with_pages in ((False, True) if number % 2 == 0 else (True, False)):
            began = time.monotonic_ns()
            if with_pages:
                with Pages(weir.http_port) as pages:
                    pages.over.wait(seconds)
            else:
                threading.Event().wait(seconds)
            spans.append((with_pages, began, time.monotonic_ns()))
    return spans


def ask(weir, paths):
    """{name: milliseconds of each answer}, with one client that asks for all in turn."""
    client, took, sizes = Http(weir.http_port), collections.defaultdict(list), {}
    began = time.monotonic_ns()
    for _ in range(ASK_ROUNDS):
        for name, path in paths.items():
            milliseconds, sizes[name] = client.get(path)
            took[name].append(milliseconds)
    for name, values in took.items():
        print(f"  GET {name:15} {figures(values)}, {sizes[name]:,} bytes", flush=True)
    return took, (began, time.monotonic_ns())


def within(samples, began, ended):
    return [took / 1e6 for when, took in samples if began <= when < ended]


def judge(checks, samples, spans, asked, busy):
    """Prints what was measured and counts the goals."""
    by_kind = {kind: [within(samples, *span) for with_pages, *span in spans if with_pages == kind]
               for kind in (False, True)}
    for kind, words in ((False, "without pages"), (True, "with pages   ")):
        print(f"  heartbeats {words} {figures([one for part in by_kind[kind] for one in part])}")
    ratios = [percentile(b, 0.99) / percentile(a, 0.99) for a, b in zip(by_kind[False], by_kind[True])]
    print("  heartbeats while documents are asked for without a pause "
          f"{figures([one for span in busy for one in within(samples, *span)])}")
    growth = statistics.median(ratios)
    print(f"  p99 with pages / without, by round: {' '.join(f'{one:.2f}' for one in ratios)}; median {growth:.3f}")
    checks.count(f"p99 of heartbeats grows by {100 * (growth - 1):.1f} % (goal below 10)", growth < GROWTH_GOAL)
    for names, goal in ((LISTS, LIST_GOAL_MS), (GROUP_DOCUMENTS, GROUP_GOAL_MS)):
        for name in names:
            median = percentile(asked[name], 0.5)
            checks.count(f"{name}: median {median:.1f} ms (goal below {goal})", median < goal)


def measure(weir, members, options, checks):
    rate = 0 if options.closed else len(members) // INTERVAL_SECONDS
    print(f"{'closed loop' if options.closed else f'{rate:,} heartbeats a second'}, {options.rounds} rounds of "
          f"{options.seconds} s without and with {PAGES} pages of the list and {PAGES} of the large group", flush=True)
    load = steady_load.Load(("127.0.0.1", weir.port), members, rate,
                            CLOSED_CONNECTIONS if options.closed else CONNECTIONS)
    threading.Event().wait(2)
    spans = alternate(weir, options.rounds, options.seconds)
    asked, busy = {}, []
    for paths in (LISTS, GROUP_DOCUMENTS, COUNTS):
        took, span = ask(weir, paths)
        asked.update(took)
        busy.append(span)
    samples, late = load.stop()
    if late:
        print(f"  the sender was late by {percentile(late, 0.5) / 1e6:.2f} ms, p99 "
              f"{percentile(late, 0.99) / 1e6:.2f} ms")
    print(f"  {len(samples) / ((samples[-1][0] - samples[0][0]) / 1e9):,.0f} heartbeats a second were answered")
    judge(checks, samples, spans, asked, busy)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=BINARY, type=pathlib.Path)
    parser.add_argument("--groups", default=10_000, type=int, help="of three members each")
    parser.add_argument("--rounds", default=12, type=int)
    parser.add_argument("--seconds", default=8, type=float, help="of a half round")
    parser.add_argument("--closed", action="store_true", help="heartbeats as fast as they are answered")
    options = parser.parse_args()
    checks = Checks()
    with Weir(SETTINGS, options.binary, name="http-under-load") as weir:
        measure(weir, set_up(weir, options.groups), options, checks)
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
