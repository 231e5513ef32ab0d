"""Kafka's own tools against an embedded Weir: kafka-streams-groups, kafka-configs, kafka-groups, and the admin client.

    python3 tests/integration/kafka_tools.py [--binary build/release/weir]

A word count group of four members is made by `weir simulate`; the tools look at it, change it, and, once it is empty,
reset and delete it. Their output is compared with what they print for a Kafka 4.4 broker. The last line is
"N passed, N failed".
"""
import argparse
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import broker  # noqa: E402
import e2e  # noqa: E402
from checks import Checks  # noqa: E402
from ports import wait_until  # noqa: E402
from process import Process  # noqa: E402
from weir import BINARY, Weir  # noqa: E402

GROUP, TOPIC = "word-count", "text-lines"
TOOL_SECONDS = 120
SETTINGS = {"group.streams.initial.rebalance.delay.ms": 0, "group.streams.assignment.interval.ms": 0}
JAVA = broker.java("192m", "error")
STREAMS_GROUPS = "org.apache.kafka.tools.streams.StreamsGroupCommand"
CONFIGS = "org.apache.kafka.tools.ConfigCommand"
GROUPS = "org.apache.kafka.tools.GroupsCommand"


class ToolChecks(Checks):
    """What Kafka's tools say to a Weir."""

    def __init__(self, weir):
        super().__init__()
        self.weir = weir

    def run(self, class_path, *arguments):
        return subprocess.run([*JAVA, "-cp", class_path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=TOOL_SECONDS, check=False)

    def tool(self, main, *arguments):
        """Output of one of Kafka's tools, both streams."""
        return self.run(f"{broker.jars('4.4.0')}/*", main, "--bootstrap-server", self.weir.address, *arguments).stdout

    def expect(self, what, output, *patterns):
        """Every pattern occurs in the output."""
        missing = [pattern for pattern in patterns if not re.search(pattern, output, re.MULTILINE)]
        self.count(what, not missing, f"missing {missing} in:\n{output[:3000]}")

    def admin_client(self, state):
        done = self.run(f"{e2e.APP / 'app-1.jar'}:{e2e.APP / 'lib'}/*", "weir.e2e.StreamsAdmin",
                        self.weir.address, GROUP, TOPIC, state)
        held = len(re.findall(r"^checked ", done.stdout, re.MULTILINE))
        self.count(f"the admin client, group {state}: {held} checks", done.returncode == 0 and held >= 6, done.stdout)


def live_group(checks):
    groups = lambda *arguments: checks.tool(STREAMS_GROUPS, *arguments)  # noqa: E731
    checks.expect("--list", groups("--list"), rf"^{GROUP}$")
    checks.expect("--list --state", groups("--list", "--state"), r"^GROUP +STATE", rf"^{GROUP} +Stable")
    checks.expect("--list --state Empty", groups("--list", "--state", "Empty"), rf"(?s)\A(?!.*{GROUP})")
    checks.expect("--describe", groups("--describe", "--group", GROUP),
                  r"^GROUP +TOPIC +PARTITION +OFFSET-LAG", rf"^{GROUP} +{TOPIC} +0 ")
    checks.expect("--describe --offsets --verbose", groups("--describe", "--group", GROUP, "--offsets", "--verbose"),
                  r"CURRENT-OFFSET +LEADER-EPOCH +LOG-END-OFFSET +OFFSET-LAG", rf"^{GROUP} +{TOPIC} +3 +40 ")
    members = groups("--describe", "--group", GROUP, "--members")
    checks.expect("--describe --members", members, r"^GROUP +MEMBER +PROCESS +CLIENT-ID +ASSIGNMENTS")
    assigned = sorted(re.findall(r"ACTIVE: 0:\[(\d)\]; 1:\[(\d)\];", members))
    checks.count("each member has a task of both subtopologies", len(assigned) == 4
                 and sorted(task for task, _ in assigned) == list("0123"), members)
    checks.expect("--describe --members --verbose", groups("--describe", "--group", GROUP, "--members", "--verbose"),
                  r"TARGET-ASSIGNMENT-EPOCH +TOPOLOGY-EPOCH", r"MEMBER-PROTOCOL", r" streams ", r"TARGET-ACTIVE: 0:\[")
    checks.expect("--describe --state --verbose", groups("--describe", "--group", GROUP, "--state", "--verbose"),
                  r"COORDINATOR \(ID\) +ASSIGNOR +STATE +GROUP-EPOCH +TARGET-ASSIGNMENT-EPOCH +#MEMBERS",
                  rf"^{GROUP} +\S+:{checks.weir.port} +\(1\) +highly_available +Stable +(\d+) +\1 +4")
    checks.expect("--delete of a live group", groups("--delete", "--group", GROUP), r"GroupNotEmptyException")
    checks.expect("--reset-offsets of a live group",
                  groups("--reset-offsets", "--group", GROUP, "--to-earliest", "--all-input-topics", "--dry-run"),
                  r"(?i)only .*inactive|current state is Stable")
    checks.expect("--describe of nobody", groups("--describe", "--group", "nobody"), r"GroupIdNotFoundException")
    checks.expect("kafka-groups --list", checks.tool(GROUPS, "--list"), rf"^{GROUP} +Streams +streams")


def settings(checks):
    entity = ("--entity-type", "groups", "--entity-name", GROUP)
    configs = lambda *arguments: checks.tool(CONFIGS, *arguments)  # noqa: E731
    checks.expect("kafka-configs --alter", configs(*entity, "--alter", "--add-config",
                                                   "streams.session.timeout.ms=50000"), r"Completed updating config")
    checks.expect("kafka-configs --describe", configs(*entity, "--describe"),
                  rf"Dynamic configs for group {GROUP} are:",
                  r"streams.session.timeout.ms=50000 sensitive=false synonyms=\{DYNAMIC_GROUP_CONFIG:"
                  r"streams.session.timeout.ms=50000, DEFAULT_CONFIG:group.streams.session.timeout.ms=45000\}")
    checks.expect("kafka-configs --describe --all", configs(*entity, "--describe", "--all"),
                  r"streams.heartbeat.interval.ms=5000", r"streams.num.standby.replicas=0")
    checks.expect("kafka-configs with a value out of range",
                  configs(*entity, "--alter", "--add-config", "streams.session.timeout.ms=1"),
                  r"InvalidConfigurationException: streams.session.timeout.ms")
    checks.expect("kafka-configs with an unknown name",
                  configs(*entity, "--alter", "--add-config", "streams.nonsense=1"),
                  r"InvalidConfigurationException: .*streams.nonsense")
    checks.expect("kafka-configs --delete-config", configs(*entity, "--alter", "--delete-config",
                                                           "streams.session.timeout.ms"), r"Completed updating config")


def empty_group(checks):
    groups = lambda *arguments: checks.tool(STREAMS_GROUPS, *arguments)  # noqa: E731
    checks.expect("--list --state Empty", groups("--list", "--state", "Empty"), rf"^{GROUP} +Empty")
    checks.expect("--reset-offsets --dry-run",
                  groups("--reset-offsets", "--group", GROUP, "--to-earliest", "--all-input-topics", "--dry-run"),
                  r"^GROUP +TOPIC +PARTITION +NEW-OFFSET", rf"^{GROUP} +{TOPIC} +3 +0")
    checks.count("a dry run changed nothing", committed(checks.weir, 3) == 40, str(committed(checks.weir, 3)))
    checks.expect("--reset-offsets --execute",
                  groups("--reset-offsets", "--group", GROUP, "--to-earliest", "--input-topic", TOPIC, "--execute"),
                  rf"^{GROUP} +{TOPIC} +3 +0")
    checks.count("the offsets are reset", committed(checks.weir, 3) == 0, str(committed(checks.weir, 3)))
    checks.expect("--delete-offsets", groups("--delete-offsets", "--group", GROUP, "--input-topic", f"{TOPIC}:3"),
                  rf"{TOPIC} +3 +Successful")
    checks.admin_client("empty")
    checks.count("the group is gone", GROUP not in groups("--list"))


def commit(weir, offset):
    """The running application's progress, committed by one of its members."""
    with weir.client() as client:
        group = client.call("StreamsGroupDescribe", 0, {"GroupIds": [GROUP]})["Groups"][0]
        member = group["Members"][0]
        answer = client.call("OffsetCommit", 9, {
            "GroupId": GROUP, "MemberId": member["MemberId"], "GenerationIdOrMemberEpoch": member["MemberEpoch"],
            "Topics": [{"Name": TOPIC, "Partitions": [{"PartitionIndex": p, "CommittedOffset": offset + p}
                                                      for p in range(4)]}]})
        assert all(p["ErrorCode"] == 0 for p in answer["Topics"][0]["Partitions"]), answer


def committed(weir, partition):
    """The offset the group has committed of a partition of the input topic."""
    with weir.client() as client:
        answer = client.call("OffsetFetch", 9, {"Groups": [{"GroupId": GROUP, "Topics": [
            {"Name": TOPIC, "PartitionIndexes": [partition]}]}]})
        return answer["Groups"][0]["Topics"][0]["Partitions"][0]["CommittedOffset"]


def is_stable(weir):
    with weir.client() as client:
        group = client.call("StreamsGroupDescribe", 0, {"GroupIds": [GROUP]})["Groups"][0]
        return group["GroupState"] == "Stable" and len(group["Members"]) == 4


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=BINARY)
    options = parser.parse_args()
    e2e.build_app()
    with Weir(SETTINGS, binary=options.binary, name="kafka-tools") as weir:
        checks = ToolChecks(weir)
        application = Process([options.binary, "simulate", "--bootstrap", weir.address, "--group", GROUP],
                              weir.folder / "simulate.log")
        wait_until(lambda: is_stable(weir), 60, "four members are stable")
        commit(weir, 37)
        live_group(checks)
        settings(checks)
        checks.admin_client("live")
        application.stop(30)
        empty_group(checks)
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
