"""Free ports, and waiting for a condition with a deadline."""
import random
import socket
import time

BELOW_OUTGOING = range(20_000, 32_000)  # connections take theirs from 32768 on (net.ipv4.ip_local_port_range)
_ports = []


def free_port():
    """A port of the loopback interface nobody listens on now. A process gets each only once, and no connection takes it
    before it is listened on."""
    while True:
        if not _ports:
            _ports.extend(random.sample(BELOW_OUTGOING, len(BELOW_OUTGOING)))
        port = _ports.pop()
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:  # taken
                continue


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
