"""`segscore consensus`: one segmentation of each document."""

import json
from fractions import Fraction
from math import prod, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.agreement.majority import ConsensusSettings, agreed_boundaries
from segscore.pipeline.arrays.ragged import Ragged
from segscore.pipeline.scoring.consensus import consensus
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.paths import DATA
from tests.support.rows import read_rows, write_rows

CODINGS = st.lists(st.lists(st.integers(1, 20), unique=True).map(sorted), min_size=1, max_size=5)


@given(CODINGS, st.sampled_from([Fraction(0), Fraction(3, 10), Fraction(1, 2), Fraction(1)]))
def test_without_a_distance_it_is_the_consensus_of_score(
    codings: list[list[int]], share: Fraction
) -> None:
    offsets = np.cumsum([0, *map(len, codings)])
    values = np.array([at for coding in codings for at in coding], np.int32)
    expected = consensus(Ragged(offsets, values), np.array([0, len(codings)]), share)
    least = ConsensusSettings(share=float(share)).least(len(codings))
    assert agreed_boundaries(codings, least, 0) == expected.values.tolist()


@given(CODINGS, st.integers(0, 4), st.sampled_from([None, 0.5]))
def test_enough_coders_are_near_every_boundary(
    codings: list[list[int]], within: int, share: float | None
) -> None:
    def suffice(coders: int) -> bool:
        return 2 * coders > len(codings) or (share == 0.5 and 2 * coders == len(codings))

    agreed = agreed_boundaries(codings, ConsensusSettings(share).least(len(codings)), within)
    for position in agreed:
        near = sum(any(abs(at - position) <= 2 * within for at in coding) for coding in codings)
        assert suffice(near)
    for position in {at for coding in codings for at in coding}:
        exact = sum(position in coding for coding in codings)
        if suffice(exact):
            assert any(abs(position - at) <= 2 * within for at in agreed)


def test_near_positions_become_one_in_the_middle() -> None:
    assert agreed_boundaries([[10, 30], [12], [11, 31], [50]], 2, 2) == [11, 30]
    assert agreed_boundaries([[10], [12]], 2, 1) == []
    assert agreed_boundaries([[10], [12]], 2, 2) == [10]


def test_the_command(segscore: Segscore, tmp_path: Path) -> None:
    out = tmp_path / "agreed"
    options = ("--share", ".5", "--within", "1", "--output", out)
    result = segscore("consensus", DATA / "stargazer.jsonl", *options)
    assert result.code == 0, result.err
    (row,) = read_table(f"{out}/references").to_pylist()
    assert (row["document_id"], row["coder"], row["n_units"]) == ("stargazer", "consensus", 21)
    record = json.loads((out / "consensus.json").read_text())
    assert record["settings"] == {"share": 0.5, "within": 1, "without": []}
    assert record["rule"] == "at least 0.5 of a document's coders"
    again = segscore("consensus", DATA / "stargazer.jsonl", *options)
    assert again.code == 2
    wrong = segscore("consensus", DATA / "stargazer.jsonl", "--share", "2", "--output", "x")
    assert (wrong.code, "--share" in wrong.err) == (2, True)


def test_two_coders_must_agree_unless_a_share_says_otherwise(
    segscore: Segscore, tmp_path: Path
) -> None:
    rows = [
        {"document_id": "a", "coder": "x", "n_units": 9, "boundaries": [3, 5]},
        {"document_id": "a", "coder": "y", "n_units": 9, "boundaries": [3, 7]},
    ]
    write_rows(tmp_path / "c.jsonl", rows)
    for number, (share, kept, rule) in enumerate(
        [
            ((), [3], "more than half of a document's coders"),
            (("--share", ".5"), [3, 5, 7], "at least 0.5 of a document's coders"),
            (("--share", "0"), [3, 5, 7], "any coder"),
        ]
    ):
        out = tmp_path / str(number)
        result = segscore("consensus", tmp_path / "c.jsonl", *share, "--output", out)
        assert result.code == 0, result.err
        assert read_table(f"{out}/references").column("boundaries").to_pylist() == [kept]
        assert result.out.strip().endswith(f"references: 1 row, boundaries of {rule}")
        assert json.loads((out / "consensus.json").read_text())["rule"] == rule
        assert ("one of them is enough" in result.err) == (share == ("--share", ".5"))


def test_documents_of_two_lengths_are_left_out(segscore: Segscore, tmp_path: Path) -> None:
    rows = [
        {"document_id": document, "coder": coder, "n_units": n_units, "boundaries": [3]}
        for document, coder, n_units in (("a", "x", 9), ("a", "y", 9), ("b", "x", 9), ("b", "y", 8))
    ]
    write_rows(tmp_path / "c.jsonl", rows)
    result = segscore("consensus", tmp_path / "c.jsonl", "--output", tmp_path / "out")
    assert result.code == 0
    assert "1 document whose codings differ in length left out" in result.err
    assert read_table(f"{tmp_path}/out/references").column("document_id").to_pylist() == ["a"]


def test_boundaries_have_a_confidence_and_coders_are_left_out(
    segscore: Segscore, tmp_path: Path
) -> None:
    rows = [
        {"document_id": "d", "coder": coder, "n_units": 30, "boundaries": boundaries}
        for coder, boundaries in {"ann": [5, 10], "bob": [5, 11], "cat": [20], "dan": [5]}.items()
    ]
    path = tmp_path / "codings.jsonl"
    write_rows(path, rows)
    result = segscore("consensus", path, "--without", "cat", "--output", tmp_path / "agreed")
    assert result.code == 0, result.err
    (row,) = read_table(f"{tmp_path}/agreed/references").to_pylist()
    assert row["boundaries"] == [5]
    (row,) = read_table(f"{tmp_path}/agreed/confidence").to_pylist()
    assert (row["position"], row["supporters"], row["coders"]) == (5, 3, 3)
    assert 0.99 < row["confidence"] < 1
    result = segscore("consensus", path, "--share", "0", "--output", tmp_path / "all")
    found = read_table(f"{tmp_path}/all/confidence").to_pylist()
    # Of 10 boundaries of ann and of the others in pairs with her, 6 are of both.
    common = {"ann": 6 / 10, "bob": 6 / 10, "cat": 0.0, "dan": 4 / 8}
    root = sqrt(sum(common.values()) / 4)
    right = {coder: max(0.5, share / root) for coder, share in common.items()}
    assert [row["position"] for row in found] == [5, 10, 11, 20]
    having = ({"ann", "bob", "dan"}, {"ann", "bob"}, {"ann", "bob"}, {"cat"})
    for row, supporters in zip(found, having, strict=True):
        chances = [(p, 1 - p) if coder in supporters else (1 - p, p) for coder, p in right.items()]
        is_one, is_none = (prod(each) for each in zip(*chances, strict=True))
        assert row["confidence"] == pytest.approx(is_one / (is_one + is_none))
    refused = segscore("consensus", path, "--without", "eve", "--output", tmp_path / "no")
    assert refused.code == 2 and "there is no coder eve" in refused.err


def test_the_folder_of_a_consensus_is_no_table(segscore: Segscore, tmp_path: Path) -> None:
    codings, agreed = tmp_path / "codings.jsonl", tmp_path / "agreed"
    rows = [
        {"document_id": f"d{i}", "coder": coder, "n_units": 9, "boundaries": [3]}
        for coder in "ab"
        for i in range(3)
    ]
    write_rows(codings, rows)
    assert segscore("consensus", codings, "--output", agreed).code == 0
    scored = ("score", agreed, codings, "--output", tmp_path / "run")
    said = f"several tables (confidence, references); name one of them, such as {agreed}/references"
    for refused in (segscore(*scored), segscore("agree", agreed, "--output", tmp_path / "run")):
        assert (refused.code, said in refused.err) == (2, True), refused
    folders = segscore("agree", f"{tmp_path}/*/references", "--output", tmp_path / "run")
    assert (folders.code, "but folders do; add /* to it" in folders.err) == (2, True)
    of_nothing = segscore("agree", f"{tmp_path}/*/nothing", "--output", tmp_path / "run")
    assert of_nothing.err.rstrip().endswith("no file matches this pattern")
    assert segscore("agree", codings, "--output", tmp_path / "audit").code == 0
    audit = segscore("export", tmp_path / "audit", "--format", "elan", "--output", tmp_path / "e")
    said = f"no pairs of segmentations; name the table of its codings: {codings}"
    assert (audit.code, said in audit.err) == (2, True)


@pytest.mark.parametrize("rounds", [["1", "2"], ["2", "10"], [1, 2], [None, None]])
def test_the_order_of_a_coders_codings_changes_nothing(
    segscore: Segscore, tmp_path: Path, rounds: list[object]
) -> None:
    """Of several rounds the first counts; without rounds, none of a coder's codings does."""
    about = {"document_id": "d", "n_units": 20}
    rows = [
        {**about, "coder": "anna", "boundaries": [4], "round": rounds[0]},
        {**about, "coder": "anna", "boundaries": [9], "round": rounds[1]},
        {**about, "coder": "ben", "boundaries": [4, 9], "round": rounds[0]},
    ]
    for name, listed in (("one", rows), ("other", rows[::-1])):
        path = tmp_path / f"{name}.jsonl"
        write_rows(path, listed)
        done = segscore("consensus", path, "--output", tmp_path / name)
        assert done.code == 0, done.err
        (found,) = read_rows(tmp_path / name, "references")
        assert found["boundaries"] == ([4] if rounds[0] else [4, 9])
        message = "1 coding of a later round left out" if rounds[0] else "2 codings left out"
        assert message in done.err
