"""The data is Kafka's: groups move from a real 4.4 broker into Weir and back, and Kafka's classes read Weir's records.

    python3 tests/integration/interop.py [--binary build/release/weir]

Groups of every kind are made over the wire (tests/support/story.py). Decoding: Weir's export is read with Kafka's own
GroupCoordinatorRecordSerde and must be what Weir says in JSON; DumpLogSegments must read it without a complaint. From
Kafka: the segments of a stopped broker are imported, and Weir must answer what the broker answered. To Kafka: Weir's
exports become the segments of another broker, which must answer the same. The last line is "N passed, N failed".
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import admin  # noqa: E402
import broker  # noqa: E402
import story  # noqa: E402
from checks import Checks  # noqa: E402
from weir import BINARY, Weir  # noqa: E402
from wire import WireError  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
VERSION = "4.4.0"
JAVA = broker.java("256m", "error")
COMMAND_SECONDS = 300
DESCRIPTION_TYPE = 1093
OFFSETS_TOPIC, OFFSETS_PARTITIONS = "__consumer_offsets", 2
SEGMENT = "0" * 20 + ".log"
BROKER = {**story.SETTINGS, "offsets.topic.num.partitions": OFFSETS_PARTITIONS}
WEIR = {**story.SETTINGS, "group.streams.assignors": "sticky"}  # the one assignor that both have


class Interop(Checks):
    """Groups on their way, and what must be the same afterwards."""

    def __init__(self, binary, folder):
        super().__init__()
        self.binary, self.folder = binary, folder

    def same(self, what, expected, seen):
        """Counts each part of a state on its own."""
        for part, value in expected.items():
            self.count(f"{what}: {part}", seen[part] == value, f"\n  was {value}\n  is  {seen[part]}")

    def run(self, *command):
        return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=COMMAND_SECONDS,
                              check=False)

    def groups(self, *arguments):
        """`weir groups ...`, which must succeed; its output."""
        done = self.run(self.binary, "groups", *arguments)
        if done.returncode != 0:
            raise RuntimeError(f"weir groups {arguments}: {done.stderr}")
        return done.stdout + done.stderr

    def java(self, *arguments):
        return self.run(*JAVA, "-cp", f"{broker.jars(VERSION)}/*", *arguments)

    # --- decoding ---------------------------------------------------------------------------------------------

    def decoding(self, data):
        """Weir's export against what Kafka's classes make of it."""
        lines, log = self.folder / "weir.jsonl", self.folder / SEGMENT
        self.groups("export", "--data-dir", data, "--output", lines)
        self.groups("export", "--data-dir", data, "--format", "kafka", "--output", log)
        ours = [json.loads(line) for line in lines.read_text().splitlines()[1:]]
        for line in ours:
            del line["name"]
        known = [line for line in ours if line["key"]["type"] != DESCRIPTION_TYPE]
        types = {line["key"]["type"] for line in known}
        self.count("the export has records of every kind", types == {1, 2, 17, 19, 20, 21, 22, 23}, str(types))
        decoded = self.java(HERE / "DecodeRecords.java", log)
        self.count("Kafka's serde decodes every record", decoded.returncode == 0, decoded.stderr[-2000:])
        kafkas = [json.loads(line) for line in decoded.stdout.splitlines()]
        unknown = [line for line in kafkas if "unknown" in line]
        self.count("what Kafka does not know is the one topology description",
                   unknown == [{"unknown": DESCRIPTION_TYPE}] and len(ours) == len(known) + 1, str(unknown))
        differing = [pair for pair in zip(known, [k for k in kafkas if "unknown" not in k]) if pair[0] != pair[1]]
        self.count(f"{len(known)} records are in Kafka's JSON what they are in Weir's",
                   not differing and len(kafkas) == len(ours), f"{differing[:2]}")
        self.dump_log_segments(log, len(known))

    def dump_log_segments(self, log, known):
        dumped = self.java("org.apache.kafka.tools.DumpLogSegments", "--offsets-decoder", "--deep-iteration",
                           "--files", log)
        found = len(re.findall(r"\bkey: \{\"type\"", dumped.stdout))
        invalid = re.findall(r"isvalid: false|[Ee]rror|Exception|[Mm]ismatch|corrupt", dumped.stdout + dumped.stderr)
        self.count(f"DumpLogSegments prints {known} records and no complaint",
                   dumped.returncode == 0 and found == known and not invalid,
                   f"{found} {invalid[:3]}\n{dumped.stdout[:1500]}{dumped.stderr[-1000:]}")

    # --- Weir -> Kafka ----------------------------------------------------------------------------------------

    def from_weir(self):
        settings = {**WEIR, "group.streams.topology.description.enable": "true"}
        with Weir(settings, binary=self.binary, name="interop") as weir:
            with weir.client() as client:
                story.create_topics(client)
                members = story.tell(client)
                story.describe_topology(client, members[0])
                story.classic_member(client, story.LIVE_CLASSIC, leaves=False)
                expected = story.state(client)
            data = weir.settings["data.dir"]
            locked = self.run(self.binary, "groups", "export", "--data-dir", data)
            self.count("a folder that a server has open is refused",
                       locked.returncode == 1 and "is in use by process" in locked.stderr, locked.stderr)
            weir.stop()
            self.decoding(data)
            self.to_kafka(data, expected, members)

    def to_kafka(self, data, expected, members):
        """Exports by partition as the segments of a broker that has nothing but the topics."""
        with broker.Broker(VERSION, BROKER) as kafka:
            with kafka.client() as client:
                story.create_topics(client)
                admin.find_coordinator(client, story.STREAMS)
            kafka.stop()
            for partition in range(OFFSETS_PARTITIONS):
                place = kafka.folder / "data" / f"{OFFSETS_TOPIC}-{partition}"
                for old in (*place.glob("*.log"), *place.glob("*index"), *place.glob("*.snapshot")):
                    old.unlink()
                self.groups("export", "--data-dir", data, "--format", "kafka", "--forget-topic-ids", "--partition",
                            f"{partition}/{OFFSETS_PARTITIONS}", "--output", place / SEGMENT)
            (kafka.folder / "data" / ".kafka_cleanshutdown").unlink(missing_ok=True)
            kafka.start()
            with kafka.client() as client:
                admin.find_coordinator(client, story.STREAMS)
                self.same("a broker over Weir's export", comparable(as_stored(expected)),
                          comparable(as_stored(story.state(client))))
                self.go_on("a broker", client, members)

    # --- Kafka -> Weir ----------------------------------------------------------------------------------------

    def from_kafka(self):
        with broker.Broker(VERSION, BROKER) as kafka:
            with kafka.client() as client:
                story.create_topics(client)
                members = story.tell(client)
                story.classic_member(client, story.LIVE_CLASSIC, leaves=False)
                story.consumer_member(client, story.LIVE_CONSUMER)
                for member in members:
                    member.beat(client)
                expected = story.state(client)
            kafka.stop()
            partitions = sorted((kafka.folder / "data").glob(f"{OFFSETS_TOPIC}-*"))
            self.count("the broker has its partitions", len(partitions) == OFFSETS_PARTITIONS, str(partitions))
            self.into_weir(partitions, expected, members)

    def into_weir(self, partitions, expected, members):
        with Weir(WEIR, binary=self.binary, name="interop-kafka") as weir:
            data = weir.settings["data.dir"]
            with weir.client() as client:
                story.create_topics(client)
            weir.stop()
            told = self.groups("import", "--data-dir", data, "--forget-topic-ids", *partitions)
            self.count("live groups of other protocols are skipped and said",
                       all(f"skipped {group}: " in told for group in (story.LIVE_CLASSIC, story.LIVE_CONSUMER)), told)
            self.count("transactions without a commit are left out and said",
                       "left out 1 records of aborted transactions" in told
                       and "left out 1 records of transactions without an end" in told, told)
            again = self.run(self.binary, "groups", "import", "--data-dir", data, *partitions)
            self.count("what is there is not replaced unasked",
                       again.returncode == 1 and "--replace" in again.stderr, again.stderr)
            weir.start()
            with weir.client() as client:
                self.same("Weir over the broker's log", comparable(expected), comparable(story.state(client)))
                self.go_on("Weir", client, members)

    def go_on(self, where, client, members):
        """No member is fenced: each heartbeat is answered, and no epoch goes back."""
        epochs = [member.epoch for member in members]
        for member in members:
            member.beat(client)
        self.count(f"the members go on in {where}", all(m.epoch >= e for m, e in zip(members, epochs)))


def comparable(state):
    """Parts of a state by name. Task offsets are not stored by either."""
    streams = dict(state["streams"])
    streams["Members"] = [{**m, "TaskOffsets": None, "TaskEndOffsets": None} for m in streams["Members"]]
    return {"groups": state["listed"], "classic groups": state["classic"],
            **{f"streams group, {key}": value for key, value in streams.items()},
            **{f"offsets of {group}": offsets for group, offsets in state["offsets"].items()}}


def as_stored(state):
    """Without what a broker derives from its topics with the first heartbeat after a load."""
    copy = json.loads(json.dumps(state["streams"], default=str))
    for part in copy["Topology"]["Subtopologies"]:
        for topic in part["StateChangelogTopics"]:
            topic["Partitions"] = 0
    return {**state, "streams": copy}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=BINARY)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-interop-"))
    test = Interop(options.binary, folder)
    try:
        for part in (test.from_weir, test.from_kafka):
            try:
                part()
            except (RuntimeError, TimeoutError, OSError, WireError, admin.Refused) as error:
                test.count(part.__name__, False, f"{type(error).__name__}: {error}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{test.passed} passed, {test.failed} failed")
    return 1 if test.failed else 0


if __name__ == "__main__":
    sys.exit(main())
