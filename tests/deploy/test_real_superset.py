"""deploy/dashboards/superset.zip in Superset: imported, drawn by a browser, rows in each chart."""

import json
import os
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Response

from tests.support.dashboards import FOLDER, Place
from tests.support.driven import wait
from tests.support.paths import ROOT
from tests.support.servers import free_ports, running

ENVIRONMENT = ROOT / "build" / "superset"
pytestmark = pytest.mark.skipif(
    not (ENVIRONMENT / "ready").exists(),
    reason="NO SUPERSET: `make test-deploy` installs it, if pip can on this Python",
)

CHARTS = 9
PICTURE = "SUPERSET_PICTURE"
"""Variable that names a file for a picture of the dashboard."""

SECONDS = 120
"""How long the browser may take."""

CONFIGURATION = """
SECRET_KEY = "of a server that lives for a test"
SQLALCHEMY_DATABASE_URI = "sqlite:///{folder}/superset.db"
PREVENT_UNSAFE_DB_CONNECTIONS = False
WTF_CSRF_ENABLED = False
TALISMAN_ENABLED = False
RATELIMIT_ENABLED = False
"""
ADMIN = {"username": "admin", "firstname": "A", "lastname": "B", "email": "a@b.c"}
ADMIN["password"] = ADMIN["username"]


class Superset:
    """A Superset with a folder of its own."""

    def __init__(self, folder: Path) -> None:
        """Write its configuration."""
        self.folder = folder
        configuration = folder / "superset_config.py"
        configuration.write_text(CONFIGURATION.format(folder=folder))
        own = {"SUPERSET_CONFIG_PATH": str(configuration), "FLASK_APP": "superset"}
        self.environment = {**os.environ, **own, "SUPERSET_HOME": str(folder)}
        self.command = str(ENVIRONMENT / "bin" / "superset")

    def run(self, *arguments: str) -> None:
        """Run one of its commands, which must succeed."""
        ended = subprocess.run(
            [self.command, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr[-3000:]

    def prepare(self) -> None:
        """Make its tables, its roles and its one user."""
        self.run("db", "upgrade")
        named = [part for name, value in ADMIN.items() for part in (f"--{name}", value)]
        self.run("fab", "create-admin", *named)
        self.run("init")


@pytest.fixture(scope="module")
def archive(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export, whose connection names a database of three nights, the last of which failed."""
    folder = tmp_path_factory.mktemp("dashboard")
    database = folder / "segscore.duckdb"
    script = [sys.executable, str(FOLDER / "database.py"), str(database)]
    subprocess.run([*script, "--runs", place.nights.runs], check=True)
    made = runpy.run_path(str(FOLDER / "superset.py"))
    connection = f"duckdb:///{database}?access_mode=READ_ONLY"
    made["archive"].__globals__["URI"] = connection
    export = folder / "superset.zip"
    export.write_bytes(made["archive"]())
    return export


@pytest.fixture(scope="module")
def url(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Superset that has imported the export."""
    superset = Superset(tmp_path_factory.mktemp("superset"))
    superset.prepare()
    superset.run("import-dashboards", "--path", str(archive), "--username", ADMIN["username"])
    (port,) = free_ports(1)
    serving = [superset.command, "run", "--host", "127.0.0.1", "--port", str(port)]
    address = f"http://127.0.0.1:{port}"
    health = f"{address}/health"
    with running(serving, superset.folder, health, environment=superset.environment):
        yield address


def test_the_dashboard_is_drawn_with_rows_in_every_chart(url: str, chromium: Browser) -> None:
    page = chromium.new_context(viewport={"width": 1400, "height": 1000}).new_page()
    answered: dict[str, tuple[int, Any]] = {}

    def note(response: Response) -> None:
        if "/api/v1/chart/data" in response.url and "form_data" in response.url:
            chart = response.url.partition("slice_id%22%3A")[2].partition("%7D")[0]
            answered[chart] = response.status, response.json()["result"][0]

    page.on("response", note)
    page.goto(f"{url}/login/")
    page.fill("#username", ADMIN["username"])
    page.fill("#password", ADMIN["password"])
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: "/login/" not in address, timeout=SECONDS * 1000)
    page.goto(f"{url}/superset/dashboard/segscore/")
    page.wait_for_selector(".chart-slice", timeout=SECONDS * 1000)

    def all_answered() -> bool:
        page.mouse.wheel(0, 600)
        page.wait_for_timeout(500)
        return len(answered) == CHARTS

    wait(all_answered, f"{CHARTS} charts", SECONDS)
    failed = {
        chart: json.dumps(result)[:300]
        for chart, (status, result) in answered.items()
        if status != 200 or result.get("error") or not result["rowcount"]
    }
    assert not failed
    assert page.locator(".chart-slice").count() == CHARTS
    assert page.locator(".ant-alert-error").count() == 0
    if picture := os.environ.get(PICTURE):
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=picture)
