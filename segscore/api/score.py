"""Score one hypothesis against one reference."""

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache, wraps
from math import isnan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from segscore.api.counting import PairCounts, count_pair, counted_settings
from segscore.api.measures import require_measure, table_of_measures
from segscore.api.segmentation import Segmentation, are_times, require_positions
from segscore.api.settings import read_settings
from segscore.api.wording import for_python
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import PAIRS
from segscore.pipeline.measures import Table as MeasureTable
from segscore.pipeline.measures.measure import evaluate_one
from segscore.pipeline.measures.published import nearest_measure
from segscore.pipeline.plain_text import visible
from segscore.pipeline.scoring.window_policy import share_of_windows
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.settings.signature import NO_INTERVALS
from segscore.pipeline.statistics.jackknife import P_SEG_COUNTS
from segscore.pipeline.tables.faults import SAME_UNITS
from segscore.pipeline.tables.units import MILLISECOND

if TYPE_CHECKING:
    from typing import Unpack

    from segscore.api.segmentation import WholeNumbers
    from segscore.api.shown import ShownScore
    from segscore.api.typed import PairKeywords
    from segscore.pipeline.measures.edit_list import Edit

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_OF_TABLES = (
    "group_by",
    "by_level",
    "consensus",
    "reference_points",
    "draws",
    "confusion",
    "replicates",
    "resample_by",
    "seed",
)
"""Settings that need tables of several segmentations."""


class Score:
    """The counts and values of one pair, or of the sum of several.

    Every measure is an attribute and an item: `score.pk` is `score["pk"]`. A value is a float, or
    None if it is undefined.

    >>> import segscore
    >>> score = segscore.score(reference=[2, 5], hypothesis=[2, 4], n_units=11)
    >>> score.boundary_similarity
    0.75
    >>> score["window_diff"]
    0.2222222222222222
    >>> score.counts["near_misses"]
    1

    Scores can be added: the counts are added up, and the values of the sum are micro averages.

    >>> other = segscore.score(reference=[4], hypothesis=[4], n_units=10)
    >>> total = sum([score, other])
    >>> total.pairs, total.counts["matches"], total.boundary_similarity
    (2, 2, 0.8333333333333334)

    Attributes:
        pairs: number of pairs that were added up.
        window: window size k of the pair; None for a sum.
        settings: how the pairs were measured.
        sides: reference and hypothesis of the pair; None for a sum.
    """

    def __init__(
        self,
        settings: MeasuringSettings,
        counted: PairCounts,
        sides: tuple[Segmentation, Segmentation] | None,
        pairs: int = 1,
    ) -> None:
        """Create a score; `segscore.score` and addition do this."""
        self.settings = settings
        self.pairs = pairs
        self.window = counted.window if pairs == 1 else None
        self._counted = counted
        self.sides = sides
        self._values: dict[str, float | None] = {}

    def __getitem__(self, measure: str) -> float | None:
        """Return the value of a measure.

        Raises:
            Refused: no measure of pairs has this name, or ``measures`` does not include it.
        """
        if not isinstance(measure, str) or measure not in self._values:
            require_measure(measure, self._counted.table.measures)
            self._values[measure] = self._compute(table_of_measures((measure,)))[measure]
        return self._values[measure]

    def __getattr__(self, name: str) -> float | None:
        """Return the value of a measure."""
        if name.startswith("_") or name not in PAIRS.measures:
            near = nearest_measure(name, PAIRS.measures) if not name.startswith("_") else ""
            raise AttributeError(f"a score has no attribute or measure {name}{near}", name=name)
        return self[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._counted.table.measures]

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """The counts by name (docs/measures.md).

        >>> import segscore
        >>> segscore.score(reference=[2, 5], hypothesis=[2, 4], n_units=11).counts["windows"]
        9
        """
        counts = zip(self._counted.table.counts, self._counted.counts.tolist(), strict=True)
        return MappingProxyType(dict(counts))

    @property
    def values(self) -> dict[str, float | None]:
        """All measures by name.

        >>> import segscore
        >>> len(segscore.score(reference=[], hypothesis=[], n_units=1).values) > 30
        True
        """
        return self._compute(self._counted.table)

    @property
    def edits(self) -> "list[Edit]":
        """The edits between the reference and the hypothesis, in the order of the text.

        >>> import segscore
        >>> score = segscore.score(reference=[2, 5], hypothesis=[2, 4], n_units=11)
        >>> [(edit.kind, edit.position, edit.other_position) for edit in score.edits]
        [('match', 2, 2), ('near_miss', 5, 4)]

        Raises:
            Refused: this is the score of several pairs.
        """
        from segscore.pipeline.measures.edit_list import list_edits
        from segscore.pipeline.measures.pairing import TypedSides

        if self.sides is None:
            raise Refused(f"edits: this is the sum of {self.pairs} pairs; list those of one pair")
        reference, hypothesis = self.sides
        kinds = [
            None if side.types is None else np.array(side.types, np.int32) for side in self.sides
        ]
        return list_edits(
            reference.boundaries,
            hypothesis.boundaries,
            self.settings.near_limit,
            self.settings.pairing,
            TypedSides(self._counted.types, *kinds),
        )

    @property
    def signature(self) -> str:
        """One line that states how the score was computed.

        >>> import segscore
        >>> segscore.score(reference=[2], hypothesis=[3], n_units=11, n_t=3).signature.split("|")[1]
        'n_t:3'
        """
        types = self._counted.types if self._counted.typed else None
        return counted_settings(self.settings).signature(NO_INTERVALS, types)

    def __add__(self, other: "Score | int") -> "Score":
        """Add the counts of two scores.

        Raises:
            Refused: the scores were computed with different settings or boundary types, or their
                windows depend on the whole run.
        """
        if isinstance(other, int) and other == 0:  # where `sum` starts
            return self
        if not isinstance(other, Score):
            return NotImplemented
        counted = self._counted, other._counted
        mine, theirs = (
            (settings, each.types, each.typed)
            for settings, each in zip((self.settings, other.settings), counted, strict=True)
        )
        if mine != theirs:
            raise Refused(
                f"the scores were computed in different ways: {self.signature} and "
                f"{other.signature}; score all pairs with the same settings"
                + (" and declare boundary_types" if self._counted.typed else "")
            )
        require_sum(self.settings)
        counts = self._counted._replace(counts=self._counted.counts + other._counted.counts)
        return Score(self.settings, counts, None, self.pairs + other.pairs)

    __radd__ = __add__

    def __repr__(self) -> str:
        from segscore.api.shown import score_as_text

        return visible(score_as_text(self._shown()), lines=True)

    def _repr_html_(self) -> str:
        """Draw the pair, and list the main measures."""
        from segscore.api.shown import score_as_html

        return score_as_html(self._shown())

    def _shown(self) -> "ShownScore":
        """Return what is shown of the score."""
        from segscore.api.shown import ShownPair, ShownScore

        pair = None
        if self.sides is not None:
            reference, _ = self.sides
            pair = ShownPair(reference.n_units, reference.boundaries, self.edits)
        return ShownScore(self.values, self.pairs, pair, self.signature)

    def _compute(self, table: MeasureTable) -> dict[str, float | None]:
        """Compute the measures of a table."""
        counts = dict(zip(self._counted.table.counts, self._counted.counts, strict=True))
        parameters = parameters_of(self.settings, self._counted.types, counts)
        rows = self.pairs == 1
        values = evaluate_one(table.formulas.values(), counts, parameters, rows=rows)
        return {name: defined(values[name]) for name in table.measures}


def by_keywords(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Make a function name its keywords if the sides of a pair are passed by position."""

    @wraps(function)
    def checked(*arguments: _Parameters.args, **keywords: _Parameters.kwargs) -> _Result:
        if arguments:
            name = function.__name__
            raise TypeError(
                f"{name}() takes no positional arguments, because programs differ in the order of "
                f"the sides: call {name}(reference=..., hypothesis=..., n_units=...)"
            )
        return function(*arguments, **keywords)

    return checked


@by_keywords
@for_python
def score(
    *,
    reference: "Segmentation | WholeNumbers",
    hypothesis: "Segmentation | WholeNumbers",
    n_units: int | None = None,
    **settings: "Unpack[PairKeywords]",
) -> Score:
    """Score a hypothesis against a reference.

    >>> import segscore
    >>> segscore.score(reference=[2, 5], hypothesis=[2, 4], n_units=11, n_t=3).pk
    0.2222222222222222
    >>> reference = segscore.Segmentation.from_masses((2, 3, 6))
    >>> hypothesis = segscore.Segmentation.from_masses((5, 6))
    >>> segscore.score(reference=reference, hypothesis=hypothesis).b_recall
    0.5

    Args:
        reference: a segmentation, or its boundaries.
        hypothesis: a segmentation, or its boundaries.
        n_units: number of units of the document; required if a side is given as boundaries.
        settings: options of `segscore score` that change numbers, as keywords: n_t, window,
            rounding, pairing, boundary_types, p_seg, cost_miss, c_seg_costs, beta...

    Raises:
        Refused: a setting or a segmentation is invalid; the command has the same message.
    """
    unit = MILLISECOND if are_times((reference, hypothesis)) else None
    chosen = pair_settings(settings, unit)  # refuses settings before sides
    sides = as_pair(reference, hypothesis, n_units)
    return Score(chosen, count_pair(*sides, chosen), sides)


def defined(value: Any, otherwise: float | None = None) -> float | None:
    """Return a value as a float; ``otherwise`` for NaN, which marks an undefined value."""
    number = float(value)
    return otherwise if isnan(number) else number


def parameters_of(
    settings: MeasuringSettings, types: tuple[int, ...], counts: Mapping[str, np.int64]
) -> dict[str, float]:
    """Return the parameters of formulas; by default P_seg is computed from the counts.

    Args:
        settings: how the pairs were measured.
        types: boundary types of the pairs.
        counts: counts of one pair, or sums of counts, by name.
    """
    p_seg = settings.p_seg
    if p_seg is None:
        windows, covered = (int(counts[name]) if name in counts else 0 for name in P_SEG_COUNTS)
        p_seg = share_of_windows(covered, windows)
    return settings.parameters(p_seg, types)


def pair_settings(settings: Mapping[str, Any], unit: str | None = None) -> MeasuringSettings:
    """Return the settings of a score; lists may replace tuples, as in JSON.

    Args:
        settings: the settings that the user chose.
        unit: what positions are counted in, which decides n_t; None if it is not known.

    Raises:
        Refused: a value is invalid, or the setting needs tables.
        TypeError: there is no such setting.
    """
    for name in settings:
        if name in _OF_TABLES:
            raise Refused(f"{name}: one pair has none; use segscore.evaluate")
    given = read_settings(MeasuringSettings, settings, OF_PAIRS)
    return _pair_settings(tuple(given.items()), unit)


@lru_cache
def _pair_settings(given: tuple[tuple[str, Any], ...], unit: str | None) -> MeasuringSettings:
    settings = MeasuringSettings(**dict(given)).in_unit(unit)
    settings.require_documents(None)
    return settings


OF_PAIRS = [name for name in MeasuringSettings.__dataclass_fields__ if name not in _OF_TABLES]
"""Settings of `segscore.score` and of a metric."""


def require_sum(settings: MeasuringSettings) -> None:
    """Refuse to add up pairs whose windows depend on all pairs (the policy `per-run`)."""
    if settings.window == "per-run":
        raise Refused("--window per-run: needs all references at once; use segscore.evaluate")


def as_pair(
    reference: "Segmentation | WholeNumbers",
    hypothesis: "Segmentation | WholeNumbers",
    n_units: int | None,
) -> tuple[Segmentation, Segmentation]:
    """Return both sides of a pair as segmentations of one document.

    Raises:
        Refused: a side is invalid, or they have different numbers of units.
    """
    ref, hyp = (
        _as_side("reference", reference, n_units),
        _as_side("hypothesis", hypothesis, n_units),
    )
    if ref.n_units != hyp.n_units:
        raise Refused(f"hypothesis: {SAME_UNITS}: {_other_units(hyp.n_units, ref.n_units)}")
    return ref, hyp


def _other_units(units: int, expected: int) -> str:
    return f"n_units is {units}; the other side has {expected}"


def _as_side(name: str, given: "Segmentation | WholeNumbers", n_units: int | None) -> Segmentation:
    if isinstance(given, Segmentation):
        if n_units is not None and n_units != given.n_units:
            raise Refused(f"{name}: {SAME_UNITS}: {_other_units(given.n_units, n_units)}")
        return given
    try:
        positions = require_positions(given)
        if n_units is None:
            raise Refused("n_units is missing; give the number of units of the document")
        return Segmentation(positions, n_units)
    except Refused as problem:
        raise Refused(f"{name}: {str(problem).removeprefix('segmentation: ')}") from None
