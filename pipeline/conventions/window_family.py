"""Count windows by the conventions of Pk and WindowDiff (``window_questions.py``)."""

from collections.abc import Callable, Mapping

import numpy as np

from segscore.pipeline.arrays.ragged import Floats, Ints, Ragged
from segscore.pipeline.conventions.convention import Answers, Family
from segscore.pipeline.conventions.corpus import CodedSide, Corpus
from segscore.pipeline.conventions.window_questions import WINDOW_PROGRAMS, WINDOW_QUESTIONS
from segscore.pipeline.measures import windows

_OF_K = ("k", "rounding", "least", "scope", "roles")
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


class _WindowCounter:
    """Counts windows by a convention, and remembers the counts."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.sizes: dict[tuple[str, ...], Ints] = {}
        self.known: dict[tuple[str, str, bytes], Mapping[str, Ints]] = {}

    def counts(self, answers: Answers) -> Mapping[str, Ints]:
        """Return the counts of all pairs, shape (pairs,) each."""
        chosen = tuple(answers[name] for name in _OF_K)
        if chosen not in self.sizes:
            self.sizes[chosen] = _window_sizes(self.corpus, answers)
        k = self.sizes[chosen]
        k = k + (k != _NO_WINDOW) * (answers["windows"] == "longer")
        key = (answers["text"], answers["windows"], k.tobytes())
        if key not in self.known:
            self.known[key] = self._count(answers, k)
        return self.known[key]

    def _count(self, answers: Answers, k: Ints) -> Mapping[str, Ints]:
        corpus = self.corpus
        sides = [_rewritten(side, answers) for side in (corpus.references, corpus.hypotheses)]
        pairs = corpus.pairs(sides[0][0], sides[1][0], sides[0][1])
        counts = windows.count(pairs, np.maximum(1, k)) * (k != _NO_WINDOW)
        counted = dict(zip(windows.COUNTS, counts, strict=True))
        return {name: counted[name] for name in _COUNTED} | {"rows": np.sign(k)}


def _rewritten(side: CodedSide, answers: Answers) -> tuple[Ragged, Ints]:
    """Return boundaries and lengths as a program reads them."""
    boundaries, n_units = _TEXTS[answers["text"]](side.boundaries, side.n_units)
    if answers["windows"] == "last-left-out":
        n_units = np.maximum(1, n_units - 1)
        boundaries = _before_end(boundaries, n_units)
    return boundaries, n_units


def _before_end(boundaries: Ragged, n_units: Ints) -> Ragged:
    """Drop the boundaries that are not before the end of the text."""
    kept = boundaries.values < np.repeat(n_units, boundaries.lengths)
    return Ragged(np.append(0, np.cumsum(kept))[boundaries.offsets], boundaries.values[kept])


def _with_boundary(boundaries: Ragged, position: Ints, *, last: bool) -> Ragged:
    """Add a boundary to each segmentation, after its last one or before its first."""
    at = boundaries.offsets[1:] if last else boundaries.offsets[:-1]
    values = np.insert(boundaries.values, at, position.astype(np.int32))
    return Ragged(boundaries.offsets + np.arange(len(boundaries.offsets)), values)


def _later(boundaries: Ragged) -> Ragged:
    return Ragged(boundaries.offsets, boundaries.values + np.int32(1))


_TEXTS: Mapping[str, Callable[[Ragged, Ints], tuple[Ragged, Ints]]] = {
    "positions": lambda boundaries, n_units: (boundaries, n_units),
    "starts": lambda boundaries, n_units: (_later(boundaries), n_units + 1),
    "ends": lambda boundaries, n_units: (boundaries, n_units + 1),
    "ends-marked": lambda boundaries, n_units: (
        _with_boundary(boundaries, n_units, last=True),
        n_units + 1,
    ),
    "starts-marked": lambda boundaries, n_units: (
        _with_boundary(_later(boundaries), np.ones_like(n_units), last=False),
        n_units + 1,
    ),
}


def _window_sizes(corpus: Corpus, answers: Answers) -> Ints:
    """Return the window size of each pair, shape (pairs,)."""
    exchanged = answers["roles"] == "exchanged"
    side = corpus.hypotheses if exchanged else corpus.references
    sizes = _row_window_sizes(side, answers)
    return sizes[corpus.hyp_row if exchanged else corpus.ref_row]


def _row_window_sizes(side: CodedSide, answers: Answers) -> Ints:
    """Return the window size of each segmentation, as if it were a reference, shape (rows,).

    It is ``_NO_WINDOW`` where the number of boundaries is 0 and must be divided by.
    """
    group = {
        "pair": np.arange(len(side.n_units)),
        "document": side.system * (1 + side.document.max()) + side.document,
        "run": side.system,
    }[answers["scope"]]
    _, code = np.unique(group, return_inverse=True)
    boundaries = _summed(code, side.boundaries.lengths)
    rows = _summed(code, np.ones_like(code))
    units = _summed(code, side.n_units)
    numerator, denominator = {
        "half-segment": (units, 2 * (boundaries + rows)),
        "flags-per-boundary": (units - rows, 2 * boundaries),
        "units-per-boundary": (units, 2 * boundaries),
        "half-segment-plus": (units + rows, 2 * (boundaries + rows)),
        "segment": (units, boundaries + rows),
    }[answers["k"]]
    rounded = _rounded(numerator, np.maximum(1, denominator), answers["rounding"])
    sizes = np.maximum(2 if answers["least"] == "two" else 1, rounded)
    return np.where(denominator > 0, sizes, _NO_WINDOW)[code]


def _summed(code: Ints, numbers: Ints) -> Ints:
    total = np.zeros(code.max() + 1, np.int64)
    np.add.at(total, code, numbers)
    return total


def _rounded(numerator: Ints, denominator: Ints, rounding: str) -> Ints:
    """Divide whole numbers and round, in integer arithmetic."""
    quotient, remainder = np.divmod(numerator, denominator)
    half = 2 * remainder == denominator
    up = {
        "down": np.zeros_like(half),
        "up": remainder > 0,
        "half-up": 2 * remainder >= denominator,
        "half-even": (2 * remainder > denominator) | (half & (quotient % 2 == 1)),
    }[rounding]
    return quotient + up


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
    questions=WINDOW_QUESTIONS,
    programs=WINDOW_PROGRAMS,
    counter=_WindowCounter,
    formula=_formula,
    agreed={},
)
