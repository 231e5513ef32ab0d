"""Weir against a real Kafka 4.4 broker: the same random scenarios to both, the answers compared.

    python3 tests/conformance/differential.py --seeds 0-199               strict.kafka = true: no difference at all
    python3 tests/conformance/differential.py --seeds 0-99 --improved     strict.kafka = false: only listed improvements

The tester is the one of the conformance material beside the project (../shared/conformance; another place with
WEIR_CONFORMANCE). The broker's jars come from Maven. Seeds are dealt to several testers that run side by side. With
--improved a scenario that differs must differ in the ways of IMPROVEMENTS, named after spec 01, section 13. The last
line is "N passed, N failed".
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from broker import Broker  # noqa: E402
from weir import Weir  # noqa: E402

CONFORMANCE = pathlib.Path(os.environ.get("WEIR_CONFORMANCE", ROOT.parent / "shared" / "conformance"))
SECONDS_FOR_EACH_SEED = 60
WORKERS = 3

# What the reference needs beyond reference.properties: one coordinator shard, short time-outs, all groups at once.
BROKER = {
    "offsets.topic.num.partitions": 1,
    "share.coordinator.state.topic.replication.factor": 1,
    "share.coordinator.state.topic.min.isr": 1,
    "group.min.session.timeout.ms": 200,
    "unstable.api.versions.enable": "true",
    "log.segment.delete.delay.ms": 1000,
}

ASSIGNMENTS = re.compile(r"/describe/members/[^/]+/(assignment|target)")

def reference_settings():
    """reference.properties as a dictionary: what both sides share."""
    lines = (CONFORMANCE / "reference.properties").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line.strip() and not line.startswith("#"))


def deal(seeds, workers):
    """"0-9,20" -> lists of seeds, one for each worker."""
    numbers = []
    for part in seeds.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return [numbers[i::workers] for i in range(workers) if numbers[i::workers]]


def run_tester(reference, subject, seeds, more):
    command = [sys.executable, "-B", str(CONFORMANCE / "differential.py"), "--reference", reference,
               "--subject", subject, "--seeds", ",".join(map(str, seeds)), "--width", "600", *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60 + SECONDS_FOR_EACH_SEED * len(seeds))
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n"
                           f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def mismatches(output):
    """(seed, [(path, what the reference says, what the subject says)], text) of each MISMATCH block of an output."""
    for block in re.split(r"^(?=MISMATCH )", output, flags=re.MULTILINE)[1:]:
        head = re.match(r"MISMATCH seed (\d+) ", block)
        found = re.findall(r"^    (\S.*)\n      reference: +(.*)\n      subject: +(.*)$", block, flags=re.MULTILINE)
        yield int(head[1]), found, block


def without_repetitions(subtopologies):
    return [[name, sorted(set(sources)), *rest] for name, sources, *rest in json.loads(subtopologies)]


def improvement(path, reference, subject):
    """The row of spec 01, 13, or of spec 05, or the change of CHANGELOG.md, that explains a difference, or None. Seen
    after it are only assignments: the two sides need not assign alike once a scenario went different ways."""
    if path in ("tasks", "/active", "/standby", "/warmup") and reference == "null":
        return "X2"  # a lost answer is repeated
    if path == "/endpointEpoch" and reference == "0":
        return "X3"  # the creating heartbeat keeps its soft state
    if re.fullmatch(r"/describe/members/[^/]+/(offsets|endOffsets)", path) and reference == "[]":
        return "X3"
    if path == "/describe/topology/subtopologies" and without_repetitions(reference) == without_repetitions(subject):
        return "X3"  # what has been configured shows each source topic once
    if path == "/status" and subject == reference.replace("]", ", 4]").replace("[, ", "["):
        return "X3"
    if path == "/error" and (reference, subject) == ('"INVALID_REQUEST"', '"STREAMS_INVALID_TOPOLOGY_EPOCH"'):
        return "X6"
    if re.fullmatch(r"/describe/(group|assignment)Epoch|(/describe/members/[^/]+)?/memberEpoch", path):
        numbers = [re.fullmatch(r"-?\d+", side) for side in (subject, reference)]
        if all(numbers) and int(subject) < int(reference):
            return "no rebalance"  # for a new endpoint or rebalance time-out
    return None


def is_update(found, block):
    """A join with the next topology epoch, which the reference refuses and Weir takes, or with an older one: Weir gives
    no tasks of the newer topology to it, and goes back to the older one if nobody runs the newer. Nothing is
    comparable then."""
    is_next = "Topology updates are not supported yet." in block and ("/error", '"INVALID_REQUEST"', '"NONE"') in found
    return is_next or "is behind the group's topology epoch" in block


def is_left_alone(found):
    """A request to an empty group that a JoinGroup request has ended at the reference."""
    joins = {("/error", '"NONE"', '"STREAMS_INVALID_TOPOLOGY_EPOCH"'), ("/describe/state", '"Stable"', '"Empty"')}
    others = {("/error", '"GROUP_ID_NOT_FOUND"', '"UNKNOWN_MEMBER_ID"'), ("/describe/state", '"(absent)"', '"Empty"')}
    return joins <= set(found) or others <= set(found)


def is_of_patterns(block):
    """The reference refuses patterns of source topics whatever else there is to say of the request."""
    return "Regular expressions for source topics are not supported yet." in block


def is_found_by_state(found, block):
    """The filter NotReady finds nothing at the reference."""
    if [path for path, _, _ in found] != ["/"] or '{"op": "list"' not in block:
        return False
    lists = [json.loads(side) for side in found[0][1:]]
    more = [group for group in lists[1][1] if group not in lists[0][1]]
    return lists[0] == [lists[1][0], [g for g in lists[1][1] if g not in more]] and all("NotReady" in g for g in more)


def is_silent_member(found, block):
    """Settled by the members that the tester still lets heartbeat. The assignments may have gone different ways, so
    that at Weir it is the silent one that has to give a task away."""
    return "group at rest: state" in block and found == [("/", '"Stable"', '"Reconciling"')]


def explained(found, block):
    """The rows that explain all differences of one scenario; empty if one is left over."""
    whole = {"11.3": is_update(found, block), "11.4": is_of_patterns(block), "R13": is_left_alone(found),
             "P2": is_found_by_state(found, block),
             "other assignment": is_silent_member(found, block)}
    if any(whole.values()):
        return [row for row, holds in whole.items() if holds]
    rows = [improvement(*each) for each in found if not ASSIGNMENTS.fullmatch(each[0])]
    return sorted(set(rows)) if rows and None not in rows else []


def judge(outputs, improved):
    """(passed, failed, how often each row explained a scenario); prints what is left over."""
    passed = failed = 0
    rows = {}
    for output in outputs:
        summary = re.search(r"^(\d+) passed, (\d+) failed", output, flags=re.MULTILINE)
        if not summary:
            raise RuntimeError(f"the tester gave no summary:\n{output[-2000:]}")
        passed += int(summary[1])
        for seed, found, block in mismatches(output):
            why = explained(found, block) if improved else []
            passed, failed = (passed + 1, failed) if why else (passed, failed + 1)
            for row in why:
                rows[row] = rows.get(row, 0) + 1
            if not why:
                print(block[:6000], flush=True)
    return passed, failed, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0-199", help="A-B, or a comma-separated list of such")
    parser.add_argument("--improved", action="store_true", help="strict.kafka = false: only listed improvements")
    parser.add_argument("--workers", type=int, default=WORKERS)
    options = parser.parse_args()
    if not (CONFORMANCE / "differential.py").exists():
        print(f"{CONFORMANCE} has no differential.py; say with WEIR_CONFORMANCE where it is\n0 passed, 1 failed")
        return 1
    shared = reference_settings()
    groups = {key: value for key, value in shared.items() if key.startswith("group.streams.")}
    strict = str(not options.improved).lower()
    more = ["--confirm", "0"] if options.improved else []
    settings = {**groups, "strict.kafka": strict}
    # The reference has neither another assignor nor warm-ups; their number is the same on both sides, since describing
    # the configuration shows it.
    alike = {}
    if options.improved:
        alike = {"group.streams.num.warmup.replicas": 0}
        settings.update(alike, **{"group.streams.assignors": "sticky"})
    with Broker("4.4.0", {**shared, **BROKER, **alike}, heap="512m") as broker, \
            Weir(settings, name="differential") as weir, \
            concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        outputs = list(pool.map(lambda seeds: run_tester(broker.address, weir.address, seeds, more),
                                deal(options.seeds, options.workers)))
    passed, failed, rows = judge(outputs, options.improved)
    for row, times in sorted(rows.items()):
        print(f"{row} explains {times} scenarios")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
