"""The leaderboard of a scoring run, which terminal, CSV, papers, reports and notebooks render."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from segscore.pipeline.measures import HEADLINES, shown_measures
from segscore.pipeline.measures.selection import DEFAULT, measures_named
from segscore.pipeline.measures.several_references import COMPARED
from segscore.pipeline.results.coverage import Coverage, coverage_of
from segscore.pipeline.results.names import is_point
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.rank_tests import DECIMALS
from segscore.schemas.rows import AverageRow, SystemRow, column_of, group_of


class BoardColumn(NamedTuple):
    """A column of the summary that every leaderboard has beside the averages.

    Attributes:
        name: name of the column in the summary and in CSV.
        tells: whether these values of all systems are worth showing; Markdown and CSV have the
            documents even if not.
    """

    name: str
    tells: Callable[[Sequence[Any]], bool]


def extra_heading(column: str) -> str:
    """Return the heading of a column beside the averages, for people."""
    return column.replace("_", " ")


def _differ(values: Sequence[Any]) -> bool:
    return len(set(values)) > 1


def _is_known(values: Sequence[Any]) -> bool:
    return any(value is not None for value in values)


COLUMNS = (
    BoardColumn("documents", _differ),
    BoardColumn("skill", _is_known),
    BoardColumn("failed_answers", _is_known),
    BoardColumn("undivided_answers", any),
    BoardColumn("edit_rate", _is_known),
)
"""The columns beside the averages, with the values for the measure by which systems are ranked."""

PRINTED = 6
"""Number of measures that `segscore score` prints as columns."""

_MOST_ASKED = 12
"""The most measures beside the default that are shown because they were asked for."""

_UNDEFINED: AverageRow = {"value": None, "ci_low": None, "ci_high": None}


@dataclass(frozen=True)
class Leaderboard:
    """The systems of one group of documents, ranked by a measure.

    Attributes:
        group: values of the group-by columns, all None for the rows over all documents.
        measure: name of the measure.
        averages: measure -> system -> its row of the summary; rows of one average, micro or macro.
            Where systems are ranked on the documents that all share, the averages are over these.
        coverages: measure -> the documents on which systems can be ranked.
        named: measures and families as the user named them.
    """

    group: tuple[Any, ...]
    measure: str
    averages: Mapping[str, Mapping[str, AverageRow]]
    coverages: Mapping[str, Coverage] = field(default_factory=dict)
    named: Sequence[str] = ()

    def by(self, measure: str) -> "Leaderboard":
        """Rank the systems that have another measure by it."""
        averages = {measure: self.averages.get(measure, {})}
        return Leaderboard(self.group, measure, averages, self.coverages)

    @property
    def coverage(self) -> Coverage:
        """The documents on which the systems are ranked, if they are."""
        return self._coverage_of(self.measure)

    @property
    def ranks(self) -> bool:
        """Whether the systems can be ranked: by these documents, in the measure's direction."""
        return self._ranks_by(self.measure)

    def _ranks_by(self, measure: str) -> bool:
        return self._coverage_of(measure).ranks and COMPARED[measure].better != "neither"

    def _coverage_of(self, measure: str) -> Coverage:
        return self.coverages.get(measure, Coverage())

    @cached_property
    def measures(self) -> list[str]:
        """The measures to show, first the one by which systems are ranked; none of an empty run."""
        if not self.averages:
            return []
        shown = measures_to_show(self.averages, self.named)
        return [self.measure, *(name for name in shown if name != self.measure)]

    @cached_property
    def rows(self) -> Mapping[str, AverageRow]:
        """System -> its row for the ranking measure, or for its first one if it lacks that."""
        rows: dict[str, AverageRow] = {}
        for of in (self.averages.get(self.measure, {}), *self.averages.values()):
            rows = {**of, **rows}
        return rows

    @cached_property
    def ranked(self) -> list[str]:
        """Systems and reference points, best first; if they are not ranked, systems first by name.

        Those whose value is undefined come last.
        """

        def order(name: str) -> tuple[bool, float, str]:
            goodness = self.goodness(name)
            return goodness is None, -(goodness or 0.0), name

        if self.ranks:
            return sorted(self.rows, key=order)
        return sorted(self.rows, key=lambda name: (is_point(name), name))

    @property
    def systems(self) -> list[str]:
        """The systems, best first."""
        return [name for name in self.ranked if not is_point(name)]

    @property
    def points(self) -> list[str]:
        """The reference points, best first."""
        return [name for name in self.ranked if is_point(name)]

    @property
    def names(self) -> list[str]:
        """The systems, best first, then the reference points."""
        return [*self.systems, *self.points]

    def without(self, names: Collection[str]) -> "Leaderboard":
        """Leave out some systems or reference points."""
        averages = {
            measure: {name: row for name, row in rows.items() if name not in names}
            for measure, rows in self.averages.items()
        }
        return replace(self, averages=averages)

    def average(self, measure: str, name: str) -> AverageRow:
        """Return the row of a system for a measure; of undefined values if there is none."""
        return self.averages.get(measure, {}).get(name, _UNDEFINED)

    def goodness(self, name: str) -> float | None:
        """Return a value that is higher for the better of two systems; None if undefined.

        It is rounded, so that the last bits of equal values do not make one of them better.
        """
        value = self.average(self.measure, name)["value"]
        return None if value is None else goodness(value, self.measure)

    def have_same_documents(self, name: str, other: str) -> bool:
        """Return whether the averages of two systems or points are over the same documents."""
        if self.coverage.ranks_on_shared:
            return True
        rows = [self.average(self.measure, each) for each in (name, other)]
        own, others = ((row.get("documents"), row.get("document_set")) for row in rows)
        return own == others

    @cached_property
    def contenders(self) -> list[str]:
        """The systems that are ranked, best first; none if they cannot be."""
        return self.systems if self.ranks else []

    def best(self, measure: str) -> set[str]:
        """Return the systems with the best value.

        Empty if they cannot be ranked by the measure, there are no two to choose from, or neither
        direction is better.
        """
        values = {name: self.average(measure, name)["value"] for name in self.systems}
        known = {
            name: goodness(value, measure) for name, value in values.items() if value is not None
        }
        if len(known) < 2 or not self._ranks_by(measure):
            return set()
        best = max(known.values())
        return {name for name, goodness in known.items() if goodness == best}

    @cached_property
    def places(self) -> dict[str, int]:
        """System -> its rank by the measure, from 1; equal values have the same rank."""
        values = [self.goodness(name) for name in self.contenders]
        return {
            name: 1 + values.index(value)
            for name, value in zip(self.contenders, values, strict=True)
            if value is not None
        }

    def behind(self, name: str) -> float | None:
        """Return the value of a system minus the best contender's; None if one is undefined."""
        best = self.average(self.measure, self.contenders[0])["value"] if self.contenders else None
        value = self.average(self.measure, name)["value"]
        return None if best is None or value is None else value - best

    @property
    def heading(self) -> str:
        """The heading of the names of the systems."""
        return "system, best first" if self.ranks else "system"

    @property
    def answers_in_words(self) -> str:
        """What failed answers are a number of; empty without any account of answers."""
        if "failed_answers" not in self.beside():
            return ""
        numbers = {number for row in self.rows.values() if (number := row.get("answers"))}
        of = f", of {counted(numbers.pop(), 'answer')}" if len(numbers) == 1 else ""
        return f"failed answers: those that could not be used{of}"

    def beside(self) -> list[str]:
        """Return the names of the columns beside the averages that people need to see."""
        return [
            name
            for name, tells in COLUMNS
            if tells([column_of(row, name) for row in self.rows.values()])
        ]


def extra_columns_of(boards: Collection[Leaderboard]) -> list[str]:
    """Return the columns beside the averages of several leaderboards, which have the documents."""
    return [
        name
        for name, _ in COLUMNS
        if name == "documents" or any(name in board.beside() for board in boards)
    ]


def goodness(value: float, measure: str) -> float:
    """Return a value of a measure so that higher is better, and equal values are equal."""
    rounded = round(value, DECIMALS)
    return rounded if COMPARED[measure].better == "higher" else -rounded


def as_named(available: Collection[str], named: Sequence[str]) -> list[str]:
    """Return measures in the order in which they are shown.

    First are those that a user named, the headlines of a family first. Where the default is among
    them, or nobody named any, it has the first measure, and what was asked for beside it follows.
    """
    ordered = [*dict.fromkeys([*(n for n in HEADLINES if n in available), *available])]
    if _is_default(named):
        return [*dict.fromkeys([*ordered[:1], *_asked(ordered, named), *ordered])]
    chosen = (each for name in named for each in ordered if each in measures_named((name,)))
    return [*dict.fromkeys([*chosen, *ordered])]


def measures_to_show(available: Collection[str], named: Sequence[str]) -> list[str]:
    """Return the measures to show of those that a run has; systems are ranked by the first."""
    order = as_named(available, named)
    if len(order) <= len(HEADLINES):
        return order
    leading = 1 + len(_asked(order, named)) if _is_default(named) else int(named[0] in order)
    return [*dict.fromkeys([*order[:leading], *shown_measures(order)])]


def _is_default(named: Sequence[str]) -> bool:
    return not named or DEFAULT in named


def _asked(ordered: Sequence[str], named: Sequence[str]) -> list[str]:
    """Return the measures beside the default that were named, or the main ones of an option."""
    default = measures_named((DEFAULT,))
    beside = measures_named([name for name in named if name != DEFAULT]) if named else {*ordered}
    asked = [name for name in ordered if name in beside - default]
    if len(asked) > _MOST_ASKED:
        return []
    return asked if named else [name for name in asked if name.endswith("f1")] or asked[:2]


def _board(
    group: tuple[Any, ...],
    measure: str,
    averages: Mapping[str, Mapping[str, AverageRow]],
    named: Sequence[str],
) -> Leaderboard:
    """Rank the systems of a group on all documents, or on those that all of them share."""
    coverages = {name: coverage_of(rows) for name, rows in averages.items()}
    compared = {
        name: {system: _on_shared(row) for system, row in rows.items()}
        if coverages[name].ranks_on_shared
        else rows
        for name, rows in averages.items()
    }
    return Leaderboard(group, measure, compared, coverages, named)


def _on_shared(row: AverageRow) -> AverageRow:
    """Return a row of the summary with the averages over the documents that all systems share."""
    return {
        **row,
        "documents": row["shared_documents"] or 0,
        "value": row["shared_value"],
        "ci_low": row["shared_ci_low"],
        "ci_high": row["shared_ci_high"],
        "defined": row["shared_defined"] or 0,
        "skill": row["shared_skill"],
        "skill_low": row["shared_skill_low"],
        "skill_high": row["shared_skill_high"],
        "sd": None,
    }


def rank(
    rows: Iterable[AverageRow | SystemRow],
    by: Sequence[str] = (),
    measure: str | None = None,
    system: str = "hypothesis",
    named: Sequence[str] = (),
) -> list[Leaderboard]:
    """Rank the systems of each group, the one of all documents first.

    Args:
        rows: rows of a summary, of one average.
        by: the group-by columns.
        measure: measure by which systems are ranked; None for the first one to show.
        system: name of the column that names the system.
        named: measures and families in the order in which the user named them.
    """
    groups: dict[tuple[Any, ...], dict[str, dict[str, AverageRow]]] = {}
    for row in rows:
        averages = groups.setdefault(group_of(row, by), {})
        averages.setdefault(row["measure"], {})[str(column_of(row, system))] = row
    boards = [
        _board(
            group,
            measure or measures_to_show(averages, named)[0],
            {name: averages[name] for name in as_named(averages, named)},
            named,
        )
        for group, averages in groups.items()
    ]
    return sorted(boards, key=lambda board: any(part is not None for part in board.group))
