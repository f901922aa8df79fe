"""The leaderboard of a scoring run: at a glance, with drawings, and with all its columns."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.certainty import PairRows
from segscore.pipeline.comparison.pair_rows import SIGNIFICANT, beaten_systems, letter
from segscore.pipeline.comparison.shared_documents import SharedDocuments
from segscore.pipeline.measures import ALL
from segscore.pipeline.reports import cell_charts
from segscore.pipeline.reports.page import Figure, shown_figure
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.results.chance import SKILL, may_be_chance
from segscore.pipeline.results.leaderboard import Leaderboard, extra_heading
from segscore.pipeline.results.leaderboard_table import LeaderboardRows
from segscore.pipeline.results.names import CHANCE
from segscore.pipeline.statistics.formatted_numbers import (
    counted,
    percent,
    short_interval,
    short_number,
    shown_change,
    shown_number,
)
from segscore.pipeline.statistics.result_table import Column, ResultTable, WrittenNumber
from segscore.schemas.rows import column_of

_OTHERS, _SYSTEMS = 4, 20
"""Measures at a glance beside the one by which systems are ranked, and systems."""


def at_a_glance(ranking: Ranking, documents: SharedDocuments) -> Figure | None:
    """Show the systems, best first: value, interval and chance, documents, and other measures.

    Args:
        ranking: the leaderboard.
        documents: the documents that all systems share.
    """
    board = ranking.board.without({*ranking.board.points})
    if not board.systems:
        return None
    rows = LeaderboardRows([board])
    first, *others = (rows.measure(name) for name in board.measures[: 1 + _OTHERS])
    has_skill, scale = "skill" in ranking.board.beside(), _scale(ranking)
    along = f"0 to {scale:.3g}; line: 95 %{'; dashed: chance' * has_skill}"
    values = _of_documents(ranking.measure.name, documents)
    table = ResultTable(
        [
            replace(rows.numbers("rank", lambda _, name: _rank(ranking, name, {})), is_detail=True),
            rows.systems("system"),
            _in_short(first),
            rows.numbers(along, lambda _, name: _bar(ranking, name, scale)),
            replace(
                rows.numbers(
                    "documents",
                    lambda _, name: cell_charts.bins(values[name], scale) if name in values else "",
                ),
                is_detail=True,
            ),
            *[replace(rows.numbers("skill", _skill), is_detail=True)] * has_skill,
            *(replace(_in_short(replace(each, ends=())), is_detail=True) for each in others),
        ],
        title="Systems at a glance",
        most=_SYSTEMS,
        rest=lambda left: f"{counted(left, 'more system')} below, in All columns and measures",
    )
    note = "Bold: the best of a column."
    note += " Dashed: as many boundaries as the system placed, at random." * has_skill
    return shown_figure(table, folded=False, wide=True, note=note, at_a_glance=True)


def _in_short(column: Column) -> Column:
    """Write values with three decimals, and the interval of each, if there is one, beside it."""
    ends = [
        "" if None in (low, high) else f"{short_number(low)}–{short_number(high)}"
        for low, high in column.ends or [(None, None)] * len(column.values)
    ]
    values = [
        WrittenNumber(short_number(value), value, interval)
        for value, interval in zip(column.values, ends, strict=True)
    ]
    return replace(column, values=values, ends=())


def _skill(board: Leaderboard, name: str) -> WrittenNumber:
    skill = board.rows[name].get("skill")
    return WrittenNumber(percent(skill), skill, "may be chance" * may_be_chance(board, name))


def _scale(ranking: Ranking) -> float:
    """Return the end of the scale: 1, or the largest value of a measure that exceeds it."""
    rows = ranking.board.averages.get(ranking.measure.name, {}).values()
    ends = [end for row in rows for end in (row["value"], row["ci_high"]) if end is not None]
    return max([1.0, *ends])


def _bar(ranking: Ranking, name: str, scale: float) -> cell_charts.CellChart | None:
    row, chance = (
        ranking.board.average(ranking.measure.name, each) for each in (name, f"{CHANCE}{name}")
    )
    return cell_charts.bar(row["value"], row["ci_low"], row["ci_high"], chance["value"], scale)


def _of_documents(measure: str, documents: SharedDocuments) -> Mapping[str, Floats]:
    """Return the values of the documents that all systems share, by system."""
    if (sample := documents.sample) is None:
        return {}
    labels = [system.label for system in sample.systems]
    return dict(zip(labels, sample.values[measure], strict=True))


def leaderboard(ranking: Ranking, pairs: PairRows) -> Figure:
    """Make the table of systems, best first, shaded by how good each value is."""
    board = ranking.board.without(
        {name for name in ranking.board.names if name not in ranking.place}
    )
    rows = LeaderboardRows([board])
    beaten = _beaten(ranking, pairs)
    first, *others = (_graded(ranking, rows.measure(name)) for name in board.measures)
    table = ResultTable(
        [
            rows.numbers("rank", lambda _, name: _rank(ranking, name, beaten)),
            rows.systems("system"),
            first,
            rows.numbers("to best", lambda _, name: _behind(ranking, name, beaten)),
            *others,
            *(
                rows.numbers(extra_heading(name), partial(_beside, name=name))
                for name in ranking.board.beside()
            ),
        ],
        title=f"Leaderboard, {ranking.average} averages",
        apart=len(board.points),
        apart_heading="Reference points",
        sorted_by=2 if board.coverage.ranks else None,
        descending=ranking.measure.better == "higher",
    )
    return shown_figure(table, folded=False, wide=True, note=_note(ranking, beaten))


def _graded(ranking: Ranking, column: Column) -> Column:
    """Put the interval of each value below it, and grade the values of the ranked systems."""
    names = ranking.board.names
    details = [short_interval(low, high) for low, high in column.ends]
    values = [
        WrittenNumber(shown_number(value), value, "" if value is None else detail)
        for value, detail in zip(column.values, details, strict=True)
    ]
    grades = _grades(ranking, column.heading)
    shown = [name for name in names if name in ranking.place]
    return replace(
        column,
        values=values,
        ends=(),
        grades={row: grades[name] for row, name in enumerate(shown) if name in grades},
    )


def _grades(ranking: Ranking, measure: str) -> dict[str, float]:
    """Return how good the value of each ranked system is, from 0 (worst) to 1 (best)."""
    values = {
        row["hypothesis"]: row["value"]
        for row in ranking.compared(measure)
        if row["value"] is not None
    }
    better = ALL[measure].better
    if not values or better == "neither":
        return {}
    ends = min(values.values()), max(values.values())
    worst, best = ends if better == "higher" else ends[::-1]
    return {
        name: (value - worst) / (best - worst) if worst != best else 0.0
        for name, value in values.items()
    }


def _over_documents(ranking: Ranking) -> str:
    """Say over how many documents the averages of the leaderboard are."""
    numbers = {row["documents"] for row in ranking.board.rows.values()}
    if shared := ranking.board.coverage.shared_in_words:
        return f"{ranking.average.capitalize()} averages over {shared}{ranking.and_levels}."
    over = counted(numbers.pop(), "document") if len(numbers) == 1 else "all documents"
    return f"{ranking.average.capitalize()} averages over {over}{ranking.and_levels}."


def _note(ranking: Ranking, beaten: Mapping[str, Sequence[str]]) -> str:
    board = ranking.board
    sentences = [_over_documents(ranking), "↑: higher is better; ↓: lower."]
    if len(board.contenders) > 1:
        sentences.append(
            "Bold: the best system of a column. The bluer a value, the nearer it is to the best of "
            "its column."
        )
    if any(row["ci_low"] is not None for row in board.rows.values()):
        sentences.append("Small: 95 % intervals.")
    if beaten:
        sentences.append(
            "Letters below a difference name the systems that this one beats: p < "
            f"{SIGNIFICANT} in a paired test, adjusted by Holm."
        )
    if "skill" in board.beside():
        sentences.append(f"Skill, by {board.measure}: {SKILL}.")
    if board.answers_in_words:
        sentences.append(f"{board.answers_in_words}.")
    if not board.coverage.ranks:
        words = board.coverage.in_words
        sentences.append(f"{words[0].upper()}{words[1:]}.")
    return " ".join([*sentences, "A heading sorts the table."])


def _beaten(ranking: Ranking, pairs: PairRows) -> dict[str, list[str]]:
    """Return the letters of the systems that each system beats; empty if none beats another."""
    letters = _letters(ranking)
    beaten = {
        name: sorted(letters[other] for other in others if other in letters)
        for name, others in beaten_systems(pairs.values()).items()
        if name in letters
    }
    return {name: others for name, others in beaten.items() if others}


def _letters(ranking: Ranking) -> dict[str, str]:
    return {name: letter(place) for place, name in enumerate(ranking.board.contenders)}


def _rank(ranking: Ranking, name: str, beaten: Mapping[str, Sequence[str]]) -> WrittenNumber:
    """Return a rank; below it the letter of the system, if there are letters."""
    place = ranking.board.places.get(name)
    if place is None:
        return WrittenNumber("", None)
    return WrittenNumber(str(place), place, _letters(ranking)[name] if beaten else "")


def _behind(
    ranking: Ranking, name: str, beaten: Mapping[str, Sequence[str]]
) -> WrittenNumber | None:
    """Return a difference to the best system; below it the systems that it beats."""
    behind = ranking.board.behind(name)
    if behind is None:
        return None
    text = "best" if ranking.board.places.get(name) == 1 else shown_change(behind)
    return WrittenNumber(text, behind, _joined(beaten.get(name, ())))


def _joined(letters: Sequence[str]) -> str:
    """Join letters; of more than two in a row, name the first and the last."""
    if len(letters) > _LISTED and ord(letters[-1][0]) - ord(letters[0][0]) == len(letters) - 1:
        return f"beats {letters[0]}{_DASH}{letters[-1]}"
    return f"beats {', '.join(letters)}" if letters else ""


_LISTED = 2
"""Letters that are listed one by one."""

_DASH = "\N{WORD JOINER}–\N{WORD JOINER}"
"""A dash at which no line ends."""


def _beside(board: Leaderboard, system: str, name: str) -> Any:
    """Return the value of a column beside the averages; the interval of a skill is below it."""
    row = board.rows[system]
    value, skill = column_of(row, name), row.get("skill")
    if name == "skill" and skill is not None:
        interval = short_interval(row["skill_low"], row["skill_high"])
        return WrittenNumber(shown_number(skill), skill, interval)
    return WrittenNumber(shown_number(value), value) if isinstance(value, float) else value
