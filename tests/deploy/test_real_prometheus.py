"""deploy/dashboards/alerts.yaml in Prometheus: a failed night sends an alert to a webhook."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support import private_machine
from tests.support.command_line import Segscore
from tests.support.deployed import DEPLOY
from tests.support.driven import wait
from tests.support.nights import GOOD, Archive
from tests.support.private_machine import PrivateMachine

PROGRAMS = ("prometheus", "prometheus-alertmanager", "prometheus-node-exporter", "promtool")
REFUSAL = private_machine.refusal(*PROGRAMS)
pytestmark = pytest.mark.skipif(REFUSAL is not None, reason=f"no Prometheus here ({REFUSAL})")

ALERTS = DEPLOY / "dashboards" / "alerts.yaml"
FIRST, SECOND = "2026-01-30", "2026-01-31"
WORSE = dict.fromkeys(GOOD, 0.3)
EXPORTER, ALERTMANAGER, WEBHOOK, PROMETHEUS = (f"127.0.0.1:{port}" for port in range(9001, 9005))
PROMETHEUS_YAML = f"""
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{ALERTS}]
scrape_configs:
  - job_name: node
    static_configs: [{{targets: ["{EXPORTER}"]}}]
alerting:
  alertmanagers:
    - static_configs: [{{targets: ["{ALERTMANAGER}"]}}]
"""
ALERTMANAGER_YAML = f"""
route: {{receiver: webhook, group_wait: 1s, group_by: [alertname]}}
receivers:
  - name: webhook
    webhook_configs: [{{url: "http://{WEBHOOK}/"}}]
"""
LISTENER = """
import http.server, sys

class Webhook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        print(self.rfile.read(int(self.headers["Content-Length"])).decode(), flush=True)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass

http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Webhook).serve_forever()
"""


@pytest.fixture
def archive(segscore: Segscore, tmp_path: Path) -> Archive:
    """An archive whose first night passed."""
    new_archive = Archive(tmp_path / "archive", tmp_path, segscore)
    new_archive.metrics.parent.mkdir()
    new_archive.deliver(FIRST)
    assert new_archive.run(FIRST).code == 0
    return new_archive


@pytest.fixture
def messages(archive: Archive, tmp_path: Path) -> Iterator[Path]:
    """The messages that the webhook receives, one per line."""
    for name, text in (("prometheus", PROMETHEUS_YAML), ("alertmanager", ALERTMANAGER_YAML)):
        (tmp_path / f"{name}.yaml").write_text(text)
    textfiles = f"--collector.textfile.directory={archive.metrics.parent}"
    with PrivateMachine(tmp_path) as machine, ExitStack() as stack:

        def start(name: str, *command: str) -> Path:
            return stack.enter_context(machine.serving(name, command))

        start(
            "exporter",
            "prometheus-node-exporter",
            "--collector.disable-defaults",
            "--collector.textfile",
            textfiles,
            f"--web.listen-address={EXPORTER}",
        )
        start(
            "alertmanager",
            "prometheus-alertmanager",
            f"--config.file={tmp_path}/alertmanager.yaml",
            f"--storage.path={tmp_path}/alerts",
            f"--web.listen-address={ALERTMANAGER}",
            "--cluster.listen-address=",
        )
        start(
            "prometheus",
            "prometheus",
            f"--config.file={tmp_path}/prometheus.yaml",
            f"--storage.tsdb.path={tmp_path}/metrics",
            f"--web.listen-address={PROMETHEUS}",
        )
        yield start("webhook", sys.executable, "-c", LISTENER, WEBHOOK.partition(":")[2])


def firing(messages: Path) -> set[tuple[str, str]]:
    """Return name and summary of the alerts that were received."""
    received = [json.loads(line) for line in messages.read_text().split("\n") if line]
    return {
        (alert["labels"]["alertname"], alert["annotations"]["summary"])
        for message in received
        for alert in message["alerts"]
        if alert["status"] == "firing"
    }


def test_a_failed_night_sends_an_alert(archive: Archive, messages: Path) -> None:
    archive.deliver(SECOND, WORSE)
    assert archive.run(SECOND).code == 1
    failed = ("SegscoreNightFailed", "The newest night: failed")
    worse = {
        ("SegscoreSystemWorse", f"{system} breaks boundary_similarity>=-0.02") for system in WORSE
    }
    wait(lambda: {failed, *worse} <= firing(messages), "the alerts were received")


def test_promtool_accepts_the_rules(tmp_path: Path) -> None:
    with PrivateMachine(tmp_path) as machine:
        assert "SUCCESS" in machine.say("promtool", "check", "rules", ALERTS)
