"""A night on a host whose name server does not answer: one message in JSON, and no long wait."""

import json
import sys
from pathlib import Path

import pytest

from tests.support import private_machine
from tests.support.deployed import CREDENTIALS, DEPLOY
from tests.support.driven import wait
from tests.support.paths import ROOT
from tests.support.private_machine import PrivateMachine

REFUSAL = private_machine.refusal()
pytestmark = pytest.mark.skipif(REFUSAL is not None, reason=f"no machine of its own ({REFUSAL})")

SILENT = """
import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
print("ready", flush=True)
while True:
    server.recv(512)
"""


def test_a_dead_name_server_is_reported(tmp_path: Path) -> None:
    resolver, metrics = tmp_path / "resolv.conf", tmp_path / "night.prom"
    resolver.write_text("nameserver 127.0.0.1\n")
    settings = DEPLOY / "settings" / "segscore.toml"
    options = f"--date 2026-01-31 --settings {settings} --metrics {metrics} --log-format json"
    command = [sys.executable, "-m", "segscore", "nightly", *options.split()]
    environment = {**CREDENTIALS, "AWS_DEFAULT_REGION": "eu-west-1", "PYTHONPATH": str(ROOT)}
    with (
        PrivateMachine(tmp_path) as machine,
        machine.serving("resolver", [sys.executable, "-c", SILENT]) as log,
    ):
        wait(log.read_text, "the name server started")
        machine.say("mount", "--bind", resolver, "/etc/resolv.conf")
        result = machine.run(*command, environment=environment)
    assert result.returncode == 1
    (line,) = (json.loads(line) for line in result.stderr.splitlines())
    assert "the name s3.eu-west-1.amazonaws.com cannot be resolved" in line["message"]
    assert 'outcome{outcome="broken"} 1' in metrics.read_text()
