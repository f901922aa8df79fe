"""Regions of Label Studio in texts, whose offsets may be in UTF-16."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from segscore.pipeline.tables.formats.asked import Asked, InputFile
from segscore.pipeline.tables.formats.json_values import json_object, json_offset
from segscore.pipeline.tables.formats.label_studio_work import LabelStudioWork
from segscore.pipeline.tables.formats.rows import RowPlace, shown
from segscore.pipeline.tables.formats.shapes import Intervals
from segscore.pipeline.tables.formats.text_spans import check_span, text_units

_Span = tuple[int, int, str | None]
"""Start, end and text of a region; the text is None if the file does not say."""


class TextRegions:
    """The texts of a file, and the regions in them.

    Raises Refused if the data has no text.
    """

    def __init__(
        self,
        work: Sequence[LabelStudioWork],
        data: Sequence[Mapping[str, object]],
        file: InputFile,
    ) -> None:
        self._data = data
        self._file = file
        self._place = file.place(1)
        self._field = self._text_field(work)

    def segmentation(self, one: LabelStudioWork, asked: Asked) -> Intervals:
        """Return the segmentation of a text.

        Raises Refused for a region that is not inside the text, or whose text differs.
        """
        place = self._place
        text = self._data[one.task].get(self._field)
        if not isinstance(text, str):
            raise place.wrong(f"data.{self._field}", text, "the text that was annotated")
        units = text_units(text, asked, place)
        stated = [_span(region, place) for region in one.regions]
        spans = _as_code_points(text, stated)
        if spans is None:
            spans = _as_utf16(text, stated)
            if spans is None:
                raise _differs(text, stated, place)
            self._file.notes.add("utf16_offsets", 1)
        segments, counted = units.segments(spans, place)
        return Intervals(
            place=place,
            unit=units.unit,
            length=Fraction(units.length),
            segments=segments,
            counted=counted,
        )

    def _text_field(self, work: Sequence[LabelStudioWork]) -> str:
        """Return the field of the data with the text, the first that the first regions fit."""
        one = next((one for one in work if one.regions), None)
        data = self._data[one.task] if one else next(iter(self._data), {})
        stated = [_span(region, self._place) for region in one.regions] if one else []
        first = str(one.regions[0].get("to_name")) if one else "text"
        names = [*dict.fromkeys((first, "text", *data))]
        texts = {name: text for name in names if isinstance(text := data.get(name), str)}
        if not texts:
            raise self._place.refusal("the data of a task has no text; expected the text itself")
        fitting = (name for name, text in texts.items() if _fits(text, stated))
        return next(fitting, next(iter(texts)))


def _fits(text: str, stated: Sequence[_Span]) -> bool:
    return any(read(text, stated) is not None for read in (_as_code_points, _as_utf16))


def _span(region: Mapping[str, object], place: RowPlace) -> _Span:
    value = json_object(region.get("value"), "value", place)
    offsets = value.get("globalOffsets", value)
    bounds = json_object(offsets, "globalOffsets", place)
    text = value.get("text")
    return (
        json_offset(bounds, "start", place),
        json_offset(bounds, "end", place),
        text if isinstance(text, str) else None,
    )


def _as_code_points(text: str, stated: Iterable[_Span]) -> list[tuple[int, int]] | None:
    """Return the spans if their texts stand there."""
    spans = []
    for start, end, there in stated:
        if there is not None and text[start:end] != there:
            return None
        spans.append((start, end))
    return spans


def _as_utf16(text: str, stated: Iterable[_Span]) -> list[tuple[int, int]] | None:
    """Return the spans in code points if they fit as offsets in UTF-16, otherwise None."""
    wide = 0
    points = {}
    for point, character in enumerate(text):
        points[wide] = point
        wide += 1 + (ord(character) > 0xFFFF)
    points[wide] = len(text)
    converted = []
    for start, end, there in stated:
        if start not in points or end not in points:
            return None
        converted.append((points[start], points[end], there))
    return _as_code_points(text, converted)


def _differs(text: str, stated: Iterable[_Span], place: RowPlace) -> Exception:
    for start, end, there in stated:
        check_span(start, end, len(text), place)
        if there is not None and text[start:end] != there:
            return place.refusal(
                f"a region from {start} to {end} has the text {shown(there)}, but there the "
                f"document has {shown(text[start:end])}; export it with its text"
            )
    raise AssertionError
