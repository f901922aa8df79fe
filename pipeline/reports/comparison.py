"""The page of a comparison: the best system minus each other one, by measure and by group."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from segscore.pipeline.comparison.boundaries_tables import where_tables
from segscore.pipeline.comparison.pair_rows import better_first, is_significant, turned
from segscore.pipeline.comparison.system_pairs_tables import differences_table, drawn_pairs_table
from segscore.pipeline.comparison.systems_table import best_first
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures.several_references import COMPARED
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.reports import charts
from segscore.pipeline.reports.chart_parts import Chart, MarkValues
from segscore.pipeline.reports.page import Figure, Section, isolated, shown_figure
from segscore.pipeline.reports.run_tables import group_name
from segscore.pipeline.results.names import is_point
from segscore.pipeline.runs.finished import FinishedRun, grouped, rows_over_all
from segscore.pipeline.statistics.formatted_numbers import format_p, shown_group
from segscore.schemas.rows import PairRow, SystemRow, group_of

_SYSTEMS = 30
"""Most systems that a chart compares with the first."""

_COLUMNS = (
    "difference", "ci_low", "ci_high", "p", "p_holm", "smallest_difference_low",
    "smallest_difference_high", "documents", "units", "equal",
)  # fmt: skip


def require_columns(run: FinishedRun) -> None:
    """Refuse a comparison of an earlier version, whose table lacks columns.

    Raises:
        Refused: the run must be compared again.
    """
    (first, *_) = run.parts("comparisons")
    lacking = [name for name in _COLUMNS if name not in first.column_names]
    if lacking:
        raise Refused(
            f"{run.url}: was compared by an earlier version, and lacks {named_list(lacking)}; "
            "compare the runs again"
        )


def comparison_sections(run: FinishedRun, average: str) -> tuple[Figure | None, list[Section]]:
    """Return the picture of the first measure, and the sections: groups, measures, all pairs."""
    by = run.settings["group_by"]
    every: list[PairRow] = run.rows("comparisons")
    systems: list[SystemRow] = run.rows("systems")
    pairs = grouped([row for row in every if row["average"] == average], ("measure",))
    ranked = grouped([row for row in systems if row["average"] == average], ("measure",))
    figures = {
        measure: _of_measure(rows, best_first(ranked.get((measure,), []), average), measure, by)
        for (measure,), rows in pairs.items()
    }
    whole = {measure: drawn[0] for measure, drawn in figures.items() if drawn}
    picture, *others = whole.values() or [None]
    groups = [figure for drawn in figures.values() for figure in drawn[1:]]
    tables = [_every_pair(rows, measure, run) for (measure,), rows in pairs.items()]
    where = [shown_figure(table) for table in where_tables(run.rows("where"), run.unit)]
    sections = [
        Section("groups", "By group", _GROUPED, groups),
        Section("measures", "Other measures", "", [each for each in others if each is not None]),
        Section("differences", "All pairs", _ABOUT.format(average=average), tables),
        Section("where", "Where boundaries are missed", "", where),
    ]
    return picture, [section for section in sections if section.figures]


_GROUPED = "All groups of a measure have the same axis."

_ABOUT = (
    "Differences of the {average} averages over the documents that systems share. Their intervals "
    "are at the levels of their tests, which Holm's method adjusts: an interval excludes 0 where "
    "p (Holm) is below 0.05."
)


def _every_pair(rows: Sequence[PairRow], measure: str, run: FinishedRun) -> Figure:
    by = run.settings["group_by"]
    chosen = [better_first(row) for row in rows]
    groups = [_group(row, by) for row in chosen]
    table = differences_table(chosen, groups, measure, run.settings.get("margin"))
    return shown_figure(table, folded=False, wide=True)


def _of_measure(
    pairs: Sequence[PairRow], ranked: Sequence[SystemRow], measure: str, by: Sequence[str]
) -> list[Figure]:
    """Draw the first system minus each other one: over all documents, then in each group."""
    parts = {
        group: _against_first(rows, [row for row in ranked if group_of(row, by) == group])
        for group, rows in grouped(pairs, by).items()
    }
    marks = [mark for _, of_group in parts.values() for mark in of_group]
    figures: list[Figure] = []
    for group, (first, drawn) in [*parts.items()][: 1 + _GROUPS]:
        name = "" if all(part is None for part in group) else shown_group(by, group)
        title = f"{measure}{COMPARED[measure].arrow}: {isolated(first)} minus each other"
        title = ", ".join(filter(None, (title, name)))
        chart = charts.differences(drawn, f"difference in {measure}", marks)
        if chart is not None:
            table = drawn_pairs_table(drawn, first)
            figures.append(shown_figure(table, chart, title=title, wide=not figures, note=_READ))
    return figures


_GROUPS = 12
"""Most groups that are drawn."""

_READ = "Filled: significant. Open: not. Lines: intervals by Holm's method."


def _against_first(
    pairs: Sequence[PairRow], ranked: Sequence[SystemRow]
) -> tuple[str, list[MarkValues]]:
    """Return the first system, and the marks of its differences from the others, best first.

    Reference points are drawn where there is no other system.
    """
    names = [row["system"] for row in ranked] or [pairs[0]["system"], pairs[0]["other"]]
    first, *others = names
    systems = [name for name in others if not is_point(name)] or others
    of = {row["other"] if row["system"] == first else row["system"]: row for row in pairs
          if first in (row["system"], row["other"])}  # fmt: skip
    marks: list[MarkValues] = []
    for name in systems[:_SYSTEMS]:
        if (row := of.get(name)) is None or row["difference"] is None:
            continue
        row = row if row["system"] == first else turned(row)
        p = row["p_holm"]
        shown = "" if p is None else f"p {format_p(p)}"
        ends = {"value": row["difference"], "low": row["ci_low"], "high": row["ci_high"]}
        marks.append({"name": name, **ends, "p": shown, "sure": is_significant(row)})
    return first, marks


def difference_charts(
    tables: Mapping[str, pa.Table], measures: Sequence[str], by: Sequence[str], average: str
) -> list[Chart | None]:
    """Draw the first system minus each other one by each measure, for a paper.

    Args:
        tables: `comparisons` and `systems`.
        measures: what to draw.
        by: the group-by columns; only averages over all documents are drawn.
        average: micro or macro.
    """
    every: list[PairRow] = rows_over_all(tables["comparisons"], by)
    systems: list[SystemRow] = rows_over_all(tables["systems"], by)
    drawn = []
    for measure in measures:
        rows = [r for r in every if (r["measure"], r["average"]) == (measure, average)]
        ranked = best_first((row for row in systems if row["measure"] == measure), average)
        if rows:
            first, marks = _against_first(rows, ranked)
            drawn.append(charts.differences(marks, f"{measure}: {first} minus each other"))
    return drawn


def _group(row: PairRow, by: Sequence[str]) -> str:
    return "all" if all(part is None for part in group_of(row, by)) else group_name(row, by)
