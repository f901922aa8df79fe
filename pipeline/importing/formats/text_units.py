"""Units of a text in which spans of characters are marked: lines, tokens or characters."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals, Moment, Segment
from segscore.pipeline.tables.rows import RowPlace

TEXT_OPTIONS = ("document_field", "text_units")
"""Options that all formats of annotated texts read."""

_PATTERNS = {"lines": r"\S[^\n]*", "tokens": r"\S+"}
_NAMES = {"lines": "line", "tokens": "token", "characters": "character"}


@dataclass(frozen=True, slots=True)
class TextUnits:
    """The units of a text and where they are in it.

    Attributes:
        text: the text, whose offsets are in code points.
        unit: line, token, character or turn.
        places: start and end of each unit without white space around it, ascending; None if every
            character is a unit.
    """

    text: str
    unit: str
    places: Sequence[tuple[int, int]] | None

    @property
    def length(self) -> int:
        """Number of units."""
        return len(self.text) if self.places is None else len(self.places)

    def segmentation(self, spans: Sequence[tuple[int, int]], place: RowPlace) -> Intervals:
        """Return the segmentation of the text that spans make.

        Raises Refused as `segments`.
        """
        segments, counted = self.segments(spans, place)
        return Intervals(
            place=place,
            unit=self.unit,
            length=Fraction(self.length),
            counted=counted,
            segments=segments,
        )

    def segments(
        self, spans: Sequence[tuple[int, int]], place: RowPlace
    ) -> tuple[list[Segment], Counter[str]]:
        """Return the segments that spans make, and how many of their edges moved to a unit's edge.

        Raises Refused for a span that ends before it starts or is not inside the text.
        """
        segments = []
        counted: Counter[str] = Counter()
        edges = self._edges()
        for start, end in spans:
            check_span(start, end, len(self.text), place)
            first, last = (start, end) if edges is None else _trimmed(self.text, start, end)
            (begin, off), (until, off_too) = (
                _nearest(edges, offset) if edges else (offset, 0) for offset in (first, last)
            )
            counted["moved"] += (off > 0) + (off_too > 0)
            moments = (Moment(Fraction(begin), str(start)), Moment(Fraction(until), str(end)))
            segments.append(Segment(*moments, place.line))
        return segments, +counted

    def _edges(self) -> list[tuple[int, int]] | None:
        """List the offset of each start and end, with the number of units before it."""
        if self.places is None:
            return None
        return [
            (offset, number + later)
            for number, place in enumerate(self.places)
            for later, offset in enumerate(place)
        ]


def text_units(
    text: str,
    settings: ImportSettings,
    place: RowPlace,
    tokens: Sequence[tuple[int, int]] | None = None,
) -> TextUnits:
    """Divide a text into the units that `--text-units` names.

    Lines and tokens without text do not count as units. Tokens are `tokens`, or what white space
    separates.
    Raises Refused if `--text-units` is not given, or the text has no unit.
    """
    kind = settings.text_units
    if kind is None:
        raise place.refusal(
            "spans of text, and lines and characters give different numbers of units; name the "
            "unit with --text-units lines, characters or tokens"
        )
    places = None if kind == "characters" else _places(text, kind, tokens, place)
    units = TextUnits(text, _NAMES[kind], places)
    if not units.length:
        raise place.refusal(f"the text has no {units.unit}; expected at least one")
    return units


def _places(
    text: str, kind: str, tokens: Sequence[tuple[int, int]] | None, place: RowPlace
) -> list[tuple[int, int]]:
    if kind == "lines" or tokens is None:
        tokens = [found.span() for found in re.finditer(_PATTERNS[kind], text)]
    above = 0
    for start, end in tokens:
        if not above <= start <= end <= len(text):
            raise place.refusal(
                f"a token from {start} to {end} is not in the text after the token before it"
            )
        above = end
    trimmed = (_trimmed(text, start, end) for start, end in tokens)
    return [(start, end) for start, end in trimmed if start < end]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the white space at its edges; an empty one stays where it starts."""
    inside = text[start:end]
    blank = len(inside) - len(inside.lstrip())
    return (start + blank, start + len(inside.rstrip())) if inside.strip() else (start, start)


def _nearest(edges: Sequence[tuple[int, int]], offset: int) -> tuple[int, int]:
    """Return the position of the nearest edge, the earlier of two, and its distance."""
    after = bisect_left(edges, (offset, 0))
    near = edges[max(after - 1, 0) : after + 1]
    edge, position = min(near, key=lambda one: abs(one[0] - offset))
    return position, abs(edge - offset)


def check_span(start: int, end: int, length: int, place: RowPlace) -> None:
    """Raise Refused for a span that ends before it starts or is not inside its text."""
    if end < start:
        raise place.refusal(f"a span ends at {end}, before its start {start}; correct one of them")
    if start < 0 or end > length:
        raise place.refusal(
            f"a span from {start} to {end} is not inside its text of {length} characters; check "
            "that it is the text that was annotated"
        )
