"""Runs the cases of tests/conformance/cases (real problems as request sequences) against a coordinator.

    python3 tests/conformance/cases.py                        all, against build/release/weir
    python3 tests/conformance/cases.py --only rc01-rc09,rc16  these
    python3 tests/conformance/cases.py --kafka                all that Kafka 4.4.0 has, against a real broker

What a case file means is explained in cases/README.md; the last line says how many passed. Exit status 1 if one failed.
"""
import argparse
import json
import pathlib
import sys
import time
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import target as targets  # noqa: E402
from case_steps import CaseFailure, CaseRun  # noqa: E402

CASES = HERE / "cases"


def load():
    """id -> text of the case file."""
    return {path.name.split("-")[0]: path.read_text() for path in sorted(CASES.glob("rc*.json"))}


def expand(selection, known):
    """"rc01-rc09,rc16" -> the ids."""
    chosen = []
    for part in selection.split(","):
        first, _, last = part.strip().partition("-")
        ids = [i for i in known if first <= i <= (last or first)]
        if not ids:
            raise SystemExit(f"no case {part}; there are {', '.join(known)}")
        chosen += ids
    return chosen


def run_case(target, text):
    """None, or why the case could not be tried. Raises CaseFailure."""
    prefix = f"{json.loads(text)['id']}-{uuid.uuid4().hex[:6]}"
    case = json.loads(text.replace("$P", prefix))
    if target.is_kafka and case["verified"] == "design":
        return "needs what Kafka 4.4.0 has not got"
    reason = target.prepare(f"{prefix}-app", case["config"], case.get("coordinator_config", {}))
    if reason is None:
        with CaseRun(target, case, f"{prefix}-app") as run:
            run.play()
    return reason


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="IDS", help="for example rc01-rc09,rc16")
    targets.add_arguments(parser)
    options = parser.parse_args()
    cases = load()
    chosen = expand(options.only, list(cases)) if options.only else list(cases)
    excluded = {}
    counts = {"passed": 0, "failed": 0}
    target = targets.from_arguments(options)
    try:
        for name in chosen:
            started = time.monotonic()
            title = json.loads(cases[name])["title"]
            try:
                reason = run_case(target, cases[name])
            except CaseFailure as failure:
                counts["failed"] += 1
                print(f"FAILED {name} {title}\n  {failure}", flush=True)
                continue
            if reason:
                excluded[name] = reason
                continue
            counts["passed"] += 1
            print(f"passed {name} {title} ({time.monotonic() - started:.1f} s)", flush=True)
    finally:
        target.close()
    for name, reason in sorted(excluded.items()):
        print(f"left out {name}: {reason}")
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
