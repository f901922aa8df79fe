"""Settings of `segscore agree` and `segscore simulate`, validated before any work starts."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from segscore.pipeline.agreement.left_out import WithoutOption
from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.measuring import MeasuringSettings, measuring_of, signature_of
from segscore.pipeline.settings.options import (
    Argument,
    DocumentsOption,
    FreshOption,
    GroupByOption,
    LengthToleranceOption,
    MaxRejectsOption,
    MemoryLimitOption,
    NTOption,
    Option,
    OutputOption,
    Panel,
    ReplicatesOption,
    ResampleByOption,
    RoundingOption,
    SeedOption,
    Signed,
    UnitOption,
    UnitsOption,
    WindowOption,
    check_options,
)
from segscore.pipeline.settings.ranges import (
    MOST_UNITS,
    check_group_by,
    check_locations,
    check_seed,
    in_unit_interval,
    one_of,
    within,
)
from segscore.pipeline.settings.reading import amount_in_units, parse_amount, read_names

if TYPE_CHECKING:
    from segscore.pipeline.agreement.group import Choices

ROUND = "round"
"""The attribute with the round of codings, unless the user names another."""

_EXPECTED = ("pooled", "item")
PUBLISHED = ("fournier2013",)
_SIGNED = ("n_t", "window", "units", "length_tolerance", "ci", "v")
_MOST_DOCUMENTS = 2**31 - 1
CODINGS_PER_PART = 131_072
"""The most rows in a part of a simulation, and so the most coders of a document."""


def _check_bin(option: str, text: str) -> None:
    size, _ = parse_amount(option, text)
    if not 0 < size <= MOST_UNITS:
        raise Refused(f"{option} {text}: must be more than 0 and at most {MOST_UNITS}")


@dataclass(frozen=True)
class AgreeSettings:
    """Settings of `segscore agree`; the help of each option says what it is.

    Without ``n_t``, the unit decides (``in_unit``). Coders are judged by the first similarity.
    """

    codings: Annotated[str, Argument("Segmentations by several coders: a file, folder or glob.")]
    output: OutputOption
    documents: DocumentsOption = None
    without: WithoutOption = ()
    pseudonyms: Annotated[
        str | None,
        Option(
            "CSV file of coders and the names that results give them. "
            "It is made if it is new; all that is written has these names.",
            Panel.OUTPUT,
        ),
    ] = None
    round: Annotated[
        str,
        Option(
            "Attribute with the round in which a coder coded again.",
            Panel.INPUTS,
            signed=Signed("round", "attribute with the round in which a coder coded again"),
            rare=True,
        ),
    ] = ROUND
    same_tool: Annotated[
        str | None,
        Option(
            "Attribute of codings with the tool whose suggestions they began with. "
            "Two codings of one tool judge nobody.",
            Panel.INPUTS,
            signed=Signed("same_tool", "attribute of which codings with one value judge nobody"),
            rare=True,
        ),
    ] = None
    candidate: Annotated[
        str | None,
        Option(
            "Coder who may replace a person: a model.",
            Panel.MEASURES,
            signed=Signed("candidate", "coder who may replace a person"),
        ),
    ] = None
    margin: Annotated[
        float,
        Option(
            "Tolerance (epsilon) of the test of --candidate.",
            Panel.MEASURES,
            check=in_unit_interval,
            signed=Signed("margin", "epsilon of the candidate", text=lambda margin: f"{margin:g}"),
            rare=True,
        ),
    ] = 0.1
    group_by: GroupByOption = ()
    resample_by: ResampleByOption = MeasuringSettings.resample_by
    n_t: NTOption = MeasuringSettings.n_t
    window: WindowOption = MeasuringSettings.window
    rounding: RoundingOption = MeasuringSettings.rounding
    units: UnitsOption = MeasuringSettings.units
    unit: UnitOption = None
    length_tolerance: LengthToleranceOption = MeasuringSettings.length_tolerance
    similarity: Annotated[
        tuple[str, ...],
        Option(
            "Similarities, such as boundary_similarity,exact. "
            "They are boundary_similarity, segmentation_similarity, exact and "
            "two_category; default: all.",
            Panel.MEASURES,
            read_names,
        ),
    ] = ()
    bin: Annotated[
        str,
        Option(
            "Size of the bins of the agreement index: 1s, or units.",
            Panel.MEASURES,
            check=_check_bin,
            signed=Signed("bin", "size of the bins of the agreement index, in units"),
            rare=True,
        ),
    ] = "1"
    expected: Annotated[
        str,
        Option(
            "Expected rate of pi: pooled, or item (mean of documents).",
            Panel.MEASURES,
        ),
    ] = "pooled"
    as_published: Annotated[
        str | None,
        Option(
            "Paper to reproduce: fournier2013. "
            "It has the expectation item, with segments instead of boundaries.",
            Panel.MEASURES,
        ),
    ] = None
    limits: Annotated[
        tuple[str, ...],
        Option(
            "Thresholds for flagging coders, such as effect=0.05,rate=1.5.",
            Panel.MEASURES,
            read_names,
            rare=True,
        ),
    ] = ()
    replicates: ReplicatesOption = None
    seed: SeedOption = MeasuringSettings.seed
    max_rejects: MaxRejectsOption = 1.0
    memory_limit: MemoryLimitOption = None
    fresh: FreshOption = False

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        from segscore.pipeline.agreement.coefficients import SIMILARITIES
        from segscore.pipeline.agreement.judging.steps import read_limits

        one_of("--expected", self.expected, _EXPECTED)
        for name in self.similarity:
            one_of("--similarity", name, SIMILARITIES)
        if self.as_published is not None:
            one_of("--as-published", self.as_published, PUBLISHED)
        check_options(self)
        check_locations({**self.inputs, "--output": self.output})
        self.measuring.require_documents(self.documents)
        check_group_by(self.group_by)
        if self.candidate is not None and self.candidate in self.without:
            raise Refused(f"--candidate {self.candidate}: --without leaves out the same coder")
        read_limits(self.limits)

    def in_unit(self, unit: str | None) -> "AgreeSettings":
        """Return the settings with n_t chosen, for codings in a unit; None if it is not known."""
        from segscore.pipeline.tables.units import units_per_second

        size = amount_in_units("--bin", self.bin, units_per_second(unit, self.units))
        if parse_amount("--bin", size)[0].denominator > 1:
            raise Refused(f"--bin {self.bin}: must be a whole number of units, but it is {size}")
        return replace(self, n_t=self.measuring.in_unit(unit).n_t, bin=size)

    @property
    def inputs(self) -> dict[str, str | None]:
        """Locations of the input tables by the argument or option that names them."""
        return {"CODINGS": self.codings, "--documents": self.documents}

    @property
    def measuring(self) -> MeasuringSettings:
        """How codings are measured."""
        return measuring_of(self)

    @property
    def similarities(self) -> tuple[str, ...]:
        """The similarities to write coefficients for."""
        from segscore.pipeline.agreement.coefficients import SIMILARITIES

        return self.similarity or SIMILARITIES

    def choices(self, unit: str | None) -> "Choices":
        """Return how coefficients are computed, and coders judged, for codings in a unit."""
        from segscore.pipeline.agreement.group import Choices
        from segscore.pipeline.agreement.judging.limits import Judging
        from segscore.pipeline.agreement.judging.steps import read_limits
        from segscore.pipeline.tables.units import units_per_second

        published = self.as_published is not None
        n_t = self.measuring.near_limit
        limits = read_limits(self.limits, units_per_second(unit, self.units))
        judging = Judging(self.similarities[0], n_t, limits, self.seed)
        item = published or self.expected == "item"
        size = int(parse_amount("--bin", self.bin)[0])
        grouped = self.resample_by is not None
        return Choices(n_t, item, published, judging, self.margin, size, grouped)

    def signature(self, estimator: str) -> str:
        """Describe in one line what was computed, so that two audits can be compared."""
        computed = f"agree:{self.expected}"
        if self.as_published:
            computed = f"agree:as-published,{self.as_published}"
        return signature_of(self, self.measuring.signature(estimator), computed, _SIGNED)


@dataclass(frozen=True)
class SimulateSettings:
    """Settings of `segscore simulate`; the help of each option says what it is.

    Near misses move 1..n_t-1 positions. Without ``units``, a document has as many as its drawn
    segments. If ``random``, each coder draws a segmentation, and the chances are not used.
    """

    documents: Annotated[int, Option("Number of documents.")] = 100
    coders: Annotated[int, Option("Number of coders of each document.")] = 10
    near_miss: Annotated[float, Option("Probability that a boundary is beside its position.")] = 0.1
    full_miss: Annotated[float, Option("Probability of a boundary omitted or added.")] = 0.2
    added: Annotated[float, Option("Share of full misses that add a boundary.")] = 0.5
    n_t: Annotated[int, Option("Near misses move 1 to n_t - 1 positions.")] = 2
    units: Annotated[
        int | None,
        Option("Units of each document; default: as drawn."),
    ] = None
    random: Annotated[bool, Option("Each coder draws a segmentation of its own.")] = False
    seed: Annotated[int, Option("Seed of the random numbers.")] = 0

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        within("--documents", self.documents, 1, _MOST_DOCUMENTS)
        within("--coders", self.coders, 1, CODINGS_PER_PART)
        in_unit_interval("--near-miss", self.near_miss)
        in_unit_interval("--full-miss", self.full_miss)
        if self.near_miss + self.full_miss > 1:
            both = f"--near-miss {self.near_miss} --full-miss {self.full_miss}"
            raise Refused(f"{both}: must add up to at most 1")
        in_unit_interval("--added", self.added)
        within("--n-t", self.n_t, 2, MOST_UNITS)
        if self.units is not None:
            within("--units", self.units, 1, MOST_UNITS)
        check_seed(self.seed)
