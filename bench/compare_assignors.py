"""`sticky` beside Kafka's own sticky assignor, called from the jar of its broker, on the same inputs in one run.

    cmake --preset bench && cmake --build build/bench --target weir_sticky_compare_bench
    python3 bench/compare_assignors.py                 all cases, some minutes
    python3 bench/compare_assignors.py --small         a few of them

Both sides get each case in turn, over several rounds, the first of which only warms up; the figure is the best median
of the others, in processor time, on both sides without what the end of the result costs. With Kafka's ties our result
must be its own, task by task, which also shows that the inputs are the same; with ties by id it must be as even. The
exit status is 1 if a case is less than --goal times as fast, or a result is not as it must be. For a machine that does
little else.
"""
import argparse
import itertools
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from broker import jars  # noqa: E402

VERSION = "4.4.0"
OURS = ROOT / "build" / "bench" / "bin" / "weir_sticky_compare_bench"
SOURCE = ROOT / "bench" / "kafka_sticky" / "KafkaSticky.java"
CLASSES = ROOT / "build" / "bench" / "kafka_sticky"
SIDES = ("kafka", "as_kafka", "by_id")
ROUNDS = 3
MEMBERS, SUBTOPOLOGIES, PARTITIONS, STANDBYS = (100, 500, 1000), (10, 100), (10, 100), (0, 1)
KINDS = ("full", "incremental")


class Side:
    """One of the programs: a question is a line, its answer too."""

    def __init__(self, command):
        self.child = subprocess.Popen([str(c) for c in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      text=True, bufsize=1)

    def ask(self, ties, case, milliseconds):
        """(microseconds, digest, least active, most active, standbys)."""
        kind, members, subtopologies, partitions, standbys, per_process = case
        self.child.stdin.write(
            f"{ties} {kind} {members} {partitions} {subtopologies} {per_process} {standbys} {milliseconds}\n")
        self.child.stdin.flush()
        words = self.child.stdout.readline().split()
        if len(words) != 6:
            raise RuntimeError(f"{self.child.args[0]} did not answer {case}")
        return (float(words[0]), words[2], *map(int, words[3:]))

    def close(self):
        self.child.stdin.close()
        self.child.wait(60)


def compiled():
    """The class path of Kafka's side."""
    path = f"{jars(VERSION)}/*"
    CLASSES.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["javac", "-Xlint:all", "-cp", path, "-d", str(CLASSES), str(SOURCE)], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"javac failed:\n{done.stderr}")
    return f"{CLASSES}:{path}"


def measure(cases, options):
    """case -> side -> answer, with the best time of the rounds that count."""
    kafka = Side(["java", "-Xms2g", "-Xmx2g", "-XX:+UseG1GC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp",
                  compiled(), "KafkaSticky"])
    ours = Side([options.binary])
    found = {case: {} for case in cases}
    try:
        for number, case in itertools.product(range(ROUNDS), cases):
            for name in SIDES:
                answer = (kafka if name == "kafka" else ours).ask(name, case, options.milliseconds)
                before = found[case].get(name)
                if number > 0:
                    found[case][name] = answer if before is None else min(before, answer)
    finally:
        kafka.close()
        ours.close()
    return found


def faults(answers, goal):
    """What is wrong with a case, in words."""
    kafka, same, by_id = (answers[name] for name in SIDES)
    found = []
    if same[1] != kafka[1]:
        found.append("another result than Kafka's")
    if by_id[2] < kafka[2] or by_id[3] > kafka[3] or by_id[4] != kafka[4]:
        found.append("less even than Kafka's")
    found += [f"{name} below {goal:g} x" for name, one in (("as_kafka", same), ("by_id", by_id))
              if kafka[0] < goal * one[0]]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=OURS)
    parser.add_argument("--small", action="store_true", help="two sizes only")
    parser.add_argument("--goal", type=float, default=5, help="least ratio (default 5)")
    parser.add_argument("--members-per-process", type=int, default=1)
    parser.add_argument("--milliseconds", type=int, default=300, help="of each measurement (default 300)")
    options = parser.parse_args()
    sizes = list(itertools.product(KINDS, MEMBERS, SUBTOPOLOGIES, PARTITIONS, STANDBYS, [options.members_per_process]))
    if options.small:
        sizes = [case for case in sizes if case[1:4] in ((100, 10, 10), (1000, 100, 100))]
    found = measure(sizes, options)
    print("kind         members  subtopologies  partitions  standbys   kafka us   as_kafka us  ratio    by_id us"
          "  ratio")
    failed = 0
    for (kind, members, subtopologies, partitions, standbys, _), answers in found.items():
        kafka, same, by_id = (answers[name][0] for name in SIDES)
        wrong = faults(answers, options.goal)
        failed += bool(wrong)
        print(f"{kind:12} {members:7} {subtopologies:14} {partitions:11} {standbys:9} {kafka:10.1f} {same:13.1f} "
              f"{kafka / same:6.1f} {by_id:11.1f} {kafka / by_id:6.1f}  {', '.join(wrong)}")
    for name in SIDES[1:]:
        ratios = sorted(answers["kafka"][0] / answers[name][0] for answers in found.values())
        print(f"{name}: {ratios[0]:.1f} to {ratios[-1]:.1f} times as fast, median {ratios[len(ratios) // 2]:.1f}")
    print(f"{len(found) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
