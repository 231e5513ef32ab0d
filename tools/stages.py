"""Runs the stages of ./test one after the other and counts what passed.

    ./test                  all of them but the nightly ones
    ./test unit e2e         these (what they need is built first)
    ./test --list           their names

One line for each stage with its time; the output of a stage is in build/test-logs, its end is shown when it fails. The
last line is "N passed, N failed". A stage that fails without counting anything counts as one failure.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
LOGS = ROOT / "build" / "test-logs"
JOBS = "2"
PYTHON = [sys.executable, "-B"]
FUZZ_SECONDS = "10"
SHOWN_FAILURES = 40
SHOWN_END = 20
WIRE_TESTS = ["tests/conformance/cases.py", "tests/conformance/examples.py", "tests/integration/gateway_traps.py",
              "tests/integration/gateway_faults.py", "tests/integration/bad_input.py", "tests/integration/admin_api.py",
              "tests/integration/offsets.py",
              "tests/integration/restart.py", "tests/integration/incidents.py"]
THREADED = [f"weir_{room}_tests" for room in ("actors", "server", "gateway", "http", "storage", "base")]
SIMULATION = "build/release/bin/weir_simulation"


def build(preset, *targets):
    """Commands that configure and build a preset."""
    wanted = [part for target in targets for part in ("--target", target)]
    return [["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset, "-j", JOBS, *wanted]]


def ctest(preset, *selection):
    return [["ctest", "--test-dir", f"build/{preset}", "-j", JOBS, "--verbose", "--no-tests=error", *selection]]


def script(path, *arguments):
    return [[*PYTHON, path, *arguments]]


class Stage:
    """`commands` run one after the other and all must succeed; `needs` names a stage that must have passed before.
    After a failed command the others of the stage run only if they do not build on each other (`independent`)."""

    def __init__(self, name, what, commands, needs=None, independent=False, nightly=False):
        self.name, self.what, self.commands, self.needs = name, what, commands, needs
        self.independent, self.nightly = independent, nightly


STAGES = [
    Stage("architecture", "layers, sizes and words that the style forbids",
          script("tests/architecture/self_check.py") + script("tests/architecture/check_layers.py")
          + script("tests/architecture/tidy.py") + script("tests/architecture/addresses.py"), independent=True),
    Stage("headers", "nightly: each header compiles alone", build("release", "weir_headers_alone"), nightly=True),
    Stage("wire", "the tests' own codec against the golden frames", script("tests/support/check_wire.py")),
    Stage("build", "release build of the program and its tests", build("release")),
    Stage("unit", "unit, property and golden tests", ctest("release", "-E", "^(fuzz|simulation)[.]"), "build"),
    Stage("simulation", "1,000 seeds of many members and many faults, and that a broken promise is noticed",
          [[SIMULATION, "--self-test"], [SIMULATION, "--seeds", "1000"]], "build"),
    Stage("cases", "real problems as request sequences", script("tests/conformance/cases.py", "--logs", LOGS), "build"),
    Stage("examples", "worked examples of the specification over the wire",
          script("tests/conformance/examples.py", "--logs", LOGS), "build"),
    Stage("bad-input", "every mistake gets a clear error", script("tests/integration/bad_input.py"), "build"),
    Stage("admin-api", "changes over HTTP, their plans and mistakes, and the commands for them",
          script("tests/integration/admin_api.py"), "build"),
    Stage("offsets", "commits and input lag over HTTP, of embedded mode and of a gateway",
          script("tests/integration/offsets.py"), "build"),
    Stage("gateway", "the traps of a gateway, and an upstream that misbehaves",
          script("tests/integration/gateway_traps.py") + script("tests/integration/gateway_faults.py"), "build"),
    Stage("incidents", "every cause of a rebalance and every reason to wait, as the admin API and the page tell it",
          script("tests/integration/incidents.py"), "build"),
    Stage("page", "the web page in a browser", script("tests/integration/page.py", "--logs", LOGS)
          + script("tests/integration/page_actions.py", "--logs", LOGS)
          + script("tests/integration/page_server.py", "--logs", LOGS), "build", independent=True),
    Stage("metrics", "the metrics, and that dashboard, alerts and documentation name the same ones",
          script("tests/integration/metrics.py"), "build"),
    Stage("https", "TLS of the HTTP listener", script("tests/integration/https.py"), "build"),
    Stage("webhooks", "web hooks at receivers that take, refuse, delay and die",
          script("tests/integration/webhooks.py"), "build"),
    Stage("restart", "clients over 20 kills of Weir", script("tests/integration/restart.py"), "build"),
    Stage("kills", "100 times kill -9 of a loaded Weir", script("tests/crash/kills.py", "--kills", "100"), "build"),
    Stage("power-loss", "100 data files as a power failure leaves them, and canaries",
          script("tests/crash/power_loss.py", "--images", "100"), "build"),
    Stage("disk-faults", "a full and a failing disk", script("tests/crash/faults.py"), "build"),
    Stage("kills-long", "nightly: 1,000 times kill -9", script("tests/crash/kills.py", "--kills", "1000"), "build",
          nightly=True),
    Stage("power-loss-long", "nightly: 1,000 images of power failures",
          script("tests/crash/power_loss.py", "--images", "1000"), "build", nightly=True),
    Stage("e2e", "a Kafka Streams application on real brokers", script("tests/e2e/e2e.py"), "build"),
    Stage("scale-out", "nightly: how long tasks of a real application stand still when it grows or loses an instance",
          script("tests/e2e/scale_out.py"), "build", nightly=True),
    Stage("http-under-load", "nightly: the admin API and its page at 10,000 groups and 1,000 members under heartbeats",
          script("bench/http_under_load.py"), "build", nightly=True),
    Stage("assignor-speed", "nightly: sticky beside Kafka's own, the same result in a fifth of the time",
          build("bench", "weir_sticky_compare_bench") + script("bench/compare_assignors.py"), nightly=True),
    Stage("tools", "Kafka's own tools and admin client against an embedded Weir",
          script("tests/integration/kafka_tools.py"), "build"),
    Stage("interop", "groups moved from a Kafka 4.4 broker into Weir and back; Kafka's classes read Weir's records",
          script("tests/integration/interop.py"), "build"),
    Stage("differential", "the same random scenarios to Weir and to a Kafka 4.4 broker",
          script("tests/conformance/differential.py", "--seeds", "0-199")
          + script("tests/conformance/differential.py", "--seeds", "0-59", "--improved"), "build", independent=True),
    Stage("consumer-groups", "consumer groups step by step beside those of a Kafka 4.4 broker",
          script("tests/conformance/consumer_groups.py"), "build"),
    Stage("fuzz", f"each fuzz target for {FUZZ_SECONDS} s", [["tests/fuzz/smoke.sh", FUZZ_SECONDS]]),
    Stage("differential-all", "nightly: 2,000 scenarios",
          script("tests/conformance/differential.py", "--seeds", "0-1999"), "build", nightly=True),
    Stage("asan-build", "nightly: build with address and undefined-behaviour sanitizers", build("asan"), nightly=True),
    Stage("asan", "nightly: every test program, and the program itself under tests over the wire, with sanitizers",
          ctest("asan", "-E", "^(fuzz|architecture)[.]")
          + [command for path in WIRE_TESTS for command in script(path, "--binary", "build/asan/weir")],
          "asan-build", independent=True, nightly=True),
    Stage("tsan-build", "nightly: build with the thread sanitizer and a CAF that has it too",
          [["tools/build-caf-tsan.sh"], *build("tsan", *THREADED)], nightly=True),
    Stage("tsan", "nightly: tests of what has threads, with the thread sanitizer",
          ctest("tsan", "-R", "^unit[.](actors|server|gateway|http|storage|base)$"), "tsan-build", nightly=True),
    Stage("simulation-night", "nightly: 100,000 seeds",
          [[SIMULATION, "--first", "1001", "--seeds", "100000"]], "build", nightly=True),
]


def counts(text):
    """(passed, failed) of a stage's output: summary lines of scripts, of GoogleTest programs, and of ctest."""
    passed = failed = 0
    for line in text.splitlines():
        summary = re.fullmatch(r"(\d+) passed, (\d+) failed", line.strip())
        if summary:
            passed, failed = passed + int(summary[1]), failed + int(summary[2])
        inner = re.search(r"\[  (PASSED|FAILED)  \] (\d+) tests?[.,]", line)
        if inner and inner[1] == "PASSED":
            passed += int(inner[2])
        elif inner:
            failed += int(inner[2])
    if "tests passed" in text and not re.search(r"^100% tests passed", text, re.MULTILINE):
        failed = max(failed, 1)
    return passed, failed


def excerpt(text):
    """What to show of a failed stage's output: failed assertions with what they say, then the end."""
    lines = text.splitlines()
    shown, left = [], 0
    for line in lines[:-SHOWN_END]:
        if re.search(r": Failure$|^FAIL|ERROR: (Address|Thread|Leak)Sanitizer|runtime error:", line):
            left = 10
        shown += [line] if left or re.search(r"\[  FAILED  \] \w", line) else []
        left = max(0, left - 1)
    return shown[:SHOWN_FAILURES] + lines[-SHOWN_END:]


def run_stage(stage):
    """(passed, failed), having printed the stage's line."""
    started = time.monotonic()
    log = LOGS / f"{stage.name}.log"
    status = 0
    with log.open("wb") as out:
        for command in stage.commands:
            out.write(f"$ {' '.join(map(str, command))}\n".encode())
            out.flush()
            status |= subprocess.run(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT,
                                     stdin=subprocess.DEVNULL).returncode
            if status != 0 and not stage.independent:
                break
    text = log.read_text(errors="replace")
    passed, failed = counts(text)
    if status != 0:
        failed = max(failed, 1)
    if passed + failed == 0:
        passed = 1
    word = "FAILED" if failed else "passed"
    print(f"{word} {stage.name}: {stage.what} - {passed} passed, {failed} failed, "
          f"{time.monotonic() - started:.0f} s", flush=True)
    if failed:
        print("\n".join(f"    {line}" for line in excerpt(text)))
        print(f"    (all of it: {log.relative_to(ROOT)})", flush=True)
    return passed, failed


def choose(names):
    """The named stages with those they need, in order; all but the nightly ones if none is named."""
    by_name = {stage.name: stage for stage in STAGES}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise SystemExit(f"no such stage: {', '.join(unknown)}; there are {', '.join(by_name)}")
    wanted = set(names) | {by_name[name].needs for name in names}
    return [stage for stage in STAGES if stage.name in wanted or not names and not stage.nightly]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="names of the stages")
    parser.add_argument("stages", nargs="*", metavar="STAGE")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{stage.name:14} {stage.what}" for stage in STAGES))
        return 0
    stages = choose(options.stages)
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    started, passed, failed, broken = time.monotonic(), 0, 0, set()
    for stage in stages:
        if stage.needs in broken:
            broken.add(stage.name)
            failed += 1
            print(f"FAILED {stage.name}: not run, because {stage.needs} failed", flush=True)
            continue
        good, bad = run_stage(stage)
        passed, failed = passed + good, failed + bad
        if bad:
            broken.add(stage.name)
    print(f"all stages: {time.monotonic() - started:.0f} s", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
