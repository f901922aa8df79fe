"""Show the edits between hypotheses and references in Python."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
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
        rejected: where each hypothesis of the document is that was rejected, and why.
    """

    pairs: Sequence[Explained]
    rejected: Sequence[str] = ()

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

        lines = [*draw_explained(self.pairs, _COLUMNS), *self._remarks]
        return visible("\n".join(lines), lines=True)

    def _repr_html_(self) -> str:
        """Draw every pair."""
        from segscore.api.shown import pair_as_svg

        remarks = (f"<p>{escape(remark)}</p>" for remark in self._remarks)
        return "".join([*map(pair_as_svg, self.pairs), *remarks])

    @property
    def _remarks(self) -> list[str]:
        return [f"rejected: {each}" for each in self.rejected]
