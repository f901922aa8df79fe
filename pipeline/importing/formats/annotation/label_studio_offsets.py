"""Offsets of Label Studio's regions in a text: in code points or, from a browser, in UTF-16."""

from collections.abc import Iterable, Mapping, Sequence

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.annotation.text_spans import check_span
from segscore.pipeline.importing.formats.json_fields import object_of
from segscore.pipeline.importing.formats.json_values import json_offset
from segscore.pipeline.tables.rows import RowPlace, shown

StatedSpan = tuple[int, int, str | None]
"""Start, end and text of a region; the text is None if the file does not say."""


def stated_span(region: Mapping[str, object], place: RowPlace) -> StatedSpan:
    """Return the offsets and the text of a region as the file states them."""
    value = object_of(region.get("value"), "value", place)
    bounds = object_of(value.get("globalOffsets", value), "globalOffsets", place)
    start, end = (json_offset(bounds, name, place) for name in ("start", "end"))
    text = value.get("text")
    return start, end, text if isinstance(text, str) else None


def in_code_points(text: str, stated: Iterable[StatedSpan]) -> list[tuple[int, int]] | None:
    """Return the spans if the text has their texts there, otherwise None."""
    spans = []
    for start, end, expected in stated:
        if expected is not None and text[start:end] != expected:
            return None
        spans.append((start, end))
    return spans


def in_utf16(text: str, stated: Iterable[StatedSpan]) -> list[tuple[int, int]] | None:
    """Return the spans in code points if they fit as offsets in UTF-16, otherwise None."""
    wide = 0
    points = {}
    for point, character in enumerate(text):
        points[wide] = point
        wide += 1 + (ord(character) > 0xFFFF)
    points[wide] = len(text)
    converted = []
    for start, end, expected in stated:
        if start not in points or end not in points:
            return None
        converted.append((points[start], points[end], expected))
    return in_code_points(text, converted)


def misfit(text: str, stated: Sequence[StatedSpan], place: RowPlace) -> Refused:
    """Return the error to raise for the first span that does not fit in code points.

    Raises Refused for a span that is not inside the text at all.
    """
    for start, end, _ in stated:
        check_span(start, end, len(text), place)
    start, end, expected = next(one for one in stated if in_code_points(text, [one]) is None)
    return place.refusal(
        f"a region from {start} to {end} has the text {shown(expected)}, but the document has "
        f"{shown(text[start:end])} there; check that it is the text that was annotated"
    )
