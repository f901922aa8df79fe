"""`segscore sweep` over n_t, windows and words: values and ranks of `segscore score`, and tau."""

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

import segscore as api
from segscore.pipeline.runs.planning import Limits
from segscore.pipeline.scoring.sweep.ranks_tables import ranks_in_words
from segscore.pipeline.statistics.rank_tests import kendall_tau
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line
from tests.support.report_pages import Reader, report
from tests.support.rows import read_rows
from tests.support.written import write

Row = dict[str, Any]
MEASURES = "boundary_similarity,pk,window_diff,pk_prior,f1"


def corpus(folder: Path, documents: int = 14, lacking: int = 0) -> dict[str, Path]:
    """References, two for some documents, four systems of which d lacks some, and unit lengths."""
    draw = Random(11)  # noqa: S311
    tables: dict[str, list[Row]] = {"gold": [], "hyp": [], "docs": []}
    for number in range(documents):
        row: Row = {"document_id": f"d{number:02}", "n_units": draw.randint(12, 40)}
        places = range(1, row["n_units"])
        marks = draw.sample(places, 4)
        for coder in ("x", "y")[: 1 + number % 2]:
            tables["gold"].append({**row, "coder": coder, "boundaries": sorted(marks)})
        for system, share in (("a", 0.9), ("b", 0.6), ("c", 0.5), ("d", 0.1)):
            moved = {min(max(places), at + draw.choice((0, 0, 1, 2))) for at in marks}
            kept = {at for at in moved if draw.random() < share} | {*draw.sample(places, 2)}
            if system != "d" or number >= lacking:
                tables["hyp"].append({**row, "coder": system, "boundaries": sorted(kept)})
        lengths = [draw.randint(1, 9) for _ in range(row["n_units"])]
        tables["docs"].append({**row, "unit_lengths": lengths})
    return {name: write(folder / f"{name}.jsonl", rows) for name, rows in tables.items()}


def ranks(run: Path) -> list[Row]:
    return read_rows(run, "ranks")


def scored(segscore: Segscore, tables: dict[str, Path], *options: object) -> dict[Any, Row]:
    output = tables["gold"].parent / "scored"
    chosen = ("--measures", MEASURES, "--documents", tables["docs"], "--output", output, "--fresh")
    ended = segscore("score", tables["gold"], tables["hyp"], *chosen, *options)
    assert ended.code == 0, ended.err
    rows = read_rows(output, "summary")
    return {(r["hypothesis"], r["measure"]): r for r in rows if r["average"] == "micro"}


@pytest.mark.first
@pytest.mark.parametrize("limits", [Limits(), Limits(rows_per_part=8)], ids=["whole", "parts"])
@pytest.mark.parametrize("lacking", [0, 3])
def test_values_are_those_of_score(
    segscore: Segscore,
    tmp_path: Path,
    limits: Limits,
    lacking: int,
) -> None:
    segscore.cut(limits)
    tables = corpus(tmp_path, lacking=lacking)
    ended = segscore(
        "sweep", tables["gold"], tables["hyp"], "--measure", MEASURES, "--n-t", "5,1,3",
        "--windows", "4,per-document", "--also-words", "--documents", tables["docs"],
        "--output", tmp_path / "run",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    found = ranks(tmp_path / "run")
    ways = {(row["setting"], row["choice"], row["own"]) for row in found}
    assert ways == {
        *(("n_t", choice, choice == "2") for choice in "1235"),
        *(("window", choice, choice == "per-pair") for choice in ("per-pair", "4", "per-document")),
        *(("units", choice, choice == "units") for choice in ("units", "words")),
    }
    assert not {("pk", "n_t"), ("f1", "window")} & {(r["measure"], r["setting"]) for r in found}
    for setting, choice, _ in ways:
        option = {"n_t": "--n-t", "window": "--window", "units": "--units"}[setting]
        expected = scored(segscore, tables, option, choice)
        column, number = ("shared_value", "shared_documents") if lacking else ("value", "documents")
        for row in found:
            if (row["setting"], row["choice"]) == (setting, choice):
                other = expected[row["hypothesis"], row["measure"]]
                assert row["value"] == other[column]
                assert row["documents"] == other[number]


def test_ranks_and_tau_are_of_the_values(segscore: Segscore, tmp_path: Path) -> None:
    tables = corpus(tmp_path)
    options = ("--n-t", "1,2,4,9", "--output", tmp_path / "run")
    ended = segscore("sweep", tables["gold"], tables["hyp"], *options)
    assert ended.code == 0, ended.err
    by_choice: dict[str, list[Row]] = {}
    for row in ranks(tmp_path / "run"):
        by_choice.setdefault(row["choice"], []).append(row)
    own = [row["value"] for row in by_choice["2"]]
    for rows in by_choice.values():
        values = [row["value"] for row in rows]
        assert [row["rank"] for row in rows] == [1 + sum(v > w for v in values) for w in values]
        (tau,) = {row["tau"] for row in rows}
        assert tau == pytest.approx(kendalltau(values, own).statistic)
    read = Reader(report(segscore, tmp_path / "run"))
    heads, *systems, statistic = read.tables["boundary_similarity ↑: value and rank"]
    assert heads == ["system", "n_t 1", "n_t 2*", "n_t 4", "n_t 9"]
    assert [row[0] for row in systems] == [
        row["hypothesis"] for row in sorted(by_choice["2"], key=lambda row: row["rank"])
    ]
    shown = {row["hypothesis"]: f"{row['value']:.4f}" for row in by_choice["4"]}
    assert {row[0]: row[3] for row in systems} == shown
    details = read.details["boundary_similarity ↑: value and rank"]
    assert details[1::4] == ["1", "2", "3", "4"]
    assert statistic == ["Kendall's tau", *(f"{by_choice[n][0]['tau']:.2f}" for n in "1249")]
    assert {row["measure"] for row in ranks(tmp_path / "run")} == {"boundary_similarity"}
    assert "(1)" in ended.out and "Kendall's tau" in ended.out
    assert "sweep:n_t=1,2,4,9|" in ended.out


def test_a_family_stands_for_all_its_measures(segscore: Segscore, tmp_path: Path) -> None:
    tables = corpus(tmp_path)
    options = ("--windows", "3", "--measure", "window", "--output", tmp_path / "run")
    ended = segscore("sweep", tables["gold"], tables["hyp"], *options)
    assert ended.code == 0, ended.err
    assert {"pk", "window_diff", "pk_prior"} < {r["measure"] for r in ranks(tmp_path / "run")}


def test_systems_that_share_too_little_are_not_ranked(segscore: Segscore, tmp_path: Path) -> None:
    tables = corpus(tmp_path, lacking=9)
    options = ("--windows", "3", "--measure", "pk", "--output", tmp_path / "run")
    ended = segscore("sweep", tables["gold"], tables["hyp"], *options)
    assert ended.code == 0, ended.err
    assert {(row["rank"], row["tau"]) for row in ranks(tmp_path / "run")} == {(None, None)}
    assert "pk: an order of the systems is not defined." in ended.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--n-t", "1,2", "--tolerances", "1"), "--tolerances: ranks"),
        (("--n-t", "1,2", "--measure", "pk", "--thresholds", "0.5"), "--thresholds: ranks"),
        (("--windows", "per-run"), "per-run"),
        (("--windows", "wide"), "window wide: must be one of"),
        (("--n-t", "1,2", "--measure", "pk"), "--measure pk: does not depend on n_t; omit it"),
        (("--n-t", "0,2"), "--n-t 0: must be at least 1"),
        (("--also-words",), "--documents"),
        (("--windows", "3", "--measure", "panel"), "systems cannot be ranked by it"),
    ],
)
def test_wrong_options_are_refused(
    segscore: Segscore, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    tables = corpus(tmp_path)
    ended = segscore("sweep", tables["gold"], tables["hyp"], *options, "--output", tmp_path / "no")
    assert message in refusal_line(ended)


@given(st.lists(st.tuples(st.integers(0, 3), st.one_of(st.none(), st.integers(0, 3))), max_size=9))
def test_tau_is_that_of_scipy(pairs: list[tuple[int, int | None]]) -> None:
    one, other = (
        np.array([np.nan if each is None else each for each in side], np.float64)
        for side in ([a for a, _ in pairs], [b for _, b in pairs])
    )
    known = ~np.isnan(other)
    found = kendall_tau(one, other)
    if known.sum() < 2:
        assert np.isnan(found)
    else:
        expected = kendalltau(one[known], other[known]).statistic
        assert found == pytest.approx(expected, nan_ok=True)


def test_python_has_the_tables_of_the_command(segscore: Segscore, tmp_path: Path) -> None:
    tables = corpus(tmp_path)
    gold, hyp = str(tables["gold"]), str(tables["hyp"])
    run = tmp_path / "run"
    cases: list[tuple[Row, tuple[str, ...]]] = [
        ({"n_t": [1, 4], "measures": "f1,b_f1"}, ("--n-t", "1,4", "--measure", "f1,b_f1")),
        ({"tolerances": [0, 2]}, ("--tolerances", "0,2")),
    ]
    for keywords, options in cases:
        assert segscore("sweep", gold, hyp, *options, "--output", run, "--fresh").code == 0
        swept = api.sweep(gold, hyp, **keywords)
        assert swept.signature == json.loads((run / "run.json").read_text())["signature"]
        name = "ranks" if "n_t" in keywords else "tolerances"
        assert swept.table(name).equals(read_table(str(run / name)))
    rows = [json.loads(line) for line in tables["hyp"].read_text().splitlines()]
    candidates = [row | {"boundary_scores": [0.5 for _ in row["boundaries"]]} for row in rows]
    swept = api.sweep(gold, candidates, measures=["f1"], n_t=[3], thresholds=[0.2, 0.9])
    assert swept.best("f1") == dict.fromkeys("abcd", 0.2)
    with pytest.raises(api.Refused, match="name it in measures"):
        swept.best("pk")


@pytest.mark.parametrize(
    ("setting", "choice", "tau", "said"),
    [
        ("n_t", "4", 1.0, "is the same at every n_t here."),
        ("n_t", "4", 0.5, "depends on n_t; Kendall's tau is 0.50 at n_t 4."),
        ("units", "words", 1.0, "is the same in units and in words here."),
        ("units", "words", 0.5, "depends on units; Kendall's tau is 0.50 in words."),
    ],
)
def test_the_sentence_about_ranks(setting: str, choice: str, tau: float, said: str) -> None:
    row = {"measure": "pk", "setting": setting, "choice": choice, "tau": tau}
    assert [*ranks_in_words([row])] == [f"pk: the order of the systems {said}"]
