"""A small server that web hooks post to."""
import http.server
import json
import ssl
import threading

HOLD_SECONDS = 20  # the longest that a request is kept waiting


class Receiver:
    """Keeps what is posted to it. `status` is what it answers: a list is used up, and its last entry stays. `holds`, if
    there is one, keeps every request waiting until it is set."""

    def __init__(self, status=200, tls=None, headers=None):
        self.status, self.headers = list(status) if isinstance(status, (list, tuple)) else [status], headers or {}
        self.got, self.holds = [], None
        self.changed = threading.Lock()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with receiver.changed:
                    receiver.got.append((self.path, dict(self.headers), body))
                    status = receiver.status.pop(0) if len(receiver.status) > 1 else receiver.status[0]
                if receiver.holds is not None:
                    receiver.holds.wait(HOLD_SECONDS)
                self.send_response(status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.scheme = "https" if tls else "http"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.holds is not None:
            self.holds.set()
        self.server.shutdown()
        self.server.server_close()

    def url(self, path="/hook?key=1"):
        return f"{self.scheme}://127.0.0.1:{self.server.server_address[1]}{path}"

    def bodies(self):
        with self.changed:
            return [body for _, _, body in self.got]

    def causes(self):
        return [body["cause"] for body in self.bodies()]
