"""A whole run against the slow twin: generated corpora, every table recomputed slowly."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from pathlib import Path
from statistics import stdev
from typing import Any

import pyarrow as pa
import pytest

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.measures import ALL, panel
from segscore.pipeline.measures import PAIRS as ALL_PAIRS
from segscore.pipeline.measures.selection import select
from segscore.pipeline.statistics import resampling
from segscore.pipeline.storage import read_table
from tests.oracles import naive, naive_jackknife
from tests.oracles.naive_denominators import Counts
from tests.support import passes
from tests.support.command_line import Segscore
from tests.support.corpora import (
    COUNTED,
    FAMILIES,
    STORY_SUMS,
    WINDOWS,
    Corpus,
    complete,
    corpus,
    run,
    twin_scores,
)
from tests.support.paths import DATA
from tests.support.rows import read_rows

PAIRS = select(FAMILIES).pairs
COUNTS = tuple(ALL_PAIRS.counts)


@pytest.mark.long
@pytest.mark.parametrize(("window", "rounding", "units"), WINDOWS)
def test_scores_and_summary_equal_the_twin(
    segscore: Segscore, tmp_path: Path, window: str | int, rounding: str, units: str
) -> None:
    generated = corpus(seed=len(str(window)))
    generated.write(tmp_path)
    record = run(
        segscore, tmp_path, tmp_path / "run", "--window", window, "--rounding", rounding,
        "--units", units, "--group-by", "genre,year", "--seed", 7, *COUNTED,
    )  # fmt: skip
    expected = twin_scores(generated, window, rounding, units == "words")
    prior = naive.p_seg([row for key, row in expected.items() if key[2] is None])
    assert record["p_seg"] == pytest.approx(float(prior or 0))
    scores = read_rows(tmp_path / "run", "scores")
    keys = [(row["document_id"], row["reference"], row["hypothesis"]) for row in scores]
    assert sorted(keys) == sorted(key for key in expected if key[2] is not None)
    genres = {document["document_id"]: document["genre"] for document in generated.documents}
    for key, row in zip(keys, scores, strict=True):
        counted = expected[key]
        for name, value in counted.items():
            # A story's share is rounded once to 2^-40.
            slack = counted["stories"] if name in STORY_SUMS else 0
            assert abs(row[name] - value) <= slack, (key, name)
        assert row["genre"] == genres[key[0]]
        exact = passes.twin_values(counted, p_seg=prior)
        for name in PAIRS.measures:
            assert passes.close(row[name], exact[name]), (key, name)
    summary = read_table(str(tmp_path / "run" / "summary"))
    check_summary(summary, scores, prior)
    panels = read_rows(tmp_path / "run", "panel_scores")
    check_panels(panels, generated, scores, window, rounding, units == "words")
    check_panel_summary(summary, panels)


def check_panels(
    panels: list[dict[str, Any]],
    generated: Corpus,
    scores: list[dict[str, Any]],
    window: str | int,
    rounding: str,
    words: bool,
) -> None:
    """Score every hypothesis again with all references of its document."""
    lengths = {
        document["document_id"]: document["unit_lengths"] for document in generated.documents
    }

    def measured(row: dict[str, Any]) -> tuple[int, list[int]]:
        if words:
            return naive.in_words(row["n_units"], row["boundaries"], lengths[row["document_id"]])[
                :2
            ]
        return row["n_units"], row["boundaries"]

    of_document = defaultdict(list)
    for row in generated.references:
        of_document[row["document_id"]].append(measured(row))
    everything = [row for each_document in of_document.values() for row in each_document]
    panel_rows = {(row["document_id"], row["hypothesis"]): row for row in panels}
    assert len(panel_rows) == len(panels) == len(generated.hypotheses)
    for hypothesis in generated.hypotheses:
        key = hypothesis["document_id"], hypothesis["coder"]
        references = of_document[key[0]]
        pool = everything if window == "per-run" else references
        n_units, boundaries = measured(hypothesis)
        m = window
        if not isinstance(m, int):
            total = sum(len(positions) + 1 for _, positions in pool)
            m = naive.window_size(sum(n for n, _ in pool), total, rounding)
        exact = naive.panel(n_units, [positions for _, positions in references], boundaries, m)
        assert panel_rows[key]["window"] == m
        for name in panel.COUNTS:
            assert panel_rows[key][name] == exact[name], (key, name)
        for name in (measure.name for measure in panel.MEASURES):
            value = exact[name]
            assert passes.close(panel_rows[key][name], None if value is None else Fraction(value))
        for name in ("pk", "boundary_similarity", "r_miss"):
            rows = [row[name] for row in scores if (row["document_id"], row["hypothesis"]) == key]
            values = [value for value in rows if value is not None]
            expected = pytest.approx(sum(values) / len(values)) if values else None
            assert panel_rows[key][f"mean_{name}"] == expected


def check_panel_summary(summary: pa.Table, panels: list[dict[str, Any]]) -> None:
    """Pool the panels of each system again."""
    for row in summary.to_pylist():
        if row["measure"] == "mult_window_diff" and row["genre"] is None:
            system_panels = [each for each in panels if each["hypothesis"] == row["hypothesis"]]
            pooled = {name: sum(each[name] for each in system_panels) for name in panel.COUNTS}
            exact = naive.panel_values(pooled)["mult_window_diff"]
            single = [each["mult_window_diff"] for each in system_panels]
            values = [value for value in single if value is not None]
            mean = sum(values) / len(values)
            expected = float(exact or 0) if row["average"] == "micro" else mean
            assert row["value"] == pytest.approx(expected)
            assert row["documents"] == len(system_panels) and row["defined"] == len(values)


def check_summary(summary: pa.Table, scores: list[dict[str, Any]], prior: Fraction | None) -> None:
    """Recompute the summary from the scores, group by group."""
    groups = defaultdict(list)
    for row in scores:
        groups[row["hypothesis"], None, None].append(row)
        if row["genre"] is not None:
            groups[row["hypothesis"], row["genre"], row["year"]].append(row)
    summary_rows = {
        (row["hypothesis"], row["genre"], row["year"], row["measure"], row["average"]): row
        for row in summary.to_pylist()
        if row["measure"] in PAIRS.measures
    }
    assert len(summary_rows) == len(groups) * len(PAIRS.measures) * 2
    for group, rows in groups.items():
        pooled = {name: sum(row[name] for row in rows) for name in PAIRS.counts}
        micro = passes.twin_values(pooled, p_seg=prior, rows=False)
        for name in PAIRS.measures:
            by_document = defaultdict(list)
            for row in rows:
                if row[name] is not None:
                    by_document[row["document_id"]].append(row[name])
            means = [sum(values) / len(values) for values in by_document.values()]
            pooled_row = summary_rows[(*group, name, "micro")]
            mean_row = summary_rows[(*group, name, "macro")]
            assert passes.close(pooled_row["value"], micro[name]), (group, name)
            assert mean_row["value"] == (
                pytest.approx(sum(means) / len(means), abs=1e-11) if means else None
            )
            assert mean_row["sd"] == (
                pytest.approx(stdev(means), abs=1e-6) if len(means) > 1 else None
            )
            documents = len({row["document_id"] for row in rows})
            for row in (pooled_row, mean_row):
                assert (row["documents"], row["defined"]) == (documents, len(means))
                assert row["ci_low"] is None or documents >= 5


Rows = list[dict[str, Any]]
SHOWS, BUCKETS = 7, 11
UNITS: dict[str, Callable[[str], str]] = {
    "documents": lambda name: name,
    "show": lambda name: f"show {int(name[1:]) % SHOWS}",
    f"{BUCKETS}-buckets": lambda name: str(
        resampling.buckets(hash_names(pa.array([name])).hashes)[0]
    ),
}
"""The signature's name of resampling units -> the unit of a document."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("unit", "p_seg"),
    [("documents", None), ("documents", Fraction(1, 4)), ("show", None), ("11-buckets", None)],
)
def test_intervals_of_every_measure_equal_the_twin(
    segscore: Segscore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    unit: str,
    p_seg: Fraction | None,
) -> None:
    """Each average is computed again without each unit, and so is P_seg."""
    generated = complete(corpus(seed=3, documents=24))
    for document in generated.documents:
        document["show"] = UNITS["show"](document["document_id"])
    generated.write(tmp_path)
    options: tuple[str, ...] = ("--measures", "all", "--group-by", "genre")
    options += () if p_seg is None else ("--p-seg", str(float(p_seg)))
    options += ("--resample-by", "show") if unit == "show" else ()
    if unit == f"{BUCKETS}-buckets":
        monkeypatch.setattr(resampling, "BUCKETS", BUCKETS)
    record = run(segscore, tmp_path, tmp_path / "run", *options)
    assert f"|ci:jackknife,{unit}|" in record["signature"]
    scores = read_rows(tmp_path / "run", "scores")
    of_run = by_unit((row for row in scores if row["hypothesis"] == "h0"), unit)
    found = {
        (row["hypothesis"], row["genre"], row["measure"], row["average"]): row
        for row in read_rows(tmp_path / "run", "summary")
    }
    for hypothesis, genre in (("h0", None), ("h1", None), ("h2", "news")):
        own = [row for row in scores if row["hypothesis"] == hypothesis]
        rows = by_unit((row for row in own if genre in (None, row["genre"])), unit)

        def values(counts: Counts, units: Collection[str], rows: Any = rows) -> dict[str, Any]:
            left_out = {*rows} - {*units}
            # References of a unit that are of another genre are left out of P_seg with the unit
            # only where all groups have them.
            kept = [
                row
                for name, of in of_run.items()
                for row in of
                if name not in left_out or row["document_id"] not in documents(rows[name])
            ]
            prior = naive.p_seg(kept) if p_seg is None else p_seg
            return passes.twin_values(counts, p_seg=prior, rows=False)

        for name, estimate in naive_jackknife.micro(rows, COUNTS, values).items():
            grouped = unit != "documents"
            estimate = estimate._replace(grouped=grouped)
            check_interval(found[hypothesis, genre, name, "micro"], estimate)
            macro = naive_jackknife.macro(
                {each: means_of(listed, name) for each, listed in rows.items()}
            )._replace(grouped=grouped)
            check_interval(found[hypothesis, genre, name, "macro"], macro, apart=1e-5)


def by_unit(rows: Iterable[dict[str, Any]], unit: str) -> dict[str, Rows]:
    """Rows by resampling unit."""
    units = defaultdict(list)
    for row in rows:
        units[UNITS[unit](row["document_id"])].append(row)
    return dict(units)


def documents(rows: Rows) -> set[str]:
    return {row["document_id"] for row in rows}


def means_of(rows: Rows, measure: str) -> list[float]:
    """The mean of each document over its references, where it has one."""
    known = defaultdict(list)
    for row in rows:
        if row[measure] is not None:
            known[row["document_id"]].append(row[measure])
    return [sum(values) / len(values) for values in known.values()]


def check_interval(
    row: dict[str, Any], estimate: naive_jackknife.Estimate, apart: float = 1e-8
) -> None:
    """Compare an average with the twin; sums of values are kept to 2^-24."""
    measure = ALL[row["measure"]]
    expected = naive_jackknife.interval(estimate, measure.lower, measure.upper)
    for name, end in zip(("ci_low", "ci_high"), expected, strict=True):
        near = None if end is None else pytest.approx(end, rel=apart, abs=apart)
        assert row[name] == near, (row, estimate)
    assert row["effective"] == pytest.approx(estimate.effective)


def test_rows_add_up_and_the_signature_describes_the_run(
    segscore: Segscore, tmp_path: Path
) -> None:
    generated = corpus(seed=2)
    generated.write(tmp_path)
    record = run(segscore, tmp_path, tmp_path / "run", "--n-t", 3, "--p-seg", 0.25)
    for rows in record["rows"].values():
        assert rows["in"] == rows["scored"] + rows["rejected"] + rows["unpaired"]
    assert record["rows"]["hypotheses"]["in"] == len(generated.hypotheses)
    assert record["signature"] == (
        "segscore|n_t:3|window:per-pair,half-even,min2|units:units|pairing:greedy|p_seg:0.25|"
        "measures:default,pk_prior,pk_prime,c_seg,c_seg_normalised|ci:jackknife,documents|v:0.3.0.dev0"
    )
    shown = segscore("show", tmp_path / "run")
    assert shown.code == 0 and record["signature"] in shown.out


def test_tinyrec_has_the_same_scores_in_both_formats(segscore: Segscore, tmp_path: Path) -> None:
    """The meetings that ship, read as JSONL and as imported tables, have the same scores."""
    result = segscore("import", DATA / "tinyrec.jsonl", "--output", tmp_path)
    assert result.code == 0, result.err
    for source, output in ((tmp_path, "a"), (None, "b")):
        sides = [
            source / side if source else DATA / "tinyrec.jsonl"
            for side in ("references", "hypotheses")
        ]
        result = segscore("score", *sides, *COUNTED, "--output", tmp_path / output)
        assert result.code == 0, result.err
    from_tables, from_lines = (
        read_table(str(tmp_path / output / "scores")).select(
            ["document_id", *PAIRS.counts, *PAIRS.measures]
        )
        for output in ("a", "b")
    )
    assert from_tables.equals(from_lines)
    assert from_tables.num_rows == 42


def test_measures_lists_every_measure(segscore: Segscore) -> None:
    result = segscore("measures")
    assert result.code == 0
    for measure in PAIRS.measures.values():
        assert measure.name in result.out


def test_a_finished_run_is_shown_in_any_layout(segscore: Segscore, tmp_path: Path) -> None:
    run, news = tmp_path / "run", DATA / "news.jsonl"
    options = ("--layout", "documents", "--format", "csv")
    scored = segscore("score", news, news, "--group-by", "programme", "--output", run, *options)
    assert segscore("show", run, *options).out == scored.out
    for layout, format_name in (("groups", "markdown"), ("crossed", "latex"), ("systems", "csv")):
        options = ("--layout", layout, "--format", format_name)
        again = segscore("score", news, news, "--group-by", "programme", "--output", run, *options)
        shown = segscore("show", run, *options)
        assert shown.code == 0, shown.err
        assert shown.out == again.out
    assert "must be one of systems" in segscore("show", run, "--layout", "sytems").err
    assert "add --layout" in segscore("show", run, "--format", "latex").err
