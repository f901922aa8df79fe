"""The interface of an aspect of a scoring run, and what it is given."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from segscore.pipeline.results.names import is_point
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.inputs import Inputs
from segscore.pipeline.scoring.records import PartSums, TaskResults
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.view import Block

NOTHING = PartSums()


@dataclass(frozen=True)
class Outcome:
    """A scoring run when all its rows are scored.

    Attributes:
        settings: settings of the run, in the unit of its tables.
        inputs: the input tables.
        results: what the tasks returned.
        sums: the sums over all rows.
        scored: the systems and reference points that have a result.
        scoring: the run with its record so far.
        sink: where the tables of the run are.
        summary: the averages; aspects fill their columns one after the other.
        is_unit_unknown: whether neither a table nor the settings say how far near misses reach.
    """

    settings: ScoreSettings
    inputs: Inputs
    results: TaskResults
    sums: PartSums
    scored: Collection[str]
    scoring: FinishedScoring
    sink: Sink
    summary: pa.Table
    is_unit_unknown: bool = False

    @property
    def systems(self) -> list[str]:
        """The scored systems, without reference points."""
        return [name for name in self.scored if not is_point(name)]


class Aspect:
    """Something that a scoring run does besides scoring pairs; each method does nothing by default.

    ``ASPECTS`` lists them; each method of all aspects is called in that order: ``observe`` by
    ``scoring/part.py`` for every block of hypotheses, the others by ``scoring/closing.py``.
    """

    def admit(self, settings: ScoreSettings, inputs: Inputs) -> None:
        """Refuse tables or settings before any row is scored."""

    def observe(self, block: Block) -> PartSums:
        """Count something in a block of hypotheses, to be added up over the run."""
        return NOTHING

    def require(self, outcome: Outcome) -> None:
        """Refuse to publish a run because of its results."""

    def fill(self, outcome: Outcome) -> pa.Table:
        """Return the summary with the columns of the aspect filled."""
        return outcome.summary

    def tables(self, outcome: Outcome) -> Iterator[tuple[str, pa.Table]]:
        """Yield the names and rows of further tables."""
        return iter(())

    def record(self, outcome: Outcome) -> Mapping[str, object]:
        """Return further entries of run.json."""
        return {}

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Return what the run warns of."""
        return ()
