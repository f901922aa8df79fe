"""Trials: several answers of a system for a document, from the command line to the summary."""

import json
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import combinations
from math import ceil, sqrt
from pathlib import Path
from random import Random
from statistics import mean, stdev
from typing import Any

import pytest

import segscore as api
from segscore.pipeline.runs.planning import Limits
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.rows import read_rows, write_rows

Row = dict[str, Any]
SYSTEMS = {"calm": 0.8, "wild": 0.4}
MEASURES = "boundary_similarity,pk,window_diff,f1,tolerant_f1,segmentation_similarity"
WAYS = {"whole": Limits(), "parts": Limits(rows_per_part=4)}


def references(coders: tuple[str, ...] = ("gold",)) -> list[Row]:
    chance = Random(7)  # noqa: S311
    rows = []
    for number in range(11):
        n_units = chance.randint(14, 60)
        for coder in coders:
            boundaries = sorted(chance.sample(range(1, n_units), 5))
            row = {"document_id": f"d{number}", "coder": coder, "n_units": n_units}
            rows.append({**row, "boundaries": boundaries, "genre": ("news", "talk")[number % 2]})
    return rows


def hypotheses(trials: Callable[[int], Iterable[int]] = lambda _: (1, 2, 3)) -> list[Row]:
    chance = Random(8)  # noqa: S311
    rows = []
    for number, row in enumerate(references()):
        for system, share in SYSTEMS.items():
            for trial in trials(number):
                kept = {each for each in row["boundaries"] if chance.random() < share}
                added = chance.sample(range(1, row["n_units"]), chance.randint(0, 2))
                own = {"document_id": row["document_id"], "coder": system, "trial": trial}
                found = sorted(kept | {*added})
                rows.append({**own, "n_units": row["n_units"], "boundaries": found})
    return rows


def ragged(number: int) -> list[int]:
    """The trials of a document, of which some lack one and others have one more."""
    return [1, 2, 3, 4][: 2 + number % 3] if number else [2]


def summary_of(run: Path) -> dict[tuple[str, ...], Row]:
    rows = read_rows(run, "summary")
    return {(row["hypothesis"], row["measure"], row["average"]): row for row in rows}


def of_one_trial(rows: list[Row], trial: int) -> list[Row]:
    return [{k: v for k, v in row.items() if k != "trial"} for row in rows if row["trial"] == trial]


def by_trial(tmp_path: Path, segscore: Segscore, answers: list[Row]) -> dict[tuple[str, ...], Row]:
    """Score every answer as one of a system of its own: (document, system, trial) -> row."""
    own = [{**row, "coder": f"{row['coder']}/{row['trial']}"} for row in answers]
    for row in own:
        del row["trial"]
    table = write_rows(tmp_path / "own.jsonl", own)
    gold = write_rows(tmp_path / "gold.jsonl", references())
    output = tmp_path / "own"
    options = "--measures", MEASURES, "--output", output
    assert segscore("score", gold, table, *options).code == 0
    rows = read_rows(output, "scores")
    return {(row["document_id"], *row["hypothesis"].split("/")): row for row in rows}


@pytest.mark.first
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("trials", [lambda _: (1, 2, 3), ragged], ids=["equal", "ragged"])
def test_a_document_counts_once_with_the_mean_over_its_trials(
    segscore: Segscore,
    tmp_path: Path,
    way: str,
    trials: Callable[[int], Iterable[int]],
) -> None:
    segscore.cut(WAYS[way])
    answers = hypotheses(trials)
    single = by_trial(tmp_path, segscore, answers)
    gold, table = tmp_path / "gold.jsonl", write_rows(tmp_path / "answers.jsonl", answers)
    run = tmp_path / "run"
    result = segscore("score", gold, table, "--measures", MEASURES, "--output", run)
    assert result.code == 0, result.err
    found = summary_of(run)
    documents = sorted({row["document_id"] for row in answers})
    scores = read_rows(run, "scores")
    assert len(scores) == len(documents) * len(SYSTEMS)
    scale = json.loads((run / "run.json").read_text())["trials"]
    for system in SYSTEMS:
        of_document = {
            name: [row for key, row in single.items() if key[:2] == (name, system)]
            for name in documents
        }
        for row in (row for row in scores if row["hypothesis"] == system):
            own = of_document[row["document_id"]]
            assert row["trials"] == len(own)
            assert row["pk"] == pytest.approx(mean(each["pk"] for each in own))
            expected = sum(each["matches"] for each in own) * Fraction(scale, len(own))
            assert row["matches"] == expected
        labels = sorted({key[2] for key in single if key[1] == system})
        for measure in MEASURES.split(","):
            macro = found[system, measure, "macro"]
            values = [_mean(each[measure] for each in own) for own in of_document.values()]
            assert macro["value"] == pytest.approx(_mean(values))
            assert macro["documents"] == len(documents)
            assert macro["trials"] == len(labels)
            once = [
                _mean(row[measure] for key, row in single.items() if key[1:] == (system, label))
                for label in labels
            ]
            assert macro["sd_trials"] == pytest.approx(stdev(once))
            assert macro["sd_documents"] == pytest.approx(macro["sd"])
            error = macro["sd"] / sqrt(macro["defined"])
            needed = max(1, ceil(10 * stdev(once) ** 2 / error**2))
            assert abs(macro["trials_needed"] - needed) <= 1
        micro = found[system, "f1", "micro"]["value"]
        assert micro == pytest.approx(float(_f1(of_document)))


def _mean(values: Iterable[float | None]) -> float:
    return mean(value for value in values if value is not None)


def _counts_mean(own: list[Row], name: str) -> Fraction:
    return Fraction(sum(row[name] for row in own), len(own))


def _f1(of_document: Mapping[str, list[Row]]) -> Fraction:
    """The formula over the mean counts of documents."""
    matches, others = Fraction(0), Fraction(0)
    for own in of_document.values():
        matches += _counts_mean(own, "matches")
        others += _counts_mean(own, "near_misses") * 2
        others += _counts_mean(own, "misses") + _counts_mean(own, "false_alarms")
    return 2 * matches / (2 * matches + others)


def _similarity(a: Row, b: Row) -> float:
    value = api.boundary_similarity(
        reference=a["boundaries"], hypothesis=b["boundaries"], n_units=a["n_units"]
    )
    assert value is not None
    return value


def test_trials_agree_with_each_other(segscore: Segscore, tmp_path: Path) -> None:
    answers = hypotheses(ragged)
    table = write_rows(tmp_path / "answers.jsonl", answers)
    gold = write_rows(tmp_path / "gold.jsonl", references())
    run = tmp_path / "run"
    assert segscore("score", gold, table, "--output", run).code == 0
    found = summary_of(run)
    for system in SYSTEMS:
        groups: dict[str, list[Row]] = {}
        for row in answers:
            if row["coder"] == system:
                groups.setdefault(row["document_id"], []).append(row)
        several = [rows for rows in groups.values() if len(rows) > 1]
        agreement = [mean(_similarity(a, b) for a, b in combinations(rows, 2)) for rows in several]
        placed = [[{*row["boundaries"]} for row in rows] for rows in several]
        stable = sum(len(set.intersection(*sets)) for sets in placed)
        total = sum(len(set.union(*sets)) for sets in placed)
        row = found[system, "pk", "micro"]
        assert row["self_agreement"] == pytest.approx(mean(agreement))
        assert row["stable_boundaries"] == pytest.approx(stable / total)


@pytest.mark.long
def test_bytes_do_not_depend_on_workers_or_the_order_of_rows(
    segscore: Segscore, tmp_path: Path
) -> None:
    gold = write_rows(tmp_path / "gold.jsonl", references(("ann", "ben")))
    answers = hypotheses(ragged)
    shuffled = Random(3).sample(answers, len(answers))  # noqa: S311
    options = "--group-by", "genre", "--reference-points", "random-own,random-known"
    outputs = []
    for name, rows, way in (
        ("a", answers, "whole"),
        ("b", shuffled, "parts"),
        ("c", shuffled, "whole"),
    ):
        segscore.cut(WAYS[way])
        table = write_rows(tmp_path / name / "answers.jsonl", rows)
        output = tmp_path / f"run-{name}"
        result = segscore("score", gold, table, *options, "--output", output)
        assert result.code == 0, result.err
        outputs.append((output / "summary").glob("*"))
    first, *others = ([path.read_bytes() for path in sorted(files)] for files in outputs)
    assert all(other == first for other in others)


@pytest.mark.long
def test_files_are_the_trials(segscore: Segscore, tmp_path: Path) -> None:
    gold = write_rows(tmp_path / "gold.jsonl", references())
    answers = hypotheses()
    whole = tmp_path / "whole"
    assert (
        segscore("score", gold, write_rows(tmp_path / "all.jsonl", answers), "--output", whole).code
        == 0
    )
    files = [
        write_rows(tmp_path / f"runs/{trial}.jsonl", of_one_trial(answers, trial))
        for trial in (1, 2, 3)
    ]
    folders = [
        write_rows(tmp_path / f"folder{trial}/a.jsonl", of_one_trial(answers, trial)).parent
        for trial in (1, 2, 3)
    ]
    for trial in (1, 2, 3):
        write_rows(tmp_path / f"hive/trial={trial}" / "a.jsonl", of_one_trial(answers, trial))
    ways: dict[str, list[object]] = {
        "files": ["--trials", *files],
        "list": [",".join(map(str, files)), "--trials"],
        "glob": [tmp_path / "runs" / "*.jsonl", "--trials"],
        "folder": ["--trials", tmp_path / "runs"],
        "folders": [*folders, "--trials"],
        "hive": [tmp_path / "hive"],
    }
    for name, given in ways.items():
        result = segscore("score", gold, *given, "--output", tmp_path / "runs of" / name)
        assert result.code == 0, (name, result.err)
        assert read_table(str(tmp_path / "runs of" / name / "summary")).equals(
            read_table(str(whole / "summary"))
        )
    one = segscore("score", gold, files[0], "--trials", "--output", tmp_path / "one")
    assert one.code == 2
    assert "is a single file; name the files of all trials" in " ".join(one.err.split())
    more = write_rows(tmp_path / "more/all.jsonl", answers)
    stated = segscore("score", gold, "--trials", more, files[0], "--output", tmp_path / "x")
    assert stated.code == 2
    assert "omit --trials" in " ".join(stated.err.split())


def test_rows_without_trials_are_rejected_with_the_advice(
    segscore: Segscore, tmp_path: Path
) -> None:
    gold = write_rows(tmp_path / "gold.jsonl", references())
    answers = hypotheses()
    rows = [{k: v for k, v in row.items() if k != "trial"} for row in answers]
    result = segscore(
        "score", gold, write_rows(tmp_path / "h.jsonl", rows), "--output", tmp_path / "run"
    )
    assert result.code == 1
    said = " ".join(result.err.split())
    assert (
        "number its answers in a column trial, or name the file of each run with --trials" in said
    )
    other = {**answers[0], "boundaries": [1, 2]}
    twice = write_rows(tmp_path / "twice.jsonl", [*answers, other, answers[1]])
    assert segscore("score", gold, twice, "--output", tmp_path / "twice").code == 0
    rejects = read_rows(tmp_path / "twice", "rejects")
    assert [row["rule"] for row in rejects] == [*["unique_document_coder"] * 2, "exact_copy"]
    assert "document and trial" in rejects[0]["detail"]
    assert segscore("validate", tmp_path / "h.jsonl").code == 1
    assert segscore("validate", write_rows(tmp_path / "all.jsonl", answers)).code == 0


def test_compare_pairs_systems_by_document(segscore: Segscore, tmp_path: Path) -> None:
    gold = write_rows(tmp_path / "gold.jsonl", references())
    table = write_rows(tmp_path / "answers.jsonl", hypotheses(ragged))
    run = tmp_path / "run"
    assert segscore("score", gold, table, "--output", run).code == 0
    compared = segscore("compare", run, "--measure", "pk", "--format", "json")
    assert compared.code == 0, compared.err
    assert "with these trials, and other trials may give another result" in compared.err
    assert "|trials:mean|" in json.loads(compared.out)["signature"]
    averages = json.loads(compared.out)["comparisons"]
    (pair,) = [row for row in averages if row["average"] == "micro" and row["measure"] == "pk"]
    found = summary_of(run)
    assert pair["documents"] == len(references())
    values = {pair["system"]: pair["value"], pair["other"]: pair["other_value"]}
    for system, value in values.items():
        assert value == pytest.approx(found[system, "pk", "micro"]["value"])


def test_tables_in_memory_have_trials(tmp_path: Path) -> None:
    found = api.evaluate(references(), hypotheses())
    rows = found.summary.to_pylist()
    assert {row["trials"] for row in rows} == {3}


@pytest.mark.parametrize("command", ["sweep", "confusion"])
def test_what_takes_one_answer_refuses_trials(
    segscore: Segscore, tmp_path: Path, command: str
) -> None:
    gold = write_rows(tmp_path / "gold.jsonl", references())
    table = write_rows(tmp_path / "answers.jsonl", hypotheses())
    words = {
        "sweep": ["sweep", gold, table, "--tolerances", "0,1"],
        "confusion": ["score", gold, table, "--confusion"],
    }[command]
    result = segscore(*words, "--output", tmp_path / "run")
    assert result.code == 2
    assert "trial" in result.err
