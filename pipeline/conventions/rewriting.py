"""Count segmentations as a program rewrites them first: joined, thinned out, in whole seconds."""

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.conventions.convention import (
    Answer,
    Answers,
    Counter,
    LazyCounts,
    Question,
)
from segscore.pipeline.conventions.corpus import EDGES, TIME, Corpus
from segscore.pipeline.conventions.rewritten_corpus import (
    first_pairs,
    in_seconds,
    joined,
    with_marked_edges,
    without_near,
)

OWN = "own"
"""Answer that documents are not joined."""

DOCUMENTS = Question(
    "documents",
    (
        Answer(OWN, "Each document is scored by itself.", "segscore"),
        Answer(
            "joined",
            "All documents are joined to one before they are scored, in the order of the "
            "references, and both sides have a boundary where two are joined.",
            "programs that write all documents into one string",
            "with all documents as one, and a boundary where two are joined",
        ),
        Answer(
            "joined-unmarked",
            "All documents are joined to one before they are scored, in the order of the "
            "references, without a boundary where two are joined.",
            "programs that put the flags of all documents into one list",
            "with all documents as one",
        ),
    ),
)
MERGED = Question(
    "merged",
    (
        Answer("none", "All boundaries count.", "segscore"),
        Answer(
            "half-second",
            "A boundary at most half a second after the last one that is kept is dropped.",
            "Adachi, Tsukagoshi & Ohmukai 2026",
            "without such boundaries",
            TIME,
        ),
    ),
)
GRID = Question(
    "grid",
    (
        Answer("units", "Positions are those of the tables.", "segscore"),
        Answer(
            "seconds",
            "Whole seconds, each in the segment in which its middle is; N is the length rounded "
            "half to even, and the length itself gives k.",
            "Adachi, Tsukagoshi & Ohmukai 2026",
            "with whole seconds as units",
            TIME,
        ),
    ),
)
MARKED_EDGES = Answer(
    "marked",
    "An end of the text counts unless the columns edge_start and edge_end say that it is none.",
    "Adachi, Tsukagoshi & Ohmukai 2026",
    "with the ends that count added to each side",
    EDGES,
)
"""An answer to the question which ends of the text count as boundaries."""

_Rewriting = tuple[str, bool, str, str]
"""How documents are joined, whether ends are marked, what near boundaries become, and the grid."""

_NONE: _Rewriting = OWN, False, "none", "units"


class RewritingCounter:
    """Counts the pairs of a corpus as it is rewritten, and remembers the last rewriting."""

    def __init__(self, counter: Callable[[Corpus], Counter], corpus: Corpus) -> None:
        """Count with what ``counter`` makes for the rewritten corpus."""
        self._corpus, self._original = corpus, counter(corpus)
        self._rewritten = lru_cache(1)(lambda how: counter(_rewrite(corpus, how)))

    def order(self, answers: Answers) -> tuple[str, ...]:
        """Return a sort key; see ``convention``."""
        return *map(str, _rewriting_of(answers)), *self._original.order(answers)

    def counts(self, answers: Answers) -> Mapping[str, Ints]:
        """Return the counts of all pairs, shape (pairs,) each.

        Where documents are joined, the first pair of each system has those of the whole.
        """
        how = _rewriting_of(answers)
        if how == _NONE:
            return self._original.counts(answers)
        counts = self._rewritten(how).counts(answers)
        if answers[DOCUMENTS.name] == OWN:
            return counts
        first, pairs = first_pairs(self._corpus), len(self._corpus.hyp_row)

        def spread(name: str) -> Ints:
            spread = np.zeros(pairs, np.int64)
            spread[first] = counts[name]
            return spread

        return LazyCounts(spread)


def _rewriting_of(answers: Answers) -> _Rewriting:
    return (
        answers[DOCUMENTS.name],
        answers.get("edges") == MARKED_EDGES.name,
        answers[MERGED.name],
        answers.get(GRID.name, "units"),
    )


def _rewrite(corpus: Corpus, how: _Rewriting) -> Corpus:
    documents, marked, merged, grid = how
    if documents != OWN:
        corpus = joined(corpus, marked=documents == "joined")
    if marked:
        corpus = with_marked_edges(corpus)
    if merged != "none":
        corpus = without_near(corpus)
    return in_seconds(corpus) if grid == "seconds" else corpus
