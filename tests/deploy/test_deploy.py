"""The examples in deploy/ and their page agree."""

import re
import tomllib

import yaml

from tests.support.deployed import DEPLOY
from tests.support.paths import ROOT

SETTINGS = tomllib.loads((DEPLOY / "settings" / "segscore.toml").read_text())
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
MADE_BY_THE_READER = "deploy/settings/store.env"


def test_the_page_names_existing_files() -> None:
    text = (ROOT / "docs" / "deploy.md").read_text()
    named = set(re.findall(r"deploy/[\w./*-]*\w", text)) - {MADE_BY_THE_READER}
    assert named
    assert [name for name in sorted(named) if not list(ROOT.glob(f"{name}*"))] == []


def test_a_worker_has_the_memory_that_tasks_are_planned_for() -> None:
    limit = SETTINGS["score"]["memory-limit"]
    for name in ("compose.yaml", "kubernetes/base/dask-cluster.yaml"):
        assert f"--memory-limit, {limit}, --dashboard-address" in (DEPLOY / name).read_text()
    queue = yaml.safe_load((DEPLOY / "slurm" / "jobqueue.yaml").read_text())
    assert queue["jobqueue"]["slurm"]["memory"] == limit


def test_the_image_is_of_this_version() -> None:
    files = [
        path for path in DEPLOY.rglob("*") if path.is_file() and path.suffix not in (".pyc", ".zip")
    ]
    tags = [tag for path in files for tag in re.findall(r"segscore:(\d[\w.]*)", path.read_text())]
    assert set(tags) == {VERSION}
