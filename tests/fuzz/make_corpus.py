#!/usr/bin/env python3
"""Golden frames, records and batches -> seeds for the fuzz targets: make_corpus.py GOLDEN_FOLDER OUT_FOLDER

Writes OUT_FOLDER/fuzz_<target>/<name>; each target's source says what its input looks like.
"""
import json
import pathlib
import sys


def int16(value):
    return value.to_bytes(2, "big", signed=True)


def seeds(golden):
    """(target, name, bytes)"""
    for path in sorted((golden / "frames").glob("*.json")):
        frame = json.loads(path.read_text())
        raw = bytes.fromhex(frame["hex"])
        if frame["dir"] == "req":
            yield "fuzz_requests", path.stem, raw[4:]
            yield "fuzz_frame", path.stem, bytes([16]) + raw
        else:
            yield "fuzz_responses", path.stem, int16(frame["api"]) + int16(frame["version"]) + raw[4:]
    for path in sorted((golden / "records").glob("*.json")):
        record = json.loads(path.read_text())
        key, value = bytes.fromhex(record["keyHex"]), bytes.fromhex(record["valueHex"] or "")
        yield "fuzz_records", path.stem, bytes([len(key)]) + key + value
    for path in sorted((golden / "batches").glob("*.log")):
        yield "fuzz_batch", path.stem, path.read_bytes()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for target, name, content in seeds(pathlib.Path(sys.argv[1])):
        folder = pathlib.Path(sys.argv[2]) / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
