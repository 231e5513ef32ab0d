"""Checks the tests' own codec (wire.py) against the golden frames: each is decoded, and encoded to the same bytes.

Frames with records are decoded only as far as the records' bytes, which the codec does not look into.
"""
import json
import sys

from wire import ROOT, WireError, decode, encode, error_codes, message, holds, Reader, SCHEMAS

FRAMES = ROOT / "tests" / "conformance" / "golden" / "frames"


def check(frame):
    """None, or what is wrong with the codec as to this frame."""
    data = bytes.fromhex(frame["hex"])[4:]
    kind = "Request" if frame["dir"] == "req" else "Response"
    name, version = frame["apiName"] + kind, frame.get("bodyVersion", frame["version"])
    if not (SCHEMAS / f"{name}.json").exists():
        return f"no schema {name}"
    header = kind + "Header"
    reader = Reader(data)
    values = reader.structure(message(header).fields, frame["headerVersion"],
                              holds(message(header).flexible, frame["headerVersion"]))
    if values["CorrelationId"] != frame["header"]["correlationId"]:
        return "wrong correlation id"
    head = encode(header, frame["headerVersion"], values)
    body = decode(name, version, data[reader.at:])
    return None if head + encode(name, version, body) == data else "encodes to other bytes"


def main():
    failed, passed = 0, 0
    for path in sorted(FRAMES.glob("*.json")):
        try:
            wrong = check(json.loads(path.read_text()))
        except (WireError, KeyError, ValueError) as error:
            wrong = f"{type(error).__name__}: {error}"
        if wrong:
            failed += 1
            print(f"FAILED {path.name}: {wrong}")
        else:
            passed += 1
    if not error_codes() or not passed:
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
