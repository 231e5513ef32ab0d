"""The rules of the style that a machine can check: sizes, words that do not belong, comments that must be there, and
the tests that a document names.

Prints one line for each violation, then "N passed, N failed" over the files. The limits are those of CONTRIBUTING.md.
"""
import ast
import pathlib
import re
import sys

from cpp_source import functions, strip

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("base", "protocol", "metadata", "assignor", "group", "storage", "actors", "server", "gateway", "http", "cli",
           "tests", "bench", "tools")
NAMES_TESTS = ROOT / "docs" / "user-problems.md"
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 500
PARAMETERS_MAX = 5
COMPLEXITY_MAX = 12
WIDTH_MAX = 120
PURE_ROOMS = ("group", "metadata", "assignor")
LEFTOVERS = re.compile(r"\b(?:TO" + "DO|FIX" + "ME|XX" + r"X|HA" + r"CK)\b")


class Forbidden:
    """A pattern in code (comments and strings do not count) that is forbidden in some folders."""

    def __init__(self, pattern, why, inside=None, outside=()):
        self.pattern, self.why, self.inside, self.outside = re.compile(pattern), why, inside, outside

    def concerns(self, name):
        return (self.inside is None or name.startswith(self.inside)) and not name.startswith(self.outside or ("\0",))


FORBIDDEN = (
    Forbidden(r"\bsleep_for\b|\bsleep_until\b|\busleep\b|\bsleep\s*\(", "no sleeping: wait for a condition",
              inside=("tests/",)),
    Forbidden(r"\bs?rand\s*\(|\brandom_device\b", "randomness comes from base/random", outside=("base/random",)),
    Forbidden(r"\bchrono::system_clock\b|\bgettimeofday\b|\btime\s*\(\s*(?:nullptr|NULL|0)\s*\)",
              "time comes from base/clock", outside=("base/clock", "base/log")),
    Forbidden(r"\b(?:steady_clock|high_resolution_clock)\b", "time is an argument here",
              inside=tuple(f"{room}/" for room in PURE_ROOMS)),
    Forbidden(r"\bmt19937\b|\b\w*_distribution\s*<", "randomness is an argument here",
              inside=tuple(f"{room}/" for room in PURE_ROOMS)),
)


def files(*endings):
    for folder in FOLDERS:
        yield from sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in endings and p.is_file())


def check_text(path, lines):
    """What holds for every file of text."""
    wrong = [f"{n}: line of {len(line)} characters" for n, line in enumerate(lines, 1) if len(line) > WIDTH_MAX]
    if len(lines) > FILE_LINES_MAX:
        wrong.append(f"1: {len(lines)} lines in one file")
    wrong += [f"{n}: leftover '{LEFTOVERS.search(line)[0]}'" for n, line in enumerate(lines, 1)
              if LEFTOVERS.search(line)]
    return wrong


def check_functions(found):
    wrong = []
    for function in found:
        if function.lines > FUNCTION_LINES_MAX:
            wrong.append(f"{function.line}: {function.name} has {function.lines} lines")
        if function.parameters > PARAMETERS_MAX:
            wrong.append(f"{function.line}: {function.name} has {function.parameters} parameters")
        if function.complexity > COMPLEXITY_MAX:
            wrong.append(f"{function.line}: {function.name} has complexity {function.complexity}")
    return wrong


def check_cpp(path, text):
    name = path.relative_to(ROOT).as_posix()
    bare = strip(text)
    wrong = check_functions(functions(text))
    for rule in FORBIDDEN:
        if rule.concerns(name):
            wrong += [f"{bare.count(chr(10), 0, m.start()) + 1}: {m[0].strip()}: {rule.why}"
                      for m in rule.pattern.finditer(bare)]
    if name.split("/")[0] in PURE_ROOMS:
        wrong += unordered_iteration(bare)
    if path.suffix == ".hpp":
        wrong += check_header(text)
    else:
        wrong += check_first_include(path, text)
    return wrong


def unordered_iteration(bare):
    """Loops over a container that the same file declares as unordered: their order is not the same on every run."""
    names = set(re.findall(r"\bunordered_(?:map|set)\s*<[^;{}()]*>\s*&?\s*(\w+)", bare))
    return [f"{bare.count(chr(10), 0, m.start()) + 1}: iterates over unordered {m[1]}"
            for m in re.finditer(r"\bfor\s*\([^;()]*:\s*(?:\w+(?:\.|->))*(\w+)\s*\)", bare) if m[1] in names]


def check_header(text):
    lines = text.splitlines()
    wrong = [] if "#pragma once" in text else ["1: header without #pragma once"]
    if re.search(r"^\s*using namespace\b", text, re.MULTILINE):
        wrong.append("1: using namespace in a header")
    if not any(line.startswith("//") for line in lines[:3]):
        wrong.append("1: the header does not begin by saying what it is for")
    return wrong


def check_first_include(path, text):
    """A source includes its own header first: so that header is known to compile alone."""
    own = path.with_suffix(".hpp")
    first = re.search(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', text, re.MULTILINE)
    if own.exists() and (first is None or first[1] != own.relative_to(ROOT).as_posix()):
        return [f"1: does not include \"{own.relative_to(ROOT).as_posix()}\" first"]
    return []


def check_python(path, text):
    wrong = []
    for node in ast.walk(ast.parse(text, str(path))):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        size = node.end_lineno - node.lineno + 1
        arguments = [a.arg for a in node.args.args + node.args.kwonlyargs if a.arg not in ("self", "cls")]
        if size > FUNCTION_LINES_MAX:
            wrong.append(f"{node.lineno}: {node.name} has {size} lines")
        if len(arguments) > PARAMETERS_MAX and node.name != "__init__":
            wrong.append(f"{node.lineno}: {node.name} has {len(arguments)} parameters")
        branches = sum(isinstance(n, (ast.If, ast.For, ast.While, ast.ExceptHandler)) for n in ast.walk(node))
        if branches >= COMPLEXITY_MAX:
            wrong.append(f"{node.lineno}: {node.name} has complexity {branches + 1}")
    return wrong


def check(path):
    text = path.read_text()
    wrong = check_text(path, text.splitlines())
    if path.suffix in (".hpp", ".cpp"):
        wrong += check_cpp(path, text)
    elif path.suffix == ".py":
        wrong += check_python(path, text)
    return [f"{path.relative_to(ROOT)}:{problem}" for problem in wrong]


def missing_tests(text):
    """What a document names that is not there. A row of its tables ends with a cell of names in backticks: a file below
    tests/, then tests of it by name or the beginning of one; rcNN is a case."""
    missing = []
    for number, line in enumerate(text.splitlines(), 1):
        path = None
        cell = line.rpartition(" | ")[2] if line.startswith("|") else ""
        for name in re.findall(r"`([^`]+)`", cell):
            if "/" in name:
                path = ROOT / "tests" / name
                there = path.is_file()
            elif re.fullmatch(r"rc\d+", name):
                there = any((ROOT / "tests/conformance/cases").glob(f"{name}-*.json"))
            else:
                there = path is not None and path.is_file() and has_test(path.read_text(), name)
            missing += [] if there else [f"{number}: no test {name}"]
    return missing


def has_test(text, name):
    return re.search(rf"(?:\bTEST\w*\(\w+,\s*|\bdef ){re.escape(name)}(?![^\W_])", text) is not None


def main():
    checked = list(files(".hpp", ".cpp", ".py", ".java", ".sh", ".js"))
    problems = {path: check(path) for path in checked}
    checked.append(NAMES_TESTS)
    problems[NAMES_TESTS] = [f"{NAMES_TESTS.relative_to(ROOT)}:{missing}"
                             for missing in missing_tests(NAMES_TESTS.read_text())]
    for wrong in problems.values():
        for line in wrong:
            print(line)
    failed = sum(bool(wrong) for wrong in problems.values())
    print(f"{len(checked) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
