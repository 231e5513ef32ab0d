"""A checker of Prometheus' text format 0.0.4, with the rules of good names that promtool's linter has."""
import re

LINE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? '
                  r'([+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Inf|NaN))')
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"')
KINDS = ("counter", "gauge", "histogram")
NOT_BASE = re.compile(r"_(?:milliseconds|microseconds|ms|us|minutes|hours|kilobytes|megabytes|percent)(?:_|$)")
NO_BOUND = ("group", "group_id", "member", "member_id", "client_id", "topic")


class Exposition:
    """`kinds` by family, `samples`: (name, labels, value) in order, `wrong`: what breaks a rule, in words."""

    def __init__(self, text):
        self.kinds, self.samples, self.wrong, self.helps = {}, [], [], set()
        if not text.endswith("\n"):
            self.wrong.append("the last line does not end")
        for line in text.splitlines():
            self._comment(line) if line.startswith("#") else self._sample(line)
        for family in sorted(self.kinds):
            self._family(family)
        seen = [(name, tuple(sorted(labels.items()))) for name, labels, _ in self.samples]
        self.wrong += [f"twice: {one}" for one in sorted({one for one in seen if seen.count(one) > 1})]

    def names(self):
        """Families, and what histograms are made of."""
        return set(self.kinds) | {name for name, _, _ in self.samples}

    def _comment(self, line):
        _, word, family, rest = line.split(" ", 3)
        if word == "HELP":
            self.helps.add(family)
        elif rest not in KINDS or family in self.kinds:
            self.wrong.append(f"bad type: {line}")
        else:
            self.kinds[family] = rest

    def _sample(self, line):
        match = LINE.fullmatch(line)
        if match is None:
            self.wrong.append(f"no sample: {line}")
            return
        labels = dict(LABEL.findall(match[2] or ""))
        self.wrong += [f"a label without bound: {line}" for label in labels if label in NO_BOUND]
        if family_of(match[1], self.kinds) is None:
            self.wrong.append(f"before its TYPE: {line}")
        self.samples.append((match[1], labels, float(match[3])))

    def _family(self, family):
        kind = self.kinds[family]
        if family not in self.helps:
            self.wrong.append(f"{family} has no HELP")
        if (kind == "counter") != family.endswith("_total"):
            self.wrong.append(f"{family} is a {kind}")
        if NOT_BASE.search(family):
            self.wrong.append(f"{family} is not in a base unit")
        if kind == "histogram":
            self._histogram(family)

    def _histogram(self, family):
        series = {}
        for name, labels, value in self.samples:
            if name == f"{family}_bucket":
                rest = tuple(sorted((k, v) for k, v in labels.items() if k != "le"))
                series.setdefault(rest, []).append((float(labels["le"]), value))
        counts = {tuple(sorted(labels.items())): value for name, labels, value in self.samples
                  if name == f"{family}_count"}
        for rest, buckets in series.items():
            if buckets != sorted(buckets) or [v for _, v in buckets] != sorted(v for _, v in buckets):
                self.wrong.append(f"{family}{rest}: buckets do not rise")
            if buckets[-1] != (float("inf"), counts.get(rest)):
                self.wrong.append(f"{family}{rest}: +Inf is not the count")


def family_of(name, kinds):
    """The family that a sample belongs to; None if it was not announced."""
    if name in kinds:
        return name
    short = re.sub(r"_(?:bucket|sum|count)$", "", name)
    return short if kinds.get(short) == "histogram" else None


def metrics_named(text):
    """Names of metrics in the expressions of a dashboard or of alerts."""
    return set(re.findall(r"\b(?:weir|process)_[a-z0-9_]+\b", text))
