"""`score --by-level`: each level as if scored alone, and averages over levels as in the twin."""

import json
import re
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segscore as api
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures.selection import select
from segscore.pipeline.runs.planning import Limits
from tests.oracles import naive, naive_levels
from tests.support import passes
from tests.support.command_line import Segscore
from tests.support.corpora import COUNTED, FAMILIES
from tests.support.examples import examples
from tests.support.nights import DAYS, Archive
from tests.support.paths import ROOT
from tests.support.rows import read_rows

PAIRS = select(FAMILIES).pairs
TYPES = (1, 2, 5)
Rows = list[dict[str, Any]]


def coding(draw: Random, document: int, coder: str, n_units: int) -> dict[str, Any]:
    places = [(p, kind) for p in range(1, n_units) for kind in TYPES]
    chosen = sorted(place for place in places if draw.random() < 0.1)
    return {
        "document_id": f"d{document}",
        "coder": coder,
        "n_units": n_units,
        "boundaries": [position for position, _ in chosen],
        "boundary_types": [kind for _, kind in chosen],
        "genre": ["news", "talk", None][document % 3],
    }


def corpus(seed: int, documents: int = 12) -> tuple[Rows, Rows]:
    """Make a typed corpus, some of whose documents have two references."""
    draw = Random(seed)  # noqa: S311
    references, hypotheses = [], []
    for d in range(documents):
        n_units = draw.randint(1, 24)
        coders = ["r0", "r1"][: 1 + d % 2]
        references += [coding(draw, d, coder, n_units) for coder in coders]
        hypotheses += [coding(draw, d, coder, n_units) for coder in ("h0", "h1")]
    return references, hypotheses


def write(folder: Path, references: Rows, hypotheses: Rows) -> list[Path]:
    paths = []
    for name, rows in (("references", references), ("hypotheses", hypotheses)):
        paths.append(folder / f"{name}.parquet")
        typed = pa.list_(pa.int32())
        known = {"boundaries": typed, "boundary_types": typed, "genre": pa.string()}
        fields = [pa.field(name, known[name]) for name in rows[0] if name in known]
        inferred = pa.Table.from_pylist(rows)
        for field in fields:
            index = inferred.column_names.index(field.name)
            inferred = inferred.set_column(index, field, inferred.column(index).cast(field.type))
        pq.write_table(inferred, paths[-1], row_group_size=7)
    return paths


def tables(folder: Path) -> dict[str, list[str]]:
    """Return the rows of every table of a run, in an order of their own."""
    found = {}
    for place in folder.iterdir():
        if place.is_dir() and not place.name.startswith("_"):
            found[place.name] = sorted(map(str, read_rows(place)))
    return {name: rows for name, rows in found.items() if rows}


def listed(frame: pd.DataFrame, *without: str) -> list[str]:
    """Return the rows of a table as sorted text, which states each float exactly."""
    rows = frame.drop(columns=[name for name in without if name in frame.columns])
    return sorted(map(str, rows.astype(object).where(rows.notna(), None).to_dict("records")))


@pytest.mark.long
@settings(max_examples=examples(8), deadline=None)
@given(
    seed=st.integers(0, 2**32),
    kind=st.sampled_from(["cumulative", "only"]),
    window=st.sampled_from(["per-pair", "per-document", "per-run", 3]),
    pairing=st.sampled_from(["greedy", "optimal"]),
    n_t=st.integers(1, 3),
    p_seg=st.sampled_from([None, 0.25]),
)
def test_each_level_equals_the_level_scored_alone(
    seed: int, kind: str, window: str | int, pairing: str, n_t: int, p_seg: float | None
) -> None:
    """All columns of all tables are equal, chance and skill included."""
    references, hypotheses = corpus(seed)
    options: dict[str, Any] = {
        "window": window, "pairing": pairing, "n_t": n_t, "p_seg": p_seg,
        "reference_points": "random-own,shuffled-own", "group_by": "genre", "confusion": True,
        "measures": "all",
    }  # fmt: skip
    together = api.evaluate(
        references,
        hypotheses,
        by_level=kind,  # type: ignore[arg-type]
        boundary_types=list(TYPES),
        **options,
    )
    for level in TYPES:
        kept = naive_levels.types_of_level(level, TYPES, kind)
        sides = (
            [naive_levels.row_at_level(row, kept, level) for row in rows]
            for rows in (references, hypotheses)
        )
        alone = api.evaluate(*sides, boundary_types=[level], **options)
        for name in ("scores", "panel_scores", "summary", "confusion"):
            found = together.run.table(name).to_pandas()
            expected = alone.run.table(name).to_pandas()
            # The digest is that of the whole reference.
            assert listed(found[found.level == level], "level", "reference_digest") == listed(
                expected, "reference_digest"
            ), name


@pytest.mark.long
@pytest.mark.parametrize("kind", ["cumulative", "only"])
def test_a_run_by_level_equals_the_twin(segscore: Segscore, tmp_path: Path, kind: str) -> None:
    references, hypotheses = corpus(seed=3)
    paths = write(tmp_path, references, hypotheses)
    result = segscore(
        "score", *paths, "--output", tmp_path / "run", "--by-level", kind,
        "--n-t", 3, "--group-by", "genre", *COUNTED,
    )  # fmt: skip
    assert result.code == 0, result.err
    assert f"|types:1,2,5|by_level:{kind}|" in result.out
    by_key = {(row["document_id"], row["coder"]): row for row in (*references, *hypotheses)}
    scores = read_rows(tmp_path / "run", "scores")
    assert len(scores) == 3 * sum(row["coder"][0] == "r" for row in references) * 2
    windows: dict[Any, Any] = defaultdict(dict)
    for row in scores:
        kept = naive_levels.types_of_level(row["level"], TYPES, kind)
        typed_reference, typed_hypothesis = (
            naive_levels.row_at_level(by_key[row["document_id"], row[side]], kept, row["level"])
            for side in ("reference", "hypothesis")
        )
        n_units = typed_reference["n_units"]
        first, second = typed_reference["boundaries"], typed_hypothesis["boundaries"]
        k = naive.window_size(n_units, len(first) + 1)
        assert row["window"] == k
        counted = {
            **naive.window_counts(n_units, first, second, k),
            **naive.edit_counts(n_units, first, second, 3),
        }
        assert {name: row[name] for name in counted} == counted
        exact = naive.edit_values(
            {name: row[name] for name in naive.EDIT_COUNTS}, n_t=3, types=(1,), per_row=True
        )
        assert passes.close(row["boundary_similarity"], exact["boundary_similarity"])
        windows[row["level"]][row["document_id"], row["reference"]] = counted
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    pooled = [naive.p_seg([*windows[level].values()]) for level in TYPES]
    whole = naive.p_seg([each for level in TYPES for each in windows[level].values()])
    assert [each["level"] for each in record["levels"]] == [None, *TYPES]
    for each, share in zip(record["levels"], [whole, *pooled], strict=True):
        assert each["p_seg"] == pytest.approx(float(share or 0))
    summary = {
        (row["hypothesis"], row["genre"], row["level"], row["measure"], row["average"]): row
        for row in read_rows(tmp_path / "run", "summary")
    }
    for system, genre in ((s, g) for s in ("h0", "h1") for g in (None, "news", "talk")):
        rows = [
            row
            for row in scores
            if row["hypothesis"] == system and (genre is None or row["genre"] == genre)
        ]
        for measure in PAIRS.measures:
            value, defined = naive_levels.macro(rows, measure)
            over_levels = summary[system, genre, None, measure, "macro"]
            assert over_levels["value"] == pytest.approx(value, abs=1e-12)
            assert over_levels["defined"] == defined
            assert over_levels["documents"] == len({row["document_id"] for row in rows})
        sums = naive_levels.pooled(rows, list(PAIRS.counts))
        micro = summary[system, genre, None, "boundary_similarity", "micro"]["value"]
        assert passes.close(micro, naive_levels.micro_similarity(sums, 3))
        values = passes.twin_values({n: int(c) for n, c in sums.items()}, p_seg=whole, rows=False)
        for measure in ("pk", "window_diff", "pk_prior", "c_seg", "r_miss", "tolerant_f1"):
            found = summary[system, genre, None, measure, "micro"]["value"]
            assert passes.close(found, values[measure]), measure


@pytest.mark.long
@pytest.mark.parametrize("kind", ["cumulative", "only"])
def test_compare_works_on_each_level_and_over_all(kind: str) -> None:
    references, hypotheses = corpus(seed=9, documents=24)
    measures = ["pk_prior", "boundary_similarity", "segmentation_similarity", "mult_window_diff"]
    settings: dict[str, Any] = {"measures": ["all"], "n_t": 3}
    together = api.evaluate(
        references,
        hypotheses,
        by_level=kind,  # type: ignore[arg-type]
        boundary_types=list(TYPES),
        **settings,
    )
    tests: dict[str, Any] = {"permutations": 99}
    compared = api.compare(together, measure=measures, group_by="level", **tests)  # type: ignore[arg-type]
    found = compared.comparisons.to_pandas()
    for level in TYPES:
        kept = naive_levels.types_of_level(level, TYPES, kind)
        sides = (
            [naive_levels.without_types(naive_levels.row_at_level(row, kept, 1)) for row in rows]
            for rows in (references, hypotheses)
        )
        alone = api.evaluate(*sides, **settings)
        expected = api.compare(alone, measure=measures, **tests).comparisons.to_pandas()  # type: ignore[arg-type]
        assert listed(found[found.level == level], "level") == listed(expected)
    whole = {
        (row["hypothesis"], row["measure"], row["average"]): row["value"]
        for row in together.summary.to_pylist()
        if row["level"] is None
    }
    plain = api.compare(together, measure=measures, **tests).comparisons.to_pandas()  # type: ignore[arg-type]
    assert listed(found[found.level.isna()], "level") == listed(plain)
    assert set(found.level.dropna()) == {*TYPES} and len(plain) == 2 * len(measures)
    for row in plain.to_dict("records"):
        if row["average"] == "micro":
            value = whole[row["system"].partition("@")[0], row["measure"], "micro"]
            assert row["value"] == pytest.approx(value)
    systems = api.compare(together, measure=measures, **tests).run.table("systems").to_pylist()  # type: ignore[arg-type]
    for row in systems:
        value = whole[row["hypothesis"], row["measure"], row["average"]]
        assert row["value"] == pytest.approx(value), row["measure"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "window", "types"),
    [
        ("cumulative", "per-pair", ()),
        ("cumulative", "per-run", ("--boundary-types", "1,2,5,7")),
        ("only", "per-run", ()),
    ],
)
def test_the_tables_do_not_depend_on_the_split(
    segscore: Segscore,
    tmp_path: Path,
    kind: str,
    window: str,
    types: tuple[str, ...],
) -> None:
    paths = write(tmp_path, *corpus(seed=4, documents=12))
    found = []
    for name, limits, workers in (
        ("whole", Limits(), 1),
        ("parts", Limits(rows_per_part=7), 2),
        ("shuffled", Limits(rows_per_part=7, read_again=0.0), 2),
    ):
        segscore.cut(limits)
        output = tmp_path / name
        result = segscore(
            "score", *paths, "--output", output, "--by-level", kind, "--window", window,
            "--group-by", "genre", "--confusion", "--workers", workers,
            "--reference-points", "random-own", "--measures", "pk_prior,boundary_similarity,panel",
            *types,
        )  # fmt: skip
        assert result.code == 0, result.err
        found.append(tables(output))
        record = json.loads((output / "run.json").read_text())
        found[-1]["levels"] = [str(record["levels"])]
        assert len(list((output / "scores").iterdir())) > (0 if name == "whole" else 2)
    assert found[0] == found[1] == found[2]


@pytest.mark.long
def test_the_option_may_stand_alone(segscore: Segscore, tmp_path: Path) -> None:
    paths = write(tmp_path, *corpus(seed=5))
    orders = {
        "a": ["--by-level", *paths],
        "b": [*paths, "--by-level"],
        "c": [*paths, "--by-level", "cumulative"],
        "d": [*paths, "--by-level=cumulative"],
    }
    found = []
    for name, order in orders.items():
        result = segscore("score", "--output", tmp_path / name, *order)
        assert result.code == 0, result.err
        found.append(str(tables(tmp_path / name)))
    assert len(set(found)) == 1
    assert "level" in found[0]


def test_another_kind_of_level_is_another_run(segscore: Segscore, tmp_path: Path) -> None:
    paths = write(tmp_path, *corpus(seed=6))
    assert segscore("score", *paths, "--output", tmp_path / "run").code == 0
    result = segscore("score", *paths, "--output", tmp_path / "run", "--by-level")
    assert result.code == 2
    assert "by_level was none, is cumulative" in result.err


def test_what_cannot_be_scored_by_level_is_refused(segscore: Segscore, tmp_path: Path) -> None:
    references, hypotheses = corpus(seed=7)
    paths = write(tmp_path, references, hypotheses)
    cases = {
        "--by-level=each": "--by-level each: must be one of cumulative, only",
        "--group-by=level": "--group-by level: --by-level already groups by it",
        "--consensus=0.5": "omit these options, or the column",
        "--reference-points=none": "omit these options, or the column",
    }
    for option, message in cases.items():
        result = segscore("score", *paths, "--output", tmp_path / "run", "--by-level", option)
        assert result.code == 2
        assert message in result.err and "Traceback" not in result.err
    untyped = [{k: v for k, v in row.items() if k != "boundary_types"} for row in references]
    paths = write(tmp_path, untyped, untyped)
    result = segscore("score", *paths, "--output", tmp_path / "run", "--by-level")
    assert result.code == 2
    assert "have no column boundary_types" in result.err and result.err.count("\n") == 1
    taken = [{**row, "level": "coarse"} for row in references]
    result = segscore(
        "score", *write(tmp_path, taken, hypotheses), "--output", tmp_path / "run", "--by-level"
    )
    assert result.code == 2 and "the attribute column level has the same name" in result.err
    assert not (tmp_path / "run").exists()


def test_more_levels_than_a_hierarchy_has_are_refused() -> None:
    kinds = list(range(1, 32))
    row = {"document_id": "a", "coder": "r", "n_units": 40, "boundaries": kinds}
    row |= {"boundary_types": kinds}
    with pytest.raises(Refused, match="31 boundary types would be as many levels"):
        api.evaluate([row], [row | {"coder": "h"}], by_level=True)
    with pytest.raises(Refused, match="at most 30 can be scored"):
        api.evaluate([row], [row | {"coder": "h"}], by_level=True, boundary_types=kinds)


def test_nights_are_not_judged_by_level(segscore: Segscore, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    archive.deliver(DAYS[0])
    archive.settle(score='by-level = "cumulative"')
    result = archive.run(DAYS[0])
    assert result.code == 2
    assert "by-level in [score] of --settings: nights are not judged by level" in result.err


def test_views_of_dashboards_count_references_once(segscore: Segscore, tmp_path: Path) -> None:
    """A run by level in the folder of a night has a row of a pair on each level."""
    import duckdb  # what a module keeps of it is told as leaked when Python ends

    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    archive.deliver(DAYS[0])
    assert archive.run(DAYS[0]).code == 0
    paths = write(tmp_path, *corpus(seed=10))
    output = Path(archive.runs) / f"date={DAYS[1]}"
    options = ("--by-level", "--output", output, "--measures", "default,r_miss")
    assert segscore("score", *paths, *options).code == 0
    assert segscore("trend", "--table", archive.runs).code == 0
    scores = read_rows(output, "scores")
    with duckdb.connect() as database:
        database.execute(f"CREATE MACRO archive() AS '{archive.runs}'")
        database.execute((ROOT / "deploy" / "dashboards" / "views.sql").read_text("utf-8"))
        query = f"FROM worst_documents('{DAYS[1]}', 'r_miss')"
        worst = database.execute(query).df().to_dict("records")
        night = f"FROM history WHERE date = '{DAYS[1]}'"
        whole = database.execute(
            f"SELECT hypothesis, value {night} AND groups IS NULL AND measure = 'r_miss' "
            "AND average = 'macro'"
        ).fetchall()
        levels = database.execute(f"SELECT DISTINCT groups {night} ORDER BY groups").fetchall()
    assert [each for (each,) in levels] == ["level=1", "level=2", "level=5", None]
    assert len(worst) == 24
    for row in worst:
        rows = [
            each
            for each in scores
            if (each["document_id"], each["hypothesis"]) == (row["document_id"], row["hypothesis"])
        ]
        assert row["references"] == len({each["reference"] for each in rows})
        value, _ = naive_levels.macro(rows, "r_miss")
        assert row["value"] == pytest.approx(value)
    assert len(whole) == 2
    for system, value in whole:
        of_system = [each for each in scores if each["hypothesis"] == system]
        assert value == pytest.approx(naive_levels.macro(of_system, "r_miss")[0])


def test_what_knows_no_levels_refuses_runs_by_level(segscore: Segscore, tmp_path: Path) -> None:
    paths = write(tmp_path, *corpus(seed=11))
    runs = [tmp_path / name for name in ("one", "two")]
    for each in runs:
        options = ("--by-level", "--output", each)
        assert segscore("score", *paths, *options).code == 0
    gated = segscore("compare", *runs, "--measure", "pk", "--gate", "pk<=+0.1")
    assert gated.code == 2
    assert "is by level, and the gate judges documents, not levels" in gated.err
    scale = segscore(
        "report", runs[0], "--measure", "pk", "--calibrate", "--output", tmp_path / "a.html"
    )
    assert scale.code == 2
    assert "is by level, and simulated faults have no levels" in scale.err


def test_explain_and_report_show_runs_by_level(segscore: Segscore, tmp_path: Path) -> None:
    paths = write(tmp_path, *corpus(seed=12))
    output = tmp_path / "run"
    options = ("--by-level", "--group-by", "genre", "--output", output)
    result = segscore("score", *paths, *options)
    assert result.code == 0
    assert "all documents, over all levels" in result.out
    assert "--group-by level" in result.out
    assert segscore("explain", output, "--document", "d7", "--hypothesis", "h0").code == 0
    page = tmp_path / "page.html"
    assert segscore("report", output, "--output", page).code == 0
    text = page.read_text()
    assert re.search(r"Micro averages over \d+ documents and levels\.", text)
    assert "by genre, level" in text


def test_python_takes_true_for_cumulative() -> None:
    references, hypotheses = corpus(seed=8)
    found = [
        str(api.evaluate(references, hypotheses, by_level=kind).summary)
        for kind in (True, "cumulative")
    ]
    assert found[0] == found[1]
    without = [
        api.evaluate(references, hypotheses, by_level=kind).summary.column_names
        for kind in (False, None)
    ]
    assert "level" not in without[0] and without[0] == without[1]
    with pytest.raises(Refused, match="by_level"):
        api.evaluate(references, hypotheses, by_level=1)  # type: ignore[arg-type]


def test_types_are_merged_on_a_level() -> None:
    """A boundary at the right place is right on a level that both of its types are part of."""
    reference = {"document_id": "a", "coder": "r", "n_units": 9, "boundaries": [3, 3, 6]}
    reference |= {"boundary_types": [1, 2, 2]}
    hypothesis = reference | {"coder": "h", "boundaries": [3, 6], "boundary_types": [2, 1]}
    found = api.evaluate([reference], [hypothesis], by_level=True)
    rows = {row["level"]: row for row in found.scores.to_pylist()}
    assert (rows[1]["f1"], rows[2]["f1"], rows[2]["boundary_similarity"]) == (0, 1, 1)
    assert (rows[2]["matches"], rows[2]["substitutions"]) == (2, 0)
    assert rows[2]["potential_boundaries"] == 8
