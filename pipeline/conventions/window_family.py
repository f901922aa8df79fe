"""Conventions of Pk and WindowDiff: the text, the windows, and how k is chosen."""

from collections.abc import Callable, Mapping

import numpy as np

from segscore.pipeline.arrays.ragged import Floats, Ints, Ragged
from segscore.pipeline.conventions.convention import (
    Answers,
    Choice,
    Family,
    Program,
    Question,
)
from segscore.pipeline.conventions.corpus import CodedSide, Corpus
from segscore.pipeline.measures import windows

_DIFFERENCE = ("window_diff",)

_TEXT = Question(
    "text",
    (
        Choice(
            "positions",
            "A text of N units has N - 1 places for a boundary, and N - k windows.",
            "segscore; segeval; NLTK on N - 1 flags",
        ),
        Choice(
            "starts",
            "There are N flags, with the mark on the first unit of a segment: N - k + 1 windows.",
            "NLTK as TinyRec calls it",
            "with n_units + 1, and every position one later",
        ),
        Choice(
            "ends",
            "There are N flags, with the mark on the last unit of a segment except the last one: "
            "N - k + 1 windows.",
            "NLTK as SuperDialseg calls it",
            "with n_units + 1, and the same positions",
        ),
        Choice(
            "ends-marked",
            "There are N flags, with the mark on the last unit of every segment, also of the last.",
            "NLTK, if the end of the text is marked",
            "with n_units + 1, and a boundary at n_units added to both sides",
        ),
        Choice(
            "starts-marked",
            "There are N flags, with the mark on the first unit of every segment, also of the "
            "first.",
            "NLTK, if the start of the text is marked",
            "with n_units + 1, every position one later, and a boundary at 1 added to both sides",
        ),
    ),
)
_WINDOWS = Question(
    "windows",
    (
        Choice("all", "All windows are examined, each of k places.", "segscore; segeval; NLTK"),
        Choice(
            "last-left-out",
            "The loop ends one window early.",
            "programs that loop over range(len(flags) - k)",
            "with the last unit of every document removed",
        ),
        Choice(
            "longer",
            "A window has k + 1 places.",
            "NLTK 2, windowdiff",
            "with a --window that is 1 larger",
        ),
    ),
)
_DIFFERENCES = Question(
    "difference",
    (
        Choice("differs", "A window is wrong if the numbers differ.", "Pevzner & Hearst 2002"),
        Choice(
            "absolute",
            "Each window adds the difference between the numbers.",
            "NLTK, windowdiff with weighted=True; NLTK 2",
            "column window_diff_weighted",
        ),
        Choice(
            "padded",
            "The text is padded with k units at both ends; N + k windows.",
            "Lamprier et al. 2007",
            "column window_diff_edges",
        ),
        Choice(
            "padded-plus-one",
            "The text is padded with k units at both ends; errors are divided by N + k + 1.",
            "segeval, window_diff with lamprier_et_al_2007_fix=True",
            "edge_errors / (edge_windows + 1) from the columns of scores",
        ),
    ),
    _DIFFERENCE,
)
_K = Question(
    "k",
    (
        Choice("half-segment", "k is N / 2S, S segments.", "segscore; segeval; TinyRec"),
        Choice(
            "flags-per-boundary",
            "k is (N - 1) / 2B, B boundaries.",
            "NLTK, pk without k on N - 1 flags",
            "with --window set to (N - 1) / 2B for each document",
        ),
        Choice(
            "units-per-boundary",
            "k is N / 2B, B boundaries.",
            "NLTK, pk without k on N flags",
            "with --window set to N / 2B for each document",
        ),
        Choice(
            "half-segment-plus",
            "k is (N + 1) / 2S.",
            "segscore on N flags that were imported as N + 1 units",
            "with --window set to (N + 1) / 2S for each document",
        ),
        Choice(
            "segment",
            "k is the whole mean segment, N / S.",
            "programs that forget to halve it",
            "with --window set to N / S for each document",
        ),
    ),
)
_ROUNDING = Question(
    "rounding",
    (
        Choice("half-even", "k is rounded half to even.", "segscore; segeval; Python's round"),
        Choice(
            "half-up", "k is rounded half up.", "Choi 2000; K&S's program", "--rounding half-up"
        ),
        Choice(
            "down", "k is rounded down.", "int() and // of Python", "with --window rounded down"
        ),
        Choice("up", "k is rounded up.", "ceil() of Python", "with --window rounded up"),
    ),
)
_LEAST = Question(
    "least",
    (
        Choice("two", "k is at least 2.", "segscore; segeval; SuperDialseg"),
        Choice("one", "k is at least 1.", "NLTK; K&S's program", "with --window 1 where k is 1"),
    ),
)
_SCOPE = Question(
    "scope",
    (
        Choice("pair", "Each pair has the k of its reference.", "segscore; segeval; NLTK"),
        Choice(
            "document",
            "Each document has one k, from all its references.",
            "Kazantseva & Szpakowicz 2012, 5",
            "--window per-document",
        ),
        Choice(
            "run",
            "The corpus has one k, from all references.",
            "programs that are given k once",
            "--window per-run",
        ),
    ),
)
_ROLES = Question(
    "roles",
    (
        Choice("given", "k is that of the reference.", "segscore"),
        Choice(
            "exchanged",
            "k is that of the hypothesis.",
            "segeval, if it is called with the reference first",
            "with REFERENCES and HYPOTHESES exchanged",
        ),
    ),
)

_NLTK = {"average": "pairs", "least": "one", "text": "starts"}
_PROGRAMS = (
    Program("segscore", "segscore score", {}),
    Program("segscore, macro", "segscore score", {"average": "macro"}),
    Program(
        "segeval",
        "the mean of segeval.pk(hypothesis, reference), or of segeval.window_diff",
        {"average": "pairs"},
    ),
    Program("TextSeg", "Accuracy of koomri/text-segmentation: segeval, weighted by windows", {}),
    Program(
        "segeval, exchanged",
        "the mean of segeval.pk(reference, hypothesis), or of segeval.window_diff",
        {"average": "pairs", "roles": "exchanged"},
    ),
    Program(
        "segeval, lamprier_et_al_2007_fix",
        "the mean of segeval.window_diff(hypothesis, reference, lamprier_et_al_2007_fix=True)",
        {"average": "pairs", "difference": "padded-plus-one"},
        _DIFFERENCE,
    ),
    Program(
        "NLTK, N - 1 flags",
        "the mean of nltk.pk(reference, hypothesis), or of nltk.windowdiff with the k of nltk.pk",
        {"average": "pairs", "least": "one", "k": "flags-per-boundary"},
    ),
    Program(
        "NLTK, N flags, starts",
        "the mean of nltk.pk(reference, hypothesis), or of nltk.windowdiff with the k of nltk.pk",
        {**_NLTK, "k": "units-per-boundary"},
    ),
    Program(
        "NLTK, N flags, ends",
        "the mean of nltk.pk(reference, hypothesis), or of nltk.windowdiff with the k of nltk.pk",
        {**_NLTK, "k": "units-per-boundary", "text": "ends"},
    ),
    Program(
        "NLTK, N flags, last one set",
        "the mean of nltk.pk(reference, hypothesis), or of nltk.windowdiff with the k of nltk.pk",
        {**_NLTK, "text": "ends-marked"},
    ),
    Program(
        "TinyRec",
        "the mean of nltk.pk(reference, hypothesis, k), or of nltk.windowdiff, on N flags",
        {"average": "pairs", "text": "starts"},
    ),
    Program(
        "SuperDialseg",
        "SegmentationEvaluation of super_dialseg",
        {"average": "pairs", "text": "ends"},
    ),
    Program(
        "NLTK 2, windowdiff",
        "the mean of windowdiff(reference, hypothesis, k) / (len(reference) - k) of NLTK 2",
        {"average": "pairs", "windows": "longer", "difference": "absolute", "text": "starts"},
        _DIFFERENCE,
    ),
    Program(
        "NLTK, weighted=True",
        "the mean of nltk.windowdiff(reference, hypothesis, k, weighted=True)",
        {"average": "pairs", "difference": "absolute"},
        _DIFFERENCE,
    ),
    Program("Choi 2000", "the C99 package, in words", {"average": "pairs", "rounding": "half-up"}),
    Program(
        "K&S",
        "the program of Kazantseva & Szpakowicz 2012, on N flags",
        {
            "average": "macro",
            "rounding": "half-up",
            "least": "one",
            "scope": "document",
            "text": "ends",
        },
    ),
)

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
        chosen = tuple(answers[q.name] for q in (_K, _ROUNDING, _LEAST, _SCOPE, _ROLES))
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
    questions=(_TEXT, _WINDOWS, _DIFFERENCES, _K, _ROUNDING, _LEAST, _SCOPE, _ROLES),
    programs=_PROGRAMS,
    counter=_WindowCounter,
    formula=_formula,
    agreed={},
)
