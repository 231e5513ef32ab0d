"""Disks that fail: what Weir promises then. A full disk and a flush that finds no space refuse changes with a retriable
error, everything else goes on, /readyz shows it, and it recovers by itself. A flush that fails otherwise, and any
failure of the meta page, ends the process; the restart has everything that was answered and nothing of the rest.

    python3 tests/crash/faults.py [--binary build/release/weir]
"""
import argparse
import pathlib
import resource
import sys
import tempfile

from load import SETTINGS, TASK_ROLES, TOPIC, programs, read_folder

import admin
from ports import wait_until
from weir import BINARY, Weir

NONE, FULL, FLUSH_ERROR, FLUSH_FULL, META_ERROR = b"-fesm"
RETRIABLE = 15  # COORDINATOR_NOT_AVAILABLE
GROUP, MEMBER = "g", "m"
WAIT_SECONDS = 20


class Patient:
    """A Weir whose disk can be made to fail, with one member that has committed an offset."""

    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory(prefix="weir-faults-")
        self.byte = pathlib.Path(self.folder.name) / "fault"
        self.weir = Weir(SETTINGS, binary)
        self.image_state = programs(binary)[0]
        self.weir.environment = {"LD_PRELOAD": str(programs(binary)[1]), "WEIR_DISK_FAULT": str(self.byte)}
        self.client, self.epoch = None, 0
        self.set_fault(NONE)

    def __enter__(self):
        try:
            self.weir.start()
            self.client = self.weir.client(timeout=WAIT_SECONDS)
            admin.create_topic(self.client, TOPIC, 2)
            self.epoch = self.beat(MEMBER, 0)["MemberEpoch"]
            equal(self.commit(1), 0, "the first commit")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.client is not None:
            self.client.close()
        self.weir.close()
        self.folder.cleanup()

    def set_fault(self, letter):
        with self.byte.open("r+b" if self.byte.exists() else "wb") as file:
            file.write(bytes([letter]))

    def fault(self):
        return self.byte.read_bytes()[0]

    def beat(self, member, epoch):
        join = {} if epoch else {"RebalanceTimeoutMs": 60_000, "ProcessId": member, "Topology": {
            "Epoch": 0, "Subtopologies": [{"SubtopologyId": "0", "SourceTopics": [TOPIC]}]},
            **{role: [] for role in TASK_ROLES}}
        return self.client.call("StreamsGroupHeartbeat", 1, {"GroupId": GROUP, "MemberId": member,
                                                             "MemberEpoch": epoch, **join})

    def commit(self, offset, metadata=""):
        answer = self.client.call("OffsetCommit", 9, {
            "GroupId": GROUP, "MemberId": MEMBER, "GenerationIdOrMemberEpoch": self.epoch, "Topics": [
                {"Name": TOPIC, "Partitions": [{"PartitionIndex": 0, "CommittedOffset": offset,
                                                "CommittedMetadata": metadata}]}]})
        return answer["Topics"][0]["Partitions"][0]["ErrorCode"]

    def offset(self):
        answer = self.client.call("OffsetFetch", 9, {"Groups": [{"GroupId": GROUP, "Topics": [
            {"Name": TOPIC, "PartitionIndexes": [0]}]}]})
        return answer["Groups"][0]["Topics"][0]["Partitions"][0]["CommittedOffset"]

    def ready(self):
        return self.weir.http("/readyz")[0] == 200

    def goes_on_refusing(self):
        """Changes are refused, the rest goes on."""
        equal(self.commit(2), RETRIABLE, "a commit")
        equal(self.beat("other", 0)["ErrorCode"], RETRIABLE, "a join")
        equal(self.offset(), 1, "the offset")
        equal(self.beat(MEMBER, self.epoch)["ErrorCode"], 0, "a heartbeat that changes nothing")
        equal(admin.describe_group(self.client, GROUP)["GroupState"], "Stable", "the state")
        wait_until(lambda: not self.ready(), WAIT_SECONDS, "/readyz is red")

    def recovers(self):
        wait_until(self.ready, WAIT_SECONDS, "/readyz is green again")
        wait_until(lambda: self.commit(3) == 0, WAIT_SECONDS, "a commit is taken again")
        equal(self.offset(), 3, "the offset")

    def has_after_restart(self, offset):
        self.weir.kill()
        state, broken = read_folder(self.image_state, self.weir.settings["data.dir"])
        equal(broken, None, "the folder")
        equal(state.offsets[GROUP, TOPIC, 0], offset, "the stored offset")
        equal(state.members, {(GROUP, MEMBER)}, "the stored members")
        self.client.close()
        self.set_fault(NONE)
        self.weir.start()
        self.client = self.weir.client(timeout=WAIT_SECONDS)
        equal(self.offset(), offset, "the offset after the restart")
        equal(self.beat(MEMBER, self.epoch)["ErrorCode"], 0, "the member's heartbeat after the restart")


def equal(found, wanted, what):
    if found != wanted:
        raise AssertionError(f"{what} is {found}, not {wanted}")


def full_disk(patient):
    patient.set_fault(FULL)
    patient.goes_on_refusing()
    patient.set_fault(NONE)
    patient.recovers()
    patient.has_after_restart(3)


def full_disk_and_killed(patient):
    patient.set_fault(FULL)
    patient.goes_on_refusing()
    patient.has_after_restart(1)


def size_limit(patient):
    """A limit on the size of files is like a full disk, and no reason to end."""
    data = pathlib.Path(patient.weir.settings["data.dir"]) / "data.mdb"
    pid, big = patient.weir.process.pid, "x" * 4_000
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (data.stat().st_size, before[1]))
    codes = {patient.commit(1, big) for _ in range(3)} | {fill(patient, n, big) for n in range(40)}
    equal(codes - {0}, {RETRIABLE}, "answers under the limit")
    resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
    patient.recovers()


def fill(patient, n, metadata):
    """Commits of a group of its own, so that the file has to grow."""
    answer = patient.client.call("OffsetCommit", 9, {
        "GroupId": f"fill-{n}", "MemberId": "", "GenerationIdOrMemberEpoch": -1, "Topics": [
            {"Name": TOPIC, "Partitions": [{"PartitionIndex": 0, "CommittedOffset": 1,
                                            "CommittedMetadata": metadata}]}]})
    return answer["Topics"][0]["Partitions"][0]["ErrorCode"]


def flush_without_space(patient):
    patient.set_fault(FLUSH_FULL)
    equal(patient.commit(2), RETRIABLE, "the commit whose flush found no space")
    equal(patient.fault(), NONE, "the fault, which happens once,")
    equal(patient.offset(), 1, "the offset")
    patient.recovers()
    patient.has_after_restart(3)


def ends_with(patient, letter):
    patient.set_fault(letter)
    patient.client.send("OffsetCommit", 9, {
        "GroupId": GROUP, "MemberId": MEMBER, "GenerationIdOrMemberEpoch": patient.epoch, "Topics": [
            {"Name": TOPIC, "Partitions": [{"PartitionIndex": 0, "CommittedOffset": 2, "CommittedMetadata": ""}]}]})
    status = patient.weir.process.wait(WAIT_SECONDS)
    equal(status, 1, "the exit status")
    last = patient.weir.process.tail(1)
    if "the log could not be flushed" not in last:
        raise AssertionError(f"the last line does not say why it ended: {last}")


def failed_flush(patient):
    ends_with(patient, FLUSH_ERROR)
    patient.has_after_restart(1)


def failed_meta_page(patient):
    ends_with(patient, META_ERROR)
    patient.has_after_restart(1)


CASES = (full_disk, full_disk_and_killed, size_limit, flush_without_space, failed_flush, failed_meta_page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=BINARY)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(case.__name__ for case in CASES))
    options = parser.parse_args()
    passed, failed = 0, 0
    for case in CASES:
        if options.cases and case.__name__ not in options.cases:
            continue
        try:
            with Patient(options.binary) as patient:
                case(patient)
            passed += 1
        except (AssertionError, RuntimeError, OSError) as error:
            failed += 1
            print(f"FAILED {case.__name__}: {error}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
