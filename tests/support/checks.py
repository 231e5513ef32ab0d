"""Counting of what holds, for tests that go on after a failure."""


class Checks:
    """Counts what holds and prints what does not."""

    def __init__(self):
        self.passed, self.failed = 0, 0

    def count(self, what, holds, why=""):
        self.passed, self.failed = (self.passed + 1, self.failed) if holds else (self.passed, self.failed + 1)
        print(f"{'ok' if holds else 'FAILED'} {what}{'' if holds else ': ' + why}", flush=True)
