"""Free ports, and waiting for a condition with a deadline."""
import socket
import time


def free_port():
    """A port of the loopback interface nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds, what, pause=0.05):
    """Calls `condition` until it returns something true and returns that; raises after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {seconds} s still not: {what}")
        time.sleep(pause)
