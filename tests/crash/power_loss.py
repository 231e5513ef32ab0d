"""Power failures of a loaded Weir: its writes and flushes are traced, and the data file is rebuilt as the power might
have left it at random moments. Every change that had been answered before that moment must be there, nothing by half.

Canaries: the same with flushing switched off (no flush at all; no flush of the pages before the meta page) must be
caught, or this test could not catch anything.

    python3 tests/crash/power_loss.py [--images 100] [--seed 1] [--binary build/release/weir]
"""
import argparse
import pathlib
import random
import shutil
import sys
import tempfile

from disk_image import FLUSH, Disk, read_trace
from load import SETTINGS, Load, programs, read_folder

from weir import BINARY, Weir

IMAGES_PER_TRACE = 50
CANARY_IMAGES = 50
LOAD_SECONDS = 2.0
MEMORY = pathlib.Path("/dev/shm")


class Broken(Exception):
    """The load itself went wrong."""


def record(binary, folder, flush):
    """Runs Weir under load and kills it; (the load, its trace)."""
    trace = folder / "trace"
    weir = Weir(SETTINGS, binary)
    weir.environment = {"LD_PRELOAD": str(programs(binary)[1]), "WEIR_DISK_TRACE": str(trace),
                        **({"WEIR_DISK_FLUSH": flush} if flush else {})}
    with weir:
        load = Load(weir)
        load.start()
        load.over.wait(LOAD_SECONDS)
        weir.kill()
        load.stop()
    if load.problem():
        raise Broken(load.problem())
    operations = read_trace(trace)
    trace.unlink()
    return load, operations


def moments(operations, count, chance):
    """Ascending indices of operations that the power failed at, from the first on that came after a flush (before it
    nothing can have been answered)."""
    first = next((i for i, operation in enumerate(operations) if operation.kind == FLUSH), 0)
    return sorted(chance.randrange(first + 1, len(operations)) for _ in range(count))


def failures(load, operations, count, seed, tools):
    """What is wrong with each of the images; None for those that are as promised."""
    image_state, folder = tools
    chance, disk, found = random.Random(seed), Disk(), []
    wanted = moments(operations, count, chance)
    for index, operation in enumerate(operations):
        for _ in range(wanted.count(index)):
            image = folder / "image"
            image.mkdir()
            (image / "data.mdb").write_bytes(disk.after_power_loss(operation, chance))
            state, broken = read_folder(image_state, image)
            broken = broken or load.check(state, operation.began)
            found.append(broken and f"power lost at operation {index} of {len(operations)}: {broken}")
            shutil.rmtree(image)
        disk.carry_out(operation)
    return found


def check_images(options, tools):
    passed, failed, answers, calls = 0, 0, 0, 0
    rounds = max(1, options.images // IMAGES_PER_TRACE)
    for n in range(rounds):
        seed = options.seed + n
        load, operations = record(options.binary, tools[1], None)
        found = failures(load, operations, options.images // rounds, seed, tools)
        answers, calls = answers + load.answers(), calls + len(operations)
        wrong = [why for why in found if why]
        passed, failed = passed + len(found) - len(wrong), failed + len(wrong)
        for why in wrong[:5]:
            print(f"FAILED (seed {seed}): {why}")
    print(f"{passed + failed} images of {rounds} traces with {calls} system calls and {answers} answers")
    return passed, failed


def check_canary(options, tools, flush):
    """Whether the test notices that the flushes are missing."""
    load, operations = record(options.binary, tools[1], flush)
    found = failures(load, operations, CANARY_IMAGES, options.seed, tools)
    caught = sum(1 for why in found if why)
    print(f"canary (flush: {flush}): {caught} of {len(found)} images caught"
          + ("" if caught else "; FAILED: a Weir that does not flush goes unnoticed"))
    return caught > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--binary", default=BINARY)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weir-power-", dir=MEMORY if MEMORY.is_dir() else None) as folder:
        tools = programs(options.binary)[0], pathlib.Path(folder)
        try:
            passed, failed = check_images(options, tools)
            for flush in ("none", "meta"):
                caught = check_canary(options, tools, flush)
                passed, failed = passed + int(caught), failed + int(not caught)
        except Broken as error:
            print(f"FAILED: the load: {error}")
            passed, failed = 0, 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
