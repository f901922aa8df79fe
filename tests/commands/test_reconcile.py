"""`segscore reconcile`: what it prints, writes and refuses."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

import segscore as python_interface
from segscore.pipeline.conventions.boundary_family import boundary_family
from segscore.pipeline.conventions.edit_family import EDIT_FAMILY
from segscore.pipeline.conventions.window_family import WINDOW_FAMILY
from segscore.pipeline.storage import read_table
from segscore.schemas.conventions import APPLIED, CONVENTIONS
from tests.support.command_line import Segscore
from tests.support.paths import DATA
from tests.support.rows import read_rows, write_rows

TINYREC, STARGAZER = str(DATA / "tinyrec.jsonl"), str(DATA / "stargazer.jsonl")


@pytest.mark.long
def test_the_defaults_are_those_of_score_and_so_are_options(
    segscore: Segscore, tmp_path: Path
) -> None:
    """Recipes that consist of options and an average give the value of the convention."""
    families = (WINDOW_FAMILY, EDIT_FAMILY, boundary_family(()))
    numbers = [
        {"system": "textseg_bseg", "measure": measure, "value": 0.5}
        for family in families
        for measure in family.measures
    ]
    found = python_interface.reconcile(STARGAZER, STARGAZER, published=numbers)
    rows = found.table.to_pylist()
    commands = {
        ("segscore score " + f"{STARGAZER} {STARGAZER} {options}".strip(), average): options
        for options in ("", "--rounding half-up", "--window per-run", "--n-t 3")
        for average in ("micro", "macro")
    }
    compared = 0
    for (command, average), options in commands.items():
        chosen = [row for row in rows if row["command"] == f"{command}; {average} average"]
        output = tmp_path / f"{options.replace(' ', '')}"
        result = segscore("score", STARGAZER, STARGAZER, *options.split(), "--output", output)
        assert result.code == 0, result.err
        summary = {
            row["measure"]: row["value"]
            for row in read_rows(output, "summary")
            if row["hypothesis"] == "textseg_bseg" and row["average"] == average
        }
        for row in chosen:
            assert row["value"] == pytest.approx(summary[row["measure"]], abs=1e-12), row
            compared += 1
    assert compared >= 16


def test_the_table_has_every_convention(segscore: Segscore, tmp_path: Path) -> None:
    output = tmp_path / "found"
    command = ["reconcile", STARGAZER, STARGAZER, "--system", "textseg_seg1", "--measure", "pk"]
    result = segscore(*command, "--published", "0.24", "--output", output)
    assert result.code == 0, result.err
    assert result.out.endswith(f"written to {output}\n")
    table = read_table(str(output / "conventions.parquet"))
    CONVENTIONS.validate(table)
    rows = table.to_pylist()
    fitting = [row for row in rows if row["fits"]]
    assert rows[: len(fitting)] == fitting and fitting
    assert all(0.235 <= row["value"] <= 0.245 for row in fitting)
    assert f"{len(fitting):,} of {len(rows):,} conventions give this number" in result.out
    again = segscore(*command, "--published", "0.24", "--output", output)
    assert again.code == 2 and "already contains conventions.parquet" in again.err


@pytest.mark.long
def test_tables_of_several_measures_are_searched_by_family(
    segscore: Segscore, tmp_path: Path
) -> None:
    paper = tmp_path / "paper.csv"
    lines = ["system,measure,value", "textseg_seg1,pk,24%", "textseg_seg1,f1,.5"]
    paper.write_text("\n".join(lines) + "\n", "utf-8")
    result = segscore("reconcile", STARGAZER, STARGAZER, "--published-table", paper)
    assert result.code == 0, result.err
    assert "pk of textseg_seg1: published 24%, segscore's default" in result.out
    assert "f1 of textseg_seg1: published .5, segscore's default" in result.out


def test_rejected_rows_are_warned_of(segscore: Segscore, tmp_path: Path) -> None:
    rows = Path(TINYREC).read_text("utf-8").splitlines()[:4]
    broken = {**json.loads(rows[0]), "coder": "x", "boundaries": [10**6]}
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join([*rows, json.dumps(broken)]) + "\n", "utf-8")
    result = segscore("reconcile", file, file, "--measure", "f1", "--published", ".1")
    assert result.code == 0 and "warning" in result.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--measure", "pk"], "give either one number or a --published-table"),
        (["--published", ".3"], "--measure: name the measure"),
        (["--measure", "pk", "--published", "low"], "must be a number such as"),
        (["--measure", "pk", "--published", ".3"], "name its system with --system"),
        (["--published-table", "none.csv"], "none.csv: there is no such file"),
        (["--measure", "beauty", "--published", ".3"], "beauty: no convention computes it"),
        (["--measure", "pk", "--published", ".3", "--system", "me"], "me: no such system"),
        (["--measure", "pk", "--published", ".3", "--tolerance-of-print", "0"], "in (0, 1)"),
        (["--measure", "f1", "--published", ".3", "--tolerance", "-1"], "--tolerance -1"),
    ],
)
def test_wrong_options_are_refused(segscore: Segscore, options: list[str], message: str) -> None:
    result = segscore("reconcile", STARGAZER, STARGAZER, *options)
    assert result.code == 2
    assert message in result.err


def test_a_document_must_exist() -> None:
    row = {"system": "EquiSeg", "measure": "pk", "value": ".3", "document_id": "none"}
    with pytest.raises(python_interface.Refused, match="none: EquiSeg has no such document"):
        python_interface.reconcile(TINYREC, TINYREC, published=[row])


@pytest.mark.parametrize(("other", "message"), [("TinyRec", "no document id"), (None, "no rows")])
def test_nothing_to_compare_is_said(
    segscore: Segscore, tmp_path: Path, other: str | None, message: str
) -> None:
    row = {"document_id": other, "coder": "x", "n_units": 9, "boundaries": [3]}
    path = tmp_path / "other.jsonl"
    path.write_text("" if other is None else json.dumps(row) + "\n")
    options = ("--measure", "pk", "--published", "0.5")
    for tables in ((STARGAZER, path), (path, STARGAZER)):
        result = segscore("reconcile", *tables, *options)
        assert result.code in (1, 2), result.err
        assert message in result.err and "Traceback" not in result.err


@pytest.mark.parametrize(
    ("document", "n_units", "why"),
    [
        ("d", 11, "the first reject: {}:1: n_units_agree (n_units is 11; the accepted references"),
        ("e", 10, "no document id of the hypotheses is in the references: hypotheses have e; refe"),
    ],
)
def test_hypotheses_that_cannot_be_paired_are_named(
    segscore: Segscore, tmp_path: Path, document: str, n_units: int, why: str
) -> None:
    """`validate` takes one table and would find nothing, so the message does not name it."""
    for name, row in (("a", ("d", 10)), ("b", (document, n_units))):
        record = {"document_id": row[0], "coder": name, "n_units": row[1], "boundaries": [5]}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record))
    files = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    failed = segscore("reconcile", *files, "--measure", "pk", "--published", "0.5")
    assert failed.code == 1
    assert why.format(files[1]) in failed.err
    assert "segscore validate" not in failed.err


@pytest.mark.long
def test_a_number_of_most_of_the_documents_is_explained_too(segscore: Segscore) -> None:
    """The share of subsamples that simple conventions fit, computed once more from the scores."""
    table = pairs_of(TINYREC)
    rows = [counts for _, counts in sorted(table.items())]
    found = python_interface.reconcile(TINYREC, TINYREC, measure="pk", published=".498").searches[0]
    values = np.array(
        [
            tried.values[0]
            for tried in found.tried
            if len(tried.convention.changed) <= (found.changes or 0)
            and not np.isnan(tried.values[0])
        ]
    )
    draw, explained = Random(7), 0  # noqa: S311
    for _ in range(4000):
        kept = draw.sample(rows, round(draw.uniform(0.9, 0.95) * len(rows)))
        errors, windows = (sum(each[i] for each in kept) for i in (0, 1))
        explained += bool((np.abs(round(errors / windows, 3) - values) <= 0.0005 + 1e-9).any())
    assert found.chance_nearby == pytest.approx(explained / 4000, abs=0.05)
    assert found.chance is not None and found.easily_fitted == max(
        found.chance, found.chance_nearby or 0.0
    )
    command = ("reconcile", TINYREC, TINYREC, "--measure", "pk", "--published", ".498")
    out = segscore(*command).out
    assert out == segscore(*command).out
    assert (
        ". An unrelated number, or that of 90 to 95 % of the documents, would fit a convention "
        "this simple with a probability of at most "
        f"{found.easily_fitted:.2g}.\n"
    ) in out


def pairs_of(table: str) -> dict[str, tuple[int, int]]:
    """Document -> windows in which Pk counts an error, and windows."""
    scores = python_interface.evaluate(table, table, measures=["pk"]).table("scores").to_pylist()
    return {
        row["document_id"]: (row["pk_misses"] + row["pk_false_alarms"], row["windows"])
        for row in scores
    }


def test_one_document_has_no_subsamples() -> None:
    rows = [
        {"document_id": "a", "coder": coder, "n_units": 20, "boundaries": [4, 9]} for coder in "xy"
    ]
    search = python_interface.reconcile(rows[:1], rows[1:], measure="pk", published="0").searches[0]
    assert search.chance_nearby is None and search.easily_fitted == search.chance


Pairs = list[tuple[int, list[int], list[int]]]


def written(path: Path, pairs: Pairs) -> Path:
    """Write N, the boundaries of the reference and those of the hypothesis of each document."""
    rows = [
        {"document_id": str(d), "coder": coder, "role": role, "n_units": n, "boundaries": side}
        for d, (n, reference, hypothesis) in enumerate(pairs)
        for coder, role, side in (
            ("gold", "reference", reference),
            ("sys", "hypothesis", hypothesis),
        )
    ]
    return write_rows(path, rows)


def test_documents_that_are_joined_before_they_are_scored_are_found(
    segscore: Segscore, tmp_path: Path
) -> None:
    table = written(tmp_path / "rows.jsonl", [(6, [3], []), (6, [3], [])])
    result = segscore("reconcile", table, table, "--measure", "pk", "--published", ".4")
    assert result.code == 0, result.err
    (named,) = (line for line in result.out.splitlines() if line.startswith("  0.40000"))
    assert "Documents joined" in named.split("  ")[2].split(" | ")
    for name, value in (("documents-joined", 0.4), ("segscore", 0.5)):
        applied = python_interface.reconcile(str(table), str(table), measure="pk", apply=name)
        assert applied.rows[0]["value"] == pytest.approx(value)
    documents = [row["document_id"] for row in applied.table.to_pylist()]
    assert documents == [None, "0", "1"]


def test_joined_documents_are_those_of_the_references_in_their_order(tmp_path: Path) -> None:
    pairs: Pairs = [(7, [2], [3]), (30, [4, 21], [5, 11]), (9, [], [8]), (12, [6, 8], [2])]
    table = str(written(tmp_path / "rows.jsonl", pairs))
    for name, joins in (("documents=joined", [7, 37, 46]), ("documents=joined-unmarked", [])):
        sides: list[list[int]] = [[*joins], [*joins]]
        start = 0
        for n, *both in pairs:
            for side, boundaries in zip(sides, both, strict=True):
                side += [start + position for position in boundaries]
            start += n
        whole = str(
            written(tmp_path / "whole.jsonl", [(start, sorted(sides[0]), sorted(sides[1]))])
        )
        for measure in ("pk", "window_diff", "f1"):
            convention = f"segscore+{name}"
            of_parts, of_whole = (
                python_interface.reconcile(rows, rows, measure=measure, apply=apply).rows[0]
                for rows, apply in ((table, convention), (whole, "segscore"))
            )
            assert of_parts["value"] == pytest.approx(of_whole["value"], abs=1e-12), convention


@pytest.mark.parametrize(
    ("pairs", "precision", "recall"),
    [
        ([(8, [3], [])], ".5", "1"),
        ([(8, [3], []), (9, [2, 4, 6], [4, 7])], ".5", ".83333"),
    ],
    ids=["one document", "macro"],
)
def test_precision_and_recall_that_are_exchanged_are_named_with_the_ends_counted(
    segscore: Segscore, tmp_path: Path, pairs: Pairs, precision: str, recall: str
) -> None:
    table = written(tmp_path / "rows.jsonl", pairs)
    paper = tmp_path / "paper.csv"
    paper.write_text(f"system,measure,value\nsys,precision,{precision}\nsys,recall,{recall}\n")
    result = segscore("reconcile", table, table, "--published-table", paper)
    assert result.code == 0, result.err
    assert "roles exchanged: Precision and recall are exchanged." in result.out
    last = result.out.splitlines()[-1]
    assert last.startswith("Simplest that fits: ") and "roles exchanged" in last


def test_values_by_a_convention_are_written_for_each_document(
    segscore: Segscore, tmp_path: Path
) -> None:
    output = tmp_path / "by"
    command = ["reconcile", TINYREC, TINYREC, "--apply", "tinyrec", "--output", output]
    result = segscore(*command)
    assert result.code == 0, result.err
    table = read_table(str(output / "applied.parquet"))
    APPLIED.validate(table)
    rows = [json.loads(line) for line in Path(TINYREC).read_text("utf-8").splitlines()]
    printed = {row["document_id"]: row["published"] for row in rows if "published" in row}
    values = {(row["measure"], row["document_id"]): row["value"] for row in table.to_pylist()}
    assert len(values) == 2 * (1 + len(printed))
    for document, of_document in printed.items():
        assert values["pk", document] == pytest.approx(of_document["pk_nltk"], abs=1e-12)
    again = segscore(*command)
    assert again.code == 2 and "already contains applied.parquet" in again.err


def test_ends_count_unless_columns_say_that_they_are_none(tmp_path: Path) -> None:
    rows = [
        {"document_id": "d", "coder": "gold", "n_units": 9, "boundaries": [4], "edge_end": False},
        {"document_id": "d", "coder": "sys", "n_units": 9, "boundaries": [4], "edge_start": None},
    ]
    paths = [tmp_path / "references.jsonl", tmp_path / "hypotheses.jsonl"]
    for path, row in zip(paths, rows, strict=True):
        path.write_text(json.dumps(row) + "\n", "utf-8")
    applied = python_interface.reconcile(
        str(paths[0]), str(paths[1]), measure="precision,recall", apply="segscore+edges=marked"
    )
    assert [row["value"] for row in applied.rows] == pytest.approx([2 / 3, 1])
