"""Count windows by the conventions of Pk and WindowDiff (``window_questions.py``)."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial

import numpy as np

from segscore.pipeline.arrays.ragged import Floats, Ints, Ragged, add_up
from segscore.pipeline.conventions.convention import Answers, Family, LazyCounts
from segscore.pipeline.conventions.corpus import CodedSide, Corpus
from segscore.pipeline.conventions.rewriting import DOCUMENTS, GRID, MERGED, RewritingCounter
from segscore.pipeline.conventions.rewritten_corpus import only, with_boundary
from segscore.pipeline.conventions.window_questions import WINDOW_PROGRAMS, WINDOW_QUESTIONS
from segscore.pipeline.measures import windows
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs

_OF_TEXT = ("text", "windows")
_OF_K = ("roles", "scope", "k", "rounding", "least")
_NO_WINDOW = 0
_COUNTED = (
    "windows",
    "pk_misses",
    "pk_false_alarms",
    "wd_misses",
    "wd_false_alarms",
    "wd_absolute",
    "edge_windows",
    "edge_errors",
)
_COUNTED_ROWS = [[*windows.COUNTS].index(name) for name in _COUNTED]
_SIZES = 8
"""Number of window sizes for which the counts of a pair are kept."""


class _CountsBySize:
    """Counts of pairs by some of the window sizes for which they were counted before.

    Conventions differ in k, but most pairs have one of few sizes by all of them. The counts of a
    pair for k are kept in place k modulo ``_SIZES``, until they are needed for another k.
    """

    def __init__(self, pairs: SegmentationPairs, *, repeated: bool) -> None:
        """Start without counts; positions may be repeated."""
        self.pairs, places = pairs, _SIZES * len(pairs.ref_row)
        self.repeated = repeated
        is_small = pairs.n_units.max(initial=0) < 2**15  # no count exceeds the square of that
        self.sizes = np.zeros(places, np.int64)
        self.known = np.empty((len(_COUNTED), places), np.int32 if is_small else np.int64)

    def places(self, sizes: Ints) -> Ints:
        """Count the pairs whose counts are not known; return where those of each pair are kept.

        Args:
            sizes: window size of each pair, at least 1, shape (pairs,).
        """
        place = _SIZES * np.arange(len(sizes)) + sizes % _SIZES
        new = np.flatnonzero(self.sizes[place] != sizes)
        if len(new):
            pairs = self.pairs
            rows = pairs.ref_row[new], pairs.hyp_row[new], pairs.n_units[new]
            chosen = SegmentationPairs(pairs.references, pairs.hypotheses, *rows)
            count = windows.count_repeated if self.repeated else windows.count
            self.known[:, place[new]] = count(chosen, sizes[new])[_COUNTED_ROWS]
            self.sizes[place[new]] = sizes[new]
        return place

    def take(self, name: str, places: Ints) -> Ints:
        """Return a count of ``_COUNTED`` of all pairs, shape (pairs,)."""
        return self.known[_COUNTED.index(name)].take(places)


class _WindowCounter:
    """Counts windows by a convention, and remembers the counts of the last text."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._counts = lru_cache(1)(self._count_by_size)
        self._totals = lru_cache(None)(self._totals_of)
        self._last: tuple[tuple[str, ...], Ints] = (), np.zeros(0, np.int64)
        self._known: Mapping[str, Ints] = {}

    def order(self, answers: Answers) -> tuple[str, ...]:
        """Return a sort key; see ``convention``."""
        return tuple(answers[name] for name in (*_OF_TEXT, *_OF_K))

    def counts(self, answers: Answers) -> Mapping[str, Ints]:
        """Return the counts of all pairs, shape (pairs,) each."""
        chosen = self.order(answers)
        last, last_k = self._last
        if chosen != last:
            totals = self._totals(answers["roles"], answers["scope"])
            k = _window_sizes(totals, answers, self.corpus.parts)
            k += (k != _NO_WINDOW) * (answers["windows"] == "longer")
            if chosen[: len(_OF_TEXT)] != last[: len(_OF_TEXT)] or not np.array_equal(k, last_k):
                of_text = self._counts(answers["text"], answers["windows"])
                self._known = _lazy_counts(of_text, k)
            self._last = chosen, k
        return self._known

    def _count_by_size(self, text: str, which: str) -> _CountsBySize:
        """Return what counts the pairs as a program reads them."""
        corpus = self.corpus
        sides = [_rewritten(side, text, which) for side in (corpus.references, corpus.hypotheses)]
        pairs = corpus.pairs(sides[0][0], sides[1][0], sides[0][1])
        return _CountsBySize(pairs, repeated=corpus.repeated)

    def _totals_of(self, roles: str, scope: str) -> Ints:
        """Return what the window size of each pair is computed from; see ``_totals``."""
        corpus, exchanged = self.corpus, roles == "exchanged"
        side = corpus.hypotheses if exchanged else corpus.references
        return _totals(side, scope)[:, corpus.hyp_row if exchanged else corpus.ref_row]


def _lazy_counts(of_text: _CountsBySize, k: Ints) -> LazyCounts:
    """Return counts, and ``rows``, by window sizes; all are 0 where there is no window."""
    places = of_text.places(np.maximum(1, k))
    has_window: Ints = np.sign(k)

    def compute(name: str) -> Ints:
        return has_window if name == "rows" else has_window * of_text.take(name, places)

    return LazyCounts(compute)


def _rewritten(side: CodedSide, text: str, which: str) -> tuple[Ragged, Ints]:
    """Return boundaries and lengths as a program reads them, by the answers on text and windows."""
    boundaries, n_units = _TEXTS[text](side.boundaries, side.n_units)
    if which == "last-left-out":
        n_units = np.maximum(1, n_units - 1)
        boundaries = _before_end(boundaries, n_units)
    return boundaries, n_units


def _before_end(boundaries: Ragged, n_units: Ints) -> Ragged:
    """Drop the boundaries that are not before the end of the text."""
    return only(boundaries, boundaries.values < np.repeat(n_units, boundaries.lengths))


def _later(boundaries: Ragged) -> Ragged:
    return Ragged(boundaries.offsets, boundaries.values + np.int32(1))


_TEXTS: Mapping[str, Callable[[Ragged, Ints], tuple[Ragged, Ints]]] = {
    "positions": lambda boundaries, n_units: (boundaries, n_units),
    "starts": lambda boundaries, n_units: (_later(boundaries), n_units + 1),
    "ends": lambda boundaries, n_units: (boundaries, n_units + 1),
    "ends-marked": lambda boundaries, n_units: (
        with_boundary(boundaries, n_units, last=True),
        n_units + 1,
    ),
    "starts-marked": lambda boundaries, n_units: (
        with_boundary(_later(boundaries), np.ones_like(n_units), last=False),
        n_units + 1,
    ),
}


def _totals(side: CodedSide, scope: str) -> Ints:
    """Return length, boundaries and rows of the scope of each segmentation, shape (3, rows)."""
    ones, length = np.ones_like(side.n_units), side.n_units
    if side.length is not None:
        length = side.length
    if scope == "pair":
        return np.stack([length, side.boundaries.lengths, ones])
    group = {
        "document": side.system * (1 + side.document.max()) + side.document,
        "run": side.system,
    }[scope]
    _, code = np.unique(group, return_inverse=True)
    lengths = side.boundaries.lengths
    return np.stack([_summed(code, each)[code] for each in (length, lengths, ones)])


def _window_sizes(totals: Ints, answers: Answers, parts: int) -> Ints:
    """Return the window size of each pair, shape (pairs,).

    It is ``_NO_WINDOW`` where the number of boundaries is 0 and must be divided by.  Lengths count
    so many parts of a unit.
    """
    length, boundaries, rows = totals
    numerator, denominator = {
        "half-segment": lambda: (length, 2 * (boundaries + rows)),
        "flags-per-boundary": lambda: (length - parts * rows, 2 * boundaries),
        "units-per-boundary": lambda: (length, 2 * boundaries),
        "half-segment-plus": lambda: (length + parts * rows, 2 * (boundaries + rows)),
        "segment": lambda: (length, boundaries + rows),
    }[answers["k"]]()
    rounded = _rounded(numerator, parts * np.maximum(1, denominator), answers["rounding"])
    sizes = np.maximum(2 if answers["least"] == "two" else 1, rounded)
    return np.where(denominator > 0, sizes, _NO_WINDOW)


def _summed(code: Ints, numbers: Ints) -> Ints:
    return add_up(numbers, code, int(code.max()) + 1)


def _rounded(numerator: Ints, denominator: Ints, rounding: str) -> Ints:
    """Divide whole numbers and round, in integer arithmetic."""
    quotient, remainder = np.divmod(numerator, denominator)
    if rounding == "down":
        return quotient
    if rounding == "up":
        return quotient + (remainder > 0)
    if rounding == "half-up":
        return quotient + (2 * remainder >= denominator)
    half = 2 * remainder == denominator
    return quotient + ((2 * remainder > denominator) | (half & (quotient % 2 == 1)))


def _formula(measure: str, answers: Answers, counts: Mapping[str, Ints]) -> Floats:
    """Compute Pk or WindowDiff."""
    if measure == "pk":
        return (counts["pk_misses"] + counts["pk_false_alarms"]) / counts["windows"]
    difference = answers["difference"]
    if difference == "padded":
        return counts["edge_errors"] / counts["edge_windows"]
    if difference == "padded-plus-one":
        # Sums count each document's further window, of which there are as many as documents.
        return counts["edge_errors"] / (counts["edge_windows"] + counts["rows"])
    if difference == "absolute":
        return counts["wd_absolute"] / counts["windows"]
    return (counts["wd_misses"] + counts["wd_false_alarms"]) / counts["windows"]


WINDOW_FAMILY = Family(
    measures=("pk", "window_diff"),
    questions=(*WINDOW_QUESTIONS, DOCUMENTS, MERGED, GRID),
    programs=WINDOW_PROGRAMS,
    counter=partial(RewritingCounter, _WindowCounter),
    formula=_formula,
    agreed={},
)
