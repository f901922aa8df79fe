"""Settings of `segscore score`, validated before any work starts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.measuring import LEVEL, MeasuringSettings
from segscore.pipeline.settings.options import (
    Argument,
    DocumentsOption,
    FreshOption,
    GroupByOption,
    MaxRejectsOption,
    MaxUnpairedOption,
    MemoryLimitOption,
    OutputOption,
    ReferencesArgument,
    RegistryOption,
)
from segscore.pipeline.settings.ranges import check_group_by, check_locations
from segscore.pipeline.settings.reading import join_locations


@dataclass(frozen=True)
class _Locations:
    """The first settings of a scoring run; a base class, so that they come first in run.json."""

    references: ReferencesArgument
    hypotheses: Annotated[
        str, Argument("Segmentations to judge: files, folders or globs.", join_locations)
    ]
    output: OutputOption
    documents: DocumentsOption = None
    group_by: GroupByOption = ()


@dataclass(frozen=True)
class ScoreSettings(MeasuringSettings, _Locations):
    """Settings of `segscore score`; the help of each option says what it is.

    Attributes:
        left_out: URLs of files of segmentations that are not read; chosen by `nightly`.
        measures_in_order: `measures` as the user named them, to show them in this order.
    """

    max_rejects: MaxRejectsOption = 1.0
    max_unpaired: MaxUnpairedOption = 0.5
    memory_limit: MemoryLimitOption = None
    registry: RegistryOption = None
    fresh: FreshOption = False
    left_out: tuple[str, ...] = ()
    measures_in_order: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        named = self.measures
        super().__post_init__()
        if not self.measures_in_order:
            object.__setattr__(self, "measures_in_order", tuple(named))
        check_locations({**self.inputs, "--output": self.output})
        self.require_documents(self.documents)
        check_group_by(self.group_by)
        if self.by_level is not None and LEVEL in self.group_by:
            raise Refused(f"--group-by {LEVEL}: --by-level already groups by it; omit it there")

    @property
    def inputs(self) -> dict[str, str | None]:
        """Locations of the input tables by the argument or option that names them."""
        return {
            "REFERENCES": self.references,
            "HYPOTHESES": self.hypotheses,
            "--documents": self.documents,
        }


def settings_from_record(record: Mapping[str, Any]) -> ScoreSettings:
    """Read the settings of a scoring run from its record, where tuples are lists.

    Raises:
        TypeError: they have other names or types than those of this version.
    """
    locations = record.get("references"), record.get("hypotheses"), record.get("documents") or ""
    if not all(isinstance(location, str) for location in locations):
        raise TypeError("the location of a table is no text")
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in record.items()
    }
    return ScoreSettings(**fields)
