"""The leaderboard of a scoring run: a row for each system, a column for each headline measure."""

from collections.abc import Mapping, Sequence

from segscore.pipeline.comparison.certainty import PairRows
from segscore.pipeline.comparison.pair_rows import SIGNIFICANT, beaten_systems, letter
from segscore.pipeline.measures import ALL
from segscore.pipeline.reports.page import Cell, Figure, NumberCell, PageTable
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.results.chance import SKILL
from segscore.pipeline.results.leaderboard import heading_beside
from segscore.pipeline.statistics.shown_numbers import (
    counted,
    short_interval,
    shown_change,
    shown_number,
)
from segscore.schemas.rows import AverageRow, column_of


def leaderboard(ranking: Ranking, pairs: PairRows) -> Figure:
    """Make the table of systems, best first, shaded by how good each value is."""
    board = ranking.board
    cells = {name: _cells(ranking, name) for name in board.measures}
    beside = board.beside()
    beaten = _beaten(ranking, pairs)
    first, *others = board.measures
    systems, points = (
        [
            [
                _rank(ranking, name, beaten),
                name,
                cells[first].get(name),
                _behind(ranking, name, beaten),
                *(cells[measure].get(name) for measure in others),
                *(_beside(board.rows[name], key) for key in beside),
            ]
            for name in names
            if name in ranking.place
        ]
        for names in (board.systems, board.points)
    )
    measures = [name + ALL[name].arrow for name in board.measures]
    table = PageTable(
        ["rank", "system", measures[0], "to best", *measures[1:], *map(heading_beside, beside)],
        systems,
        apart=points,
        apart_heading="Reference points",
        named_by=1,
        sorted_by=2 if board.coverage.ranks else None,
        descending=ALL[first].better == "higher",
    )
    return Figure(
        f"Leaderboard, {ranking.average} averages",
        note=_note(ranking, beaten),
        table=table,
        folded=False,
        wide=True,
    )


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


def _rank(ranking: Ranking, name: str, beaten: Mapping[str, Sequence[str]]) -> Cell:
    """Make the cell of a rank; below it the letter of the system, if there are letters."""
    place = ranking.board.places.get(name)
    if place is None:
        return NumberCell("", None)
    return NumberCell(str(place), place, _letters(ranking)[name] if beaten else "")


def _behind(ranking: Ranking, name: str, beaten: Mapping[str, Sequence[str]]) -> Cell:
    """Make the cell of a difference to the best system; below it the systems that it beats."""
    behind = ranking.board.behind(name)
    if behind is None:
        return None
    text = "best" if ranking.board.places.get(name) == 1 else shown_change(behind)
    return NumberCell(text, behind, _joined(beaten.get(name, ())))


def _joined(letters: Sequence[str]) -> str:
    """Join letters; of more than two in a row, name the first and the last."""
    if len(letters) > _LISTED and ord(letters[-1][0]) - ord(letters[0][0]) == len(letters) - 1:
        return f"beats {letters[0]}{_DASH}{letters[-1]}"
    return f"beats {', '.join(letters)}" if letters else ""


_LISTED = 2
"""Letters that are listed one by one."""

_DASH = "\N{WORD JOINER}–\N{WORD JOINER}"
"""A dash at which no line ends."""


def _beside(row: AverageRow, column: str) -> Cell:
    """Make the cell of a column beside the averages."""
    value, skill = column_of(row, column), row.get("skill")
    if column == "skill" and skill is not None:
        interval = short_interval(row["skill_low"], row["skill_high"])
        return NumberCell(shown_number(skill), skill, interval)
    if isinstance(value, float):
        return NumberCell(shown_number(value), value)
    return value if isinstance(value, str | int) else None


def _cells(ranking: Ranking, measure: str) -> dict[str, NumberCell]:
    """Make the cell of each system for one measure."""
    compared = ((row["hypothesis"], row["value"]) for row in ranking.compared(measure))
    graded = {name: value for name, value in compared if value is not None}
    values, better = graded.values(), ALL[measure].better
    ends = (min(values), max(values)) if values and better != "neither" else (0.0, 0.0)
    worst, best = ends if better == "higher" else ends[::-1]
    grades = {
        name: (value - worst) / (best - worst) if worst != best else 0.0
        for name, value in graded.items()
    }
    names = ranking.board.best(measure)
    return {
        row["hypothesis"]: _cell(
            row, grades.get(row["hypothesis"], 0.0), is_best=row["hypothesis"] in names
        )
        for row in ranking.rows(measure)
    }


def _cell(row: AverageRow, grade: float, *, is_best: bool) -> NumberCell:
    value, low, high = row["value"], row["ci_low"], row["ci_high"]
    if value is None:
        return NumberCell("–", None)
    return NumberCell(shown_number(value), value, short_interval(low, high), grade, is_best)
