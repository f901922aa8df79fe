"""The summary of a scoring run, with its systems ranked by a measure."""

from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.reports.run_tables import group_name
from segscore.pipeline.runs.finished import FinishedRun, RunRow, rows_by_group, rows_over_all
from segscore.pipeline.scoring.leaderboard import Leaderboard, rank
from segscore.pipeline.scoring.names import is_point
from segscore.pipeline.statistics.averages import summary_groups


@dataclass(frozen=True)
class Ranking:
    """The summary of a scoring run, with its systems ranked by a measure and an average."""

    run: FinishedRun
    measure: Measure
    average: str

    @cached_property
    def _summary(self) -> pa.Table:
        return self.run.table("summary")

    @cached_property
    def by(self) -> list[str]:
        """The group-by columns."""
        return summary_groups(self._summary.column_names)

    @property
    def and_levels(self) -> str:
        """What averages over all documents are also over, in words; empty without levels."""
        return " and levels" if self.run.settings.get("by_level") is not None else ""

    @cached_property
    def whole(self) -> dict[tuple[str, str], dict[str, RunRow]]:
        """(measure, average) -> system -> its row over all documents."""
        rows: dict[tuple[str, str], dict[str, RunRow]] = {}
        for row in rows_over_all(self._summary, self.by):
            rows.setdefault((row["measure"], row["average"]), {})[row["hypothesis"]] = row
        return rows

    @cached_property
    def groups(self) -> list[RunRow]:
        """Rows by group for the chosen measure and average; ``group`` is the name of the group."""
        chosen = self._summary.filter(
            (pc.field("measure") == self.measure.name) & (pc.field("average") == self.average)
        )
        rows = rows_by_group(chosen, self.by)
        return [row | {"group": group_name(row, self.by)} for row in rows]

    @cached_property
    def board(self) -> Leaderboard:
        """The leaderboard over all documents."""
        rows = [of.values() for (_, kind), of in self.whole.items() if kind == self.average]
        boards = rank(
            chain.from_iterable(rows),
            measure=self.measure.name,
            named=self.run.measures_in_order,
        )
        return boards[0] if boards else Leaderboard((), self.measure.name, {})

    def rows(self, measure: str) -> list[RunRow]:
        """Return the averages of a measure, of systems and reference points, best first."""
        board = self.board.by(measure)
        return [board.average(measure, name) for name in board.ranked]

    def compared(self, measure: str) -> list[RunRow]:
        """Return the known averages of the systems that have all documents, best first."""
        return [
            row
            for row in self.rows(measure)
            if row["value"] is not None
            and not is_point(row["hypothesis"])
            and row["hypothesis"] not in self.fewer
        ]

    @property
    def fewer(self) -> dict[str, int]:
        """Systems that were scored on fewer documents than others -> their number of documents."""
        return self.board.fewer

    @cached_property
    def systems(self) -> list[str]:
        """Systems and reference points, best first."""
        return self.board.by(self.measure.name).ranked

    @cached_property
    def place(self) -> dict[str, int]:
        """System -> number of systems that rank before it."""
        return {name: place for place, name in enumerate(self.systems)}

    def order(self, sample: Sample) -> list[int]:
        """Return the indices of a sample's systems, best first."""
        last = len(self.systems)
        places = [self.place.get(system.hypothesis, last) for system in sample.systems]
        return sorted(range(len(places)), key=places.__getitem__)
