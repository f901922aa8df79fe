"""Print the systems of a scoring run, best first, with the main measures as columns."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text

from segscore.jobs.show.fitted import print_fitted, print_lines
from segscore.pipeline.statistics.shown_numbers import (
    counted,
    short_interval,
    shown_cell,
    shown_group,
    shown_number,
)
from segscore.pipeline.statistics.shown_tables import Column
from segscore.schemas.rows import AverageRow, column_of

if TYPE_CHECKING:
    import pyarrow as pa

    from segscore.pipeline.results.leaderboard import Leaderboard

SCORE_LAYOUTS = ("systems", "groups", "crossed", "measures", "confusion")
GROUPS_SHOWN = 10
_LONGEST_HEADING = 13
"""Number of characters after which the name of a measure continues on the next line."""

_OVER_WINDOWS = ("pk", "window_diff")
"""Measures by which a hypothesis without boundaries can be better than every system."""


def print_scores(
    summary: "pa.Table",
    layout: str | None = None,
    whole: str = "all documents",
    named: Sequence[str] = (),
) -> None:
    """Print the averages of a run.

    Args:
        summary: the table ``summary`` of the run.
        layout: ``systems``: the leaderboard over all documents; ``groups``: also that of each
            group; ``measures``: a table for each measure, for each of these groups; None: the
            leaderboard, of a command that has no other layout.
        whole: title of the leaderboard over all documents.
        named: measures and families in the order in which the user named them.
    """
    from segscore.pipeline.results.leaderboard import rank
    from segscore.pipeline.statistics.averages import summary_groups

    if not summary.num_rows:
        need = "no document has several references, which all the chosen measures need"
        print_lines(f"no averages: {need}")
        return
    by = summary_groups(summary.column_names)
    rows: list[AverageRow] = summary.to_pylist()
    boards, macro = (
        rank([row for row in rows if row["average"] == average], by, named=named)
        for average in ("micro", "macro")
    )
    shown = len(boards) if layout in ("groups", "measures") else 1
    for board, means in zip(boards[: min(shown, 1 + GROUPS_SHOWN)], macro, strict=False):
        if layout == "measures":
            _print_measures(shown_group(by, board.group) or whole, board, means)
        else:
            hint = [] if layout is None else ["--layout measures shows all measures"]
            title = shown_group(by, board.group) or whole
            _print_leaderboard(title, board, hint)
    if shown > 1 + GROUPS_SHOWN:
        print_lines(f"{shown - 1 - GROUPS_SHOWN} more groups are in the table summary")
    if layout == "systems" and len(boards) > 1:
        number = f"{len(boards) - 1} group{'s' if len(boards) > 2 else ''}"
        print_lines(f"--layout groups adds the averages of {number} by {', '.join(by)}")


def _print_leaderboard(title: str, board: "Leaderboard", hint: list[str]) -> None:
    """Print a row for each system; the interval is that of the measure by which they rank."""
    from segscore.pipeline.results.leaderboard import PRINTED, heading_beside

    listed = _without_folded(board)
    names = listed.names
    first, *others = board.measures[:PRINTED]
    ends = [_dimmed(_interval(board, name), name in board.points) for name in names]
    columns = [
        Column(board.heading, _names(listed), is_name=True),
        _measure(first, listed),
        *([Column("95 % interval", ends)] if any(map(str, ends)) else []),
        *(
            Column(
                heading_beside(name),
                [shown_cell(column_of(board.rows[system], name)) for system in names],
            )
            for name in board.beside()
        ),
        *(_measure(name, listed) for name in others),
    ]
    hints = hint if len(others) < len(board.averages) - 1 else []
    print_fitted(
        columns,
        title=title,
        caption="; ".join([*_remarks(board, listed), *hints]),
        sections=_section(listed),
    )


def _interval(board: "Leaderboard", name: str) -> str:
    row = board.average(board.measure, name)
    return short_interval(row["ci_low"], row["ci_high"])


def _remarks(board: "Leaderboard", listed: "Leaderboard") -> Iterator[str]:
    """Say what is averaged and marked, and what the reference points without a row have."""
    from segscore.pipeline.results.chance import SKILL
    from segscore.pipeline.results.folded import folded_in_words
    from segscore.pipeline.results.leaderboard import PRINTED

    numbers = {board.rows[name]["documents"] for name in listed.names}
    over = f" over {counted(numbers.pop(), 'document')}" if len(numbers) == 1 else ""
    over = f" over {shared}" if (shared := board.coverage.shared_in_words) else over
    yield f"micro averages{over}"
    if "skill" in board.beside():
        yield f"skill: {SKILL}"
    if board.answers_in_words:
        yield board.answers_in_words
    if any(map(board.best, board.measures[:PRINTED])):
        yield "* best system"
    if not board.coverage.ranks:
        yield board.coverage.advice
    folded = [name for name in board.points if name not in listed.rows]
    values = {name: board.average(board.measure, name)["value"] for name in folded}
    yield from folded_in_words(values)


def _without_folded(board: "Leaderboard") -> "Leaderboard":
    """Leave out the chance of each system, which skill tells, and the extreme reference points."""
    from segscore.pipeline.results.folded import folded_points

    folded = folded_points(board.names)
    averages = {
        measure: {name: row for name, row in of.items() if name not in folded}
        for measure, of in board.averages.items()
    }
    return replace(board, averages=averages)


def _dimmed(text: str, is_dim: bool) -> Text:
    return Text(text, "dim" if is_dim else "")


def _section(board: "Leaderboard") -> set[int]:
    """Return the row below which the reference points begin, if there are systems above them."""
    systems = len(board.systems)
    return {systems - 1} if systems and board.points else set()


def _names(board: "Leaderboard") -> list[Text]:
    return [*map(Text, board.systems), *(Text(name, "dim") for name in board.points)]


def measure_heading(measure: str) -> str:
    """Return the heading of a column: the name of a measure, and an arrow in its better direction.

    A long name continues on the next line after an underscore.
    """
    from segscore.pipeline.measures import ALL

    lines = [""]
    for part in (measure + ALL[measure].arrow).replace("_", "_\0").split("\0"):
        if lines[-1] and len(lines[-1] + part) > _LONGEST_HEADING:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _measure(measure: str, board: "Leaderboard") -> Column:
    best, points = board.best(measure), board.points
    cells = []
    for name in board.names:
        row = board.average(measure, name)
        value = row["value"]
        is_best = name in best
        cell = Text(shown_number(value) + ("*" if is_best else " "), "bold" if is_best else "")
        if name in points:
            cell.stylize("dim")
        cells.append(cell)
    return Column(measure_heading(measure), cells)


def _print_measures(title: str, board: "Leaderboard", macro: "Leaderboard") -> None:
    """Print a table of the systems for each measure."""
    from segscore.pipeline.measures import ALL

    for name in board.averages:
        of_measure = board.by(name)
        names = of_measure.names
        print_fitted(
            [
                Column(of_measure.heading, _names(of_measure), is_name=True),
                _averages("micro", [board.average(name, one) for one in names]),
                _averages("macro", [macro.average(name, one) for one in names]),
                Column("documents", [str(board.average(name, one)["defined"]) for one in names]),
            ],
            title=f"{name}{ALL[name].arrow}, {title}",
            caption=of_measure.coverage.in_words,
            sections=_section(of_measure),
        )


def _averages(heading: str, rows: Sequence[AverageRow]) -> Column:
    ends = [(row["ci_low"], row["ci_high"]) for row in rows]
    return Column(heading, [row["value"] for row in rows], ends=ends)


def explain_better_point(summary: "pa.Table") -> str | None:
    """Return a sentence if `point:none` is better than all systems by a measure over windows."""
    from segscore.pipeline.results.leaderboard import rank
    from segscore.pipeline.results.names import POINT
    from segscore.pipeline.runs.finished import rows_over_all
    from segscore.pipeline.statistics.averages import summary_groups

    rows: list[AverageRow] = rows_over_all(summary, summary_groups(summary.column_names))
    better = []
    for measure in _OVER_WINDOWS:
        of_measure = (r for r in rows if (r["measure"], r["average"]) == (measure, "micro"))
        for board in rank(of_measure, measure=measure):
            values = {name: board.average(measure, name)["value"] for name in board.names}
            systems = [v for name in board.contenders if (v := values[name]) is not None]
            none = f"{POINT}none"
            point = values.get(none)
            if not all(board.have_same_documents(none, name) for name in board.contenders):
                continue
            if systems and point is not None and point < min(systems):
                better.append(measure)
    if not better:
        return None
    return (
        f"{POINT}none is better than every system by {' and '.join(better)}: it misses all "
        "boundaries, but raises no false alarm; see docs/which-measure.md"
    )
