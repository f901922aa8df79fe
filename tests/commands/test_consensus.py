"""`segscore consensus`: one segmentation of each document."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.agreement.majority import agreed_boundaries
from segscore.pipeline.arrays.ragged import Ragged
from segscore.pipeline.scoring.consensus import consensus
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.paths import DATA

CODINGS = st.lists(st.lists(st.integers(1, 20), unique=True).map(sorted), min_size=1, max_size=5)


@given(CODINGS, st.sampled_from([Fraction(0), Fraction(3, 10), Fraction(1, 2), Fraction(1)]))
def test_without_a_distance_it_is_the_consensus_of_score(
    codings: list[list[int]], share: Fraction
) -> None:
    offsets = np.cumsum([0, *map(len, codings)])
    values = np.array([at for coding in codings for at in coding], np.int32)
    expected = consensus(Ragged(offsets, values), np.array([0, len(codings)]), share)
    assert agreed_boundaries(codings, share, 0) == expected.values.tolist()


@given(CODINGS, st.integers(0, 4))
def test_enough_coders_are_near_every_boundary(codings: list[list[int]], within: int) -> None:
    agreed = agreed_boundaries(codings, Fraction(1, 2), within)
    for position in agreed:
        near = sum(any(abs(at - position) <= 2 * within for at in coding) for coding in codings)
        assert 2 * near >= len(codings)
    for position in {at for coding in codings for at in coding}:
        exact = sum(position in coding for coding in codings)
        if 2 * exact >= len(codings):
            assert any(abs(position - at) <= 2 * within for at in agreed)


def test_near_positions_become_one_in_the_middle() -> None:
    half = Fraction(1, 2)
    assert agreed_boundaries([[10, 30], [12], [11, 31], [50]], half, 2) == [11, 30]
    assert agreed_boundaries([[10], [12]], Fraction(1), 1) == []
    assert agreed_boundaries([[10], [12]], Fraction(1), 2) == [10]


def test_the_command(segscore: Segscore, tmp_path: Path) -> None:
    out = tmp_path / "agreed"
    options = ("--share", ".5", "--within", "1", "--output", out)
    result = segscore("consensus", DATA / "stargazer.jsonl", *options)
    assert result.code == 0, result.err
    (row,) = read_table(f"{out}/references").to_pylist()
    assert (row["document_id"], row["coder"], row["n_units"]) == ("stargazer", "consensus", 21)
    assert json.loads((out / "consensus.json").read_text())["settings"] == {
        "share": 0.5,
        "within": 1,
    }
    again = segscore("consensus", DATA / "stargazer.jsonl", *options)
    assert again.code == 2
    wrong = segscore("consensus", DATA / "stargazer.jsonl", "--share", "2", "--output", "x")
    assert (wrong.code, "--share" in wrong.err) == (2, True)


def test_documents_of_two_lengths_are_left_out(segscore: Segscore, tmp_path: Path) -> None:
    rows = [
        {"document_id": document, "coder": coder, "n_units": n_units, "boundaries": [3]}
        for document, coder, n_units in (("a", "x", 9), ("a", "y", 9), ("b", "x", 9), ("b", "y", 8))
    ]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = segscore("consensus", tmp_path / "c.jsonl", "--output", tmp_path / "out")
    assert result.code == 0
    assert "1 document whose codings differ in length left out" in result.err
    assert read_table(f"{tmp_path}/out/references").column("document_id").to_pylist() == ["a"]
