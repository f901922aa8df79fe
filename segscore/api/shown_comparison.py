"""Show comparisons as text and in notebooks, as the command does: systems, then pairs."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from segscore.api.runs import RunTables
from segscore.api.shown import aligned
from segscore.pipeline.comparison.pair_rows import better_first
from segscore.pipeline.comparison.shown_systems import best_first
from segscore.pipeline.measures import ALL
from segscore.pipeline.results.leaderboard import rank
from segscore.pipeline.runs.finished import rows_over_all
from segscore.pipeline.statistics.shown_numbers import (
    shown_change,
    shown_interval,
    shown_number,
    shown_p,
    shown_rank,
)
from segscore.schemas.rows import PairRow, SystemRow

_AVERAGE = "micro"
_SYSTEMS = ("value", "95 % interval", "rank", "documents")
_PAIRS = ("better", "than", "by", "interval (Holm)", "p (Holm)", "documents")


class _Block(NamedTuple):
    """A table with its title: the headings are the first of its rows."""

    title: str
    rows: Sequence[Sequence[str]]


def comparison_as_text(comparison: RunTables) -> str:
    """List the systems and the differences of all pairs by each measure."""
    lines = []
    for title, rows in _blocks(comparison):
        lines += [title, *aligned(rows), ""]
    return "\n".join([*lines, *comparison.warnings, comparison.signature])


def comparison_as_html(comparison: RunTables) -> str:
    """Return the same as HTML tables."""
    parts = []
    for title, (heading, *rows) in _blocks(comparison):
        head = "".join(f"<th>{escape(cell)}</th>" for cell in heading)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        parts.append(
            f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )
    notes = "".join(f"<p>{escape(text)}</p>" for text in comparison.warnings)
    return f"{''.join(parts)}{notes}<code>{escape(comparison.signature)}</code>"


def _blocks(comparison: RunTables) -> Iterator[_Block]:
    settings = comparison.record["settings"]
    by = settings["group_by"]
    averages: list[SystemRow] = rows_over_all(comparison.table("systems"), by)
    differences: list[PairRow] = rows_over_all(comparison.table("comparisons"), by)
    pairs = [row for row in differences if row["average"] == _AVERAGE]
    for measure in settings["measures"]:
        title = f"{measure}{ALL[measure].arrow}, {_AVERAGE} averages of all documents"
        ranked = best_first((row for row in averages if row["measure"] == measure), _AVERAGE)
        for board in rank(ranked, (), measure, "system"):
            remark = "" if board.coverage.ranks else f"; {board.coverage.in_words}"
            yield _Block(title + remark, [(board.heading, *_SYSTEMS), *map(_system, ranked)])
        chosen = [better_first(row) for row in pairs if row["measure"] == measure]
        if chosen:
            yield _Block(f"differences in {measure}", [_PAIRS, *map(_pair, chosen)])


def _system(row: SystemRow) -> tuple[str, ...]:
    return (
        row["system"],
        shown_number(row["value"]),
        shown_interval(row["ci_low"], row["ci_high"]),
        shown_rank(row["rank"]),
        str(row["defined"]),
    )


def _pair(row: PairRow) -> tuple[str, ...]:
    return (
        row["system"],
        row["other"],
        shown_change(row["difference"]),
        shown_interval(row["ci_low"], row["ci_high"]),
        shown_p(row["p_holm"]),
        str(row["documents"]),
    )
