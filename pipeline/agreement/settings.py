"""Settings of an agreement run, checked whole before any work starts, and its signature."""

from dataclasses import asdict, dataclass

from segscore.pipeline.agreement.coefficients import SIMILARITIES
from segscore.pipeline.agreement.group import Choices
from segscore.pipeline.errors import Refused
from segscore.pipeline.scoring.settings import ScoreSettings, one_of

_EXPECTED = ("pooled", "item")
PUBLISHED = ("fournier2013",)
_SIGNED = ("n_t", "window", "units", "ci", "v")
SAME = ("output", "documents", "group_by", "n_t", "window", "rounding", "units")
ALSO_SAME = ("replicates", "seed", "max_rejects", "memory_limit", "fresh")


@dataclass(frozen=True)
class AgreeSettings:
    """What `segscore agree` was asked to do.

    Attributes:
        codings: table of segmentations by several coders: a file, a directory or a glob.
        output: folder or URL of the run.
        documents: table of unit lengths and attributes, or None.
        group_by: attributes whose combinations are audited apart.
        n_t: near misses lie 1..n_t-1 positions apart (docs/measures.md); at least 1.
        window: `per-pair`, `per-document`, `per-run`, or a fixed size K >= 1 (docs/measures.md).
        rounding: `half-even` or `half-up`, of half the mean segment size.
        units: `units`, or `words` (or whatever the documents' unit lengths count).
        similarity: similarities whose coefficients are written; empty: all.
        expected: `pooled`, or `item`: pi's chance of a boundary is the mean of the documents'.
        as_published: `fournier2013`: as its tables were, `item` with segments for boundaries; or
            None.
        replicates: bootstrap replicates for the intervals; 0 for none.
        seed: of the bootstrap; at least 0.
        max_rejects: largest share of rejected input rows, in [0, 1], at which a run is published.
        memory_limit: bytes that a worker may take; None for the default of the plan.
        fresh: replace a finished run in the same place.
    """

    codings: str
    output: str
    documents: str | None = None
    group_by: tuple[str, ...] = ()
    n_t: int = 2
    window: str | int = "per-pair"
    rounding: str = "half-even"
    units: str = "units"
    similarity: tuple[str, ...] = ()
    expected: str = "pooled"
    as_published: str | None = None
    replicates: int = 1000
    seed: int = 0
    max_rejects: float = 1.0
    memory_limit: int | None = None
    fresh: bool = False

    def __post_init__(self) -> None:
        """Refuse settings that cannot be meant.

        Raises:
            Refused: naming the option, the value and what is allowed.
        """
        if not self.codings.strip():
            raise Refused("CODINGS: is empty; name a file or folder")
        one_of("--expected", self.expected, _EXPECTED)
        for name in self.similarity:
            one_of("--similarity", name, SIMILARITIES)
        if self.as_published is not None:
            one_of("--as-published", self.as_published, PUBLISHED)
        self.as_score  # noqa: B018  (refuse what it would)

    @property
    def inputs(self) -> dict[str, str | None]:
        """What an audit reads, by the argument or option that names it."""
        return {"CODINGS": self.codings, "--documents": self.documents}

    @property
    def as_score(self) -> ScoreSettings:
        """The scoring run that reads, accepts and measures codings the same."""
        own = asdict(self)
        same = {name: own[name] for name in (*SAME, *ALSO_SAME)}
        return ScoreSettings(references=self.codings, hypotheses=self.codings, **same)

    @property
    def similarities(self) -> tuple[str, ...]:
        """Those whose coefficients are written."""
        return self.similarity or SIMILARITIES

    @property
    def choices(self) -> Choices:
        """How coefficients are taken."""
        published = self.as_published is not None
        return Choices(self.n_t, published or self.expected == "item", published)

    def signature(self, estimator: str) -> str:
        """Say in one line what was computed, so that two audits can be compared.

        Args:
            estimator: of the intervals.
        """
        parts = self.as_score.signature(estimator).split("|")
        signed = [part for part in parts if part.partition(":")[0] in _SIGNED]
        computed = f"agree:{self.expected}"
        if self.as_published:
            computed = f"agree:as-published,{self.as_published}"
        return "|".join(["segscore", computed, *signed])
