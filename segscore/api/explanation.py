"""Show the edits between hypotheses and references in Python."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from segscore.pipeline.plain_text import visible
from segscore.pipeline.scoring.explain import Explained

_COLUMNS = 80


@dataclass(frozen=True, repr=False)
class Explanation(Sequence[Explained]):
    """The edits of a document, a pair of hypothesis and reference at a time; it draws itself.

    >>> import segscore
    >>> references = {"d": segscore.Segmentation([2, 5], 11)}
    >>> evaluation = segscore.evaluate(references, {"d": segscore.Segmentation([2, 4], 11)})
    >>> (pair,) = evaluation.explain("d")
    >>> [(edit.kind, edit.position, edit.other_position) for edit in pair.edits]
    [('match', 2, 2), ('near_miss', 5, 4)]

    Attributes:
        pairs: the pairs, each with `document`, `reference`, `hypothesis`, `n_units` and `edits`.
    """

    pairs: Sequence[Explained]

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Explained]:
        return iter(self.pairs)

    @overload
    def __getitem__(self, index: int) -> Explained: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Explained]: ...

    def __getitem__(self, index: int | slice) -> Explained | Sequence[Explained]:
        """Return a pair, or several."""
        return self.pairs[index]

    def __repr__(self) -> str:
        from segscore.pipeline.reports.terminal import draw_explained

        return visible("\n".join(draw_explained(self.pairs, _COLUMNS)), lines=True)

    def _repr_html_(self) -> str:
        """Draw every pair."""
        from segscore.api.shown import pair_as_svg

        return "".join(pair_as_svg(pair) for pair in self.pairs)
