"""The examples of deploy/, run in boxes: the image, its services, the store and its nights."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support import containers
from tests.support.containers import Box, Machine, Service, instruction
from tests.support.paths import ROOT

DEPLOY = ROOT / "deploy"
BIN = Path(sys.executable).parent
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
START_SECONDS = 60


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the image that is /opt/segscore."""
    if (refusal := containers.refusal()) is not None:
        pytest.skip(f"no boxes here ({refusal}): deploy/ is not tested")
    whole = os.environ.get("SEGSCORE_IMAGE") == "whole"
    return containers.build(tmp_path_factory.mktemp("image"), whole=whole)


@pytest.fixture(scope="module")
def machine(image: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A network on which commands run in boxes."""
    with Machine(tmp_path_factory.mktemp("machine"), containers.HOSTS) as entered_machine:
        yield entered_machine


def filled_in() -> str:
    """Fill in the file of credentials."""
    text = (DEPLOY / "settings" / "store.env.example").read_text()
    for name, value in CREDENTIALS.items():
        assert f"\n{name}=\n" in text
        text = text.replace(f"\n{name}=\n", f"\n{name}={value}\n")
    return text


def variables(text: str) -> dict[str, str]:
    """Read a file of environment variables."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def compose(folder: Path) -> subprocess.CompletedProcess[str]:
    """Return the file as Docker Compose resolves it."""
    file = ["--file", str(folder / "compose.yaml"), "--profile", "client"]
    command = [str(BIN / "docker-compose"), *file, "config", "--format", "json"]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the services, as Docker Compose reads them with credentials filled in."""
    folder = tmp_path_factory.mktemp("compose") / "deploy"
    shutil.copytree(DEPLOY, folder)
    (folder / "settings" / "store.env").write_text(filled_in())
    result = compose(folder)
    assert result.stderr == ""
    described: dict[str, Any] = json.loads(result.stdout)["services"]
    return described


def entered(command: Sequence[str]) -> list[str]:
    """Return a command as the image's entry point passes it on."""
    return [*json.loads(instruction("ENTRYPOINT")), *command]


def wait_healthy(machine: Machine, box: Box, service: Service, test: Sequence[str]) -> None:
    """Wait until a service is healthy."""
    until = time.monotonic() + START_SECONDS
    while (result := machine.run(box, *test)).returncode:
        service.require_alive()
        assert time.monotonic() < until, result.stderr[-1000:] + service.log.read_text()[-3000:]


@contextmanager
def serving(
    machine: Machine, box: Box, command: Sequence[str], test: Sequence[str]
) -> Iterator[Service]:
    """Run a service until the block ends, and wait until it is healthy."""
    with machine.running(box, *command) as service:
        wait_healthy(machine, replace(box, write={}), service, test)
        yield service


@pytest.fixture(scope="module")
def store(
    machine: Machine, services: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """The store of the compose file, with its bucket."""
    data = tmp_path_factory.mktemp("objects")
    data.chmod(0o777)
    service = services["objects"]
    box = Box(
        None,
        {"PATH": "/opt/weed:/usr/bin", **service["environment"]},
        read={"/opt/weed/weed": BIN / "weed"},
        write={"/data": data},
        account=1000,
    )
    url = service["healthcheck"]["test"][-1]
    asks = [
        f"{sys.base_prefix}/bin/python3",
        "-c",
        f"from urllib.request import urlopen; urlopen({url!r})",
    ]
    with serving(machine, box, ["weed", *service["command"]], asks) as service_url:
        yield service_url


def store_variables() -> dict[str, str]:
    """Environment variables of a store elsewhere, as the file of credentials may give them."""
    return variables(filled_in()) | {"AWS_ENDPOINT_URL": "http://objects:8333"}
