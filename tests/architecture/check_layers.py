"""Checks that every include stays within layers.toml: rooms below never above, third-party headers only where named.

Also: includes of the project are written from the root, and each room's CMakeLists.txt links no room that it may not
use. Prints one line for each violation, then "N passed, N failed" over the files checked.
"""
import pathlib
import re
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
TEST_HEADERS = ("gtest/", "gmock/", "rapidcheck", "benchmark/", "simdjson.h", "boost/", "fmt/", "tl/", "lmdb.h", "caf/",
                "CLI/", "xxhash.h", "zlib.h", "sys/", "unistd.h", "fcntl.h", "spawn.h", "netinet/", "arpa/")


def standard(header):
    """Headers of the language have neither a folder nor an ending."""
    return "/" not in header and not header.endswith((".h", ".hpp"))


def starts(header, prefixes):
    return any(header.startswith(prefix) for prefix in prefixes)


def check_quoted(header, path, room, layers):
    """What is wrong with an include of the project's own, or None. `room` None stands for tests and benches, which may
    also name a header of their own folder without it."""
    owner = header.split("/")[0]
    if owner not in layers["rooms"]:
        if room is None and ((ROOT / header).exists() or (path.parent / header).exists()):
            return None
        return f'"{header}" is in no room (includes are written from the root)'
    generated = layers["rooms"][owner].get("generated", [])
    if not (ROOT / header).exists() and not starts(header, generated):
        return f'"{header}" does not exist'
    if room is not None and owner != room and owner not in layers["rooms"][room]["uses"]:
        return f"{room} must not use {owner}: \"{header}\""
    return None


def check_angled(header, _, room, layers):
    if standard(header):
        return None
    if room is None:
        return None if starts(header, TEST_HEADERS) else f"<{header}> is not among the tests' libraries"
    allowed = layers["common"]["headers"] + layers["rooms"][room]["headers"]
    return None if starts(header, allowed) else f"{room} must not use <{header}>"


def check_file(path, room, layers):
    wrong = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        check = check_quoted if found[1] == '"' else check_angled
        problem = check(found[2], path, room, layers)
        if problem:
            wrong.append(f"{path.relative_to(ROOT)}:{number}: {problem}")
    return wrong


def check_cmake(room, layers):
    """The rooms a CMakeLists.txt links, against those layers.toml allows."""
    path = ROOT / room / "CMakeLists.txt"
    found = re.search(r"weir_room\(\s*" + room + r"\b([^)]*)\)", path.read_text())
    if not found:
        return [f"{path.relative_to(ROOT)}: no weir_room({room} ...)"]
    uses = re.search(r"USES((?:\s+[a-z]+\b)+)", found[1])
    linked = uses[1].split() if uses else []
    return [f"{path.relative_to(ROOT)}: links {other}, which it must not use" for other in linked
            if other not in layers["rooms"][room]["uses"]]


def sources(folder):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in (".hpp", ".cpp"))


def main():
    layers = tomllib.loads((HERE / "layers.toml").read_text())
    wrong, checked = [], 0
    for room in layers["rooms"]:
        wrong += check_cmake(room, layers)
        for path in sources(room):
            checked += 1
            wrong += check_file(path, room, layers)
    for folder in ("tests", "bench"):
        for path in sources(folder):
            checked += 1
            owner = path.relative_to(ROOT).parts[2] if path.is_relative_to(ROOT / "tests" / "unit") else None
            wrong += check_test(path, owner, layers)
    print("\n".join(wrong) if wrong else f"{checked} files keep to the layers")
    print(f"{checked - len({w.split(':')[0] for w in wrong})} passed, {len(wrong)} failed")
    return 1 if wrong else 0


def check_test(path, owner, layers):
    """A unit test may use its room and what that room may use; other tests may use every room."""
    wrong = check_file(path, None, layers)
    if owner not in layers["rooms"]:
        return wrong
    allowed = {owner, *layers["rooms"][owner]["uses"]}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = INCLUDE.match(line)
        used = found[2].split("/")[0] if found and found[1] == '"' else None
        if used in layers["rooms"] and used not in allowed:
            wrong.append(f"{path.relative_to(ROOT)}:{number}: the tests of {owner} must not use {used}")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
