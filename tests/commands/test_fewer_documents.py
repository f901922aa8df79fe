"""Systems that were scored on different documents: who is best is the same answer everywhere."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final

import pyarrow.parquet as pq  # noqa: TID251
import pytest

import segscore as api
from segscore.pipeline.statistics.averages import SHARED_COLUMNS
from segscore.pipeline.storage import read_table
from tests.support.command_line import CommandResult, Segscore
from tests.support.report_pages import Reader, plain, report
from tests.support.rows import read_rows, write_rows

Row = dict[str, object]
MEASURE: Final = "boundary_similarity"
N_UNITS = 40
CHANNELS = ("cable", "radio")


def corpus(seed: int, documents: int, systems: Mapping[str, float]) -> tuple[list[Row], list[Row]]:
    """Return references and hypotheses; a system keeps each boundary with its probability."""
    draw = Random(seed)  # noqa: S311
    references: list[Row] = []
    hypotheses: list[Row] = []
    for number in range(documents):
        boundaries = sorted(draw.sample(range(1, N_UNITS), 4))
        document = {
            "document_id": f"d{number}",
            "n_units": N_UNITS,
            "channel": CHANNELS[number % len(CHANNELS)],
        }
        references.append({**document, "coder": "desk", "boundaries": boundaries})
        for name, kept in systems.items():
            found = [p for p in boundaries if draw.random() < kept]
            hypotheses.append({**document, "coder": name, "boundaries": found})
    return references, hypotheses


def scored(
    segscore: Segscore, folder: Path, tables: Sequence[list[Row]], *options: object
) -> CommandResult:
    """Score the systems; the run is in the folder."""
    paths = [folder / name for name in ("references.jsonl", "hypotheses.jsonl")]
    for path, table in zip(paths, tables, strict=True):
        write_rows(path, table)
    chosen = ("--measures", MEASURE, *options)
    result = segscore("score", *paths, "--output", folder / "run", *chosen)
    assert result.code == 0, result.err
    return result


def best_in_words(sentence: str, systems: Sequence[str]) -> set[str]:
    """Return the systems that a sentence calls best, or equally good; empty if it calls nobody."""
    sentence = plain(sentence).split(": ", 1)[1] if sentence.startswith(MEASURE) else sentence
    named = re.match(r"(.*?) (has the best value|are equally good)", plain(sentence))
    return set() if named is None else {name for name in systems if name in named[1].split()}


def listed(out: str, systems: Sequence[str]) -> list[str]:
    """Return the systems in the order in which a table lists them."""
    found = (re.match(r"[|\s]*([\w-]+)", line) for line in out.splitlines())
    return [name[1] for name in found if name is not None and name[1] in systems]


def line_of(compared: str) -> str:
    """The sentence of a comparison about the measure."""
    return next(line for line in compared.splitlines() if line.startswith(f"{MEASURE}, micro: "))


def views(segscore: Segscore, run: Path, systems: Sequence[str]) -> list[set[str]]:
    """Return the best systems of a run by the page, notebook and comparison."""
    compared = segscore("compare", run, "--permutations", 99)
    assert compared.code == 0, compared.err
    lines = [line for line in repr(api.read_run(run)).splitlines() if line.endswith(" best")]
    return [
        best_in_words(Reader(report(segscore, run)).answer[0], systems),
        {name for line in lines for name in line.split() if name in systems},
        best_in_words(line_of(compared.out), systems),
    ]


@pytest.mark.long
def test_one_missing_row_of_the_best_system_changes_nothing(
    segscore: Segscore, tmp_path: Path
) -> None:
    """Without one of its 160 documents the best system stays the best one, in every view."""
    systems = {"gpt-prompt": 0.5, "bert-seg": 0.9, "even": 0.2, "tiling": 0.4, "cosine": 0.3}
    references, hypotheses = corpus(1, 160, systems)
    hypotheses.remove(next(row for row in hypotheses if row["coder"] == "bert-seg"))
    result = scored(segscore, tmp_path, (references, hypotheses))
    ranked_on = "the 159 documents that all 5 systems share"
    assert f"micro averages over {ranked_on}" in result.out.replace("\n", " ")
    assert "bert-seg (159) was scored on fewer documents than other systems (160); ranked on "
    assert views(segscore, tmp_path / "run", [*systems]) == [{"bert-seg"}] * 3
    assert listed(result.out, [*systems])[0] == "bert-seg"
    page = Reader(report(segscore, tmp_path / "run"))
    assert plain(page.answer[-1]).endswith(f"Ranked on {ranked_on}.")
    shown = {row[1]: row[:1] for row in page.tables["Leaderboard, micro averages"][1:]}
    assert shown["bert-seg"] == ["1"]
    compared = segscore("compare", tmp_path / "run", "--format", "json", "--permutations", 99)
    by_name = {
        row["system"]: row
        for row in json.loads(compared.out)["systems"]
        if row["average"] == "micro"
    }
    summary = read_rows(tmp_path / "run", "summary")
    for row in (row for row in summary if row["average"] == "micro"):
        assert row["shared_value"] == by_name[row["hypothesis"]]["value"]
        assert row["shared_documents"] == by_name[row["hypothesis"]]["documents"] == 159
    for form in ("markdown", "latex"):
        assert f"ranked on {ranked_on}" in segscore(*again(tmp_path), "--format", form).out
    csv = segscore(*again(tmp_path), "--format", "csv").out
    assert csv.splitlines()[1].startswith("bert-seg,159,")


def again(folder: Path) -> tuple[object, ...]:
    """Return the command that prints a finished run again."""
    tables = (folder / "references.jsonl", folder / "hypotheses.jsonl")
    chosen = ("--measures", MEASURE)
    return "score", *tables, "--output", folder / "run", *chosen


def annotators() -> tuple[list[Row], list[Row]]:
    """Return the worst annotator on 4 documents, a good one on 3 of them, and gold on all 10."""
    references, _ = corpus(2, 10, {})
    wrong = [{**row, "coder": "bad", "boundaries": []} for row in references[:4]]
    right = [
        {**row, "coder": name}
        for name, count in (("good", 3), ("gold", 10))
        for row in references[:count]
    ]
    return references, [*wrong, *right]


@pytest.mark.parametrize("systems", [["bad", "good"], ["bad", "gold", "good"]])
def test_who_has_the_most_documents_is_not_best(
    segscore: Segscore, tmp_path: Path, systems: list[str]
) -> None:
    references, hypotheses = annotators()
    hypotheses = [row for row in hypotheses if row["coder"] in systems]
    result = scored(segscore, tmp_path, (references, hypotheses))
    line = f"not ranked: the {len(systems)} systems share only 3 documents, fewer than the 10"
    assert line in result.out.replace("\n", " ")
    assert "best" not in result.out
    assert listed(result.out, systems) == systems
    if len(systems) > 2:
        assert "segscore compare RUN --systems A,B" in result.out.replace("\n", " ")
    assert views(segscore, tmp_path / "run", systems) == [set()] * 3
    page = Reader(report(segscore, tmp_path / "run"))
    assert plain(page.answer[0]).startswith(f"{MEASURE}, micro: {line}")
    rows = page.tables["Leaderboard, micro averages"][1:]
    assert [row[1] for row in rows] == systems
    assert {row[0] for row in rows} == {""}
    assert not page.bold
    for form in ("markdown", "csv"):
        assert listed(segscore(*again(tmp_path), "--format", form).out, systems) == systems
    assert line in segscore(*again(tmp_path), "--format", "markdown").out


def test_pairs_are_compared_on_the_documents_that_they_share(
    segscore: Segscore, tmp_path: Path
) -> None:
    scored(segscore, tmp_path, annotators())
    result = segscore("compare", tmp_path / "run", "--format", "json", "--permutations", 99)
    tables = json.loads(result.out)
    micro = [row for row in tables["comparisons"] if row["average"] == "micro"]
    found = {(row["system"], row["other"]): (row["documents"], row["better"]) for row in micro}
    assert found == {
        ("bad", "gold"): (4, "gold"),
        ("bad", "good"): (3, "good"),
        ("gold", "good"): (3, None),
    }
    assert [row["p"] for row in micro] == [None] * 3  # fewer than five documents
    systems = {row["system"]: row for row in tables["systems"]}
    assert {name: row["documents"] for name, row in systems.items()} == {
        "bad": 4,
        "gold": 10,
        "good": 3,
    }
    assert {row["rank"] for row in systems.values()} == {None}
    printed = segscore("compare", tmp_path / "run", "--permutations", 99).out
    assert "best" not in printed
    two = segscore("compare", tmp_path / "run", "--systems", "bad,good", "--format", "json")
    assert len(json.loads(two.out)["comparisons"]) == 2


def test_systems_that_share_nothing_are_not_compared(segscore: Segscore, tmp_path: Path) -> None:
    references, hypotheses = corpus(3, 12, {"a": 0.5, "b": 0.9})
    hypotheses = [row for i, row in enumerate(hypotheses) if (i // 2 + i) % 2]
    result = scored(segscore, tmp_path, (references, hypotheses))
    assert "not ranked: the 2 systems share no document" in result.out
    assert "a and b: scored on 6 documents each, but not on the same" in result.err
    compared = segscore("compare", tmp_path / "run")
    assert compared.code == 2
    assert "share no document" in compared.err
    answer = Reader(report(segscore, tmp_path / "run")).answer[0]
    assert plain(answer) == f"{MEASURE}, micro: not ranked: the 2 systems share no document."


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_every_view_names_the_same_best_system_or_none(
    segscore: Segscore, tmp_path: Path, seed: int
) -> None:
    draw = Random(seed)  # noqa: S311
    systems = {name: draw.choice((0.5, 0.6, 0.6, 0.9)) for name in "abcd"[: draw.randint(2, 4)]}
    references, hypotheses = corpus(seed, draw.randint(8, 60), systems)
    lost = {name: draw.choice((0.0, 0.0, 0.05, 0.3, 0.8)) for name in systems}
    hypotheses = [row for row in hypotheses if draw.random() >= lost[str(row["coder"])]]
    points = ("--reference-points", "none,human") if seed % 2 else ()
    grouped = ("--group-by", "channel", "--layout", "groups")
    result = scored(segscore, tmp_path, (references, hypotheses), *grouped, *points)
    best, *others = views(segscore, tmp_path / "run", [*systems])
    assert others == [best] * len(others)
    tables = segscore(
        "compare", tmp_path / "run", "--group-by", "channel", "--format", "json",
        "--permutations", 99,
    )  # fmt: skip
    ranks = [row for row in json.loads(tables.out)["systems"] if row["average"] == "micro"]
    csv = segscore(*again(tmp_path), *grouped[:2], *points, "--layout", "groups", "--format", "csv")
    for channel in (None, *CHANNELS):
        part = result.out.split(f"channel {channel}")[-1].split("micro averages")[0]
        values = {
            row["system"]: row["value"]
            for row in ranks
            if row["channel"] == channel and row["rank"] is not None and row["system"] in systems
        }
        top = {name for name, value in values.items() if value == max(values.values())}
        if channel is not None:
            assert {*listed(part, [*systems])[: len(top)]} == top
        rows = [line.split(",") for line in csv.out.splitlines()]
        order = [row[1] for row in rows if row[0] == (channel or "") and row[1] in systems]
        if values:
            assert order == sorted(order, key=lambda name: (-values[name], name))
        else:
            assert order == sorted(order)


FEATURES: dict[str, dict[str, object]] = {
    "groups": {"group_by": ["channel"]},
    "points": {"reference_points": "random-own,none", "draws": 2},
    "levels": {"by_level": "cumulative", "boundary_types": (1, 2), "group_by": ["channel"]},
    "panels": {"measures": ["mult_window_diff", "pk"]},
}


@pytest.mark.first
@pytest.mark.parametrize("feature", FEATURES)
def test_shared_averages_are_those_of_a_run_of_the_shared_documents_alone(feature: str) -> None:
    settings: dict[str, object] = {
        "measures": [MEASURE, "pk", "c_seg"], "p_seg": 0.3, **FEATURES[feature],
    }  # fmt: skip
    references, hypotheses = corpus(5, 30, {"a": 0.5, "b": 0.9, "c": 0.7})
    if feature == "levels":
        for row in (*references, *hypotheses):
            boundaries = row["boundaries"]
            assert isinstance(boundaries, list)
            row["boundary_types"] = [1 + p % 2 for p in boundaries]
    if feature == "panels":
        further = [{**row, "coder": "second", "boundaries": [7, 20]} for row in references[:20]]
        references += further
    kept = [row for i, row in enumerate(hypotheses) if i % 13]
    by_coder = {
        name: {row["document_id"] for row in kept if row["coder"] == name} for name in "abc"
    }
    shared = set.intersection(*by_coder.values())
    assert len(shared) < 30
    summary = api.evaluate(references, kept, **settings).summary.to_pylist()  # type: ignore[arg-type]
    alone = api.evaluate(
        [row for row in references if row["document_id"] in shared],
        [row for row in kept if row["document_id"] in shared],
        **settings,  # type: ignore[arg-type]
    ).summary.to_pylist()
    names = [name for name in summary[0] if name not in {*SHARED_COLUMNS, *SHARED_COLUMNS.values()}]
    names = [name for name in names if name not in ("document_set", "sd", "effective", "freedom")]
    expected = {tuple(row[name] for name in names): row for row in alone}
    assert len(expected) == len(summary)
    for row in summary:
        of_shared = expected[tuple(row[name] for name in names)]
        if row["hypothesis"] != "point:none":
            assert {of: row[name] for name, of in SHARED_COLUMNS.items()} == {
                of: of_shared[of] for of in SHARED_COLUMNS.values()
            }


def test_many_documents_are_told_apart() -> None:
    """More documents than resampling units: each system lacks one, but not the same."""
    documents = [f"d{i}" for i in range(5000)]
    references = dict.fromkeys(documents, api.Segmentation([2], 5))
    systems = {
        name: {
            document: api.Segmentation([2 + (i % 3 < wrong)], 5)
            for i, document in enumerate(documents)
        }
        for name, wrong in (("good", 1), ("bad", 2))
    }
    del systems["good"]["d0"], systems["bad"]["d4999"]
    evaluation = api.evaluate(references, systems, measures=[MEASURE])
    assert evaluation.board.coverage.shared == 4998
    assert evaluation.board.coverage.ranks_on_shared
    assert evaluation.board.best(MEASURE) == {"good"}
    compared = api.compare(evaluation)
    by_name = {
        row["system"]: row["value"]
        for row in compared.systems.to_pylist()
        if row["average"] == "macro"
    }
    board = evaluation.macro_board
    assert {name: board.average(MEASURE, name)["value"] for name in systems} == by_name


def test_a_run_of_an_earlier_version_is_ranked_likewise(segscore: Segscore, tmp_path: Path) -> None:
    """Its summary has no averages over shared documents; they are computed from its rows."""
    references, hypotheses = corpus(6, 30, {"a": 0.5, "b": 0.9})
    scored(segscore, tmp_path, (references, hypotheses[:-1]), "--group-by", "channel")
    now = api.read_run(tmp_path / "run").summary
    (file,) = (tmp_path / "run" / "summary").iterdir()
    pq.write_table(now.drop_columns([*SHARED_COLUMNS]), file)
    before = api.read_run(tmp_path / "run").summary
    assert before.equals(now)
    assert before.column("shared_documents").to_pylist().count(29) == 4
    assert "over the 29 documents that both systems share" in segscore(
        *again(tmp_path), "--group-by", "channel"
    ).out.replace("\n", " ")


@pytest.mark.parametrize("columns", [["document_set"], [*SHARED_COLUMNS]])
def test_the_averages_on_shared_documents_do_not_depend_on_parts(
    segscore: Segscore, tmp_path: Path, columns: list[str]
) -> None:
    references, hypotheses = corpus(7, 24, {"a": 0.5, "b": 0.9, "c": 0.8})
    scored(segscore, tmp_path, (references, hypotheses[:-2]))
    half = tmp_path / "half"
    half.mkdir()
    lines = (tmp_path / "hypotheses.jsonl").read_text().splitlines(True)
    for part in range(4):
        (half / f"{part}.jsonl").write_text("".join(lines[part::4]))
    chosen = ("--measures", MEASURE, "--output", tmp_path / "parts")
    assert segscore("score", tmp_path / "references.jsonl", half, *chosen).code == 0
    one, other = (
        read_table(str(tmp_path / name / "summary")).select(["hypothesis", *columns])
        for name in ("run", "parts")
    )
    assert one.equals(other)


def test_systems_with_the_same_documents_have_no_other_averages() -> None:
    references, hypotheses = corpus(8, 12, {"a": 0.5, "b": 0.9})
    evaluation = api.evaluate(references, hypotheses, measures=[MEASURE])
    assert not evaluation.warnings
    assert all(
        set(evaluation.summary.column(name).to_pylist()) == {None} for name in SHARED_COLUMNS
    )
    assert evaluation.board.best(MEASURE) == {"b"}
