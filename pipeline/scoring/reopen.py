"""Reopen a finished scoring run: read its settings, and its inputs if they have not changed."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from segscore.pipeline.errors import Refused
from segscore.pipeline.runs import planning
from segscore.pipeline.scoring.broadcast_job import BroadcastJob
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.inputs import Collected, Inputs, collect, find_inputs
from segscore.pipeline.scoring.pairs import Rule
from segscore.pipeline.scoring.part import ReferenceSet
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.tables.find import InputTable


@dataclass(frozen=True)
class Reopened:
    """The inputs of a finished run, read and validated again.

    Attributes:
        settings: settings of the run.
        inputs: input tables of the run.
        collected: references and documents of the run.
        job: what the tasks shared, without consensus references, groups and folder.
    """

    settings: ScoreSettings
    inputs: Inputs
    collected: Collected
    job: BroadcastJob

    @property
    def references(self) -> References:
        """The accepted references."""
        return self.collected.references


def reopen(run: str) -> Reopened:
    """Read a finished run's inputs again.

    Raises:
        Refused: there is no finished scoring run, or an input has changed since.
    """
    finished = FinishedScoring.open(run)
    settings = finished.score_settings()
    inputs = find_inputs(settings)
    require_unchanged(inputs.tables, finished.record["inputs"])
    collected = collect(settings, inputs)
    rule = Rule(settings, finished.types, {})
    reference_set = ReferenceSet(collected.references, ())
    further = inputs.hypotheses.further
    job = BroadcastJob(rule, inputs.typed, further, "", planning.ROWS_AT_ONCE, reference_set)
    return Reopened(settings, inputs, collected, job)


def require_unchanged(tables: Iterable[InputTable], recorded_inputs: Mapping[str, Any]) -> None:
    """Check that input tables have not changed since a run.

    Args:
        tables: the tables as they are now.
        recorded_inputs: `inputs` of the run's record.

    Raises:
        Refused: a file has changed, or a table has other files; the message names it.
    """
    for table in tables:
        for file, recorded_file in zip(table.files, recorded_inputs[table.name], strict=False):
            if asdict(file) != recorded_file:
                raise Refused(f"{file.url}: has changed since the run; restore it or score again")
        if len(table.files) != len(recorded_inputs[table.name]):
            raise Refused(
                f"{table.name}: its files are not those of the run; restore them or score again"
            )
