"""What is counted: hypotheses beside the references that they are scored against."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pyarrow as pa

from segscore.pipeline.arrays.ragged import Categorical, Ints
from segscore.pipeline.scoring.boundaries import Side
from segscore.pipeline.scoring.counting import Pairs, Rule
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.trials import PairTrials, Trials


@dataclass(frozen=True)
class Hypotheses:
    """Segmentations to judge, each of a document that has a reference.

    Attributes:
        document_id: shape (rows,).
        coder: name of each hypothesis in `scores`, shape (rows,).
        system: name under which each hypothesis is averaged, shape (rows,).
        document: document number of each hypothesis, shape (rows,).
        side: boundaries of the hypotheses.
        attributes: attributes, one row per hypothesis.
        draws: how often the boundaries were drawn, if they are random; counts are then the sums
            over the draws.
        drawn: returns the boundaries of a draw, by its number from 0; ``side`` has the first.
        trials: which rows are trials of one answer; None in a run without trials.
    """

    document_id: pa.StringArray
    coder: pa.StringArray
    system: Categorical
    document: Ints
    side: Side
    attributes: pa.Table
    draws: int = 1
    drawn: Callable[[int], Side] | None = None
    trials: Trials | None = None

    def every_draw(self) -> Iterator["Hypotheses"]:
        """Yield the hypotheses with the boundaries of each draw; once if they are not random."""
        yield self
        if self.drawn is not None:
            for number in range(1, self.draws):
                yield replace(self, side=self.drawn(number))


@dataclass(frozen=True)
class View:
    """Hypotheses, and the references that they are scored against.

    A block is counted in a view of the original references, or one for each level, and in one for
    each consensus.

    Attributes:
        hypotheses: the hypotheses.
        pairs: which hypothesis is scored against which reference.
        references: the references.
        rule: how to count and add up.
        is_original: whether these are the original references; only they contribute to the
            averages over all references.
    """

    hypotheses: Hypotheses
    pairs: Pairs
    references: References
    rule: Rule
    is_original: bool = True

    def trials_of(self, pairs: Pairs) -> PairTrials | None:
        """Return which pairs are trials of one answer; None without trials."""
        trials = self.hypotheses.trials
        return None if trials is None else trials.of_pairs(pairs)


@dataclass(frozen=True)
class Block:
    """Some hypotheses of a part, as the aspects of a run observe them.

    Attributes:
        whole: the hypotheses with all their boundaries, beside the original references.
        levels: the same on each level; without levels, ``whole`` alone.
        documents: number of documents of the run.
        is_given: whether the hypotheses are rows of an input, and not empty answers added to it.
        is_first: whether it is the first block of its part.
        part_rows: number of hypotheses of the part.
        part_far: number of those of a length far from their document's.
    """

    whole: View
    levels: tuple[View, ...]
    documents: int
    is_given: bool
    is_first: bool
    part_rows: int
    part_far: int
