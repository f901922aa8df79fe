"""Regions of Label Studio in dialogues, whose units are their paragraphs."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from segscore.pipeline.importing.formats.annotation.label_studio_work import LabelStudioWork
from segscore.pipeline.importing.formats.annotation.text_spans import TextUnits
from segscore.pipeline.importing.formats.json_fields import object_of
from segscore.pipeline.importing.formats.json_values import json_objects, json_offset
from segscore.pipeline.importing.formats.shapes import Intervals
from segscore.pipeline.tables.rows import RowPlace

_BLANK = "-"
"""Stands for a paragraph without text, which is a unit as well."""


def dialogue_regions(
    one: LabelStudioWork, data: Mapping[str, object], place: RowPlace
) -> Intervals:
    """Return the segmentation of a dialogue.

    A region that begins or ends inside a paragraph goes to the nearest edge of one.

    Raises Refused if the data has no list of paragraphs, or a region is not in it.
    """
    paragraphs = _paragraphs(one, data, place)
    places: list[tuple[int, int]] = []
    for paragraph in paragraphs:
        start = places[-1][1] + 1 if places else 0
        places.append((start, start + len(paragraph)))
    units = TextUnits("\n".join(paragraphs), "turn", places)
    spans = [_span(region, paragraphs, places, place) for region in one.regions]
    segments, counted = units.segments(spans, place)
    return Intervals(
        place=place,
        unit=units.unit,
        length=Fraction(units.length),
        segments=segments,
        counted=counted,
    )


def _paragraphs(one: LabelStudioWork, data: Mapping[str, object], place: RowPlace) -> list[str]:
    """Return the texts of the paragraphs: of their fields the one with the most text."""
    names = [str(region.get("to_name")) for region in one.regions[:1]]
    lists = (data.get(name) for name in (*names, *data))
    found = next((value for value in lists if isinstance(value, list) and value), None)
    paragraphs = json_objects(found, "the list of paragraphs in the data", place)
    lengths: dict[str, int] = {}
    for paragraph in paragraphs:
        for name, text in paragraph.items():
            if isinstance(text, str):
                lengths[name] = lengths.get(name, 0) + len(text)
    field = max(lengths, key=lambda name: lengths[name], default="")
    texts = (paragraph.get(field) for paragraph in paragraphs)
    return [text if isinstance(text, str) and text.strip() else _BLANK for text in texts]


def _span(
    region: Mapping[str, object],
    paragraphs: Sequence[str],
    places: Sequence[tuple[int, int]],
    place: RowPlace,
) -> tuple[int, int]:
    """Return the offsets of a region in the text of all paragraphs."""
    value = object_of(region.get("value"), "value", place)
    offsets = []
    for side in (0, 1):
        bound = ("start", "end")[side]
        number = json_offset(value, bound, place)
        if number >= len(paragraphs):
            raise place.wrong(bound, number, f"a paragraph from 0 to {len(paragraphs) - 1}")
        edge = places[number][side]
        if value.get(f"{bound}Offset") is not None and paragraphs[number] != _BLANK:
            inside = json_offset(value, f"{bound}Offset", place)
            edge = places[number][0] + _code_points(paragraphs[number], inside)
        offsets.append(edge)
    return offsets[0], offsets[1]


def _code_points(text: str, offset: int) -> int:
    """Return an offset in UTF-16 in code points, at most the length of the text."""
    return len(
        text.encode("utf-16-le", "surrogatepass")[: 2 * offset].decode("utf-16-le", "surrogatepass")
    )
