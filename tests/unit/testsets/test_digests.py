"""Digests and fingerprints of references, against slow implementations."""

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, from_lists
from segscore.pipeline.arrays.row_digests import row_digests
from segscore.pipeline.testsets.digests import Digests, add_fingerprints, digest_rows
from tests.oracles import naive_digests
from tests.support.strategies import segmentations

DATA = Path(__file__).parents[2] / "data"
Row = dict[str, Any]


def as_numbers(rows: list[Row]) -> tuple[Ints, Ragged, Positions | None]:
    boundaries = from_lists([row["boundaries"] for row in rows])
    types = None
    if rows and "boundary_types" in rows[0]:
        types = from_lists([row["boundary_types"] for row in rows]).values
    return np.array([row["n_units"] for row in rows], np.int64), boundaries, types


def digests(rows: list[Row]) -> Digests:
    return digest_rows(*as_numbers(rows))


def columns(rows: list[Row]) -> list[int]:
    numbers: list[int] = row_digests(*as_numbers(rows)).tolist()
    return numbers


def require_equal(rows: list[Row]) -> None:
    found = digests(rows)
    in_bytes = [words.astype(">u4").tobytes() for words in found.words]
    assert in_bytes == [naive_digests.digest(row) for row in rows]
    assert columns(rows) == [naive_digests.column(row) for row in rows]
    assert found.fingerprint == naive_digests.fingerprint(rows)


@st.composite
def references(draw: st.DrawFn) -> list[Row]:
    """Some references, most of them typed or most of them not, a few of them long."""
    typed = draw(st.booleans())
    rows = []
    for n_units, boundaries in draw(st.lists(segmentations(60), max_size=70)):
        scale = draw(st.sampled_from([1, 1, 1, 1000, 2**31 // 60]))
        row: Row = {"n_units": n_units * scale, "boundaries": [p * scale for p in boundaries]}
        if typed:
            row["boundary_types"] = [draw(st.sampled_from([1, 7, 2**31 - 1])) for _ in boundaries]
        rows.append(row)
    return rows


@given(references())
def test_digests_equal_hashlib(rows: list[Row]) -> None:
    require_equal(rows)


@given(references(), st.randoms())
def test_any_order_and_any_partition_gives_the_same_fingerprint(
    rows: list[Row], draw: Random
) -> None:
    parts: list[list[Row]] = [[] for _ in range(draw.randint(1, 5))]
    for row in draw.sample(rows, len(rows)):
        draw.choice(parts).append(row)
    added = add_fingerprints(digests(part).fingerprint for part in parts)
    assert added == digests(rows).fingerprint


@pytest.mark.parametrize("boundaries", [17, 18, 19, 500, 1000, 60_000])
def test_lines_of_every_length(boundaries: int) -> None:
    """Around the end of a block, and beyond what is hashed in lanes and at a time."""
    row: Row = {"n_units": 100_000, "boundaries": [*range(10, 10 + boundaries)]}
    short: Row = {"n_units": 5, "boundaries": []}
    require_equal([short, *([row] * 3), short, row | {"n_units": 99_999}])


def test_a_fingerprint_counts_each_of_equal_references() -> None:
    row: Row = {"n_units": 9, "boundaries": [4]}
    assert digests([row, row]).fingerprint != digests([row]).fingerprint
    assert digests([]).fingerprint == "0" * 64


def test_types_alone_and_length_alone_make_another_digest() -> None:
    rows: list[Row] = [
        {"n_units": 9, "boundaries": [2, 4], "boundary_types": [1, 2]},
        {"n_units": 9, "boundaries": [2, 4], "boundary_types": [2, 1]},
        {"n_units": 10, "boundaries": [2, 4], "boundary_types": [1, 2]},
    ]
    untyped: list[Row] = [{"n_units": 9, "boundaries": [2, 4]}]
    assert len({*columns(rows), *columns(untyped)}) == 4


def test_known_fingerprints() -> None:
    """TinyRec, whose fingerprint was computed with sha256sum."""
    lines = (DATA / "tinyrec.jsonl").read_text().splitlines()
    rows = [row for row in map(json.loads, lines) if row.get("role") == "reference"]
    assert digests(rows).fingerprint.startswith("54d605988c3f5011061316e1")
