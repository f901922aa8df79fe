"""Differences between two runs, in words."""

from dataclasses import asdict

import pytest

from segscore.pipeline.runs.fingerprint import Fingerprint, setting_differences


def reading(files: int, version: str) -> Fingerprint:
    inputs = [
        {"url": f"{number}.parquet", "size": 9, "version": version} for number in range(files)
    ]
    return Fingerprint("score", {}, {"references": inputs}, "1")


@pytest.mark.parametrize(("files", "described"), [(0, 0), (1, 1), (2, 2), (3, 2), (12, 2)])
def test_files_that_differ_in_the_same_way_are_counted(files: int, described: int) -> None:
    before = asdict(reading(files, "a"))
    changed = setting_differences(before, reading(files, "b"))
    removed = setting_differences(before, reading(0, "a"))
    for differences in (changed, removed):
        assert len(differences) == described
        counts = {3: ", and likewise 1 more input", 12: ", and likewise 10 more inputs"}
        assert "; ".join(differences).endswith(counts.get(files, ""))
        assert ("likewise" in "; ".join(differences)) == (files > 2)
