"""Show comparisons as text and in notebooks, as the command does: systems, then pairs."""

from collections.abc import Iterator
from html import escape

from segscore.api.runs import RunTables
from segscore.api.shown import aligned
from segscore.pipeline.comparison.pair_rows import better_first, neighbours_first
from segscore.pipeline.comparison.system_pairs_tables import all_pairs_table
from segscore.pipeline.comparison.systems_table import best_first, systems_table
from segscore.pipeline.runs.finished import rows_over_all
from segscore.pipeline.statistics.result_table import Column, ResultTable
from segscore.schemas.rows import PairRow, SystemRow

_AVERAGE = "micro"


def comparison_as_text(comparison: RunTables) -> str:
    """List the systems and the differences of all pairs by each measure."""
    lines = []
    for table in _tables(comparison):
        columns = [(column.name, *column.cells) for column in _columns(table)]
        lines += [_title(table), *aligned([*zip(*columns, strict=True)]), ""]
    return "\n".join([*lines, *comparison.warnings, comparison.signature])


def comparison_as_html(comparison: RunTables) -> str:
    """Return the same as HTML tables."""
    parts = []
    for table in _tables(comparison):
        columns = _columns(table)
        head = "".join(f"<th>{escape(column.name)}</th>" for column in columns)
        rows = zip(*(column.cells for column in columns), strict=True)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        parts.append(
            f"<table><caption>{escape(_title(table))}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )
    notes = "".join(f"<p>{escape(text)}</p>" for text in comparison.warnings)
    return f"{''.join(parts)}{notes}<code>{escape(comparison.signature)}</code>"


def _tables(comparison: RunTables) -> Iterator[ResultTable]:
    settings = comparison.record["settings"]
    by = settings["group_by"]
    averages: list[SystemRow] = rows_over_all(comparison.table("systems"), by)
    differences: list[PairRow] = rows_over_all(comparison.table("comparisons"), by)
    for measure in settings["measures"]:
        of_measure = [row for row in averages if row["measure"] == measure]
        rows = best_first(of_measure, _AVERAGE)
        if rows:
            yield systems_table(rows, of_measure, "all documents")
        pairs = [
            row for row in differences if (row["measure"], row["average"]) == (measure, _AVERAGE)
        ]
        if pairs:
            ranked = [row["system"] for row in rows]
            shown = [better_first(row) for row in neighbours_first(pairs, ranked)]
            yield all_pairs_table(shown, measure, settings["margin"])


def _columns(table: ResultTable) -> list[Column]:
    return [part for column in table.columns for part in column.for_terminal()]


def _title(table: ResultTable) -> str:
    return "; ".join(text for text in (table.title, table.caption) if text)
