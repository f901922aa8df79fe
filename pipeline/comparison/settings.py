"""Settings of a comparison, all checked before any work starts."""

import math
from dataclasses import dataclass
from typing import Annotated

from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.options import (
    Argument,
    FreshOption,
    Option,
    Panel,
    ReplicatesOption,
    ResampleByOption,
    SeedOption,
    TrustInputsOption,
)
from segscore.pipeline.settings.ranges import MOST_REPLICATES, check_seed, within
from segscore.pipeline.settings.reading import read_names


def _read_measures(option: str, text: str) -> tuple[str, ...]:
    """Read names of measures; an empty text is refused, unlike a missing option."""
    return read_names(option, text) or ("",)


@dataclass(frozen=True)
class CompareSettings:
    """Settings of `segscore compare`; the help of each option says what it is.

    ``where``, ``changes``, ``published`` and ``published_scores`` read the runs' inputs again.
    ``difference`` is None to find none, ``margin`` to call no pair equal.  ``ranks`` adds tests of
    ranks.
    """

    runs: Annotated[tuple[str, ...], Argument("Folders of finished scoring runs.")]
    measures: Annotated[
        tuple[str, ...],
        Option(
            "Measures, such as pk,winpr_f1; default: the first of the run. "
            "The first of a run is the one by which `segscore score` ranks the "
            "systems.",
            Panel.MEASURES,
            _read_measures,
            flags="--measure",
        ),
    ] = ()
    output: Annotated[
        str | None, Option("Folder to write the tables to; default: none.", Panel.OUTPUT)
    ] = None
    systems: Annotated[
        tuple[str, ...],
        Option("Systems, such as a,b; default: all.", Panel.INPUTS, read_names),
    ] = ()
    group_by: Annotated[
        tuple[str, ...],
        Option(
            "Attributes to group by, or reference.",
            Panel.AVERAGES,
            read_names,
        ),
    ] = ()
    where: Annotated[
        bool,
        Option(
            "Show where boundaries are missed. "
            "It shows them by story length, position and prominence.",
            Panel.OUTPUT,
        ),
    ] = False
    changes: Annotated[
        bool,
        Option(
            "List what changed from the first of two systems to the second. "
            "It lists boundaries fixed and broken, false alarms gone and new.",
            Panel.OUTPUT,
        ),
    ] = False
    published: Annotated[
        bool,
        Option(
            "Show scores published on the same references.",
            Panel.OUTPUT,
        ),
    ] = False
    published_scores: Annotated[
        str | None,
        Option(
            "CSV file of published scores: system, measure, value.",
            Panel.OUTPUT,
        ),
    ] = None
    ratings: Annotated[
        str | None,
        Option(
            "Table of people's ratings: document_id, system, rating.",
            Panel.OUTPUT,
        ),
    ] = None
    may_differ: Annotated[
        tuple[str, ...],
        Option(
            "Fields of the signature that may differ, such as v.",
            Panel.INPUTS,
            read_names,
        ),
    ] = ()
    resample_by: ResampleByOption = None
    replicates: ReplicatesOption = None
    permutations: Annotated[
        int, Option("Permutations for --layout ranks; 0 for none.", Panel.AVERAGES, rare=True)
    ] = 9999
    alpha: Annotated[
        float,
        Option("Level of the test for --power, and of --gate.", Panel.POWER, rare=True),
    ] = 0.05
    power: Annotated[
        float,
        Option("Probability with which a difference is to be found.", Panel.POWER, rare=True),
    ] = 0.8
    difference: Annotated[
        float | None,
        Option("Say how many documents would find this difference.", Panel.POWER),
    ] = None
    margin: Annotated[
        float | None,
        Option(
            "Difference within which two systems count as equal. "
            "The whole interval must be within it.",
            Panel.POWER,
        ),
    ] = None
    seed: SeedOption = 0
    trust_inputs: TrustInputsOption = False
    fresh: FreshOption = False
    ranks: bool = False

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        for option, given in (("RUN", self.runs), ("--measure", self.measures)):
            if (option == "RUN" and not given) or not all(name.strip() for name in given):
                raise Refused(f"{option}: is empty; name at least one")
        for option, given in (
            ("--measure", self.measures),
            ("--systems", self.systems),
            ("--group-by", self.group_by),
        ):
            if len(set(given)) < len(given):
                raise Refused(f"{option} {','.join(given)}: names one twice")
        if self.output is not None and not self.output.strip():
            raise Refused("--output: is empty; name a folder")
        within("--permutations", self.permutations, 0, MOST_REPLICATES)
        check_seed(self.seed)
        if not 0 < self.alpha < 1:
            raise Refused(f"--alpha {self.alpha:g}: must lie between 0 and 1")
        if not self.alpha < self.power < 1:
            raise Refused(f"--power {self.power:g}: must be above --alpha and below 1")
        if self.difference is not None and not 0 < abs(self.difference) < math.inf:
            raise Refused(f"--difference {self.difference:g}: must be a number other than 0")
        if self.margin is not None and not 0 < self.margin < math.inf:
            raise Refused(f"--margin {self.margin:g}: must be a number above 0")

    @property
    def shows_published(self) -> bool:
        """Whether published scores are shown: those that segscore knows, or the user's own."""
        return self.published or self.published_scores is not None

    @property
    def inputs(self) -> dict[str, tuple[str, ...]]:
        """The runs that the comparison reads, by the argument that names them."""
        return {"RUN": self.runs}
