"""The summary of a scoring run, with its systems ranked by a measure."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.reports.run_tables import group_name
from segscore.pipeline.results.leaderboard import Leaderboard, rank
from segscore.pipeline.results.leaderboard_remarks import describe_effective
from segscore.pipeline.results.names import CHANCE
from segscore.pipeline.runs.finished import rows_by_group, rows_over_all
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.shared_averages import ranked_summary
from segscore.pipeline.statistics.averages import summary_groups
from segscore.pipeline.statistics.finding import Fact
from segscore.pipeline.statistics.formatted_numbers import counted, short_number
from segscore.schemas.rows import AverageRow


@dataclass(frozen=True)
class Ranking:
    """The summary of a scoring run, with its systems ranked by a measure and an average."""

    run: FinishedScoring
    measure: Measure
    average: str

    @cached_property
    def _summary(self) -> pa.Table:
        return ranked_summary(self.run)

    @cached_property
    def by(self) -> list[str]:
        """The group-by columns."""
        return summary_groups(self._summary.column_names)

    @property
    def and_levels(self) -> str:
        """What averages over all documents are also over, in words; empty without levels."""
        return " and levels" if self.run.settings.get("by_level") is not None else ""

    @cached_property
    def whole(self) -> dict[tuple[str, str], dict[str, AverageRow]]:
        """(measure, average) -> system -> its row of the leaderboard over all documents."""
        return {
            (measure, average): dict(rows)
            for average, board in self._boards.items()
            for measure, rows in board.averages.items()
        }

    @cached_property
    def _boards(self) -> dict[str, Leaderboard]:
        """Average, micro or macro -> the leaderboard over all documents."""
        rows: list[AverageRow] = rows_over_all(self._summary, self.by)
        named, boards = self.run.measures_in_order, {}
        for average in ("micro", "macro"):
            of_average = (row for row in rows if row["average"] == average)
            found = rank(of_average, (), self.measure.name, named=named)
            boards[average] = found[0] if found else Leaderboard((), self.measure.name, {})
        return boards

    @cached_property
    def groups(self) -> list[AverageRow]:
        """Rows of the groups' leaderboards; ``group`` is the name of the group."""
        return [
            {**row, "group": group_name(row, self.by)}
            for board in self.group_boards
            for row in board.rows.values()
            if not self._is_folded(row["hypothesis"])
        ]

    @cached_property
    def group_boards(self) -> list[Leaderboard]:
        """The leaderboard of each group by the chosen measure and average."""
        of_measure = pc.equal(self._summary.column("measure"), self.measure.name)
        of_average = pc.equal(self._summary.column("average"), self.average)
        chosen = self._summary.filter(pc.and_(of_measure, of_average))
        rows: list[AverageRow] = rows_by_group(chosen, self.by)
        return rank(rows, self.by, self.measure.name)

    @cached_property
    def board(self) -> Leaderboard:
        """The leaderboard over all documents."""
        return self._boards[self.average]

    @property
    def described_effective(self) -> str | None:
        """What is said of micro averages that few documents carry; None without any."""
        if self.average != "micro":
            return None
        return describe_effective(self._boards["micro"], self._boards["macro"])

    @property
    def about(self) -> str:
        """What was averaged over what, in a line."""
        most = max((row["documents"] for row in self.board.rows.values()), default=0)
        over = self.board.coverage.shared_in_words or counted(most, "document")
        by = f"by {', '.join(self.by)}" if self.by else ""
        average = f"{self.measure.name}, {self.average} average"
        systems = counted(len(self.board.systems), "system")
        return " · ".join(filter(None, (systems, over, by, average)))

    def weakest_group(self) -> Iterator[Fact]:
        """Yield the group in which the best system is worst, if there are several groups."""
        best = [name for name, place in self.board.places.items() if place == 1]
        rows = [row for row in self.groups if [row["hypothesis"]] == best]
        known = [row for row in rows if row["value"] is not None]
        if len(known) > 1:
            sign = 1 if self.measure.better == "higher" else -1
            weakest = min(known, key=lambda row: sign * (row["value"] or 0.0))
            value = f"weakest group: {short_number(weakest['value'])}"
            yield Fact(group_name(weakest, self.by), value)

    def rows(self, measure: str) -> list[AverageRow]:
        """Return the averages of a measure, of systems and reference points, best first.

        The chance of each system is left out, as in ``systems``.
        """
        board = self.board.by(measure)
        return [board.average(measure, name) for name in board.ranked if not self._is_folded(name)]

    def compared(self, measure: str) -> list[AverageRow]:
        """Return the known averages of the systems that are ranked by a measure, best first."""
        board = self.board.by(measure)
        rows = [board.average(measure, name) for name in board.contenders]
        return [row for row in rows if row["value"] is not None]

    @cached_property
    def systems(self) -> list[str]:
        """Systems and reference points, best first, without the chance of each system."""
        ranked = self.board.by(self.measure.name).ranked
        return [name for name in ranked if not self._is_folded(name)]

    def _is_folded(self, name: str) -> bool:
        """Return whether a point is a system's chance, which is drawn with the system itself."""
        return bool(self.board.systems) and name.startswith(CHANCE)

    @cached_property
    def place(self) -> dict[str, int]:
        """System -> number of systems that rank before it."""
        return {name: place for place, name in enumerate(self.systems)}

    def order(self, sample: Sample) -> list[int]:
        """Return the indices of a sample's systems, best first."""
        last = len(self.systems)
        places = [self.place.get(system.hypothesis, last) for system in sample.systems]
        return sorted(range(len(places)), key=places.__getitem__)
