"""Show evaluations and scores as text and in notebooks."""

from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from segscore.pipeline.measures import ALL, HEADLINES
from segscore.pipeline.reports.strips import (
    HIGH,
    MARKS,
    WIDTH,
    Drawing,
    boundary_strip,
    draw_strip,
    outcome_strip,
)
from segscore.pipeline.results.leaderboard_table import averages_by_measure
from segscore.pipeline.statistics.formatted_numbers import counted, shown_number
from segscore.pipeline.statistics.result_table import Column

if TYPE_CHECKING:
    from segscore.pipeline.measures.edit_list import Edit
    from segscore.pipeline.results.leaderboard import Leaderboard
    from segscore.pipeline.scoring.explain import Explained

_COLORS = {
    "boundary": "currentColor",
    "match": "#5a6672",
    "near": "#b86e00",
    "other": "#0b7a75",
    "miss": "#c2255c",
    "extra": "#7a3fb5",
}
"""Kind of mark -> its color, as in a report; kinds also differ in shape."""

_LEFT, _STEP, _RULER = 190, 24, 18
"""Width of the names beside a drawing, and distances between its strips and above its numbers."""


class ShownEvaluation(NamedTuple):
    """What is shown of an evaluation.

    Attributes:
        board: the systems, ranked by micro averages.
        macro_board: the same by macro averages.
        worth: sentences about what the values of systems are worth.
        warnings: the warnings of the run.
        signature: how it was computed.
    """

    board: "Leaderboard"
    macro_board: "Leaderboard"
    worth: Sequence[str]
    warnings: Sequence[str]
    signature: str


class ShownPair(NamedTuple):
    """What is drawn of a pair: the boundaries of its reference, and the edits, in the text."""

    n_units: int
    boundaries: Sequence[int]
    edits: "Sequence[Edit]"


class ShownScore(NamedTuple):
    """What is shown of a score; ``pair`` is None for the sum of several pairs."""

    values: Mapping[str, float | None]
    pairs: int
    pair: ShownPair | None
    signature: str


def evaluation_as_text(evaluation: ShownEvaluation) -> str:
    """List the main measures of every system; the best values are marked."""
    columns, best = _columns(evaluation)
    marks = ["", *("best" * (row in best) for row in range(len(columns[0].values)))]
    rows = zip(*([column.heading, *column.cells] for column in columns), marks, strict=True)
    return "\n".join([*aligned([*rows]), *_notes(evaluation), evaluation.signature])


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Write the rows of a table as lines, with cells of the same column below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def evaluation_as_html(evaluation: ShownEvaluation) -> str:
    """Return the same as an HTML table, the best values in bold."""
    columns, best = _columns(evaluation)
    heading = "".join(f"<th>{escape(column.heading)}</th>" for column in columns)
    cells = [
        [
            f"<td><b>{escape(cell)}</b></td>"
            if column.best is not None and row in best
            else f"<td>{escape(cell)}</td>"
            for row, cell in enumerate(column.cells)
        ]
        for column in columns
    ]
    rows = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*cells, strict=True))
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in _notes(evaluation))
    return (
        f"<table><thead><tr>{heading}</tr></thead><tbody>{rows}</tbody></table>{paragraphs}"
        f"<code>{escape(evaluation.signature)}</code>"
    )


def _columns(evaluation: ShownEvaluation) -> tuple[list[Column], Collection[int]]:
    """Return the columns of an evaluation, each interval in one of its own, and the best rows."""
    table = averages_by_measure(evaluation.board, evaluation.macro_board)
    columns = [part for column in table.columns for part in column.for_terminal()]
    return columns, next(column.best for column in columns if column.best is not None)


def _notes(evaluation: ShownEvaluation) -> list[str]:
    """Return the lines below the table."""
    ranked = evaluation.board.coverage.advice
    told = not ranked or any(ranked in warning for warning in evaluation.warnings)
    return [*evaluation.worth, *evaluation.warnings, *([] if told else [ranked])]


def score_as_text(score: ShownScore) -> str:
    """Draw the pair of a score, below its main values."""
    shown = ", ".join(f"{name}={shown_number(value)}" for name, value in _headlines(score))
    if score.pair is None:
        return f"Score({counted(score.pairs, 'pair')}, {shown})"
    from segscore.pipeline.reports.terminal import LEGEND, draw_in_terminal

    lines = draw_in_terminal(score.pair.n_units, score.pair.edits, 80)
    return "\n".join([f"Score({shown})", *lines, LEGEND])


def score_as_html(score: ShownScore) -> str:
    """Draw the pair of a score, above a table of its main values."""
    cells = "".join(
        f"<tr><td>{name}{ALL[name].arrow}</td><td>{shown_number(value)}</td></tr>"
        for name, value in _headlines(score)
    )
    table = f"<table><tbody>{cells}</tbody></table><code>{escape(score.signature)}</code>"
    if score.pair is None:
        return f"<p>{counted(score.pairs, 'pair')}</p>{table}"
    positions = sorted({*score.pair.boundaries})
    strips = [
        boundary_strip("reference", positions),
        outcome_strip("hypothesis", score.pair.edits),
    ]
    text = f"a reference of {counted(len(positions) + 1, 'segment')} above a hypothesis"
    return _svg(draw_strip("", text, score.pair.n_units, strips)) + table


def pair_as_svg(pair: "Explained") -> str:
    """Draw a reference above a hypothesis, with the outcome of each boundary."""
    positions = sorted({edit.position for edit in pair.edits if edit.position is not None})
    strips = [boundary_strip(pair.reference, positions), outcome_strip(pair.hypothesis, pair.edits)]
    text = f"{pair.document}: {pair.hypothesis} below {pair.reference}"
    drawing = draw_strip("", text, pair.n_units, strips, pair.unit)
    return f"<p>{escape(text)}</p>{_svg(drawing)}"


def _headlines(score: ShownScore) -> list[tuple[str, float | None]]:
    return [(name, score.values[name]) for name in HEADLINES if name in score.values]


def _svg(drawing: Drawing) -> str:
    """Return a drawing as SVG that needs no style sheet."""
    parts, top = [], 0
    for line in drawing.lines:
        top += _RULER
        parts += [
            f'<text x="{_LEFT + x:.1f}" y="{top - 5}" text-anchor="middle" opacity=".7">'
            f"{escape(text)}</text>"
            for text, x in line.ruler
        ]
        for row in line.rows:
            paths = "".join(
                f'<path d="{path}" fill="none" stroke="{_COLORS[kind]}" stroke-width="2"/>'
                for kind, path in row.paths.items()
                if path
            )
            parts.append(
                f'<g transform="translate({_LEFT} {top})"><text x="-8" y="12" text-anchor="end">'
                f'{escape(row.name)}</text><rect width="{row.width}" height="{HIGH}" fill="none" '
                f'stroke="#c9d0d8"/>{paths}</g>'
            )
            top += _STEP
    key = ", ".join(
        f'<span style="color:{_COLORS[kind]}">{MARKS[kind][1].partition(",")[0]}</span>'
        for kind in drawing.kinds
    )
    return (
        f'<svg viewBox="0 0 {_LEFT + WIDTH + 10} {top}" role="img" '
        f'aria-label="{escape(drawing.description)}" fill="currentColor" font-size="12" '
        f'style="max-width:60rem;width:100%">{"".join(parts)}</svg><p>{key}</p>'
    )
