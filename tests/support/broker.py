"""A real Kafka broker for tests: KRaft, one node, small heap. Its jars come from Maven, once for each version.

    python3 tests/support/broker.py 4.4.0 --port 21092 [key=value ...]      runs one until it is interrupted
"""
import argparse
import base64
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

from ports import free_port, wait_until
from process import Process
from wire import ROOT, Client, WireError

POM = ROOT / "tests" / "e2e" / "broker" / "pom.xml"
PLACE = ROOT / "build" / "e2e"
VERSIONS = ("3.9.1", "4.4.0")
START_SECONDS = 180
MAVEN_SECONDS = 600
download = threading.Lock()

PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
log.dirs={folder}/data
auto.create.topics.enable=false
num.partitions=1
default.replication.factor=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=2
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=2
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=120000
controller.quorum.fetch.timeout.ms=60000
controller.quorum.election.timeout.ms=60000
log.index.size.max.bytes=65536
log.cleaner.enable=false
num.network.threads=2
num.io.threads=3
"""


def java(heap, log_level):
    """A JVM that starts soon and stays small; class path, class and arguments follow."""
    return ["java", f"-Xmx{heap}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
            f"-Dorg.slf4j.simpleLogger.defaultLogLevel={log_level}"]


def jars(version):
    """The folder with the jars of that broker version; fetched with Maven if they are not there yet."""
    folder = PLACE / f"jars-{version}"
    with download:
        if (folder / "complete").exists():
            return folder
        if shutil.which("mvn") is None or shutil.which("java") is None:
            raise FileNotFoundError("mvn and java are needed for the broker; run tools/install-packages.sh")
        command = ["mvn", "-q", "-B", "-f", str(POM), f"-Dkafka.version={version}", "dependency:copy-dependencies",
                   f"-DoutputDirectory={folder}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=MAVEN_SECONDS)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        (folder / "complete").touch()
    return folder


class Broker:
    """One broker with a folder of its own. `settings` win over the properties above."""

    def __init__(self, version, settings=None, port=None, logs=None, heap="384m"):
        self.version, self.heap = version, heap
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-broker-"))
        self.log = pathlib.Path(logs or self.folder) / f"broker-{version}.log"
        self.port, self.controller = port or free_port(), free_port()
        self.properties = self.folder / "server.properties"
        lines = PROPERTIES.format(port=self.port, controller=self.controller, folder=self.folder)
        lines += "".join(f"{key}={value}\n" for key, value in (settings or {}).items())
        self.properties.write_text(lines)
        self.process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def java(self, main, *arguments):
        return [*java(self.heap, "warn"), "-cp", f"{jars(self.version)}/*", main, *arguments]

    def start(self):
        """Formats the storage if that is still to do, starts the broker and waits until it answers."""
        if not (self.folder / "data" / "meta.properties").exists():
            cluster = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
            command = self.java("kafka.tools.StorageTool", "format", f"--cluster-id={cluster}",
                                "-c", str(self.properties))
            done = subprocess.run(command, capture_output=True, text=True, timeout=START_SECONDS)
            if done.returncode != 0:
                raise RuntimeError(f"formatting failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        self.process = Process(self.java("kafka.Kafka", str(self.properties)), self.log, cwd=self.folder)
        wait_until(self.answers, START_SECONDS, f"broker {self.version} answers", pause=0.2)
        return self

    def answers(self):
        """True once the broker shows itself in its own metadata; an error if the process is gone."""
        if not self.process.alive():
            raise RuntimeError(f"the broker ended:\n{self.process.tail()}")
        try:
            with Client("127.0.0.1", self.port, timeout=5) as client:
                return bool(client.call("Metadata", 12, {"Topics": []})["Brokers"])
        except (OSError, WireError):
            return False

    def stop(self):
        self.process.stop(60)

    def kill(self):
        self.process.kill()

    def restart(self):
        self.stop()
        return self.start()

    def close(self):
        """Ends the process and removes its data."""
        if self.process is not None:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def client(self, **options):
        return Client("127.0.0.1", self.port, **options)


def main():
    parser = argparse.ArgumentParser(description="Runs a Kafka broker until it is interrupted.")
    parser.add_argument("version", choices=VERSIONS)
    parser.add_argument("--port", type=int)
    parser.add_argument("settings", nargs="*", metavar="key=value")
    options = parser.parse_args()
    with Broker(options.version, dict(s.split("=", 1) for s in options.settings), options.port) as broker:
        print(f"broker {broker.version} on {broker.address}, log {broker.log}", flush=True)
        broker.process.child.wait()


if __name__ == "__main__":
    main()
