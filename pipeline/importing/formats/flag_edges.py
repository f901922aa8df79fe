"""Refuse flags that mark another unit of a segment than is said, by the first and the last flag.

The first unit of a document begins a segment, and the last one ends one.  So flags of last units
end with 1 in every document, which would be a boundary before the last unit if they were read as
flags of first units, and a match wherever both sides have it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from segscore.pipeline.tables.rows import RowPlace

END, START, BETWEEN = "end", "start", "between"
"""What a flag marks: the last unit of a segment, the first one, or a place between two units."""

_SURELY = 8
"""So many documents do not all begin or end with a segment of one unit by chance."""

_FEWEST = 2
"""So many references whose last unit begins a segment, though the first one does not."""

_SHOWN = {
    END: "the last flag is 1 in {documents}, as where 1 marks the last unit of a segment",
    START: "the first flag is 1 in {documents}, as where 1 marks the first unit of a segment",
}


class _Edges(NamedTuple):
    """The first and the last flag of a document, and where they were read."""

    place: RowPlace
    first: bool
    last: bool


@dataclass
class FlagEdges:
    """The first and last flags of the documents of each coder.

    Attributes:
        marks: what the flags are said to mark.
        remedies: what to do with flags that mark the start, or the end, instead.
    """

    marks: str
    remedies: Mapping[str, str]
    _seen: dict[tuple[str, bool], list[_Edges]] = field(default_factory=dict)

    def add(self, flags: Sequence[bool], coder: str, role: str | None, place: RowPlace) -> None:
        """Add the flags of a document; those of one unit, and ones alone, are no evidence."""
        if len(flags) > 1 and not all(flags):
            edges = self._seen.setdefault((coder, role == "hypothesis"), [])
            edges.append(_Edges(place, flags[0], flags[-1]))

    def check(self) -> None:
        """Refuse flags that begin or end in every document as other flags do.

        A system may put out anything, so that a few documents of it are no evidence.

        Raises:
            Refused: 1 marks another unit than `marks` says; the message names the coder.
        """
        for (coder, is_system), edges in self._seen.items():
            marked = self._marked(edges)
            fewest = _FEWEST if self.marks == START and not is_system else _SURELY
            if marked is not None and len(edges) >= fewest:
                shown = _SHOWN[marked].format(documents=f"each of {len(edges)} documents")
                raise edges[0].place.refusal(f"{coder}: {shown}; {self.remedies[marked]}")

    def _marked(self, edges: Sequence[_Edges]) -> str | None:
        """Return what 1 must mark, if that is something else; None if nothing speaks for it."""
        first, last = (all(edge[side] for edge in edges) for side in (1, 2))
        if last and (self.marks == BETWEEN or (self.marks == START and not first)):
            return END
        return START if first and self.marks != START and not last else None
