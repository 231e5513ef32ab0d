"""The metrics of a Weir with members: their format, and that dashboard, alerts and documentation name the same ones.

    python3 tests/integration/metrics.py [--binary build/release/weir]
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from checks import Checks  # noqa: E402
from ports import free_port, wait_until  # noqa: E402
from process import Process  # noqa: E402
from prometheus_text import Exposition, family_of, metrics_named  # noqa: E402
from weir import BINARY, Weir  # noqa: E402
from wire import ROOT  # noqa: E402

DASHBOARD = ROOT / "packaging" / "grafana" / "weir.json"
ALERTS = ROOT / "packaging" / "prometheus" / "alerts.yaml"
DOCUMENT = ROOT / "docs" / "operations.md"
SETTINGS = {"group.streams.initial.rebalance.delay.ms": 0, "group.streams.assignment.interval.ms": 0,
            "webhook.backoff.ms": 20, "webhook.attempts.max": 2}
BROKEN = ('# HELP a_seconds b\n# TYPE a_seconds histogram\na_seconds_bucket{le="1"} 2\n'
          'a_seconds_bucket{le="+Inf"} 1\na_seconds_count 1\n',
          'no_type 1\n', '# HELP a b\n# TYPE a counter\na 1\n',
          '# HELP a_total b\n# TYPE a_total counter\na_total one\n',
          '# HELP a_total b\n# TYPE a_total counter\na_total{group="g"} 1\n',
          '# HELP a_ms b\n# TYPE a_ms gauge\na_ms 1\n')
SECONDS = 60


def read(weir):
    return weir.http("/metrics")[1]


def expressions():
    """What dashboard and alerts ask for: {file: text of the expressions}."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    asked = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    rules = re.findall(r"^ +expr: (.*)$", ALERTS.read_text(), re.MULTILINE)
    return {DASHBOARD: "\n".join(asked), ALERTS: "\n".join(rules)}


def check_format(checks, text):
    found = Exposition(text)
    checks.count("the text is in Prometheus' format", not found.wrong, "; ".join(found.wrong[:10]))
    for broken in BROKEN:
        checks.count(f"a fault is noticed: {broken.splitlines()[-1]}", bool(Exposition(broken).wrong))
    tool = shutil.which("promtool")
    if tool:
        done = subprocess.run([tool, "check", "metrics"], input=text, capture_output=True, text=True,
                              timeout=SECONDS)
        checks.count("promtool check metrics", done.returncode == 0, done.stdout + done.stderr)
        done = subprocess.run([tool, "check", "rules", ALERTS], capture_output=True, text=True, timeout=SECONDS)
        checks.count("promtool check rules", done.returncode == 0, done.stdout + done.stderr)
    return found


def check_names(checks, found):
    for path, text in expressions().items():
        named = metrics_named(text)
        missing = named - found.names()
        checks.count(f"every metric of {path.name} is there", len(named) > 10 and not missing, str(missing))
    shown = {family_of(name, found.kinds) for name in metrics_named(expressions()[DASHBOARD])}
    ours = {name for name in found.kinds if name.startswith("weir_")}
    unseen = ours - shown - {"weir_build_info", "weir_group_replays_total"}
    checks.count("every metric is on the dashboard", not unseen, str(sorted(unseen)))
    documented = metrics_named(DOCUMENT.read_text())
    lost = ours - documented
    checks.count("every metric is documented", not lost, str(sorted(lost)))


def check_values(checks, text):
    """Members came, so these cannot be 0."""
    values = {(name, tuple(labels.values())): value for name, labels, value in Exposition(text).samples}
    for name in ("weir_heartbeat_seconds_count", "weir_answer_held_seconds_count", "weir_log_linger_seconds_count",
                 "weir_log_batch_appends_count", "weir_log_batch_bytes_sum", "weir_rebalance_seconds_count",
                 "weir_load_seconds_count", "weir_tasks_moved_total", "weir_storage_bytes", "weir_ready",
                 "weir_actor_threads"):
        checks.count(f"{name} is above 0", values.get((name, ()), 0) > 0, str(values.get((name, ()))))
    for name, label in (("weir_request_queue_seconds_count", "StreamsGroupHeartbeat"),
                        ("weir_request_processing_seconds_count", "StreamsGroupHeartbeat"),
                        ("weir_request_processing_seconds_count", "other"), ("weir_groups_by_type", "streams"),
                        ("weir_assignor_seconds_count", "highly_available"),
                        ("weir_group_epoch_bumps_total", "member-joined")):
        checks.count(f"{name} of {label} is above 0", values.get((name, (label,)), 0) > 0)
    beats = values["weir_requests_total", ("StreamsGroupHeartbeat", "0")]
    checks.count("every heartbeat is timed", values["weir_heartbeat_seconds_count", ()] >= beats)


def settled(weir):
    status, group = weir.http("/v1/groups/weir-simulation")
    return status == 200 and group["state"] == "Stable" and any(m["assigned"]["active"] for m in group["members"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=BINARY)
    options = parser.parse_args()
    checks = Checks()
    hook = {"webhook.urls": f"dead=http://127.0.0.1:{free_port()}/"}
    with Weir({**SETTINGS, **hook}, options.binary) as weir:
        members = Process([weir.binary, "simulate", "--bootstrap", weir.address, "--processes", 2, "--threads", 1],
                          weir.folder / "members.log")
        try:
            wait_until(lambda: settled(weir), SECONDS, "the application is stable", pause=0.2)
            waited_for = (r"^weir_rebalance_seconds_count ", r"^weir_webhook_attempts_failed_total\{[^}]*\} [1-9]")
            text = wait_until(lambda: (text := read(weir)) and all(re.search(one, text, re.M) for one in waited_for)
                              and text, SECONDS, "the rebalance is timed and an event was not taken", pause=0.2)
            check_names(checks, check_format(checks, text))
            check_values(checks, text)
        finally:
            members.stop()
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
