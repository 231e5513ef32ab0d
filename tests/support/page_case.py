"""What tests of the web page share: opening it, and applications whose groups it shows."""
import contextlib
import pathlib
import sys

from browser import Browser
from ports import wait_until
from process import Process
from suite import expect, options_of, run_suite
from weir import Weir
from wire import ROOT

GROUP = "word-count"
SECONDS = 60
NAMELESS = """[...document.querySelectorAll('button, input, select, textarea, a, summary, [tabindex="0"]')]
  .filter((e) => !e.hidden && !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length))
  .map((e) => e.outerHTML.slice(0, 90))"""


class PageCase:
    """Each `test_*` opens the page anew, at one Weir with one application in GROUP: its members, and their active and
    standby tasks, once it is stable."""

    processes, threads, tasks = 2, 2, (8, 0)

    def __init__(self, weir, browser, logs):
        self.weir, self.browser, self.logs = weir, browser, logs

    @contextlib.contextmanager
    def open(self, place="", answers=None, refused=(), weir=None):
        """The page at an address; afterwards nothing may have gone wrong in it. The console tells of requests that are
        refused: with one of the statuses `refused` it should."""
        home = f"http://127.0.0.1:{(weir or self.weir).http_port}/"
        with self.browser.page(home + place, answers) as page:
            yield page
            told = tuple(f"Failed to load resource: the server responded with a status of {one} " for one in refused)
            wrong = [one for one in page.complaints if not one.startswith(told)]
            expect(not wrong, f"the console has {wrong}")
            expect(not page.foreign, f"others were asked: {page.foreign}")

    def group(self, tab="overview", answers=None, group=GROUP, **more):
        return self.open(f"#/groups/{group}/{tab}", answers, **more)

    def picture(self, page, name):
        page.picture(self.logs / f"page-{name}.png")

    def simulated(self, group, processes, threads):
        return simulated(self.weir, self.logs, group, processes, threads)

    def confirm(self, page, said):
        """The plan is there: makes the change and waits for what is said then."""
        page.wait("document.querySelector('#change-make')")
        page.click("#change-make")
        page.wait_text(said, "#change-done")
        page.press("Escape")
        page.wait("!document.querySelector('dialog').open")

    def all_have_names(self, page):
        """Everything that takes the focus says what it is."""
        nameless = page.run(NAMELESS)
        expect(nameless == [], f"without a name: {nameless}")

    def settle(self):
        """Waits until the application is stable."""
        def stable():
            status, group = self.weir.http(f"/v1/groups/{GROUP}")
            members = group["members"] if status == 200 else []
            tasks = tuple(sum(len(partitions) for one in members for partitions in one["assigned"][role].values())
                          for role in ("active", "standby"))
            return len(members) == self.processes * self.threads and group["state"] == "Stable" and tasks == self.tasks
        wait_until(stable, SECONDS, "the application is stable", pause=0.2)


@contextlib.contextmanager
def simulated(weir, logs, group, processes, threads):
    """`weir simulate`, which leaves at the end."""
    child = Process([weir.binary, "simulate", "--bootstrap", weir.address, "--group", group, "--processes", processes,
                     "--threads", threads], logs / f"page-{group}.log")
    try:
        yield child
    finally:
        child.stop()


def page_main(case, settings, name):
    """How the script of `case` shall exit: runs its tests over a Weir of these settings, whose log has this name."""
    parser = options_of(sys.modules[case.__module__].__doc__)
    parser.add_argument("--logs", default=ROOT / "build" / "test-logs", type=pathlib.Path)
    options = parser.parse_args()
    options.logs.mkdir(parents=True, exist_ok=True)
    with Weir(settings, options.binary, options.logs, name) as weir, Browser() as browser, \
            simulated(weir, options.logs, GROUP, case.processes, case.threads):
        tests = case(weir, browser, options.logs)
        tests.settle()
        return run_suite(tests, options.only)
