"""Settings of `segscore simulate power`, all checked before any work starts."""

from dataclasses import dataclass
from typing import Annotated

from segscore.pipeline.settings.options import (
    Argument,
    Option,
    ResampleByOption,
    SeedOption,
)
from segscore.pipeline.settings.ranges import check_seed, one_of

_AVERAGES = ("micro", "macro")


@dataclass(frozen=True)
class CertifySettings:
    """Settings of `segscore simulate power`; the help of each option says what it is."""

    run: Annotated[str, Argument("Folder of a finished scoring run.")]
    measure: Annotated[
        str | None,
        Option("Measure to certify; default: the first of the run."),
    ] = None
    average: Annotated[str, Option("Average to certify: micro or macro.")] = "micro"
    resample_by: ResampleByOption = None
    seed: SeedOption = 0

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        one_of("--average", self.average, _AVERAGES)
        check_seed(self.seed)
