"""deploy/systemd/, verified by systemd, and its command run in the unit's environment."""

import configparser
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.containers import ACCOUNT, PATH, Box, Machine
from tests.support.deployed import DEPLOY, store_variables
from tests.support.store_nights import deliver, published, yesterday

UNITS = DEPLOY / "systemd"
SERVICE = UNITS / "segscore-nightly.service"
AFTERWARDS = "ExecStopPost=-"
MOST_EXPOSED = 20
"""Exposure of a service, from 0 to 100, as `systemd-analyze security` computes it."""


def verify_messages(*command: object) -> subprocess.CompletedProcess[str]:
    """Return systemd's messages about the units."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze: the units are not verified")
    return subprocess.run(["systemd-analyze", *map(str, command)], capture_output=True, text=True)  # noqa: S607


def test_units_pass_systemd_analyze() -> None:
    """There is not even a warning, such as that of an unknown key."""
    result = verify_messages("verify", "--man=no", *UNITS.iterdir())
    assert (result.returncode, result.stderr) == (0, "")


def test_a_wrong_unit_is_reported(tmp_path: Path) -> None:
    path = tmp_path / SERVICE.name
    path.write_text(SERVICE.read_text().replace("ProtectHome=", "ProtectHomes="))
    assert "Unknown key 'ProtectHomes'" in verify_messages("verify", "--man=no", path).stderr


def test_the_service_has_few_rights() -> None:
    result = verify_messages("security", "--offline=yes", f"--threshold={MOST_EXPOSED}", SERVICE)
    assert result.returncode == 0, result.stdout


def words(line: str) -> list[str]:
    """Split a command line as systemd does."""
    return shlex.split(line.replace("%%", "%"))


@pytest.mark.usefixtures("store")
def test_a_night_runs_in_the_units_environment(
    image: Path, machine: Machine, tmp_path: Path
) -> None:
    """It runs on this machine's threads, and writes only to the folders that the unit names."""
    days = yesterday()
    deliver(machine, image, tmp_path / "tables", days)
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(SERVICE)
    service = unit["Service"]
    given = dict(assignment.split("=", 1) for assignment in service["Environment"].split())
    assert service["EnvironmentFile"] == "/etc/segscore/store.env"
    folders = {"/var/lib/": "StateDirectory", "/var/cache/": "CacheDirectory"}
    write = {}
    for parent, key in folders.items():
        write[parent + service[key]] = state_folder = tmp_path / key
        state_folder.mkdir()
        os.chown(state_folder, ACCOUNT, ACCOUNT)  # as systemd does
    box = Box(
        image,
        {"PATH": PATH, **given, **store_variables()},
        read={"/etc/segscore/segscore.toml": DEPLOY / "settings" / "segscore.toml"},
        write=write,
    )
    machine.say(box, *words(service["ExecStart"]))
    for line in SERVICE.read_text().splitlines():
        if line.startswith(AFTERWARDS):
            machine.say(box, *words(line.removeprefix(AFTERWARDS)))
    assert (tmp_path / "StateDirectory" / "segscore.duckdb").read_bytes()[8:12] == b"DUCK"
    assert published(machine, image) & days
    metrics = (tmp_path / "StateDirectory" / "segscore.prom").read_text()
    assert re.search(r'segscore_nightly_outcome\{outcome="passed"\} 1', metrics)
