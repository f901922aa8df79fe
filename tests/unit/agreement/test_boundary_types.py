"""Agreement by boundary type, and which types are confused."""

from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

import segscore
from segscore.pipeline.agreement import block
from segscore.pipeline.storage import read_table
from tests.oracles import naive, naive_jackknife
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

Rows = list[dict[str, Any]]
TYPES = (1, 2, 5)


def project(seed: int, documents: int = 8) -> Rows:
    """Draw codings with types, of which some positions have several, and some codings none."""
    draw, rows = Random(seed), []  # noqa: S311
    for number in range(documents):
        n_units = draw.randint(2, 14)
        for coder in draw.sample(("ann", "ben", "cat"), draw.randint(1, 3)):
            typed = sorted(
                (at, kind) for at in range(1, n_units) for kind in TYPES if draw.random() < 0.15
            )
            rows.append(
                {
                    "document_id": f"d{number}",
                    "coder": coder,
                    "n_units": n_units,
                    "boundaries": [at for at, _ in typed],
                    "boundary_types": [kind for _, kind in typed],
                    "genre": "news" if number % 2 else "talk",
                }
            )
    return rows


def pairs_of(rows: Rows) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the pairs of codings of one document."""
    ordered = sorted(rows, key=lambda row: (row["document_id"], row["coder"]))
    return [
        pair
        for pair in combinations(ordered, 2)
        if pair[0]["document_id"] == pair[1]["document_id"]
    ]


def of_type(row: dict[str, Any], kind: int) -> list[int]:
    typed = zip(row["boundaries"], row["boundary_types"], strict=True)
    return [at for at, each in typed if each == kind]


def similarity(rows: Rows, kind: int, n_t: int) -> float | None:
    sums = naive.counts_of([], 0)
    for one, other in pairs_of(rows):
        sides = of_type(one, kind), of_type(other, kind)
        counts = naive.edit_counts(one["n_units"], *sides, n_t)
        sums = {name: sums[name] + counts[name] for name in sums}
    value = naive.edit_values(sums, n_t=n_t, per_row=False)["boundary_similarity"]
    return None if value is None else float(value)


@pytest.mark.first
@pytest.mark.parametrize("n_t", [1, 2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_types_equal_the_twin(seed: int, n_t: int) -> None:
    rows = project(seed)
    found = segscore.agree(rows, n_t=n_t, group_by=("genre",)).table("types").to_pylist()
    for genre in (None, "news", "talk"):
        here = [row for row in rows if genre in (None, row["genre"])]
        paired = Counter[tuple[int, int]]()
        for one, other in pairs_of(here):
            sides = [
                list(zip(row["boundaries"], row["boundary_types"], strict=True))
                for row in (one, other)
            ]
            in_document = [row for row in rows if row["document_id"] == one["document_id"]]
            kinds = sorted({kind for row in in_document for kind in row["boundary_types"]})
            for edit in naive.typed_edits(one["n_units"], sides[0], sides[1], kinds, n_t):
                if edit.type is not None and edit.other_type is not None:
                    paired[min(edit.type, edit.other_type), max(edit.type, edit.other_type)] += 1
        by_types = {(row["type"], row["other_type"]): row for row in found if row["genre"] == genre}
        assert {key: row["paired"] for key, row in by_types.items() if row["paired"]} == paired
        together = {row["document_id"] for pair in pairs_of(here) for row in pair}
        coded = [row for row in here if row["document_id"] in together]
        for (kind, other_kind), row in by_types.items():
            if kind != other_kind:
                of_both = sum(paired[k] for k in ((kind, kind), (other_kind, other_kind)))
                share = paired[kind, other_kind] / (of_both + paired[kind, other_kind])
                assert row["share"] == pytest.approx(share)
                assert row["boundary_similarity"] is None and row["boundaries"] is None
                continue
            value = similarity(here, kind, n_t)
            assert row["boundary_similarity"] == (None if value is None else pytest.approx(value))
            marks = sum(len(of_type(each, kind)) for each in coded)
            rate = marks / sum(each["n_units"] - 1 for each in coded)
            assert (row["boundaries"], row["expected"]) == (marks, pytest.approx(rate**2))
            if value is not None:
                assert row["pi"] == pytest.approx((value - rate**2) / (1 - rate**2))
            weights = {}
            for name in together:
                counts = [
                    naive.edit_counts(one["n_units"], of_type(one, kind), of_type(two, kind), n_t)
                    for one, two in pairs_of([r for r in coded if r["document_id"] == name])
                ]
                names = ("misses", "false_alarms", "near_misses", "matches")
                weights[name] = sum(count[each] for count in counts for each in names)
            apart = {
                name: similarity([r for r in coded if r["document_id"] != name], kind, n_t)
                for name in together
            }
            twin = naive_jackknife.estimate(value, apart, weights)
            low, high = naive_jackknife.interval(twin, 0, 1)
            assert row["ci_low"] == (None if low is None else pytest.approx(low))
            assert row["ci_high"] == (None if high is None else pytest.approx(high))


def test_coefficients_count_each_position_once() -> None:
    rows = project(5)
    plain = [
        {**row, "boundaries": sorted({*row["boundaries"]}), "boundary_types": None} for row in rows
    ]
    plain = [{key: value for key, value in row.items() if value is not None} for row in plain]
    typed, untyped = (segscore.agree(each) for each in (rows, plain))
    for name in ("agreement", "coders", "peers", "pairs", "documents"):
        assert typed.table(name).equals(untyped.table(name)), name
    assert not len(untyped.table("types")) and len(typed.table("types"))


def test_the_same_types_however_the_work_is_split(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "codings.jsonl"
    rows = project(3, 60)
    rows[0] |= {"boundary_types": None}
    write_rows(path, rows)
    runs = []
    for size, pairs in ((9999, 99), (40, 7)):
        segscore.cut(size)
        monkeypatch.setattr(block, "PAIRS_AT_ONCE", pairs)
        run = tmp_path / f"run{size}"
        result = segscore("agree", path, "--group-by", "genre", "--output", run)
        assert result.code == 0, result.err
        assert "Of 3 boundary types, coders agree best on type " in result.out
        assert " are confused most: in " in result.out
        runs.append(read_table(f"{run}/types").to_pylist())
    assert runs[0] == runs[1]
