"""An evaluation has the tables of the command, value by value, whatever form the input has."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars
import pyarrow as pa
import pytest

import segscore as package
from segscore.pipeline.measures import PAIRS
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.corpora import SEGMENTATION, Corpus, corpus, run
from tests.support.passes import close
from tests.unit.api.pairs import twin

SETTINGS: list[dict[str, Any]] = [
    {},
    {"n_t": 3, "window": "per-document", "rounding": "half-up", "pairing": "optimal"},
    {"window": "per-run", "p_seg": 0.25, "cost_miss": 0.25, "beta": 2.0},
    {"window": 4, "units": "words", "content_weights": (1.0, 0.5, 2.0, 1.0), "seed": 7},
    {"consensus": "0.5,any", "reference_points": "none,all,random-known,human"},
    {"measures": ("all",), "tolerance": 2, "edges": 1, "tiou": "0.7"},
    {"group_by": ("genre", "year"), "edit_constants": (0.25, 0.0), "c_seg_costs": (0.5, 0.5)},
]
SOURCES = ("source",)
"""Columns that name a file, which rows in memory do not have."""


def options(settings: dict[str, Any]) -> Iterator[str]:
    """The settings as on the command line."""
    for name, value in settings.items():
        joined = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
        yield from ("--" + name.replace("_", "-"), joined)


def ordered(table: pa.Table) -> list[dict[str, Any]]:
    """The rows without their sources, in one order."""
    kept = [name for name in table.column_names if name not in SOURCES]
    rows = table.select(kept).to_pylist()
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True, default=str))


def same_tables(evaluation: package.Evaluation, folder: Path) -> None:
    """Hold the tables of an evaluation against those of a run."""
    record = json.loads((folder / "run.json").read_text())
    ours_with_rows = {name for name in evaluation.names if evaluation.table(name).num_rows}
    assert ours_with_rows <= {*record["files"]}
    for name in record["files"]:
        theirs = read_table(str(folder / name))
        if not theirs.num_rows:
            assert name not in ours_with_rows
            continue
        ours = evaluation.table(name)
        assert ours.select(theirs.column_names).schema.equals(theirs.schema), name
        assert ordered(ours) == ordered(theirs), name
    assert ours_of(evaluation.record) == ours_of(record)


def ours_of(record: dict[str, Any]) -> dict[str, Any]:
    """What a record says of the results."""
    told = {name: record[name] for name in ("signature", "p_seg", "pairs", "rows")}
    return json.loads(json.dumps(told))


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda each: "-".join(each) or "default")
def test_the_tables_are_those_of_the_command(
    segscore: Segscore, tmp_path: Path, settings: dict[str, Any]
) -> None:
    made = corpus(seed=len(settings))
    made.references.append({**made.references[0], "coder": "other", "n_units": 99})
    made.hypotheses.append({**made.hypotheses[0], "document_id": "elsewhere"})
    made.hypotheses.append({**made.hypotheses[1], "coder": "bad", "boundaries": [5, 3]})
    made.write(tmp_path)
    record = run(segscore, tmp_path, tmp_path / "run", *options(settings))
    evaluation = package.evaluate(made.references, made.hypotheses, made.documents, **settings)
    same_tables(evaluation, tmp_path / "run")
    assert evaluation.rejects.num_rows
    assert evaluation.unpaired.num_rows
    assert len(evaluation.warnings) == len(record["warnings"])


@pytest.mark.parametrize("settings", SETTINGS[:3], ids=lambda each: "-".join(each) or "default")
def test_a_row_is_the_score_of_its_pair(settings: dict[str, Any]) -> None:
    """And the slow twin has the same values, if it has the settings."""
    made = corpus(seed=3, documents=15)
    evaluation = package.evaluate(made.references, made.hypotheses, **settings)
    by_name = {(row["document_id"], row["coder"]): row for row in made.references + made.hypotheses}
    own = {name: value for name, value in settings.items() if name != "window"}
    own["p_seg"] = evaluation.record["p_seg"]
    columns = evaluation.scores.column_names
    names, counts = ([n for n in known if n in columns] for known in (PAIRS.measures, PAIRS.counts))
    for row in evaluation.scores.to_pylist():
        reference, hypothesis = (
            by_name[row["document_id"], row[side]]["boundaries"]
            for side in ("reference", "hypothesis")
        )
        pair = {"reference": reference, "hypothesis": hypothesis, "n_units": row["n_units"]}
        score = package.score(**pair, **own, window=row["window"])
        assert {name: row[name] for name in names} == {name: score[name] for name in names}
        assert {name: row[name] for name in counts} == {name: score.counts[name] for name in counts}
        if "beta" not in settings:
            twin_settings = {"n_t": 2, "pairing": "greedy", "cost_miss": 0.5} | own
            twin_settings |= {"c_seg_costs": (1.0, 0.3), "window": row["window"]}
            _, values = twin(row["n_units"], reference, hypothesis, twin_settings)
            assert all(close(row[name], values[name]) for name in names)


@pytest.fixture(scope="module")
def made() -> Corpus:
    """A corpus with several references and hypotheses per document."""
    return corpus(seed=11, documents=12)


def as_segmentations(rows: list[dict[str, Any]]) -> dict[str, dict[str, package.Segmentation]]:
    """Rows as segmentations by coder and document."""
    by_coder: dict[str, dict[str, package.Segmentation]] = {}
    for row in rows:
        made = package.Segmentation(row["boundaries"], row["n_units"])
        by_coder.setdefault(row["coder"], {})[row["document_id"]] = made
    return by_coder


def like_views(rows: list[dict[str, Any]]) -> pa.Table:
    """A table with views of text, large lists and 64 bits."""
    kinds = [pa.large_string(), pa.string_view(), pa.int64(), pa.large_list(pa.int64())]
    table = pa.Table.from_pylist(rows, SEGMENTATION)
    return table.cast(pa.schema(list(zip(table.column_names, kinds, strict=True))))


def like_polars(rows: list[dict[str, Any]]) -> polars.DataFrame:
    """A data frame of polars, whose types it chooses itself."""
    return polars.DataFrame(rows)


def like_a_relation(rows: list[dict[str, Any]]) -> Any:
    """A relation of DuckDB."""
    table = pa.Table.from_pylist(rows, SEGMENTATION)
    return duckdb.connect().from_arrow(table)


def like_numpy(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows that hold arrays and tuples."""
    import numpy as np

    return [{**row, "boundaries": np.array(row["boundaries"], np.int64)} for row in rows]


FORMS: dict[str, Any] = {
    "segmentations": as_segmentations,
    "generator": iter,
    "numpy": like_numpy,
    "tuples": lambda rows: [{**row, "boundaries": tuple(row["boundaries"])} for row in rows],
    "arrow": lambda rows: pa.Table.from_pylist(rows, SEGMENTATION),
    "reader": lambda rows: pa.Table.from_pylist(rows, SEGMENTATION).to_reader(),
    "pandas": lambda rows: pa.Table.from_pylist(rows, SEGMENTATION).to_pandas(),
    "views": like_views,
    "polars": like_polars,
    "duckdb": like_a_relation,
}


@pytest.mark.first
@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_same_tables(made: Corpus, form: str) -> None:
    make = FORMS[form]
    expected = package.evaluate(made.references, made.hypotheses)
    got = package.evaluate(make(made.references), make(made.hypotheses))
    for name in expected.names:
        assert ordered(got.table(name)) == ordered(expected.table(name)), name


def test_tables_for_polars(made: Corpus) -> None:
    evaluation = package.evaluate(made.references, made.hypotheses)
    for name in evaluation.names:
        assert evaluation.to_polars(name).to_dicts() == evaluation.table(name).to_pylist(), name


def test_paths_and_read_run(segscore: Segscore, tmp_path: Path, made: Corpus) -> None:
    made.write(tmp_path, files=2)
    run(segscore, tmp_path, tmp_path / "run")
    paths = tmp_path / "references", tmp_path / "hypotheses"
    evaluation = package.evaluate(*paths, documents=str(tmp_path / "documents.parquet"))
    same_tables(evaluation, tmp_path / "run")
    read = package.read_run(tmp_path / "run")
    assert isinstance(read, package.Evaluation)
    same_tables(read, tmp_path / "run")
    assert read["pk", "h0"] == evaluation["pk", "h0"]
    assert repr(read).splitlines()[1:3] == repr(evaluation).splitlines()[1:3]


def test_the_record_is_that_of_the_command(segscore: Segscore, tmp_path: Path) -> None:
    """But for what only a published run has, and for where rows are listed."""
    rows = [{"document_id": name, "n_units": 9, "boundaries": [3]} for name in "ab"]
    for table, coders in (("references", ["ann"]), ("hypotheses", ["One", "one"])):
        coded = [{**row, "coder": coder} for coder in coders for row in rows]
        coded += [{**rows[0], "document_id": table, "coder": coders[0]}]
        coded += [{**rows[0], "coder": "bad", "boundaries": [12]}]
        text = "".join(json.dumps(row) + "\n" for row in coded)
        (tmp_path / f"{table}.jsonl").write_text(text, "utf-8")
    given = tmp_path / "references.jsonl", tmp_path / "hypotheses.jsonl"
    assert segscore("score", *given, "--output", tmp_path / "run").code == 0
    published = json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))
    record = package.evaluate(*given).record
    own = {"seconds", "fingerprint", "files"}
    assert record.keys() == published.keys() - own
    for file in [*published["inputs"]["references"], *published["inputs"]["hypotheses"]]:
        del file["name"], file["sha256"]
    for name in record.keys() - {"settings", "warnings", "plan"}:
        assert json.loads(json.dumps(record[name])) == published[name], name
    listed = [warning.replace(f"{tmp_path / 'run'}/", "") for warning in published["warnings"]]
    assert record["warnings"] == listed and len(listed) > 3


@pytest.mark.long
def test_on_a_cluster(scheduler: str, tmp_path: Path, made: Corpus) -> None:
    from distributed import Client  # noqa: TID251

    expected = package.evaluate(made.references, made.hypotheses, made.documents)
    with Client(scheduler) as client:
        own = package.evaluate(made.references, made.hypotheses, made.documents, client=client)
        kept = package.evaluate(
            made.references,
            like_views(made.hypotheses),
            made.documents,
            client=client,
            output=str(tmp_path / "run"),
        )
    for evaluation in (own, kept, package.read_run(tmp_path / "run")):
        for name in expected.names:
            if expected.table(name).num_rows:
                assert ordered(evaluation.table(name)) == ordered(expected.table(name)), name


def test_averages_by_name(made: Corpus) -> None:
    evaluation = package.evaluate(made.references, made.hypotheses, group_by="reference")
    with pytest.raises(package.Refused, match=r"pk: there are 3 hypotheses \(h0, h1, h2\)"):
        evaluation["pk"]
    for key, message in (
        (
            ("pk", "h12"),
            "pk, h12: not in the summary; the nearest is h[12]; it has the hypotheses h0, h1",
        ),
        (("pkk", "h1"), "pkk: no such measure; the nearest is pk; segscore.measures"),
        (("purity", "h1"), "purity, h1: not in the summary.*; it has the measures pk,"),
        (("pk", "h1", "h2"), r"\('pk', 'h1', 'h2'\): must be the name of a measure, such as 'pk'"),
        (None, "None: must be the name of a measure"),
    ):
        with pytest.raises(package.Refused, match=message):
            evaluation[key]  # type: ignore[index]
    average = evaluation["pk", "h1"]
    rows = {
        row["average"]: row
        for row in evaluation.summary.to_pylist()
        if (row["measure"], row["hypothesis"], row["reference"]) == ("pk", "h1", None)
    }
    assert (average.micro, average.macro) == (rows["micro"]["value"], rows["macro"]["value"])
    assert average.interval == (rows["micro"]["ci_low"], rows["micro"]["ci_high"])
    assert average.sd == rows["macro"]["sd"]


def test_only_some_measures(made: Corpus) -> None:
    chosen = ["pk", "mult_window_diff"]
    evaluation = package.evaluate(made.references, made.hypotheses, measures=chosen)  # type: ignore[arg-type]
    whole = package.evaluate(made.references, made.hypotheses)
    assert evaluation.summary.column("measure").unique().to_pylist() == chosen
    for name in ("scores", "panel_scores"):
        some = evaluation.table(name)
        assert some.equals(whole.table(name).select(some.column_names))
    assert "measures:pk,mult_window_diff" in evaluation.signature
    assert evaluation.scores.column_names == [
        "document_id", "reference", "hypothesis", "n_units", "window", "collapsed_boundaries",
        "reference_digest",
        "windows", "pk_misses", "pk_false_alarms", "pk",
    ]  # fmt: skip
    with pytest.raises(package.Refused, match="pkk: no such measure or family; the nearest is pk"):
        package.evaluate(made.references, made.hypotheses, measures=["pkk"])  # type: ignore[list-item]


def test_shown_with_the_best_values_marked(made: Corpus) -> None:
    evaluation = package.evaluate(made.references, made.hypotheses, measures=["f1"])
    assert "best" not in repr(evaluation)  # the systems share too few documents
    systems = {row["coder"] for row in made.hypotheses}
    of_all = [
        row
        for row in made.hypotheses
        if systems
        == {each["coder"] for each in made.hypotheses if each["document_id"] == row["document_id"]}
    ]
    evaluation = package.evaluate(made.references, of_all, measures=["f1"])
    best = max(evaluation["f1", name].micro or 0 for name in evaluation.systems)
    (marked,) = [line for line in repr(evaluation).splitlines() if line.endswith("best")]
    assert f"{best:.4f}" in marked
    assert f"<b>{best:.4f}</b>" in evaluation._repr_html_()
    assert evaluation.to_pandas()["value"].dropna().max() >= best


ONE = package.Segmentation([2], 9)
ROW: dict[Any, Any] = {"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [2]}


@pytest.mark.parametrize(
    ("references", "message"),
    [
        ([], "references: the table has no rows"),
        ({}, "references: the table has no rows"),
        (7, "references: is int; must be a mapping of document ids to segscore.Segmentation"),
        ({"d": [2]}, "references: d is list; must be a Segmentation, which also says"),
        ([{**ROW, "n_units": "9"}], 'references:1: n_units is "9"; expected a whole number'),
        ([ROW, {**ROW, "boundaries": [2.5]}], r"references:2: boundaries\[0\] is 2.5; expected"),
        (["a.jsonl"], 'references: row 1 is "a.jsonl"; give one path, folder or glob'),
        ([ROW, 5], "references: row 2 is 5; must be a dict with names of columns as keys"),
        ([{**ROW, 5: 1}], "references: row 1 is .*; must be a dict with names of columns as keys"),
        (None, "references: is NoneType; must be a mapping of document ids"),
        (b"tables", "references: is bytes; must be a mapping of document ids"),
        ("", "the location of a table is an empty text"),
        ({"c": {"d": ONE}, "d": ONE}, "references: d is a Segmentation, others are not"),
        ({1: {"d": ONE}}, "references: 1 must be the name of a coder, a text"),
        ({"c": {1.5: ONE}}, "references: 1.5 must be the id of a document, a text"),
        ({"c": {"d": [2]}}, "references: d is list; must be a Segmentation, which also says"),
        # pandas exchanges Series since version 3; before, a Series is rows.
        (
            pd.Series([1]),
            "references: (Series cannot be read as a table: .*; a table has columns|row 1 is 1; )",
        ),
        (
            pd.DataFrame({"boundaries": [[2], "x"]}),
            "references: DataFrame cannot be read as a table: .*Conversion failed for column bound",
        ),
        ([{**ROW, "window": 3}], "references:1: window cannot be an attribute"),
        (pa.table({"document_id": ["d"]}), "references: column coder is missing; column n_units"),
        ("no-such-folder", "no-such-folder"),
    ],
)
def test_wrong_tables_are_refused(references: Any, message: str) -> None:
    with pytest.raises(package.Refused, match=message):
        package.evaluate(references, [ROW])


def test_attributes_of_documents_need_no_lengths_in_any_form(tmp_path: Path) -> None:
    rows = [{"document_id": ROW["document_id"], "genre": "news", "year": 1997}]
    (tmp_path / "genres.csv").write_text(
        f"document_id,genre,year\n{ROW['document_id']},news,1997\n"
    )
    (tmp_path / "genres.jsonl").write_text(json.dumps(rows[0]))
    forms = (rows, pd.DataFrame(rows), pa.Table.from_pylist(rows))
    for documents in (*forms, tmp_path / "genres.csv", tmp_path / "genres.jsonl"):
        published: dict[str, Any] = {"output": str(tmp_path / "run"), "fresh": True}
        for output in ({}, published):
            scored = package.evaluate(
                [ROW], [ROW], documents=documents, group_by="genre", n_t=2, **output
            )
            groups = {row["genre"]: row["documents"] for row in scored.summary.to_pylist()}
            assert groups == {None: 1, "news": 1}
        codings = [{**ROW, "coder": "a"}, {**ROW, "coder": "b"}]
        audited = package.agree(codings, documents, group_by="genre")
        assert {row["genre"] for row in audited.corpus.to_pylist()} == {None, "news"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"units": "words"}, "units words: documents has no lengths of units; .* unit_lengths"),
        ({"unit_weights": True}, "unit_weights: documents has no weights of units; "),
    ],
)
def test_attributes_have_no_lists_of_units(settings: dict[str, Any], message: str) -> None:
    documents = pa.table({"document_id": ["d"], "genre": ["news"], "unit_lengths": [[1]]})
    with pytest.raises(package.Refused, match=message):
        package.evaluate([ROW], [ROW], documents=documents, **settings)


@pytest.mark.parametrize(
    "settings", [{"n_t": 0}, {"group_by": "genre"}, {"units": "words"}, {"consensus": "2"}]
)
def test_wrong_settings_have_the_message_of_the_command(
    segscore: Segscore, tmp_path: Path, made: Corpus, settings: dict[str, Any]
) -> None:
    made.write(tmp_path)
    tables = (tmp_path / "references", tmp_path / "hypotheses")
    ended = segscore("score", *tables, "--output", tmp_path / "run", *options(settings))
    with pytest.raises(package.Refused) as problem:
        package.evaluate(*tables, **settings)
    in_python = re.sub("--([a-z-]+)", lambda option: option[1].replace("-", "_"), ended.err)
    assert (ended.code, in_python) == (2, f"segscore: error: {problem.value}\n")


def test_nothing_scored_says_why() -> None:
    with pytest.raises(package.Failed, match="nothing could be scored: 1 of 1 hypotheses were rej"):
        package.evaluate([ROW], [{**ROW, "n_units": 8}])
    with pytest.raises(package.Failed, match="no reference was accepted; the first reject"):
        package.evaluate([{**ROW, "boundaries": [9]}], [ROW])


def test_rows_of_both_roles(tmp_path: Path) -> None:
    both = [{**ROW, "role": "reference"}, {**ROW, "coder": "s", "role": "hypothesis"}]
    assert package.evaluate(both, both).scores.num_rows == 1
    table = pa.Table.from_pylist(both)
    assert package.evaluate(table, table).scores.num_rows == 1
    (tmp_path / "gold.jsonl").write_text(json.dumps(both[0]))
    for gold in (both[:1], table.slice(0, 1), str(tmp_path / "gold.jsonl")):
        with pytest.raises(package.Refused, match="no row has the role hypothesis, but 1 has the"):
            package.evaluate(both, gold)
    for systems in (both[1:], table.slice(1)):
        with pytest.raises(package.Refused, match="no row has the role reference, but 1 has the"):
            package.evaluate(systems, both)


def test_the_scale_of_a_calibration_is_shown() -> None:
    references = {"a": package.Segmentation([2, 5, 9], 12), "b": package.Segmentation([4], 9)}
    systems = {
        "one": {**references, "a": package.Segmentation([2, 5], 12)},
        "two": {**references, "b": package.Segmentation([], 9)},
    }
    evaluation = package.evaluate(references, systems, measures=["recall", "precision"])
    without = str(evaluation)
    calibration = package.calibrate(references, measure="recall")
    evaluation.show(calibration)
    lines = [f"{name}: {calibration.describe(0.75)}" for name in systems]
    assert lines[0].startswith("one: recall 0.75 on this corpus is what a system gets that misses")
    assert str(evaluation).splitlines()[-3:-1] == lines
    assert [line for line in str(evaluation).splitlines() if line not in lines] == [
        *without.splitlines()
    ]
    html = evaluation._repr_html_()
    assert f"<p>{lines[0]}</p><p>{lines[1]}</p>" in html
    other = package.calibrate({"a": references["a"]}, measure="recall")
    with pytest.raises(
        package.Refused, match="references: 1 in the calibration, 2 in the evaluation"
    ):
        evaluation.show(other)
    with pytest.raises(package.Refused, match="pk"):
        evaluation.show(package.calibrate(references, measure="pk"))
    assert evaluation.calibration is calibration


def test_the_same_tables_in_memory_are_the_same_run(tmp_path: Path, made: Corpus) -> None:
    output = str(tmp_path / "run")
    for _ in range(2):
        package.evaluate(made.references, made.hypotheses, output=output)
    with pytest.raises(package.Refused, match="hypotheses is another table"):
        package.evaluate(made.references, made.hypotheses[1:], output=output)


def test_document_ids_may_be_whole_numbers() -> None:
    numbered, named = ({key: ONE} for key in (7, "7"))
    assert package.evaluate(numbered, named)["pk"].micro == 0


def test_a_lazy_frame_is_collected(made: Corpus) -> None:
    lazy, eager = (
        package.evaluate(each(made.references), each(made.hypotheses), measures=["pk"])
        for each in (polars.LazyFrame, polars.DataFrame)
    )
    assert lazy.scores.to_pylist() == eager.scores.to_pylist()


def test_systems_are_shown_best_first_and_points_last(made: Corpus) -> None:
    evaluation = package.evaluate(
        made.references, made.hypotheses, measures=["pk"], reference_points="none"
    )
    shown = [line.split() for line in repr(evaluation).splitlines()[1:]]
    names = [words[2] if words[0] == "pk" else words[0] for words in shown]
    assert names[: len(evaluation.board.names)] == evaluation.board.names
    assert names.index("point:none") == len(evaluation.board.systems)


def test_show_refuses_what_is_no_calibration(made: Corpus) -> None:
    evaluation = package.evaluate(made.references, made.hypotheses, measures=["pk"])
    with pytest.raises(package.Refused, match=r"calibration: is str; must be what segscore.calib"):
        evaluation.show("pk")  # type: ignore[arg-type]
