"""Sums over documents do not depend on the parts, or on which are added up first."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from segscore.pipeline.agreement import tallies
from segscore.pipeline.runs import adding
from segscore.pipeline.statistics import resampling
from tests.support.command_line import Segscore
from tests.support.rows import read_rows, write_rows

TABLES = ("agreement", "coders", "peers", "corpus", "types")


def codings(seed: int) -> list[dict[str, Any]]:
    """Draw codings of 60 documents of 5 shows, by one to four coders."""
    draw, rows = Random(seed), []  # noqa: S311
    for number in range(60):
        n_units, show = draw.randint(1, 14), draw.choice([f"show{number % 5}", None])
        rows += [
            {
                "document_id": f"d{number}",
                "coder": coder,
                "n_units": n_units,
                "boundaries": [p for p in range(1, n_units) if draw.random() < 0.3],
                "show": show,
            }
            for coder in draw.sample(("ann", "ben", "cat", "dan"), draw.randint(1, 4))
        ]
    return rows


def read(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the tables by group."""
    return {name: read_rows(folder, name) for name in TABLES}


@pytest.mark.long
@pytest.mark.parametrize("buckets", [7, 4096])
@pytest.mark.parametrize("sampled", [30, 65_536])
def test_sums_added_in_rounds_are_those_of_one_part(
    segscore: Segscore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    buckets: int,
    sampled: int,
) -> None:
    """Some documents are sampled, and some resampling units are in buckets, or all and none."""
    monkeypatch.setattr(resampling, "BUCKETS", buckets)
    monkeypatch.setattr(tallies, "SAMPLED", sampled)
    path = tmp_path / "codings.jsonl"
    write_rows(path, codings(buckets + sampled))
    options = ("agree", path, "--group-by", "show", "--output")
    assert segscore(*options, tmp_path / "whole").code == 0
    segscore.cut(5)
    monkeypatch.setattr(adding, "SUMS_AT_ONCE", 3)
    added = adding.add_batch
    batches = list[str]()

    def add_batch(*arguments: Any) -> adding.Added:
        done = added(*arguments)
        batches.append(done.name)
        return done

    monkeypatch.setattr(adding, "add_batch", add_batch)
    assert segscore(*options, tmp_path / "parts").code == 0
    assert any("added" in name for name in batches), "sums of sums were added up"
    assert read(tmp_path / "parts") == read(tmp_path / "whole")
