"""What a comparison could have shown: lines, columns and the simulated curve."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.support.command_line import Segscore
from tests.support.corpora import complete, corpus
from tests.support.corpora import run as score
from tests.support.paths import DATA
from tests.support.rows import read_rows, write_rows


@pytest.fixture(scope="module")
def scored(segscore_once: Segscore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, run = DATA / "tinyrec.jsonl", tmp_path_factory.mktemp("scored") / "run"
    points = ("--reference-points", "none,random-known", "--measures", "default,b_tp")
    assert segscore_once("score", source, source, *points, "--output", run).code == 0
    return run


def pair(rows: list[dict[str, Any]], other: str) -> dict[str, Any]:
    (row,) = (row for row in rows if {row["system"], row["other"]} == {"EquiSeg", other})
    return row


def compared(
    segscore: Segscore, run: Path, output: Path, *options: object
) -> tuple[str, list[dict[str, Any]]]:
    fast = ("--permutations", 99)
    result = segscore(
        "compare", run, "--measure", "boundary_similarity", *fast, *options, "--output", output
    )
    assert result.code == 0, result.err
    rows = read_rows(output, "comparisons")
    return result.out, [row for row in rows if row["average"] == "macro"]


def test_what_documents_can_show_is_said_of_pairs_that_are_not_significant(
    segscore: Segscore, scored: Path, tmp_path: Path
) -> None:
    """The smallest difference is that of the paired t test on the documents' differences."""
    options = ("--average", "macro", "--difference", "-0.03")
    text, rows = compared(segscore, scored, tmp_path / "c", *options)
    row = pair(rows, "point:random-known")
    assert row["p_holm"] >= 0.05
    apart = differences_of(scored)
    spread, kurtosis = apart.std(ddof=1), stats.kurtosis(apart, fisher=False)
    share = min(1, 2 / (kurtosis - 1))
    freedom, needed = share * 42 - 1, []
    for end, tail in (("low", 0.9), ("high", 0.1)):
        of_range = spread * np.sqrt(freedom / stats.chi2.ppf(tail, freedom))
        power = nct_power(row[f"smallest_difference_{end}"] / of_range, 42, share)
        assert power == pytest.approx(0.8, abs=1e-6)
        needed.append(row[f"documents_for_difference_{end}"])
        assert nct_power(0.03 / of_range, needed[-1], share) >= 0.8
        assert nct_power(0.03 / of_range, needed[-1] - 1, share) < 0.8
    assert (
        f"EquiSeg and point:random-known: with 42 documents, the test finds a difference of "
        f"{row['smallest_difference_low']:.4f} to {row['smallest_difference_high']:.4f} with a "
        f"probability of 80 %; 0.03 needs {needed[0]} to {needed[1]}\n"
    ) in text
    sure = pair(rows, "point:none")
    assert sure["p_holm"] < 0.05 and "EquiSeg and point:none: " not in text
    assert "--difference says" not in text
    assert "--difference says" in compared(segscore, scored, tmp_path / "plain")[0]


def differences_of(run: Path) -> np.ndarray[Any, Any]:
    """The differences of EquiSeg and random boundaries on each document."""
    scores = read_rows(run, "scores")
    one, other = (
        {
            row["document_id"]: row["boundary_similarity"]
            for row in scores
            if row["hypothesis"] == name
        }
        for name in ("EquiSeg", "point:random-known")
    )
    return np.array([one[name] - other[name] for name in one])


def nct_power(effect: float, documents: int, share: float) -> float:
    """Power of a paired t test, from scipy, in which a share of the documents counts."""
    shift, freedom = effect * np.sqrt(documents), share * documents - 1
    limit = stats.t.isf(0.025, freedom)
    above, below = stats.nct.sf(limit, freedom, shift), stats.nct.cdf(-limit, freedom, shift)
    return float(above + below)


def test_the_level_is_divided_by_the_pairs_of_systems(segscore: Segscore, tmp_path: Path) -> None:
    """Three systems have three pairs, and reference points do not count."""
    complete(corpus(5, documents=40)).write(tmp_path)
    score(segscore, tmp_path, tmp_path / "run", "--reference-points", "none")
    few = ("--permutations", 0, "--measure", "pk")
    found = []
    for name, options in (("all", ()), ("two", ("--systems", "h0,h1", "--alpha", 0.05 / 3))):
        result = segscore("compare", tmp_path / "run", *few, *options, "--output", tmp_path / name)
        assert result.code == 0, result.err
        rows = read_rows(tmp_path / name, "comparisons")
        found += [
            row["smallest_difference_high"]
            for row in rows
            if (row["average"], row["system"], row["other"]) == ("macro", "h0", "h1")
        ]
    assert found[0] == pytest.approx(found[1]) and len(found) == 2


def test_more_power_needs_more_documents(segscore: Segscore, scored: Path, tmp_path: Path) -> None:
    find = ("--difference", "0.02")
    _, usual = compared(segscore, scored, tmp_path / "usual", *find)
    _, more = compared(segscore, scored, tmp_path / "more", *find, "--power", "0.95")
    _, strict = compared(segscore, scored, tmp_path / "strict", *find, "--alpha", "0.01")
    names = ("smallest_difference", "documents_for_difference")
    for name in (f"{name}_{end}" for name in names for end in ("low", "high")):
        least = pair(usual, "point:none")[name]
        assert pair(more, "point:none")[name] > least < pair(strict, "point:none")[name]
    _, plain = compared(segscore, scored, tmp_path / "plain")
    assert pair(plain, "point:none")["documents_for_difference_low"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--power", "1"), "--power 1: must be above --alpha and below 1"),
        (("--alpha", "0"), "--alpha 0: must lie between 0 and 1"),
        (("--difference", "0"), "--difference 0: must be a number other than 0"),
        (("--difference", "nan"), "--difference nan: must be a number other than 0"),
        (("--margin", "0"), "--margin 0: must be a number above 0"),
        (("--margin", "nan"), "--margin nan: must be a number above 0"),
    ],
)
def test_wrong_questions_are_refused(
    segscore: Segscore, scored: Path, options: tuple[str, ...], message: str
) -> None:
    measure = () if "--measure" in options else ("--measure", "pk")
    result = segscore("compare", scored, *measure, *options)
    assert result.code == 2
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_too_few_documents_have_no_test(segscore: Segscore, tmp_path: Path) -> None:
    source, run = DATA / "stargazer.jsonl", tmp_path / "run"
    assert segscore("score", source, source, "--output", run).code == 0
    text = segscore("compare", run, "--measure", "pk").out
    assert text.count("1 document: no test; at least 5 are needed") == 2
    assert "the test finds" not in text and "due to chance" not in text


def many(folder: Path, documents: int, missed: float, systems: str = "ab") -> Path:
    """Write documents on which system a is right, and each other one misses boundaries."""
    draw = np.random.default_rng(3)
    rows = []
    for d in range(documents):
        places = sorted(draw.choice(np.arange(1, 60), 12, replace=False).tolist())
        for coder in ("desk", *systems):
            kept = draw.random(12) >= (0 if coder in ("desk", "a") else missed)
            rows.append(
                {
                    "document_id": f"d{d}",
                    "coder": coder,
                    "role": "reference" if coder == "desk" else "hypothesis",
                    "n_units": 60,
                    "boundaries": [p for p, keep in zip(places, kept, strict=True) if keep],
                }
            )
    path = folder / "table.jsonl"
    return write_rows(path, rows)


@pytest.mark.parametrize("documents", [4, 5])
def test_few_documents_are_not_tested(segscore: Segscore, tmp_path: Path, documents: int) -> None:
    """All of four documents right against none is no proof, and not called chance either."""
    table = many(tmp_path, documents, 0.3)
    run = tmp_path / "run"
    printed = segscore("score", table, table, "--output", run).out
    text = segscore("compare", run, "--measure", "pk").out
    assert segscore("report", run, "--output", tmp_path / "run.html").code == 0
    page = (tmp_path / "run.html").read_text("utf-8")
    said = "4 documents: no test; at least 5 are needed"
    few = documents < 5
    assert (f"a has the best value: 0.000. {said}." in text) == (said in page) == few
    assert (said in printed) == few
    assert few <= ("not significant" not in text + page)
    assert ("Tests and intervals are about these references." in text) == (not few)


@pytest.mark.parametrize("documents", [5, 8])
def test_the_same_error_on_every_document_is_tested_from_six_on(
    segscore: Segscore, tmp_path: Path, documents: int
) -> None:
    """Of the 2^8 ways to exchange two systems on 8 documents, two have as large a difference."""
    rows = []
    for d in range(documents):
        for coder, boundaries in (("desk", [5]), ("a", [5]), ("b", [6])):
            role = "reference" if coder == "desk" else "hypothesis"
            document = {"document_id": f"d{d}", "coder": coder, "role": role}
            rows.append({**document, "n_units": 20, "boundaries": boundaries})
    table = tmp_path / "table.jsonl"
    write_rows(table, rows)
    assert segscore("score", table, table, "--output", tmp_path / "run").code == 0
    text = segscore("compare", tmp_path / "run", "--measure", "pk").out
    if documents < 6:
        assert "No test: all documents differ alike" in text and "chance" not in text
    else:
        assert "0.0078 *" in text and "No test" not in text


def test_not_significant_is_equal_only_within_a_margin(segscore: Segscore, tmp_path: Path) -> None:
    table = many(tmp_path, 60, 0.02, "abcd")
    run = tmp_path / "run"
    assert segscore("score", table, table, "--output", run).code == 0
    measure = ("--measure", "pk", "--permutations", 0)
    found: dict[float | None, list[bool | None]] = {}
    for margin in (None, 0.5, 0.0001):
        output = tmp_path / f"of-{margin}"
        options = () if margin is None else ("--margin", margin)
        text = segscore("compare", run, *measure, *options, "--output", output).out
        rows = read_rows(output, "comparisons")
        found[margin] = [row["equal"] for row in rows]
        for row in rows if margin else ():
            within = max(-row["ci_low"], row["ci_high"]) <= margin
            assert row["equal"] == within
        assert ("differ" in text.split()) == (margin == 0.0001)
        assert ("within 0.5" in text) == (margin == 0.5)
    assert {*found[None]} == {None} and {*found[0.5]} == {True} and {*found[0.0001]} == {False}


def test_the_number_of_tests_is_told(segscore: Segscore, tmp_path: Path) -> None:
    complete(corpus(5, documents=40)).write(tmp_path)
    run = tmp_path / "run"
    score(segscore, tmp_path, run)
    about = "Tests and intervals are about these references."
    one = segscore("compare", run, "--measure", "pk").out.splitlines()
    assert about in one[:4]
    three = segscore("compare", run, "--measure", "pk,window_diff,f1").out.splitlines()
    assert f"9 tests in 3 measures: adjusted within each, not over all. {about}" in three[:8]
    options = ("--measure", "pk,window_diff", "--group-by", "genre")
    groups = segscore("compare", run, *options).out.splitlines()
    said = "18 tests in 2 measures and 3 sets of documents: adjusted within"
    assert any(line.startswith(said) for line in groups[:8])


def test_a_difference_is_answered_for_systems_that_differ(
    segscore: Segscore, tmp_path: Path
) -> None:
    """What was asked is answered, also where the observed difference is significant."""
    reference, good = [9, 21, 33], [9, 21]
    rows = [
        {"document_id": f"d{i:02}", "coder": coder, "n_units": 40, "boundaries": boundaries}
        for i in range(20)
        for coder, boundaries in (
            ("desk", reference),
            ("good", reference if i % 3 else good),
            ("poor", [5 + i % 2, 21 + 3 * (i % 4)]),
        )
    ]
    for name, coders in (("ref", {"desk"}), ("hyp", {"good", "poor"})):
        lines = (json.dumps(row) + "\n" for row in rows if row["coder"] in coders)
        (tmp_path / f"{name}.jsonl").write_text("".join(lines))
    inputs, run = (tmp_path / "ref.jsonl", tmp_path / "hyp.jsonl"), tmp_path / "run"
    assert segscore("score", *inputs, "--output", run).code == 0
    plain, asked = segscore("compare", run), segscore("compare", run, "--difference", "0.1")
    assert "< 0.0001 *" in plain.out and "the test finds" not in plain.out
    assert "good and poor: with 20 documents, the test finds a difference of " in asked.out
    assert "; 0.1 needs " in asked.out
