"""deploy/compose.yaml, read by Docker Compose, and its services run."""

import shlex
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Segscore
from tests.support.containers import Box, Machine, Service, environment
from tests.support.deployed import DEPLOY, compose, entered, serving
from tests.support.driven import wait
from tests.support.paths import DATA, ROOT
from tests.support.run_files import tables
from tests.support.store_nights import deliver, published

TABLE = DATA / "tinyrec.jsonl"
NIGHT = "2026-01-31"
FETCH = "import fsspec; fsspec.filesystem('s3').get('segscore/first/run', '/out', recursive=True)"


def test_compose_without_credentials() -> None:
    """The message names the missing file."""
    result = compose(DEPLOY)
    assert result.stdout == ""
    assert "settings/store.env not found" in result.stderr


def service_box(image: Path, service: Mapping[str, Any], **more: Any) -> Box:
    """The box of a service that runs the image."""
    assert service["read_only"] and service["cap_drop"] == ["ALL"]
    return Box(image, environment() | service["environment"] | {"TZ": "Etc/UTC"}, **more)


def clients_of_the_page() -> list[list[str]]:
    """Lines that docs/deploy.md gives for the client."""
    page = (ROOT / "docs" / "deploy.md").read_text()
    (fence,) = (block for block in page.split("```") if " up -d --wait" in block)
    lines = [shlex.split(line) for line in fence.replace("\\\n", "").strip().splitlines()]
    return [line[line.index("client") + 1 :] for line in lines if "client" in line]


@pytest.mark.usefixtures("store")
def test_a_run_on_compose_equals_a_local_run(
    image: Path, machine: Machine, services: dict[str, Any], segscore: Segscore, tmp_path: Path
) -> None:
    """From store to store, on the workers, as the page says; the tables equal those made here."""
    deliver(machine, image, tmp_path / "nights", {NIGHT})
    client = services["client"]
    out = tmp_path / "out"
    out.mkdir()
    out.chmod(0o777)
    (settings,) = client["configs"]
    read = {"/in/shows.jsonl": TABLE, settings["target"]: DEPLOY / "settings" / "segscore.toml"}
    box = service_box(image, client, read=read, write={"/out": out})
    with ExitStack() as stack:

        def start(name: str) -> Service:
            service = services[name]
            command, test = entered(service["command"]), service["healthcheck"]["test"][1:]
            return stack.enter_context(serving(machine, service_box(image, service), command, test))

        scheduler = start("scheduler")
        workers = services["worker"]["deploy"]["replicas"]
        for _ in range(workers):
            start("worker")
        registered = "Register worker"
        wait(lambda: scheduler.log.read_text().count(registered) == workers, "all workers came")
        for command in clients_of_the_page():
            machine.say(box, *entered(command or client["command"]))
    assert published(machine, image) == {NIGHT}
    machine.say(box, "python", "-c", FETCH)
    local_run = tmp_path / "here"
    assert segscore("import", TABLE, "--output", local_run).code == 0
    given = (local_run / "references", local_run / "hypotheses")
    assert segscore("score", *given, "--output", local_run / "run").code == 0
    (record,) = out.rglob("run.json")
    assert tables(record.parent) == tables(local_run / "run")
