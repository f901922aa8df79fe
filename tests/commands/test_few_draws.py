"""Advice to draw random reference points more often, where their chance adds to the error."""

import json
from collections import defaultdict
from fractions import Fraction
from math import ceil
from pathlib import Path
from statistics import variance
from typing import Any

import pytest

from segscore.pipeline.runs.planning import Limits
from tests.support.command_line import Segscore
from tests.support.corpora import corpus, run
from tests.support.rows import read_rows

DRAWS = 6
WAYS = {
    "whole": Limits(),
    "ranges": Limits(rows_per_part=7),
    "shuffled": Limits(rows_per_part=7, read_again=0.0),
}
POINTS = "random-own,random-known"
Sums = dict[str, dict[str, list[int]]]


def sums_by_document(folder: Path) -> Sums:
    """Point -> document -> windows, and misses and false alarms, over its references."""
    sums: Sums = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for row in read_rows(folder, "scores"):
        if row["hypothesis"].startswith("point:"):
            of_document = sums[row["hypothesis"]][row["document_id"]]
            of_document[0] += row["windows"]
            of_document[1] += row["pk_misses"] + row["pk_false_alarms"]
    return sums


def pk(sums: list[list[int]]) -> Fraction:
    return Fraction(sum(errors for _, errors in sums), sum(windows for windows, _ in sums))


def share_of_draws(by_number: list[Sums], point: str) -> float:
    """The variance of the mean of all draws, as a share of the jackknife's over documents."""
    cumulated = [pk([*sums[point].values()]) * number for number, sums in enumerate(by_number, 1)]
    # Every draw has the same windows, so that the k-th value is k means less k - 1 means.
    draws = [
        now - before for now, before in zip(cumulated, [Fraction(0), *cumulated], strict=False)
    ]
    documents = by_number[-1][point]
    without = [pk([sums for name, sums in documents.items() if name != left]) for left in documents]
    between = (len(documents) - 1) ** 2 / len(documents) * variance(without)
    of_mean = variance(draws) / DRAWS
    return float(of_mean / max(between - of_mean, between / 100))


def advice(record: dict[str, Any]) -> list[str]:
    return [warning for warning in record["warnings"] if " draws" in warning]


def percent(share: float) -> str:
    """Write a share with two digits, as 120 % and not as 1.2e+02 %."""
    return f"{float(f'{100 * share:.2g}'):g} %"


@pytest.mark.long
def test_the_share_is_that_of_the_slow_twin(segscore: Segscore, tmp_path: Path) -> None:
    corpus(seed=4).write(tmp_path)
    options = ("--measures", "pk", "--reference-points", POINTS, "--draws")
    by_number, records = [], []
    for number in range(1, DRAWS + 1):
        records.append(run(segscore, tmp_path, tmp_path / str(number), *options, number))
        by_number.append(sums_by_document(tmp_path / str(number)))
    shares = {point: share_of_draws(by_number, point) for point in by_number[-1]}
    point = max(shares, key=lambda name: shares[name])
    wanted = 50 * ceil(DRAWS * shares[point] / 0.01 / 50)
    assert advice(records[-1]) == [
        f"{point}: its average rests on {DRAWS} random draws, which adds {percent(shares[point])} "
        f"to its variance; --draws {wanted} makes that about "
        f"{percent(shares[point] * DRAWS / wanted)}"
    ]
    assert advice(records[0]) == []  # one draw has no variance
    assert advice(run(segscore, tmp_path, tmp_path / "more", *options, 1000)) == []


@pytest.mark.parametrize("draws", [3, 4])  # of 4, the share is 6.1
def test_draws_that_vary_more_than_documents_have_no_share(
    segscore: Segscore, tmp_path: Path, draws: int
) -> None:
    """What is left of the error between documents is then about 0, so that a share says nothing."""
    rows = [
        {
            "document_id": f"d{number}",
            "coder": coder,
            "role": role,
            "n_units": 60,
            "boundaries": [10, 20, 30, 40, 50],
        }
        for number in range(30)
        for coder, role in (("ann", "reference"), ("sys", "hypothesis"))
    ]
    tables = tmp_path / "rows.jsonl"
    tables.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    points = ("--reference-points", "random-known", "--seed", 3, "--measures", "pk")
    segscore("score", tables, tables, "--output", tmp_path / "run", *points, "--draws", draws)
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert advice(record) == [
        f"point:random-known: its average varies more by the chance of its {draws} draws than "
        "between documents; more draws, such as --draws 1000, make it more certain"
    ]


@pytest.mark.long
def test_every_engine_gives_the_same_advice(segscore: Segscore, tmp_path: Path) -> None:
    corpus(seed=6).write(tmp_path)
    said = set()
    for way, limits in WAYS.items():
        segscore.cut(limits)
        record = run(segscore, tmp_path, tmp_path / way, "--reference-points", POINTS, "--draws", 2)
        said.add(json.dumps(advice(record)))
    assert len(said) == 1 and said != {"[]"}


def test_too_few_documents_for_an_interval_are_not_judged(
    segscore: Segscore, tmp_path: Path
) -> None:
    corpus(seed=5, documents=4).write(tmp_path)
    options = ("--reference-points", POINTS, "--draws", 2)
    assert advice(run(segscore, tmp_path, tmp_path / "run", *options)) == []
