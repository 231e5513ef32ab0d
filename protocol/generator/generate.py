#!/usr/bin/env python3
"""Schemas -> C++. Run by the build:

  generate.py code|tests --schemas protocol/schemas --out build/generated [--list]

--list prints the files that would be made, one a line, and makes none. Files that would not change are left alone.
"""
import argparse
import pathlib
import sys

import emit_cpp
import emit_fields
import emit_tests
import spec

CODE_GROUPS = 6
TEST_GROUPS = 8


def code_files(schemas):
    """{path below --out: text}"""
    messages = spec.load_all(schemas)
    base = pathlib.PurePosixPath("protocol/messages")
    files = {base / f"{m.type_name}.hpp": emit_cpp.message_header(m) for m in messages}
    for i, group in enumerate(emit_cpp.groups(messages, CODE_GROUPS)):
        files[base / f"messages_{i}.cpp"] = emit_cpp.group_source(group)
    files[base / "message_lists.hpp"] = emit_cpp.message_lists(messages)
    files[base / "record_lists.hpp"] = emit_fields.record_lists(messages)
    files[base / "record_fields.hpp"] = emit_fields.record_fields(messages)
    files[base / "error_code_list.hpp"] = emit_cpp.error_codes(spec.load_error_codes(schemas))
    files[base / "api_list.hpp"] = emit_cpp.api_list(messages, spec.load_relayed_apis(schemas))
    return files


def test_files(schemas):
    messages = spec.load_all(schemas)
    return emit_tests.files(emit_cpp.groups(messages, TEST_GROUPS))


def write(folder, files):
    for path, content in files.items():
        target = pathlib.Path(folder) / path
        if target.exists() and target.read_text() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["code", "tests"])
    parser.add_argument("--schemas", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    files = (code_files if args.kind == "code" else test_files)(args.schemas)
    if args.list:
        print("\n".join(sorted(str(path) for path in files)))
    else:
        write(args.out, files)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except spec.SchemaError as problem:
        sys.exit(f"generate.py: {problem}")
