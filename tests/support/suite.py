"""Runs the methods `test_*` of an object, each by itself, and counts what passed."""
import argparse
import inspect

from weir import BINARY


class Failure(Exception):
    """Something is not as it should be."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


def options_of(description):
    """A parser of the options that every such script has."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--binary", default=BINARY, help="weir to start")
    parser.add_argument("--only", default="", help="tests whose name contains this")
    return parser


def run_suite(tests, only=""):
    """How the process shall exit: 0 if every test passed, and there was one. Whatever a test throws is its failure."""
    passed = failed = 0
    for name, test in inspect.getmembers(tests, inspect.ismethod):
        if not name.startswith("test_") or only not in name:
            continue
        title = name.removeprefix("test_").replace("_", " ")
        try:
            test()
            passed += 1
            print(f"passed {title}", flush=True)
        except Exception as error:
            failed += 1
            print(f"FAILED {title}\n  {type(error).__name__}: {error}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
