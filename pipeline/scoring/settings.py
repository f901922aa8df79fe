"""Settings of `segscore score`, validated before any work starts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.measuring import LEVEL, MeasuringSettings, affected_by
from segscore.pipeline.settings.options import (
    Argument,
    DocumentsOption,
    FreshOption,
    GroupByOption,
    MaxRejectsOption,
    MaxUnpairedOption,
    MemoryLimitOption,
    Option,
    OutputOption,
    Panel,
    ReferencesArgument,
    Signed,
    UnitOption,
)
from segscore.pipeline.settings.ranges import (
    among,
    check_group_by,
    check_locations,
    in_unit_interval,
)
from segscore.pipeline.settings.reading import (
    join_locations,
    parse_thresholds,
    read_threshold,
)
from segscore.pipeline.settings.signature import THRESHOLD

if TYPE_CHECKING:
    from segscore.pipeline.storage.json_records import Shape

LEAVE_OUT, NONE, REFUSE = "leave-out", "none", "refuse"
"""What may be done about a document of which a system has no hypothesis."""

MOST_UNPAIRED = 0.5
"""The largest share of hypotheses without a reference, if the user chooses none."""


def _check_threshold(_option: str, threshold: str | float) -> None:
    parse_thresholds(threshold)


def _threshold_in_words(threshold: str | float) -> str:
    """Write thresholds as names sorted and numbers without needless zeros."""
    found = sorted(parse_thresholds(threshold).items())
    return ",".join(f"{name}={value!r}" if name else f"{value!r}" for name, value in found)


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
        max_unpaired: None: that share of the hypotheses may have no reference which
            ``unpaired_by_default`` allows, and systems may lack any number of documents.
        left_out: URLs of files of segmentations that are not read; chosen by `nightly`.
        excluded: ids of documents whose rows are rejected; chosen by `nightly`.
        unpaired_by_default: largest share of hypotheses without a reference if ``max_unpaired`` is
            None; chosen by `nightly`.
        measures_in_order: `measures` as the user named them, to show them in this order.
    """

    max_rejects: MaxRejectsOption = 1.0
    max_unpaired: MaxUnpairedOption = None
    missing: Annotated[
        str,
        Option(
            "Documents that a system did not answer: leave-out, none or refuse. "
            "They are left out of its averages, scored without boundaries, or the run is refused.",
            Panel.INPUTS,
            check=among((LEAVE_OUT, NONE, REFUSE)),
            signed=Signed(
                "missing",
                "none: documents of which a system had no hypothesis were scored as without "
                "boundaries",
                text=lambda way: way if way == NONE else "",
            ),
        ),
    ] = LEAVE_OUT
    trials: Annotated[
        bool,
        Option(
            "HYPOTHESES are repeated runs (trials) of the same systems. "
            "Each file is a trial, and so is each folder if there are several. A "
            "document's value is the mean over its trials.",
            Panel.INPUTS,
            flags="--trials",
        ),
    ] = False
    unit: UnitOption = None
    threshold: Annotated[
        str | float | None,
        Option(
            "Least score of a boundary, of all systems or by system (a=0.5,b=0.35). "
            "Without it, boundary_scores are ignored.",
            Panel.INPUTS,
            read_threshold,
            check=_check_threshold,
            signed=Signed(
                THRESHOLD,
                "least score of a boundary, of all systems or by system",
                text=_threshold_in_words,
            ),
            joined=(str,),
        ),
    ] = None
    memory_limit: MemoryLimitOption = None
    fresh: FreshOption = False
    left_out: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    unpaired_by_default: float = MOST_UNPAIRED
    measures_in_order: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        named = self.measures
        super().__post_init__()
        if not self.measures_in_order:
            object.__setattr__(self, "measures_in_order", tuple(named))
        if not self.measures and (affected := affected_by(self)):
            from segscore.pipeline.measures.selection import default_and_those_about

            object.__setattr__(self, "measures", default_and_those_about(affected))
        if self.trials:
            several = split_trials(self.hypotheses)
            object.__setattr__(self, "hypotheses", join_locations("HYPOTHESES", several))
        check_locations({**self.inputs, "--output": self.output})
        self.require_documents(self.documents)
        in_unit_interval("--max-unpaired", self.unpaired_by_default)
        check_group_by(self.group_by)
        if self.by_level is not None and LEVEL in self.group_by:
            raise Refused(f"--group-by {LEVEL}: --by-level already groups by it; omit it there")

    @property
    def most_unpaired(self) -> float:
        """The largest share of hypotheses without a reference at which the run is published."""
        return self.unpaired_by_default if self.max_unpaired is None else self.max_unpaired

    @property
    def inputs(self) -> dict[str, str | None]:
        """Locations of the input tables by the argument or option that names them."""
        return {
            "REFERENCES": self.references,
            "HYPOTHESES": self.hypotheses,
            "--documents": self.documents,
        }


def split_trials(location: str) -> list[str]:
    """Return the locations that are separated by commas, unless they are written as one already.

    >>> split_trials("run1.jsonl,run2.jsonl"), split_trials("{run1,run2}")
    (['run1.jsonl', 'run2.jsonl'], ['{run1,run2}'])
    """
    return [location] if "{" in location else location.split(",")


@cache
def _shape() -> "Shape":
    from segscore.pipeline.storage.json_records import shape_of  # imports Arrow

    return shape_of(ScoreSettings)


def settings_from_record(record: Mapping[str, Any]) -> ScoreSettings:
    """Read the settings of a scoring run from its record, where tuples are lists.

    Raises:
        TypeError: they have other names or types than those of this version.
    """
    if misfit := _shape().misfit(record):
        raise TypeError(misfit)
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in record.items()
    }
    return ScoreSettings(**fields)
