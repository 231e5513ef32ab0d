"""End to end: an unmodified Kafka Streams 4.4 application on real brokers, coordinated by Weir.

    python3 tests/e2e/e2e.py                                    all four cells
    python3 tests/e2e/e2e.py --cells 3.9.1/exactly_once_v2      one of them
    python3 tests/e2e/e2e.py --direct                           the same program on Kafka 4.4.0 without Weir

A cell is a broker version and a processing guarantee. In each, two instances with two threads count words of 20,000
lines; one instance is killed with SIGKILL, a third joins half way, Weir is killed with SIGKILL and started again once.
The counts must be exactly right for exactly_once_v2 and never too low for at_least_once. Logs stay in build/e2e/logs.
"""
import argparse
import concurrent.futures
import contextlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import admin  # noqa: E402
from broker import PLACE, Broker, jars  # noqa: E402
from ports import wait_until  # noqa: E402
from process import Process  # noqa: E402
from weir import BINARY, Weir  # noqa: E402
from wire import ROOT, Client  # noqa: E402

CELLS = ("3.9.1/at_least_once", "3.9.1/exactly_once_v2", "4.4.0/at_least_once", "4.4.0/exactly_once_v2")
APP = PLACE / "app"
LOGS = PLACE / "logs"
APPLICATION = "word-count"
LINES, BATCH, PER_SECOND = 20000, 4000, 1500
PARTITIONS = 4
SESSION = {"group.streams.min.session.timeout.ms": 1000, "group.streams.session.timeout.ms": 6000,
           "group.streams.min.heartbeat.interval.ms": 500, "group.streams.heartbeat.interval.ms": 1000,
           "group.streams.initial.rebalance.delay.ms": 1000}
BROKER = {"transaction.abort.timed.out.transaction.cleanup.interval.ms": 1000, "offsets.topic.num.partitions": 3}
START_SECONDS, STABLE_SECONDS, VERIFY_SECONDS = 60, 60, 90
MAVEN_SECONDS = 900


def build_app():
    """Compiles the application with Maven if its sources are newer than its jar."""
    jar = APP / "app-1.jar"
    sources = [HERE / "pom.xml", *(HERE / "src").rglob("*.java")]
    if jar.exists() and (APP / "lib").exists() and jar.stat().st_mtime > max(s.stat().st_mtime for s in sources):
        return
    if shutil.which("mvn") is None:
        raise FileNotFoundError("mvn is needed for the application; run tools/install-packages.sh")
    command = ["mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), "package", "dependency:copy-dependencies",
               f"-DoutputDirectory={APP / 'lib'}", "-DincludeScope=runtime"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=MAVEN_SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")


class Site:
    """A broker, Weir in front of it unless `direct`, and Java programs: everything it starts ends with it."""

    def __init__(self, version, logs, binary, direct=False):
        self.direct, self.binary, self.logs = direct, binary, logs
        shutil.rmtree(self.logs, ignore_errors=True)
        self.logs.mkdir(parents=True)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-e2e-"))
        self.broker = Broker(version, {**BROKER, **(SESSION if direct else {})}, logs=self.logs)
        self.weir, self.processes, self.notes = None, {}, []
        self.started = time.monotonic()

    def note(self, text):
        self.notes.append(f"{time.monotonic() - self.started:5.1f} s  {text}")

    def close(self):
        (self.logs / "events.log").write_text("\n".join(self.notes) + "\n")
        with contextlib.ExitStack() as last:  # each of them, even if another one fails
            last.callback(shutil.rmtree, self.folder, ignore_errors=True)
            last.callback(self.broker.close)
            if self.weir is not None:
                last.callback(self.weir.close)
            for process in self.processes.values():
                last.callback(process.kill)

    def tails(self):
        """The last lines of everything that was started."""
        servers = [("broker", self.broker.process), ("weir", self.weir.process if self.weir else None)]
        started = [*self.processes.items(), *(server for server in servers if server[1] is not None)]
        return "\n".join(f"--- {name}\n{process.tail(12)}" for name, process in started)

    @property
    def bootstrap(self):
        return self.broker.address if self.direct else self.weir.address

    def client(self):
        return Client(*self.bootstrap.rsplit(":", 1))

    def java(self, name, main, *arguments, talks=False):
        """Starts a Java program of the application; its temporary files stay in the folder of the site."""
        command = ["java", "-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
                   f"-Djava.io.tmpdir={self.folder}", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                   "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.streams=info",
                   "-Dorg.slf4j.simpleLogger.showDateTime=true",
                   "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
                   "-cp", f"{APP / 'app-1.jar'}:{APP / 'lib'}/*", f"weir.e2e.{main}", *map(str, arguments)]
        process = self.processes[name] = Process(command, self.logs / f"{name}.log", talks=talks)
        return process

    def start_servers(self, settings=None):
        self.broker.start()
        self.note("broker answers")
        if not self.direct:
            self.weir = Weir({"mode": "gateway", "upstream.bootstrap.servers": self.broker.address, **SESSION,
                              **({"upstream.allow.streams.groups": "true"} if self.broker.version >= "4.2" else {}),
                              **(settings or {})}, self.binary, self.logs).start()
            self.note("weir ready")

    def group(self, application):
        with self.client() as client:
            return admin.describe_group(client, application)

    def await_stable(self, application, members):
        """Waits until the group is Stable with that many members; returns its description."""
        def stable():
            group = self.group(application)
            return group if group["GroupState"] == "Stable" and len(group["Members"]) == members else None
        return wait_until(stable, STABLE_SECONDS, f"the group is stable with {members} members", pause=0.3)

    def committed(self, application):
        """Sum of the application's committed offsets."""
        with self.client() as client:
            answer = client.call("OffsetFetch", client.best("OffsetFetch", 8), {
                "Groups": [{"GroupId": application, "Topics": None}], "RequireStable": False})
        return sum(max(0, p["CommittedOffset"]) for t in answer["Groups"][0]["Topics"] for p in t["Partitions"])


class Cell(Site):
    """One broker version with one guarantee."""

    def __init__(self, name, binary, direct):
        version, self.guarantee = name.split("/")
        super().__init__(version, LOGS / name.replace("/", "-"), binary, direct)

    def instance(self, name):
        """Starts an instance of the application with an empty state folder."""
        return self.java(name, "WordCount", self.bootstrap, APPLICATION, self.folder / name, self.guarantee)

    def run(self):
        """The figures of the cell as text; raises when something is wrong."""
        self.start_servers()
        with self.client() as client:
            admin.create_topic(client, "lines", PARTITIONS)
            admin.create_topic(client, "counts", PARTITIONS)
        self.instance("instance-1")
        self.instance("instance-2")
        producer = self.java("producer", "Producer", self.bootstrap, talks=True)
        producer.wait_for("producer ready", START_SECONDS)
        for name in ("instance-1", "instance-2"):
            self.processes[name].wait_for("-> RUNNING", START_SECONDS)
        self.await_stable(APPLICATION, 4)
        self.look_over_http()
        self.note("two instances run")
        events = [lambda: None, self.kill_instance, self.third_instance, self.kill_weir, lambda: None]
        for number, event in enumerate(events):
            first, last = number * BATCH, (number + 1) * BATCH
            producer.say(f"{first} {last} {PER_SECOND}")
            event()
            producer.wait_for(f"sent {first} {last}", START_SECONDS)
            self.note(f"lines {first} to {last} sent")
        self.await_stable(APPLICATION, 4)
        return self.finish()

    def look_over_http(self):
        """What an operator sees: the group and its members over Weir's own API."""
        if self.direct:
            return
        status, body = self.weir.http(f"/v1/groups/{APPLICATION}")
        if status != 200 or body["state"] != "Stable" or len(body["members"]) != 4:
            raise AssertionError(f"GET /v1/groups/{APPLICATION} answered {status}: {body}")

    def kill_instance(self):
        self.await_lag()
        self.processes["instance-1"].kill()
        self.note("instance-1 killed")

    def third_instance(self):
        self.instance("instance-3").wait_for("-> RUNNING", START_SECONDS)
        self.await_stable(APPLICATION, 4)
        self.note("instance-3 runs")

    def kill_weir(self):
        if self.direct:
            return
        before = self.await_stable(APPLICATION, 4)
        self.weir.kill()
        self.weir.start()
        after = self.group(APPLICATION)
        self.note(f"weir killed and started again: group epoch {before['GroupEpoch']} -> {after['GroupEpoch']}, "
                  f"{len(before['Members'])} -> {len(after['Members'])} members")
        if after["GroupEpoch"] != before["GroupEpoch"]:
            raise AssertionError("the group epoch moved over a restart of weir")

    def await_lag(self):
        """Waits until the application has committed something, so that a kill hits it at work."""
        wait_until(lambda: self.committed(APPLICATION), STABLE_SECONDS, "the application has committed offsets")

    def finish(self):
        verifier = self.java("verifier", "Verifier", self.bootstrap, LINES, self.guarantee, VERIFY_SECONDS)
        status = verifier.wait(VERIFY_SECONDS + 30)
        self.note(f"verified: {verifier.find('words=')}")
        if status != 0:
            raise AssertionError(f"wrong counts:\n{verifier.tail()}")
        epoch = self.group(APPLICATION)["GroupEpoch"]
        for name in ("instance-2", "instance-3"):
            if not self.processes[name].alive():
                raise AssertionError(f"{name} died:\n{self.processes[name].tail()}")
            self.processes[name].stop(40)
            if "closed" not in self.processes[name].output().splitlines():
                raise AssertionError(f"{name} did not close cleanly:\n{self.processes[name].tail()}")
        if self.weir is not None:
            self.weir.stop()
        return f"{verifier.find('words=')} group_epoch={epoch}"


def run_cell(name, options, running):
    """(passed, text to print)."""
    with running:
        cell = Cell(name, options.binary, options.direct)
        try:
            with contextlib.closing(cell):
                figures = cell.run()
            return True, f"passed {name} ({time.monotonic() - cell.started:.0f} s) {figures}"
        except Exception as error:  # whatever it is, the other cells go on and all processes end
            return False, (f"FAILED {name} ({time.monotonic() - cell.started:.0f} s) {type(error).__name__}: {error}\n"
                           + "\n".join(cell.notes) + f"\n{cell.tails()}\nlogs: {cell.logs.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", help=f"of {', '.join(CELLS)}", default=None)
    parser.add_argument("--direct", action="store_true", help="without Weir, on a broker that has streams groups")
    parser.add_argument("--binary", default=BINARY, help="the weir to start (default build/release/weir)")
    parser.add_argument("--jobs", type=int, default=2, help="cells at one time (default 2)")
    options = parser.parse_args()
    cells = options.cells.split(",") if options.cells else [c for c in CELLS if not options.direct or "4.4" in c]
    unknown = set(cells) - set(CELLS)
    if unknown:
        parser.error(f"no such cell: {', '.join(sorted(unknown))}")
    build_app()
    for version in sorted({c.split("/")[0] for c in cells}):
        jars(version)
    running = threading.Semaphore(options.jobs)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(cells)) as pool:
        for task in concurrent.futures.as_completed([pool.submit(run_cell, c, options, running) for c in cells]):
            passed, text = task.result()
            failed += not passed
            print(text, flush=True)
    print(f"{len(cells) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
