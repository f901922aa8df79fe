"""deploy/compose.yaml, read by Docker Compose, and its services run."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import DATA, Segscore
from tests.containers import Box, Machine, Service, environment
from tests.deployed import DEPLOY, compose, entered, serving
from tests.driven import wait
from tests.test_spread import tables


def test_compose_without_credentials() -> None:
    """It says which file is missing."""
    ended = compose(DEPLOY)
    assert ended.stdout == ""
    assert "settings/store.env not found" in ended.stderr


def service_box(image: Path, service: Mapping[str, Any], **more: Any) -> Box:
    """The box of a service that runs the image."""
    assert service["read_only"] and service["cap_drop"] == ["ALL"]
    return Box(image, environment() | service["environment"] | {"TZ": "Etc/UTC"}, **more)


@pytest.mark.usefixtures("store")
def test_compose_scores(
    image: Path, machine: Machine, services: dict[str, Any], segscore: Segscore, tmp_path: Path
) -> None:
    """From the store to the store, on two workers; the same bytes as here."""
    client = services["client"]
    out = tmp_path / "out"
    out.mkdir()
    out.chmod(0o777)
    box = service_box(image, client, read={"/data": DATA}, write={"/out": out})
    with ExitStack() as stack:

        def start(name: str) -> Service:
            service = services[name]
            command, test = entered(service["command"]), service["healthcheck"]["test"][1:]
            return stack.enter_context(serving(machine, service_box(image, service), command, test))

        scheduler = start("scheduler")
        workers = services["worker"]["deploy"]["replicas"]
        for _ in range(workers):
            start("worker")
        came = "Register worker"
        wait(lambda: scheduler.log.read_text().count(came) == workers, "all workers came")
        table = "/data/tinyrec.jsonl"
        machine.say(box, *entered(["segscore", "import", table, "--output", "s3://segscore"]))
        machine.say(box, *entered(client["command"]))
        fetch = "import fsspec; fsspec.filesystem('s3').get('segscore/run', '/out', recursive=True)"
        machine.say(box, "python", "-c", fetch)
    here = tmp_path / "here"
    assert segscore("import", DATA / "tinyrec.jsonl", "--output", here).code == 0
    given = (here / "references", here / "hypotheses")
    assert segscore("score", *given, "--output", here / "run").code == 0
    (record,) = out.rglob("run.json")
    assert tables(record.parent) == tables(here / "run")
