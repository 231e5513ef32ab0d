"""Web hooks of a real Weir at small receivers that take, refuse, delay and die: what comes, how often, and that nobody
waits for it.

    python3 tests/integration/webhooks.py [--binary build/release/weir] [--only NAME]
"""
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import story  # noqa: E402
from ports import free_port, wait_until  # noqa: E402
from prometheus_text import Exposition  # noqa: E402
from receiver import Receiver  # noqa: E402
from suite import expect, options_of, run_suite  # noqa: E402
from weir import Weir  # noqa: E402

SETTINGS = {"group.streams.initial.rebalance.delay.ms": 0, "group.streams.assignment.interval.ms": 0,
            "webhook.backoff.ms": 20, "webhook.backoff.max.ms": 100, "webhook.timeout.ms": 1000,
            "webhook.attempts.max": 4}
SECONDS = 20
GROUP = f"/v1/groups/{story.STREAMS}"


class World:
    """A Weir with hooks, and an application of one member that can be rebalanced."""

    def __init__(self, binary, settings):
        self.weir = Weir({**SETTINGS, **settings}, binary)

    def __enter__(self):
        self.weir.start()
        self.client = self.weir.client()
        story.create_topics(self.client)
        self.member = story.Member("a")
        wait_until(self.stable, SECONDS, "the group is stable")
        return self

    def __exit__(self, *_):
        self.client.close()
        self.weir.close()

    def stable(self):
        self.member.beat(self.client)
        return self.weir.http(GROUP)[1]["state"] == "Stable"

    def rebalance(self, times=1):
        for _ in range(times):
            status, answer = self.weir.http(f"{GROUP}/rebalance", "POST", {})
            expect(status == 202, f"{status} {answer}")

    def count(self, outcome, hook="a"):
        for name, labels, value in Exposition(self.weir.http("/metrics")[1]).samples:
            if name == "weir_webhook_events_total" and labels == {"hook": hook, "outcome": outcome}:
                return value
        return None

    def hook(self, hook="a"):
        """What the admin API tells of it."""
        return next(one for one in self.weir.http("/v1/webhooks")[1]["items"] if one["name"] == hook)

    def reaches(self, outcome, least, hook="a"):
        wait_until(lambda: (self.count(outcome, hook) or 0) >= least, SECONDS, f"{least} {outcome} of {hook}")


class Webhooks:
    """Each method `test_*` is one promise."""

    def __init__(self, binary):
        self.binary = binary

    def test_every_event_comes_in_order_as_the_timeline_has_it(self):
        with Receiver() as receiver, World(self.binary, {"webhook.urls": f"a={receiver.url()}"}) as world:
            world.rebalance(3)
            told = world.weir.http(f"{GROUP}/timeline")[1]["items"][::-1]
            wait_until(lambda: len(receiver.bodies()) >= len(told), SECONDS, "all events")
            path, headers, _ = receiver.got[0]
            expect(path == "/hook?key=1" and headers["Content-Type"] == "application/json", f"{path} {headers}")
            expect(headers["User-Agent"].startswith("weir/") and "Authorization" not in headers, f"{headers}")
            ends = ("stable_after_ms", "last_member", "last_reason")  # known later
            bodies = receiver.bodies()
            for body, event in zip(bodies, told, strict=True):
                expect(body["group_id"] == story.STREAMS, f"{body}")
                same = {name: value for name, value in event.items() if name not in ends}
                expect({name: body[name] for name in same} == same, f"{body}\n{event}")
            ids = [body["delivery_id"] for body in bodies]
            expect(len(set(ids)) == len(ids), f"{ids}")
            expect([headers["X-Weir-Delivery"] for _, headers, _ in receiver.got] == ids, "the header says it too")
            world.reaches("delivered", len(told))

    def test_a_hook_gets_the_causes_it_wants_and_its_token(self):
        with Receiver() as wanted, Receiver() as every, tempfile.NamedTemporaryFile("w") as tokens:
            tokens.write("a=secret-of-a\n")
            tokens.flush()
            settings = {"webhook.urls": f"a={wanted.url('')},b={every.url()}", "webhook.tokens_file": tokens.name,
                        "webhook.causes": "a=rebalance-requested,a=member-left"}
            with World(self.binary, settings) as world:
                world.rebalance(2)
                wait_until(lambda: every.causes().count("rebalance-requested") == 2, SECONDS, "all events at b")
                wait_until(lambda: len(wanted.bodies()) == 2, SECONDS, "its events at a")
                expect(wanted.causes() == ["rebalance-requested"] * 2, f"{wanted.causes()}")
                path, headers, _ = wanted.got[0]
                expect(path == "/" and headers["Authorization"] == "Bearer secret-of-a", f"{path} {headers}")
                expect("Authorization" not in every.got[0][1], "the token went to another hook")
                expect("secret-of-a" not in world.weir.process.output(), "the token is in the log")

    def test_what_fails_is_tried_again_as_the_same_delivery_and_given_up_in_the_end(self):
        wants = {"webhook.causes": "a=rebalance-requested"}
        with Receiver([500, 503, 429, 200]) as receiver, World(self.binary, {
                "webhook.urls": f"a={receiver.url()}", **wants}) as world:
            world.rebalance()
            world.reaches("delivered", 1)
            expect(len({body["delivery_id"] for body in receiver.bodies()}) == 1, "another id at the next attempt")
            expect(len(receiver.bodies()) == 4, f"{len(receiver.bodies())} attempts")
            receiver.status = [500]
            world.rebalance()
            world.reaches("given-up", 1)
            expect(len(receiver.bodies()) == 8, f"{len(receiver.bodies())} attempts: webhook.attempts.max is 4")
            told = world.hook()
            expect(told["last_failure"]["text"] == "answered 500" and told["attempts_failed"] == 7, f"{told}")
            expect((told["delivered"], told["given_up"], told["refused"], told["dropped"]) == (1, 1, 0, 0), f"{told}")
            expect(told["last_delivery"] < told["last_failure"]["time"], f"{told}")
            receiver.status = [200]
            world.rebalance()
            world.reaches("delivered", 2)
            expect("answered 500" in world.weir.process.output(), "the log does not say why")

    def test_a_refusal_and_a_redirect_are_final(self):
        with Receiver() as other, Receiver([404, 302], headers={"Location": other.url()}) as receiver, World(
                self.binary, {"webhook.urls": f"a={receiver.url()}",
                              "webhook.causes": "a=rebalance-requested"}) as world:
            world.rebalance(2)
            world.reaches("refused", 2)
            expect(len(receiver.bodies()) == 2, "a refusal was tried again")
            expect(not other.bodies(), "a redirect was followed")
            expect("redirects are not followed" in world.weir.process.output(), "the log does not say why")

    def test_slow_and_dead_receivers_delay_nobody_and_lose_the_oldest(self):
        with Receiver() as slow, Receiver() as good:
            slow.holds = threading.Event()
            settings = {"webhook.urls": f"a={slow.url()},b={good.url()},c=http://127.0.0.1:{free_port()}/",
                        "webhook.queue.events.max": 5, "webhook.timeout.ms": 600000, "webhook.attempts.max": 1000}
            with World(self.binary, settings) as world:
                before = len(good.bodies())
                began = time.monotonic()
                world.rebalance(20)
                took = time.monotonic() - began
                wait_until(lambda: good.causes()[before:].count("rebalance-requested") == 20, SECONDS, "all at b")
                expect(took < SECONDS / 4, f"20 rebalances took {took:.1f} s beside a slow receiver")
                world.reaches("dropped", 20)
                world.reaches("dropped", 20, "c")
                expect(world.count("dropped", "b") == 0, "events of another hook were dropped")
                newest = max(event["index"] for event in world.weir.http(f"{GROUP}/timeline")[1]["items"])
                slow.holds.set()
                wait_until(lambda: slow.bodies()[-1]["index"] == newest, SECONDS, "the newest events at a")
                began = time.monotonic()
                world.weir.stop()
                expect(time.monotonic() - began < SECONDS / 2, "the stop waited for a dead receiver")

    def test_a_slow_answer_ends_at_the_time_out(self):
        with Receiver() as receiver, World(self.binary, {
                "webhook.urls": f"a={receiver.url()}", "webhook.timeout.ms": 200, "webhook.attempts.max": 2,
                "webhook.causes": "a=rebalance-requested"}) as world:
            receiver.holds = threading.Event()
            world.rebalance()
            world.reaches("given-up", 1)
            expect("no answer within 200 ms" in world.weir.process.output(), "the log does not say why")

    def test_https_is_verified(self):
        with tempfile.TemporaryDirectory(prefix="weir-hooks-") as name:
            pem, key = pathlib.Path(name) / "hook.pem", pathlib.Path(name) / "hook.key"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-keyout", key, "-out", pem, "-days", "2",
                            "-nodes", "-subj", "/CN=hook", "-addext", "subjectAltName=IP:127.0.0.1"], check=True,
                           capture_output=True, timeout=SECONDS)
            with Receiver(tls=(pem, key)) as receiver:
                settings = {"webhook.urls": f"a={receiver.url()}", "webhook.attempts.max": 1}
                with World(self.binary, {**settings, "webhook.ca.file": pem}) as world:
                    world.reaches("delivered", 2)
                got = len(receiver.bodies())
                with World(self.binary, settings) as world:
                    world.reaches("given-up", 2)
                    expect("certificate is not accepted: self-signed" in world.weir.process.output(), "the reason")
                elsewhere = {"webhook.urls": f"a={receiver.url().replace('127.0.0.1', 'localhost')}"}
                with World(self.binary, {**settings, **elsewhere, "webhook.ca.file": pem}) as world:
                    world.reaches("given-up", 2)
                    expect("mismatch" in world.weir.process.output(), "the certificate is another host's")
                expect(len(receiver.bodies()) == got, "an event went to a receiver that is not trusted")

    def test_mistakes_are_told_with_their_key(self):
        url = "http://127.0.0.1:1/"
        for settings, words in (
                ({"webhook.urls": "http://127.0.0.1:1"}, ("webhook.urls", "name=url")),
                ({"webhook.urls": "a=ftp://h/"}, ("webhook.urls", "entry 'a'", "http:// or https://")),
                ({"webhook.urls": "a=http://"}, ("webhook.urls", "no host")),
                ({"webhook.urls": "a=http://user:word@h/"}, ("webhook.urls", "user or password")),
                ({"webhook.urls": "a=http://h:99999/"}, ("webhook.urls", "the port")),
                ({"webhook.urls": f"a={url},a={url}"}, ("webhook.urls", "twice")),
                ({"webhook.urls": ",".join(f"h{i}={url}" for i in range(17))}, ("webhook.urls", "at most 16")),
                ({"webhook.urls": f"a={url}", "webhook.causes": "a=boredom"}, ("webhook.causes", "member-left")),
                ({"webhook.urls": f"a={url}", "webhook.causes": "b=member-left"}, ("webhook.causes", "webhook.urls")),
                ({"webhook.urls": f"a={url}", "webhook.tokens": "b=secret"}, ("webhook.tokens", "entry 1")),
                ({"webhook.urls": f"a={url}", "webhook.tokens_file": "/nowhere"}, ("webhook.tokens_file", "/nowhere")),
                ({"webhook.urls": f"a={url}", "webhook.ca.file": "/nowhere"}, ("webhook.ca.file", "/nowhere")),
                ({"webhook.backoff.ms": 5000, "webhook.backoff.max.ms": 10}, ("webhook.backoff.max.ms",)),
                ({"webhook.timeout.ms": 0}, ("webhook.timeout.ms", "between"))):
            weir = Weir(settings, self.binary)
            try:
                status = weir.launch().process.wait(SECONDS)
                said = weir.process.output()
            finally:
                weir.close()
            expect(status == 2, f"{settings}: {status} {said}")
            expect(all(word in said for word in words) and "secret" not in said, f"{settings}: {said}")


def main():
    options = options_of(__doc__).parse_args()
    return run_suite(Webhooks(str(options.binary)), options.only)


if __name__ == "__main__":
    sys.exit(main())
