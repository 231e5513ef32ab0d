"""Reads examples.txt: sections with topics, configuration, topologies and steps; and the task notation 0:0-3;1:2."""
import json

SHORT_CONFIGS = {"D": "streams.initial.rebalance.delay.ms", "I": "streams.assignment.interval.ms"}


def parse_tasks(text):
    """"0:0-3,5;1:2" -> set of (subtopology, partition)."""
    tasks = set()
    for part in filter(None, text.removeprefix("{}").split(";")):
        subtopology, _, partitions = part.partition(":")
        for piece in partitions.split(","):
            first, _, last = piece.partition("-")
            tasks |= {(subtopology, p) for p in range(int(first), int(last or first) + 1)}
    return tasks


def parse_offsets(text):
    """"0/0:10;1/2:5" -> task offsets of a message."""
    entries = []
    for part in filter(None, text.split(";")):
        task, _, offset = part.partition(":")
        subtopology, _, partition = task.partition("/")
        entries.append({"SubtopologyId": subtopology, "Partition": int(partition), "Offset": int(offset)})
    return entries


class Words:
    """A command or an expectation: bare words, key=value options (a key may repeat), and a JSON object."""

    def __init__(self, text):
        self.bare, self.options, self.raw = [], [], {}
        for word in text.split():
            if word.startswith('{"'):
                self.raw = json.loads(word)
            elif "=" in word:
                self.options.append(tuple(word.split("=", 1)))
            else:
                self.bare.append(word)
        self.map = dict(self.options)

    def get(self, key, default=None):
        return self.map.get(key, default)


class Step:
    def __init__(self, line):
        self.text = line.strip()
        parts = [part.strip() for part in line.split("|")]
        self.command = Words(parts[0])
        self.expected = [Words(part) for part in parts[1:]] or [Words("")]

    def expectation(self, is_kafka):
        return self.expected[1] if is_kafka and len(self.expected) > 1 else self.expected[0]


class Example:
    """One section. Topologies are kept as lines until the names of topics are known."""

    def __init__(self, heading):
        self.id, _, self.title = heading.removeprefix("[").partition("] ")
        self.topics, self.steps = {"foo": 4}, []
        self.configs = {name: "0" for name in SHORT_CONFIGS.values()}
        self._topologies, self._started = {"T0": (0, ["sub 0 source=foo"])}, False
        self._last = None

    def add(self, line):
        words = Words(line)
        kind = words.bare[0]
        if kind == "topics":
            self.topics = {name: int(count) for name, count in words.options}
        elif kind == "topology":
            self._last = words.bare[1]
            self._topologies[self._last] = (int(words.get("epoch")), [])
        elif kind == "sub":
            self._topologies[self._last][1].append(line)
        elif kind == "config" and not self.steps:
            self.configs.update((SHORT_CONFIGS.get(name, name), value) for name, value in words.options)
        else:
            self.steps.append(Step(line))

    def topology(self, name, topic):
        """The Topology structure; `topic` makes the real name of a topic."""
        epoch, lines = self._topologies[name]
        return {"Epoch": epoch, "Subtopologies": [subtopology(Words(line), topic) for line in lines]}


def subtopology(words, topic):
    def names(key):
        return [topic(name) for name in words.get(key, "").split(",") if name]

    def infos(key):
        """"name(partitions,replication)"."""
        text = words.get(key)
        if not text:
            return []
        name, _, numbers = text.rstrip(")").partition("(")
        partitions, _, replication = numbers.partition(",")
        return [{"Name": topic(name), "Partitions": int(partitions), "ReplicationFactor": int(replication or 1)}]
    copartition = words.get("copartition")
    return {"SubtopologyId": words.bare[1], "SourceTopics": names("source"), "RepartitionSinkTopics": names("sink"),
            "SourceTopicRegex": [r for r in words.get("regex", "").split(",") if r],
            "RepartitionSourceTopics": infos("repartition"), "StateChangelogTopics": infos("changelog"),
            "CopartitionGroups": [{"SourceTopics": [int(i) for i in copartition.split(",")]}] if copartition else []}


def read(path):
    """The examples of the file, in order."""
    examples = []
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            examples.append(Example(line.strip()))
        else:
            examples[-1].add(line.strip())
    return examples
