"""Consumer groups (KIP-848) of embedded mode against a real Kafka 4.4 broker: the same requests to both, every answer
compared.

    python3 tests/conformance/consumer_groups.py                              Weir and a broker, both started here
    python3 tests/conformance/consumer_groups.py --reference 127.0.0.1:9092   against a broker that runs already
    python3 tests/conformance/consumer_groups.py --show                       with every step and its answer

The stories are in consumer_stories.py and consumer_neighbours.py. A step is one line: what was asked, and the answer
with names in place of topic ids. The last line is "N passed, N failed".
"""
import argparse
import contextlib
import pathlib
import sys
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import admin  # noqa: E402
from broker import Broker  # noqa: E402
from consumer_neighbours import STORIES as NEIGHBOURS  # noqa: E402
from consumer_side import Side  # noqa: E402
from consumer_stories import STORIES  # noqa: E402
from weir import Weir  # noqa: E402

# Answers of both sides are alike only if both have these.
SHARED = {"group.streams.initial.rebalance.delay.ms": 0, "group.streams.assignment.interval.ms": 0}
BROKER = {**SHARED, "group.consumer.assignment.interval.ms": 0, "group.consumer.migration.policy": "disabled",
          "offsets.topic.num.partitions": 1}
WEIR = {**SHARED, "group.consumer.assignment.interval.ms": 0, "strict.kafka": "true"}


def run(story, address, prefix):
    side = Side(address, prefix)
    try:
        admin.find_coordinator(side.client, side.name("g"))
        story(side)
    except Exception as error:  # the lines up to here say where
        side.lines.append(f"{type(error).__name__}: {error}")
    finally:
        side.close()
    return side.lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", help="host:port of a broker that runs already")
    parser.add_argument("--subject", help="host:port of a Weir that runs already")
    parser.add_argument("--only", default="", help="stories whose name contains this")
    parser.add_argument("--show", action="store_true", help="every step and its answer")
    parser.add_argument("--alone", action="store_true", help="ask the reference only")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        reference = options.reference or stack.enter_context(Broker("4.4.0", BROKER)).address
        subject = options.subject
        if not options.alone and not subject:
            subject = stack.enter_context(Weir(WEIR, name="consumer-groups")).address
        passed = failed = 0
        for name, story in {**STORIES, **NEIGHBOURS}.items():
            if options.only not in name:
                continue
            prefix = f"c{uuid.uuid4().hex[:6]}"
            expected = run(story, reference, prefix)
            told = expected if options.alone else run(story, subject, prefix)
            alike = expected == told
            passed, failed = (passed + 1, failed) if alike else (passed, failed + 1)
            print(f"{'passed' if alike else 'FAILED'} {name}", flush=True)
            for at in range(max(len(expected), len(told))):
                lines = [side[at] if at < len(side) else "(nothing)" for side in (expected, told)]
                if lines[0] == lines[1]:
                    if options.show:
                        print(f"    {lines[0]}")
                else:
                    print(f"    broker: {lines[0]}\n    weir:   {lines[1]}")
        print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
