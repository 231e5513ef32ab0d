"""A child process whose output is kept in a file and can be waited for, line by line."""
import pathlib
import shutil
import signal
import subprocess
import threading

KILL_SECONDS = 120  # even a killed process needs a processor to end

# Linux ends the child when the thread that started it is gone, however that came about.
DIES_WITH_US = ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv") else []


class ProcessError(RuntimeError):
    """A process that ended when it should not, did not say what it should, or had the wrong exit status."""


class Process:
    """Starts `command` with its output (both streams) in `log`. `wait_for` waits until a line holds a text.

    It runs in a process group of its own: an interrupt of the test reaches it only through the test's clean-up.
    """

    def __init__(self, command, log, env=None, cwd=None, talks=False):
        self.command = [str(part) for part in command]
        self.log = pathlib.Path(log)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.log.open("ab")
        self._lines = []
        self._changed = threading.Condition()
        self.child = subprocess.Popen([*DIES_WITH_US, *self.command], env=env, cwd=cwd, start_new_session=True,
                                      stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.child.stdout:
            self._file.write(line)
            self._file.flush()
            with self._changed:
                self._lines.append(line.decode("utf-8", "replace").rstrip("\n"))
                self._changed.notify_all()
        self.child.wait()
        self._file.close()
        with self._changed:
            self._changed.notify_all()

    @property
    def pid(self):
        return self.child.pid

    def output(self):
        """All output so far."""
        with self._changed:
            return "\n".join(self._lines)

    def say(self, line):
        """Sends a line to the standard input of a process made with `talks`."""
        self.child.stdin.write(line.encode() + b"\n")
        self.child.stdin.flush()

    def alive(self):
        return self.child.poll() is None

    def find(self, text):
        """The first line that holds `text`, or None."""
        with self._changed:
            return next((line for line in self._lines if text in line), None)

    def wait_for(self, text, seconds):
        """The first line that holds `text`; an error if the process ends first or `seconds` pass."""
        def found_or_over():
            return any(text in line for line in self._lines) or not self._reader.is_alive()
        with self._changed:
            self._changed.wait_for(found_or_over, seconds)
        line = self.find(text)
        if line is None:
            state = "still runs" if self.alive() else f"ended with status {self.child.returncode}"
            raise ProcessError(f"{self.command[0]} {state} and never said '{text}':\n{self.tail()}")
        return line

    def wait(self, seconds):
        """The exit status; an error if it does not end in time."""
        try:
            status = self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            raise ProcessError(f"{self.command[0]} still runs after {seconds} s:\n{self.tail()}") from None
        self._reader.join(seconds)
        return status

    def stop(self, seconds=30):
        """SIGTERM, then the exit status."""
        if self.alive():
            self.child.send_signal(signal.SIGTERM)
        return self.wait(seconds)

    def kill(self):
        """SIGKILL; returns when it is gone."""
        if self.alive():
            self.child.send_signal(signal.SIGKILL)
        self.wait(KILL_SECONDS)
        if self.child.stdin is not None:
            self.child.stdin.close()

    def tail(self, lines=30):
        return "\n".join(self.output().splitlines()[-lines:])
