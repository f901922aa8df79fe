"""The number of processors that a process may use."""

import os
from pathlib import Path

import pytest

from segscore.pipeline.runs import executors
from segscore.pipeline.runs.executors import usable_processors

AFFINE = len(os.sched_getaffinity(0))


def test_without_a_quota_all_processors_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "_CGROUPS", str(tmp_path))
    assert usable_processors() == AFFINE


@pytest.mark.parametrize(("quota", "used"), [("50000", 1), ("100001", 2), ("-1", AFFINE)])
def test_a_quota_of_the_first_version_is_rounded_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str, used: int
) -> None:
    monkeypatch.setattr(executors, "_CGROUPS", str(tmp_path))
    folder = tmp_path / "cpu,cpuacct"
    folder.mkdir()
    (folder / "cpu.cfs_quota_us").write_text(f"{quota}\n")
    (folder / "cpu.cfs_period_us").write_text("100000\n")
    assert usable_processors() == min(used, AFFINE)


@pytest.mark.parametrize(("limits", "used"), [("30000 100000", 1), ("max 100000", AFFINE)])
def test_a_quota_of_the_second_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: str, used: int
) -> None:
    group = Path("/proc/self/cgroup").read_text().strip().rpartition(":")[2]
    monkeypatch.setattr(executors, "_CGROUPS", str(tmp_path))
    folder = tmp_path / group.lstrip("/")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cpu.max").write_text(f"{limits}\n")
    assert usable_processors() == min(used, AFFINE)
