"""What tests of the web page share: opening it, and applications whose groups it shows."""
import contextlib

from process import Process
from suite import expect

GROUP = "word-count"


class PageCase:
    """Each `test_*` opens the page anew, at one Weir."""

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


@contextlib.contextmanager
def simulated(weir, logs, group, processes, threads):
    """`weir simulate`, which leaves at the end."""
    child = Process([weir.binary, "simulate", "--bootstrap", weir.address, "--group", group, "--processes", processes,
                     "--threads", threads], logs / f"page-{group}.log")
    try:
        yield child
    finally:
        child.stop()
