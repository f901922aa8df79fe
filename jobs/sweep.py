"""`segscore sweep`: compute errors at every threshold of boundary scores, or tolerance."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from segscore.jobs.cli import startup
from segscore.jobs.cli.options import Cluster, FigureFile, Workers
from segscore.jobs.show.fitted import print_fitted, print_lines
from segscore.jobs.show.formats import (
    ResultFormat,
    as_rows,
    described,
    plain_layout,
    print_json,
    print_table,
)
from segscore.jobs.show.measured import print_measured, threshold_in_words
from segscore.jobs.show.printing import log_finished, print_record, print_written, say_done
from segscore.jobs.show.progress import Bar
from segscore.jobs.show.ranks import print_ranks
from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.scoring.sweep.settings import SweepSettings
from segscore.pipeline.statistics.shown_numbers import counted, shown_number
from segscore.pipeline.statistics.shown_tables import Column

if TYPE_CHECKING:
    import pyarrow as pa

    from segscore.pipeline.runs.finished import FinishedRun

_TABLES = ("tolerances", "curves", "operating_points", "measured", "ranks")
"""Tables of results, of those that a sweep writes."""

_SHOWN = 7
"""Number of points shown for each curve, besides the operating point."""

_TOLERANCES_SHOWN, _SYSTEMS_SHOWN = 20, 20
"""Maximum numbers of tolerances and systems shown, of a sweep over tolerances."""

_HEADINGS = {
    "pk_miss_rate": "P_miss",
    "pk_false_alarm_rate": "P_fa",
    "r_miss": "R_miss",
    "r_false_alarm": "R_fa",
    "mean_segment_length": "mean length",
    "reference_mean_segment_length": "reference's",
}

_TOLERANT = {
    "tolerant_precision": "precision",
    "tolerant_recall": "recall",
    "tolerant_f1": "F",
    "reach_f1": "F in reach",
    "r_value": "R-value",
}


def sweep(
    chosen: SweepSettings,
    cluster: Cluster = "local",
    workers: Workers = None,
    format_name: ResultFormat = "text",
    figure: FigureFile = None,
) -> None:
    """Write errors at every threshold or tolerance, or ranks of systems at several settings."""
    from segscore.pipeline.reports.figures import require_figure
    from segscore.pipeline.runs import executors
    from segscore.pipeline.runs.finished import FinishedRun
    from segscore.pipeline.scoring.sweep.run import run_sweep

    if figure is not None and chosen.varies:
        raise Refused("--figure: ranks have none; omit it")
    if figure is not None:
        require_figure("--figure", figure)
    startup.work()
    with executors.connect(cluster, workers) as executor, Bar("sweeping") as bar:
        outcome = run_sweep(chosen, executor, bar.advance)
    if isinstance(outcome, Done):
        say_done(outcome, format_name)
    finished = FinishedRun.open(chosen.output) if isinstance(outcome, Done) else outcome
    if figure is not None:
        _save_figure(figure, finished)
    if format_name == "text":
        _print_text(chosen, finished, written=finished is outcome)
        return
    log_finished(chosen.output, finished.record)
    if format_name == "json":
        names = [name for name in _TABLES if finished.files(name)]
        tables = as_rows({name: finished.table(name) for name in names})
        print_json("sweep", {"output": chosen.output, **described(finished.record), **tables})
    else:
        shown = "measured" if chosen.measures else "curves"
        shown = "ranks" if chosen.varies else shown
        curves = finished.table("tolerances" if chosen.tolerances else shown)
        rows, signature = curves.to_pylist(), finished.record["signature"]
        print_table(plain_layout(curves.column_names, rows, signature), format_name)


def _print_text(chosen: SweepSettings, finished: "FinishedRun", *, written: bool) -> None:
    """Print the tables, the record, and what they say."""
    from segscore.pipeline.reports.answer import thresholds_in_words, tolerances_in_words
    from segscore.pipeline.reports.ranks import ranks_in_words

    if chosen.varies:
        print_ranks(finished.rows("ranks"))
    elif chosen.tolerances:
        _print_tolerances(finished.table("tolerances"))
    else:
        _print_curves(finished.table("curves"), finished.table("operating_points"))
        if chosen.measures:
            print_measured(finished.rows("measured"))
    print_record(chosen.output, finished.record)
    if written:
        print_written(chosen.output)
    if chosen.varies:
        print_lines(*ranks_in_words(finished.rows("ranks")))
        return
    describe = tolerances_in_words if chosen.tolerances else thresholds_in_words
    print_lines(*describe(finished, str))
    if chosen.measures:
        print_lines(threshold_in_words(finished.rows("measured"), chosen.measures[0]))


def _save_figure(path: str, finished: "FinishedRun") -> None:
    """Save the charts that the report of the sweep has."""
    from segscore.jobs.show.figures import write_figure
    from segscore.pipeline.reports.sweep import sweep_sections, tolerance_sections

    has_curves = bool(finished.files("curves"))
    sections = sweep_sections(finished) if has_curves else tolerance_sections(finished)
    drawn = [figure.chart for section in sections for figure in section.figures]
    write_figure(path, drawn, "no curve has a defined value to draw")


def _print_tolerances(tolerances: "pa.Table") -> None:
    """Print precision, recall and F of the first systems, at tolerances spread over all."""
    every = tolerances.to_pylist()
    names, limits = ({row[name]: None for row in every} for name in ("hypothesis", "tolerance"))
    first, spread = {*[*names][:_SYSTEMS_SHOWN]}, {*_spread([*limits])}
    rows = [row for row in every if row["hypothesis"] in first and row["tolerance"] in spread]
    left = (len(names) - len(first), "system"), (len(limits) - len(spread), "tolerance")
    more = named_list([counted(number, f"more {noun}") for number, noun in left if number])
    caption = f"{more}: in the table tolerances" if more else ""
    steps = Column("tolerance", [f"{row['tolerance']:,}" for row in rows])
    _print_rows(rows, steps, _TOLERANT, caption)


def _spread(tolerances: Sequence[int]) -> Iterator[int]:
    """Yield the first and the last tolerance, and as many evenly between as are shown."""
    steps = min(len(tolerances), _TOLERANCES_SHOWN)
    for step in range(steps):
        yield tolerances[step * (len(tolerances) - 1) // max(1, steps - 1)]


def _print_curves(curves: "pa.Table", operating_points: "pa.Table") -> None:
    """Print a few points of each hypothesis's curve and, marked, its operating point."""
    from segscore.pipeline.scoring.sweep.curves import excerpt

    rows = list(excerpt(curves, operating_points, _SHOWN))
    steps = Column("threshold", [_threshold(row) for row in rows])
    _print_rows(rows, steps, _HEADINGS, "* mean length closest to the reference's")


def _print_rows(
    rows: Sequence[Mapping[str, Any]], steps: Column, headings: Mapping[str, str], caption: str = ""
) -> None:
    """Print rows of hypotheses, each named once, with an empty line between them."""
    names = [row["hypothesis"] for row in rows]
    pairs = list(pairwise([None, *names]))
    hypotheses = ["" if name == before else name for before, name in pairs]
    values = [
        Column(heading, [shown_number(row[name]) for row in rows])
        for name, heading in headings.items()
    ]
    print_fitted(
        [Column("hypothesis", hypotheses, is_name=True), steps, *values],
        caption=caption,
        sections={place for place, (name, after) in enumerate(pairwise(names)) if name != after},
    )


def _threshold(row: Mapping[str, Any]) -> str:
    threshold = "none" if row["threshold"] is None else f"{row['threshold']:.6g}"
    return f"* {threshold}" if row["operating"] else threshold
