"""Settings of a scoring run, checked whole before any work starts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from segscore.pipeline.runs.options import (
    Argument,
    DocumentsOption,
    FreshOption,
    GroupByOption,
    MaxRejectsOption,
    MemoryLimitOption,
    OutputOption,
    ReferencesArgument,
)
from segscore.pipeline.runs.settings import check_group_by, check_locations, in_unit_interval
from segscore.pipeline.scoring.measuring import MeasuringSettings


@dataclass(frozen=True)
class _Locations:
    """The first settings of a scoring run; a base class, so that they come first in run.json."""

    references: ReferencesArgument
    hypotheses: Annotated[str, Argument("Segmentations to judge.")]
    output: OutputOption
    documents: DocumentsOption = None
    group_by: GroupByOption = ()


@dataclass(frozen=True)
class ScoreSettings(MeasuringSettings, _Locations):
    """What `segscore score` was asked to do: where, how to measure, and how to run.

    Attributes:
        references: table of reference segmentations: a file, a directory or a glob.
        hypotheses: table of segmentations to judge.
        output: folder or URL of the run.
        documents: table of unit lengths and attributes, or None.
        group_by: attributes whose combinations are summarised apart.
        max_rejects: largest share of rejected input rows, in [0, 1], at which a run is published.
        memory_limit: bytes that a worker may take; None for the default of the plan.
        fresh: replace a finished run in the same place.
    """

    max_rejects: MaxRejectsOption = 1.0
    memory_limit: MemoryLimitOption = None
    fresh: FreshOption = False

    def __post_init__(self) -> None:
        """Refuse settings that cannot be meant.

        Raises:
            Refused: naming the option, the value and what is allowed.
        """
        super().__post_init__()
        in_unit_interval("--max-rejects", self.max_rejects)
        check_locations({**self.inputs, "--output": self.output})
        self.require_documents(self.documents)
        check_group_by(self.group_by)

    @property
    def inputs(self) -> dict[str, str | None]:
        """What a run reads, by the argument or option that names it."""
        return {
            "REFERENCES": self.references,
            "HYPOTHESES": self.hypotheses,
            "--documents": self.documents,
        }


def recorded(told: Mapping[str, Any]) -> ScoreSettings:
    """Read the settings of a scoring run from its record, where tuples are lists."""
    settled: dict[str, Any] = {
        name: tuple(each) if isinstance(each, list) else each for name, each in told.items()
    }
    return ScoreSettings(**settled)
