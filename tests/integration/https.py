"""TLS of the HTTP listener, with certificates made for the test.

    python3 tests/integration/https.py [--binary build/release/weir]
"""
import argparse
import contextlib
import http.client
import json
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from checks import Checks  # noqa: E402
from ports import free_port  # noqa: E402
from weir import BINARY, Weir  # noqa: E402

SECONDS = 20
IDLE_MS = 1_000


def certificate(folder, name, *options):
    """(certificate, key) files, valid for 127.0.0.1."""
    pem, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-keyout", key, "-out", pem, "-days", "2",
                    "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", *(options or ["-nodes"])],
                   check=True, capture_output=True, timeout=SECONDS)
    return pem, key


def client(pem, least=None, most=None):
    context = ssl.create_default_context(cafile=pem)
    if least:
        context.minimum_version = least
    if most:
        context.minimum_version, context.maximum_version = min(most, context.minimum_version), most
    return context


def ask(port, context, path, **headers):
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=SECONDS)
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read(), connection.sock.version() if connection.sock else None


def refused(act):
    try:
        act()
    except (ssl.SSLError, OSError, http.client.HTTPException):
        return True
    return False


def check_serving(checks, weir, port, pem):
    status, body, _ = ask(port, client(pem), "/version")
    checks.count("an answer comes by TLS", status == 200 and json.loads(body)["name"] == "weir", str(body))
    status, body, _ = ask(port, client(pem), "/openapi.yaml", Connection="close")
    checks.count("a whole answer comes before the end of a connection", status == 200 and len(body) > 10_000)
    checks.count("the plain listener beside it still serves", weir.http("/livez")[0] == 200)
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        status, _, spoken = ask(port, client(pem, version, version), "/livez")
        checks.count(f"{version.name} is spoken", status == 200, str(spoken))
    old = client(pem, None, ssl.TLSVersion.TLSv1_1)
    old.set_ciphers("ALL:@SECLEVEL=0")
    checks.count("TLS 1.1 is refused", refused(lambda: ask(port, old, "/livez")))
    checks.count("a client that does not know the certificate refuses it",
                 refused(lambda: ask(port, ssl.create_default_context(), "/livez")))
    plain = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)

    def in_clear():
        plain.request("GET", "/livez")
        plain.getresponse()
    checks.count("plain HTTP is not answered there", refused(in_clear))


def check_slow(checks, port, pem):
    """Who does not shake hands is cut off, and nobody waits for it."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as slow:
        began = time.monotonic()
        checks.count("a silent client delays nobody", ask(port, client(pem), "/livez")[0] == 200)
        slow.settimeout(SECONDS)
        checks.count("a handshake that does not come ends the connection", slow.recv(1) == b"")
        checks.count("after the idle time", time.monotonic() - began >= IDLE_MS / 1000 * 0.9)


def check_commands(checks, weir, port, pem, folder):
    """`weir groups` verifies whom it asks, and says what is wrong with a URL."""
    def listed(url, *options):
        done = subprocess.run([weir.binary, "groups", "list", "--http", url, *options], capture_output=True, text=True,
                              timeout=SECONDS)
        return done.returncode, done.stdout + done.stderr
    url = f"https://127.0.0.1:{port}"
    status, said = listed(url, "--ca-file", pem)
    checks.count("a command asks by TLS", status == 0 and "GROUP" in said, said)
    text = folder / "no-ca.pem"
    text.write_text("no certificate\n")
    for what, address, options, words in (
            ("a certificate that nobody vouches for", url, (), "certificate is not accepted: self-signed"),
            ("a certificate of another", url, ("--ca-file", certificate(folder, "stranger")[0]), "not accepted"),
            ("a certificate for another host", f"https://localhost:{port}", ("--ca-file", pem), "mismatch"),
            ("a file without certificates", url, ("--ca-file", text), "--ca-file"),
            ("a file that is not there", url, ("--ca-file", folder / "nowhere.pem"), "nowhere.pem"),
            ("http:// where TLS is spoken", f"http://127.0.0.1:{port}", (), "begin with https://"),
            ("https:// where it is not", f"https://127.0.0.1:{weir.http_port}", (), "begin with http://"),
            ("another scheme", "ftp://127.0.0.1", (), "http:// or https://"),
            ("no port", "https://127.0.0.1:port", (), "a number from 1 to 65535")):
        status, said = listed(address, *options)
        checks.count(f"a command refuses {what}", status == 1 and words in said, said)


def check_mistakes(checks, binary, folder, good):
    """What cannot be used is told at the start, with its key."""
    other = certificate(folder, "other")
    locked = certificate(folder, "locked", "-passout", "pass:secret")
    text = folder / "text.pem"
    text.write_text("no certificate\n")
    for pem, key, words in ((folder / "absent.pem", good[1], ("http.ssl.certificate.file", "absent.pem")),
                            (text, good[1], ("http.ssl.certificate.file", "text.pem")),
                            (good[0], other[1], ("http.ssl.key.file", "other.key")),
                            (locked[0], locked[1], ("http.ssl.key.file", "locked.key")),
                            (good[0], "", ("http.ssl.key.file", "must be set"))):
        weir = Weir({"http.listeners": f"https://127.0.0.1:{free_port()}", "http.ssl.certificate.file": pem,
                     "http.ssl.key.file": key}, binary)
        try:
            status = weir.launch().process.wait(SECONDS)
            said = weir.process.output()
        finally:
            weir.close()
        checks.count(f"refused: {' '.join(words)}", status > 0 and all(word in said for word in words), said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=BINARY)
    options = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="weir-https-") as name:
        folder = pathlib.Path(name)
        pem, key = certificate(folder, "weir")
        port = free_port()
        weir = Weir({"http.ssl.certificate.file": pem, "http.ssl.key.file": key, "http.idle.timeout.ms": IDLE_MS},
                    options.binary)
        weir.settings["http.listeners"] += f",https://127.0.0.1:{port}"
        with weir:
            check_serving(checks, weir, port, pem)
            check_slow(checks, port, pem)
            check_commands(checks, weir, port, pem, folder)
            weir.stop()
        check_mistakes(checks, options.binary, folder, (pem, key))
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
