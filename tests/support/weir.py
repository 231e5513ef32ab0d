"""A Weir process for tests: free ports, a data folder of its own, start, stop, kill, restart, client, HTTP.

    with Weir({"group.streams.initial.rebalance.delay.ms": 0}) as weir:
        weir.client().call("Metadata", 12, {...})
"""
import http.client
import json
import os
import pathlib
import shutil
import tempfile

from ports import free_port
from process import Process, ProcessError
from wire import ROOT, Client

BINARY = ROOT / "build" / "release" / "weir"
START_SECONDS = 30
STOP_SECONDS = 20


class Weir:
    """One `weir serve`. `settings` are configuration keys; the ports stay the same over restarts. `environment` is
    added to ours."""

    def __init__(self, settings=None, binary=BINARY, logs=None, name="weir", config=None):
        self.environment = {}
        self.binary = pathlib.Path(binary)
        if not self.binary.exists():
            raise FileNotFoundError(f"{self.binary} is missing: build it first (cmake --build --preset release)")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-test-"))
        self.log = pathlib.Path(logs or self.folder) / f"{name}.log"
        self.config = config
        self.port, self.http_port = free_port(), free_port()
        self.settings = {"mode": "embedded", "listeners": f"PLAINTEXT://127.0.0.1:{self.port}",
                         "http.listeners": f"http://127.0.0.1:{self.http_port}",
                         "data.dir": str(self.folder / "data"), **(settings or {})}
        self.process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def command(self):
        config = ["--config", str(self.config)] if self.config else []
        return [self.binary, "serve", *config] + [part for key, value in self.settings.items()
                                                  for part in ("--set", f"{key}={value}")]

    def launch(self):
        """Starts the process without waiting for it to answer."""
        self.process = Process(self.command(), self.log, env={**os.environ, **self.environment})
        return self

    def start(self):
        """Starts the process and waits for its `weir ready` line."""
        self.launch()
        self.process.wait_for("weir ready", START_SECONDS)
        return self

    def stop(self):
        """SIGTERM; an exit status other than 0 is an error."""
        status = self.process.stop(STOP_SECONDS)
        if status != 0:
            raise ProcessError(f"weir ended with status {status} after SIGTERM:\n{self.process.tail()}")

    def kill(self):
        self.process.kill()

    def restart(self, **settings):
        """Clean stop and start with the same data; `settings` (dots as `__`) replace earlier ones."""
        self.stop()
        self.settings.update({key.replace("__", "."): value for key, value in settings.items()})
        return self.start()

    def close(self):
        """Ends the process whatever its state, and removes its folder."""
        if self.process is not None:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def client(self, **options):
        return Client("127.0.0.1", self.port, **options)

    def http(self, path, method="GET", body=None):
        """(status, decoded JSON or text) of a request to the HTTP listener."""
        connection = http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=10)
        try:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            is_json = "json" in (answer.getheader("Content-Type") or "")
            return answer.status, json.loads(text) if is_json and text else text
        finally:
            connection.close()
