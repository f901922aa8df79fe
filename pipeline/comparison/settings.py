"""Settings of a comparison, checked whole before any work starts."""

from dataclasses import dataclass
from typing import Annotated

from segscore.pipeline.errors import Refused
from segscore.pipeline.runs.options import (
    Argument,
    FreshOption,
    Option,
    Panel,
    ReplicatesOption,
    SeedOption,
    read_names,
)
from segscore.pipeline.runs.settings import MOST_REPLICATES, check_seed, within


@dataclass(frozen=True)
class CompareSettings:
    """What `segscore compare` was asked to do.

    Attributes:
        runs: folders of finished scoring runs.
        measures: columns of scores or panel_scores to compare by.
        output: folder or URL to write the tables to; None to write none.
        systems: names of the systems to compare; empty: all.
        group_by: attributes whose combinations are compared apart; ``reference`` is one.
        where: find where systems go wrong; the runs' inputs are read again.
        may_differ: fields of the signature in which the runs may differ.
        replicates: bootstrap replicates for the intervals; 0 for none.
        permutations: of the permutation tests; 0 for none.
        seed: of bootstrap and permutations; at least 0.
        fresh: replace a finished comparison in the same place.
    """

    runs: Annotated[tuple[str, ...], Argument("Folders of finished scoring runs.")]
    measures: Annotated[
        tuple[str, ...],
        Option(
            "Measures to compare by, separated by commas.",
            Panel.MEASURES,
            read_names,
            flags="--measure",
        ),
    ]
    output: Annotated[
        str | None, Option("Folder to write the tables to; default: none.", Panel.OUTPUT)
    ] = None
    systems: Annotated[
        tuple[str, ...],
        Option("Systems to compare, separated by commas; default: all.", Panel.INPUTS, read_names),
    ] = ()
    group_by: Annotated[
        tuple[str, ...],
        Option(
            "Attributes, or reference, to compare apart, separated by commas.",
            Panel.AVERAGES,
            read_names,
        ),
    ] = ()
    where: Annotated[
        bool,
        Option("Show where boundaries are missed: by story, position, prominence.", Panel.OUTPUT),
    ] = False
    may_differ: Annotated[
        tuple[str, ...],
        Option(
            "Fields of the signature in which the runs may differ, such as v.",
            Panel.INPUTS,
            read_names,
        ),
    ] = ()
    replicates: ReplicatesOption = 1000
    permutations: Annotated[
        int, Option("Permutations for the tests; 0 for none.", Panel.AVERAGES)
    ] = 9999
    seed: SeedOption = 0
    fresh: FreshOption = False

    def __post_init__(self) -> None:
        """Refuse settings that cannot be meant.

        Raises:
            Refused: naming the option, the value and what is allowed.
        """
        for option, given in (("RUN", self.runs), ("--measure", self.measures)):
            if not given or not all(name.strip() for name in given):
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
        within("--replicates", self.replicates, 0, MOST_REPLICATES)
        within("--permutations", self.permutations, 0, MOST_REPLICATES)
        check_seed(self.seed)

    @property
    def inputs(self) -> dict[str, tuple[str, ...]]:
        """What a comparison reads, by the argument that names it."""
        return {"RUN": self.runs}
