"""kill -9 of a loaded Weir, again and again: after each kill everything that was answered is there and nothing by half,
in the data folder as it was left and over the wire after the restart; and every client is served again.

    python3 tests/crash/kills.py [--kills 100] [--seed 1] [--binary build/release/weir]
"""
import argparse
import random
import sys
import time

from load import CHANGERS, COMMITTERS, PARTITIONS, SETTINGS, TOPIC, Load, programs, read_folder

import admin
from ports import wait_until
from weir import BINARY, Weir

KILL_WITHIN_SECONDS = 0.3
SERVED_SECONDS = 30


def check_wire(weir, load):
    """What the restarted Weir tells of the registers that are read most."""
    answered = {client.name: client for client in load.clients}
    with weir.client() as client:
        for n in range(COMMITTERS):
            committer = answered[f"commits-{n}"]
            low = committer.offset.bounds(time.monotonic_ns())[0]
            answer = client.call("OffsetFetch", 9, {"Groups": [{"GroupId": committer.name, "Topics": [
                {"Name": TOPIC, "PartitionIndexes": list(range(PARTITIONS))}]}]})
            found = [p["CommittedOffset"] for t in answer["Groups"][0]["Topics"] for p in t["Partitions"]]
            if low and min(found) < low:
                raise AssertionError(f"{committer.name}: {low} had been answered, the restarted Weir has {found}")
        for n in range(CHANGERS):
            changer = answered[f"changes-{n}"]
            low = changer.epoch.bounds(time.monotonic_ns())[0]
            if low and admin.describe_group(client, changer.name)["GroupEpoch"] < low:
                raise AssertionError(f"{changer.name}: epoch {low} had been answered")


def kill_once(weir, load, chance, image_state):
    load.over.wait(chance.uniform(0, KILL_WITHIN_SECONDS))
    weir.kill()
    state, broken = read_folder(image_state, weir.settings["data.dir"])
    broken = broken or load.check(state, time.monotonic_ns())
    if broken:
        raise AssertionError(broken)
    weir.start()
    check_wire(weir, load)
    marks = {client: client.answered for client in load.clients}

    def all_served():
        if load.problem():
            raise AssertionError(load.problem())
        return all(client.answered > mark or not client.is_alive() for client, mark in marks.items())
    wait_until(all_served, SERVED_SECONDS, "every client is answered after the restart", pause=0.01)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--binary", default=BINARY)
    options = parser.parse_args()
    chance, passed, failure = random.Random(options.seed), 0, None
    image_state = programs(options.binary)[0]
    with Weir(SETTINGS, options.binary) as weir:
        load = Load(weir)
        load.start()
        try:
            for _ in range(options.kills):
                kill_once(weir, load, chance, image_state)
                passed += 1
        except (AssertionError, RuntimeError, OSError) as error:
            failure = f"FAILED after {passed} kills (seed {options.seed}): {error}\n{weir.process.tail()}"
        load.stop()
        if failure is None:
            weir.stop()
    if failure:
        print(failure)
    print(f"{load.answers()} answers over {passed} kills")
    print(f"{passed} passed, {int(failure is not None)} failed")
    return 1 if failure else 0


if __name__ == "__main__":
    sys.exit(main())
