"""Codings that are compared with the coders': of later rounds, and of a candidate."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import segscore
from segscore.pipeline.agreement import block
from segscore.pipeline.agreement.judging.candidate import (
    ADJUSTED_LEVEL,
    advantage,
    p_of_margin,
    p_of_more,
    replacement,
)
from segscore.pipeline.agreement.judging.self_agreement import SelfAgreement
from segscore.pipeline.agreement.judging.step import AuditRows
from segscore.pipeline.agreement.tables import AGREEMENT_TABLES
from segscore.pipeline.statistics.multiple_tests import benjamini_yekutieli
from segscore.pipeline.storage import read_table
from segscore.schemas.rows import CoderRow, PeerRow
from tests.oracles import naive
from tests.oracles.naive import Value
from tests.support.command_line import Segscore
from tests.support.projects import Project, table
from tests.support.rows import write_rows

Rows = list[dict[str, Any]]
CODERS = ("ann", "ben", "cat", "dan")


def project(seed: int, documents: int = 25) -> Rows:
    """Draw codings of several rounds, with the codings of the candidate gpt."""
    draw, rows = Random(seed), []  # noqa: S311
    for number in range(documents):
        n_units = draw.randint(1, 14)
        coders = draw.sample(CODERS, draw.randint(1, 4))
        named: list[tuple[str, Sequence[int | None]]] = [
            (coder, draw.choice(([None], [1], [1, 2], [2, 10], [3, 1, 2]))) for coder in coders
        ]
        if draw.random() < 0.8:
            named.append(("gpt", [draw.choice((None, 1))]))
        rows += [
            {
                "document_id": f"d{number}",
                "coder": coder,
                "n_units": n_units,
                "boundaries": [p for p in range(1, n_units) if draw.random() < 0.3],
                "round": when,
                "show": f"show{number % 7}",
            }
            for coder, rounds in named
            for when in rounds
        ]
    draw.shuffle(rows)
    return rows


def split(rows: Rows) -> tuple[Rows, dict[tuple[str, str], Rows], Rows]:
    """Return codings of the coders, all codings by document and coder, those of the candidate."""
    every: dict[tuple[str, str], Rows] = {}
    for row in sorted(rows, key=lambda row: row["round"] or 0):
        if row["coder"] != "gpt":
            every.setdefault((row["document_id"], row["coder"]), []).append(row)
    firsts = [own[0] for own in every.values()]
    return firsts, every, [row for row in rows if row["coder"] == "gpt"]


def similarity(pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> Value:
    """Return the boundary similarity of pairs of codings, pooled."""
    sums = naive.counts_of([], 0)
    for one, other in pairs:
        counts = naive.edit_counts(one["n_units"], one["boundaries"], other["boundaries"], 2)
        sums = {name: sums[name] + counts[name] for name in sums}
    return naive.edit_values(sums, n_t=2, per_row=False)["boundary_similarity"]


def agreement(one: Mapping[str, Any], others: Rows) -> Fraction:
    """Return the mean boundary similarity of a coding to others; two without boundaries agree."""
    values = [similarity([(one, other)]) for other in others]
    return sum((Fraction(1 if v is None else v) for v in values), Fraction(0)) / len(values)


@pytest.mark.first
@pytest.mark.parametrize("seed", range(6))
def test_later_codings_and_the_candidate_equal_the_twin(seed: int) -> None:
    rows = project(seed)
    firsts, every, of_candidate = split(rows)
    found = segscore.agree(rows, candidate="gpt")
    for coder in found.coders.to_pylist():
        own = [
            pair
            for (_, name), codings in every.items()
            if name == coder["coder"]
            for pair in combinations(codings, 2)
        ]
        assert coder["self_pairs"] == len(own)
        value = similarity(own) if own else None
        assert coder["self_boundary_similarity"] == (
            None if value is None else pytest.approx(value)
        )
        as_good = better = documents = 0
        for machine in of_candidate:
            here = [row for row in firsts if row["document_id"] == machine["document_id"]]
            person = [row for row in here if row["coder"] == coder["coder"]]
            others = [row for row in here if row["coder"] != coder["coder"]]
            if person and others:
                documents += 1
                values = agreement(machine, others), agreement(person[0], others)
                as_good += values[0] >= values[1]
                better += values[1] >= values[0]
        assert coder["candidate_documents"] == documents
        if documents:
            assert coder["candidate_share"] == pytest.approx(as_good / documents)
            assert coder["coder_share"] == pytest.approx(better / documents)


@pytest.mark.first
@pytest.mark.parametrize("resample_by", [None, "show"])
def test_they_change_nothing_else(resample_by: str | None) -> None:
    rows = project(9)
    firsts, *_ = split(rows)
    both = [
        segscore.agree(some, group_by=("show",), resample_by=resample_by, candidate=candidate)
        for some, candidate in ((rows, "gpt"), (firsts, None))
    ]
    apart = ("self_", "candidate_", "coder_share")
    for name in (model.name for model in AGREEMENT_TABLES):
        one, other = (found.table(name) for found in both)
        kept = [column for column in one.column_names if not column.startswith(apart)]
        same = [sorted(each.select(kept).to_pylist(), key=str) for each in (one, other)]
        assert same[0] == same[1], name
    account = both[0].record["rows"]["codings"]
    assert account["in"] == len(rows) == sum(account.values()) - account["in"]


@pytest.mark.long
def test_the_numbers_are_the_same_however_the_work_is_split(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "codings.jsonl"
    write_rows(path, project(3, 60))
    runs = []
    for rows, pairs in ((9999, 99), (60, 7)):
        segscore.cut(rows)
        monkeypatch.setattr(block, "PAIRS_AT_ONCE", pairs)
        run = tmp_path / f"run{rows}"
        result = segscore("agree", path, "--candidate", "gpt", "--output", run)
        assert result.code == 0, result.err
        runs.append(read_table(f"{run}/coders").to_pylist())
    assert runs[0] == runs[1]
    assert any(row["self_pairs"] for row in runs[0])


def test_contradictions_are_rejected_by_name(segscore: Segscore, tmp_path: Path) -> None:
    row = {"document_id": "d", "n_units": 9, "boundaries": [3]}
    rows = [
        {**row, "coder": "ann", "pass": "a"},
        {**row, "coder": "ben", "pass": "a"},
        {**row, "coder": "ann", "pass": "b"},
        {**row, "coder": "ann", "pass": "b", "boundaries": [4]},
        {**row, "coder": "ben", "pass": "b"},
        {**row, "coder": "ben", "pass": "b"},
        {**row, "coder": "gpt", "pass": "a"},
        {**row, "coder": "gpt", "pass": "b"},
        {**row, "coder": "cat", "pass": "a"},
        {**row, "coder": "cat", "pass": "a", "boundaries": [4]},
        {**row, "coder": "gpt", "pass": "a", "document_id": "other"},
    ]
    path = tmp_path / "codings.jsonl"
    write_rows(path, rows)
    options = ("--candidate", "gpt", "--output", tmp_path / "run")
    result = segscore("agree", path, "--round", "pass", *options)
    assert result.code == 0, result.err
    rejects = read_table(f"{tmp_path / 'run' / 'rejects'}").to_pylist()
    assert sorted((row["coder"], row["row"]) for row in rejects) == [
        *(("ann", 2), ("ann", 3), ("ben", 5), ("cat", 8), ("cat", 9), ("gpt", 6), ("gpt", 7)),
    ]
    copied = [row["coder"] for row in rejects if row["rule"] == "exact_copy"]
    assert copied == ["ben"]
    (alone,) = read_table(f"{tmp_path / 'run' / 'unpaired'}").to_pylist()
    assert (alone["document_id"], alone["coder"]) == ("other", "gpt")
    coders = {row["coder"]: row for row in read_table(f"{tmp_path}/run/coders").to_pylist()}
    assert (coders["ann"]["self_pairs"], coders["ben"]["self_pairs"]) == (0, 1)


@pytest.mark.first
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--candidate", "gtp"), "--candidate gtp: there is no coder gtp; the nearest is gpt"),
        (("--round", "rond"), "--round rond: codings have no such attribute; the nearest is round"),
        (("--margin", "2"), "--margin 2.0"),
        (("--candidate", "ann", "--without", "ben,ann"), "--candidate ann: --without leaves out"),
    ],
)
def test_what_is_not_there_is_refused(
    segscore: Segscore, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "codings.jsonl"
    write_rows(path, project(3))
    result = segscore("agree", path, *options, "--output", tmp_path / "run")
    assert (result.code, message in result.err) == (2, True), result.err
    assert segscore("agree", path, "--output", tmp_path / "run").code == 0


# --- At its level --------------------------------------------------------------------------------


@pytest.mark.first
@pytest.mark.parametrize(("documents", "at_most"), [(10, 0.08), (30, 0.065), (200, 0.06)])
@pytest.mark.parametrize(("ties", "margin"), [(0.0, 0.0), (0.2, 0.1), (0.6, 0.2), (0.3, 0.6)])
def test_a_candidate_at_the_margin_seldom_wins(
    documents: int, at_most: float, ties: float, margin: float
) -> None:
    """The advantage of the coder is the margin, so that each win is false."""
    draw = np.random.default_rng([documents, int(10 * ties)])
    coder = (1 - ties + margin) / 2
    chances = [1 - ties - coder, ties, coder]
    units, one = np.arange(documents, dtype=np.uint64), np.ones(documents, np.int64)
    wins = 0
    for _ in range(2000):
        more = draw.choice([-1, 0, 1], documents, p=chances)
        counts = {"documents": one, "as_good": 1 * (more <= 0), "coder_as_good": 1 * (more >= 0)}
        wins += p_of_margin(advantage(counts, units), margin) <= ADJUSTED_LEVEL
    assert wins / 2000 <= at_most


def test_units_that_are_all_alike_have_a_p_value() -> None:
    units, one = np.arange(20, dtype=np.uint64), np.ones(20, np.int64)
    for as_good, coder_as_good, p in ((1, 0, 0.45**20), (1, 1, 0.9**20), (0, 1, 1.0)):
        counts = {"documents": one, "as_good": one * as_good, "coder_as_good": one * coder_as_good}
        assert p_of_margin(advantage(counts, units), 0.1) == pytest.approx(p)


def test_benjamini_and_yekutieli_as_printed() -> None:
    """The 15 p values of Benjamini & Hochberg 1995, of which the other method finds 3."""
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    p += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    adjusted = benjamini_yekutieli(p)
    assert np.count_nonzero(adjusted <= 0.05) == 3
    harmonic = sum(1 / k for k in range(1, 16))
    assert adjusted[2] == pytest.approx(0.0019 * 15 * harmonic / 3)


def test_a_person_like_the_others_may_replace_one_and_a_careless_one_may_not() -> None:
    for faults, wins in (((), True), (("careless",), False)):
        codings = table(Project(5, 2000, faults), 3)
        names = ["gpt" if name == "coder-00" else name for name in codings["coder"].to_pylist()]
        at = codings.column_names.index("coder")
        found = segscore.agree(
            codings.set_column(at, "coder", pa.array(names)), candidate="gpt", margin=0.2
        )
        assert {row["candidate_wins"] for row in found.coders.to_pylist()} == {wins}


@pytest.mark.long
def test_a_person_like_the_others_does_not_win_without_a_margin() -> None:
    """In 60 projects nothing is to be found, as the candidate is as good as the others."""
    batches = 60
    codings = table(Project(5, 60 * batches, ()), 4)
    names = ["gpt" if name == "coder-00" else name for name in codings["coder"].to_pylist()]
    _, document = np.unique(codings.column("document_id").to_pylist(), return_inverse=True)
    codings = codings.set_column(codings.column_names.index("coder"), "coder", pa.array(names))
    codings = codings.append_column("batch", pa.array(document % batches))
    found = segscore.agree(codings, group_by=("batch",), candidate="gpt", margin=0.0)
    rows = [row for row in found.coders.to_pylist() if row["batch"] is not None]
    won = {row["batch"] for row in rows if row["candidate_wins"]}
    assert len(won) <= 6
    # Of three coders a document, one of two others is as good as the other by chance.
    shares = [row["candidate_share"] - row["coder_share"] for row in rows]
    assert abs(np.mean(shares)) < 0.03


def test_a_coder_who_never_agrees_with_themselves_is_named_first() -> None:
    """No agreement is a value, unlike that of a coder who coded nothing again."""
    shown = {"ann": 0.5, "ben": 0.0, "cat": None}
    rows: list[CoderRow] = [
        {"coder": coder, "self_boundary_similarity": value} for coder, value in shown.items()
    ]
    sentences = [*SelfAgreement().say(AuditRows(rows))]
    assert [sentence.split()[0] for sentence in sentences] == ["ben", "ann"]
    assert sentences[0].endswith(" 0.000.")


@pytest.mark.parametrize(
    ("won", "worse", "words"),
    [
        (0, 3, "gpt is worse than all 3 people, within 0.1"),
        (0, 2, "gpt is worse than 2 of 3 people, within 0.1"),
        (1, 1, "It is undecided whether gpt may replace a person: it agrees as well as 1 of 3 "
         "people, is worse than 1, within 0.1"),
        (3, 0, "gpt may replace a person: it agrees as well as 3 of 3 people, within 0.1"),
    ],
)  # fmt: skip
def test_the_sentence_says_whether_a_candidate_is_worse(won: int, worse: int, words: str) -> None:
    said = replacement(
        [
            {
                "coder": f"coder-{place}",
                "candidate_p": 0.5,
                "candidate_wins": place < won,
                "candidate_worse": 3 - place <= worse,
                "candidate_share": 0.5,
                "candidate_documents": 30,
            }
            for place in range(3)
        ],
        "gpt",
        0.1,
    )
    assert said.startswith(f"{words} (alternative annotator test, ")
    assert ("Do not put it" in said) is (worse > 1)


def test_a_random_candidate_is_worse_and_one_of_the_people_is_not() -> None:
    """Half of the p values of a candidate at the margin are below one half, on each side."""
    draw = np.random.default_rng(3)
    units = np.arange(60, dtype=np.uint64)
    below = 0
    for _ in range(400):
        more = (draw.random(60) < 0.55).astype(np.int64)
        counts = {"documents": np.ones(60, np.int64), "coder_as_good": more, "as_good": 1 - more}
        below += p_of_more(advantage(counts, units), 0.1) < 0.05
    assert 5 <= below <= 36
    ones = np.ones(60, np.int64)
    always = {"documents": ones, "coder_as_good": ones, "as_good": 0 * ones}
    assert p_of_more(advantage(always, units), 0.1) < 1e-9


@pytest.mark.parametrize(("copied", "compared"), [(True, True), (False, True), (True, False)])
def test_the_sentence_names_those_compared_who_may_have_copied(
    *, copied: bool, compared: bool
) -> None:
    tested: list[CoderRow] = [
        {"coder": name, "candidate_p": 0.5, "candidate_share": 0.5, "candidate_documents": 30}
        for name in ("ann", "ben", "cat")
    ]
    pair = ("ann", "ben") if compared else ("dan", "eve")
    peers: list[PeerRow] = [{"coder": pair[0], "peer": pair[1], "copied": copied}]
    said = replacement(tested, "gpt", 0.1, peers)
    assert ("ann and ben may have the same tool" in said) == (copied and compared)
    assert ("disadvantage of gpt" in said) == (copied and compared)
