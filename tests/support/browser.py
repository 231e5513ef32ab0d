"""A headless Chromium for tests of the web page, spoken to over its DevTools pipe.

    with Browser() as browser, browser.page("http://127.0.0.1:8080/") as page:
        page.wait("document.querySelector('h1')")
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import urllib.parse

from ports import wait_until

NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-sync",
           "--disable-extensions", "--hide-scrollbars", "--remote-debugging-pipe", "--window-size=1280,900")
READ_FD, WRITE_FD = 3, 4  # where the browser reads commands and writes what happens
ANSWER_SECONDS = 60
WAIT_SECONDS = 30
KEYS = {"Enter": ("Enter", 13, "\r"), "Tab": ("Tab", 9, ""), "Escape": ("Escape", 27, ""),
        "ArrowDown": ("ArrowDown", 40, ""), "ArrowUp": ("ArrowUp", 38, ""), "ArrowLeft": ("ArrowLeft", 37, ""),
        "ArrowRight": ("ArrowRight", 39, ""), "End": ("End", 35, ""), "Home": ("Home", 36, "")}


class BrowserError(RuntimeError):
    """A command that the browser refused, or an expression that threw."""


class Browser:
    """One process with an empty profile of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="weir-browser-")
        binary = next((found for found in map(shutil.which, NAMES) if found), None)
        if binary is None:
            raise FileNotFoundError("chromium is missing; run tools/install-packages.sh")
        to_browser, commands = os.pipe()
        happenings, from_browser = os.pipe()

        def place():
            ours = [os.dup(to_browser), os.dup(from_browser)]
            os.dup2(ours[0], READ_FD)
            os.dup2(ours[1], WRITE_FD)

        self.child = subprocess.Popen([binary, *OPTIONS, f"--user-data-dir={self.folder}", "about:blank"],
                                      preexec_fn=place, close_fds=False, start_new_session=True,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._commands, self._happenings = os.fdopen(commands, "wb", 0), os.fdopen(happenings, "rb")
        self._answers, self._listeners, self._next = {}, {}, 0
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self):
        buffer = b""
        while chunk := self._happenings.read1(1 << 16):
            *messages, buffer = (buffer + chunk).split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    with self._changed:
                        self._answers[message["id"]] = message
                        self._changed.notify_all()
                elif message.get("sessionId") in self._listeners:
                    self._listeners[message["sessionId"]](message["method"], message["params"])

    def send(self, method, session=None, **parameters):
        """Sends without waiting; the number of the command."""
        with self._changed:
            self._next += 1
            number = self._next
            message = {"id": number, "method": method, "params": parameters}
            if session:
                message["sessionId"] = session
            self._commands.write(json.dumps(message).encode() + b"\0")
        return number

    def call(self, method, session=None, **parameters):
        """One command and its result."""
        number = self.send(method, session, **parameters)
        with self._changed:
            if not self._changed.wait_for(lambda: number in self._answers, ANSWER_SECONDS):
                raise BrowserError(f"no answer to {method}")
            answer = self._answers.pop(number)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def listen(self, session, listener):
        self._listeners[session] = listener

    def page(self, address, answers=None):
        return Page(self, address, answers or {})


class Page:
    """A tab. `answers` maps a path to the JSON document that stands in for the server's, or to a function of the
    request's body that makes it. `complaints` are errors of the console, `foreign` requests to anybody else."""

    def __init__(self, browser, address, answers):
        parts = urllib.parse.urlsplit(address)
        self.browser, self.origin, self.answers = browser, f"{parts.scheme}://{parts.netloc}/", answers
        self.complaints, self.foreign, self.requested = [], [], []
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        browser.listen(self.session, self._happened)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        if answers:
            self.call("Fetch.enable", patterns=[{"urlPattern": "*"}])
        self.go(address)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def _happened(self, method, of):
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(of["exceptionDetails"].get("exception", {}).get("description", of)))
        elif method == "Runtime.consoleAPICalled" and of["type"] in ("error", "warning", "assert"):
            self.complaints.append(str([argument.get("value") for argument in of["args"]]))
        elif method == "Log.entryAdded" and of["entry"]["level"] in ("error", "warning"):
            self.complaints.append(f"{of['entry']['text']} {of['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requested.append(of["request"]["url"])
            if not of["request"]["url"].startswith((self.origin, "data:")):
                self.foreign.append(of["request"]["url"])
        elif method == "Fetch.requestPaused":
            self._answer(of["requestId"], of["request"])

    def _answer(self, number, request):
        """Only sends: this is the thread that reads."""
        answer = self.answers.get(urllib.parse.urlsplit(request["url"]).path)
        if answer is None:
            self.browser.send("Fetch.continueRequest", self.session, requestId=number)
            return
        document = answer(request.get("postData")) if callable(answer) else answer
        kind = "text/plain" if isinstance(document, str) else "application/json"
        text = document if isinstance(document, str) else json.dumps(document)
        self.browser.send("Fetch.fulfillRequest", self.session, requestId=number, responseCode=200,
                          responseHeaders=[{"name": "Content-Type", "value": kind}],
                          body=base64.b64encode(text.encode()).decode())

    def go(self, address):
        self.call("Page.navigate", url=address)

    def run(self, expression):
        """The value of an expression in the page; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def wait(self, expression, seconds=WAIT_SECONDS):
        """Waits until the expression is true."""
        def true():
            try:
                return self.run(f"!!({expression})")
            except BrowserError:  # a page that is being loaded
                return False
        try:
            return wait_until(true, seconds, expression)
        except TimeoutError as late:
            raise TimeoutError(f"{late}; the page says: {self.text()[:1500]} {self.complaints}") from None

    def text(self, selector="body"):
        """What a reader sees of the first element that fits."""
        return self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def wait_text(self, text, selector="body", seconds=WAIT_SECONDS):
        seen = f"document.querySelector({json.dumps(selector)})?.innerText"
        return self.wait(f"{seen}.includes({json.dumps(text)})", seconds)

    def count(self, selector):
        return self.run(f"document.querySelectorAll({json.dumps(selector)}).length")

    def choose(self, selector, value):
        """Fills in a field or chooses of a list, as if by hand."""
        self.run(f"""(() => {{
          const field = document.querySelector({json.dumps(selector)});
          field.value = {json.dumps(value)};
          for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {{ bubbles: true }}));
        }})()""")

    def click(self, selector):
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def press(self, key, shift=False):
        code, number, text = KEYS.get(key, (f"Key{key.upper()}", ord(key.upper()[0]), key))
        event = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def tab_to(self, element, most=20):
        """Presses Tab until the element of that id has the focus, `most` times at most."""
        for _ in range(most):
            self.press("Tab")
            if self.run("document.activeElement.id") == element:
                break

    def type(self, text):
        self.call("Input.insertText", text=text)

    def dark(self, dark):
        value = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def picture(self, path):
        """Writes what is seen as PNG."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
