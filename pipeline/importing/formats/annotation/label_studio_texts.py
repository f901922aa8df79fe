"""Regions of Label Studio in texts."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from segscore.pipeline.importing.formats.annotation.label_studio_offsets import (
    StatedSpan,
    in_code_points,
    in_utf16,
    misfit,
    stated_span,
)
from segscore.pipeline.importing.formats.annotation.label_studio_work import LabelStudioWork
from segscore.pipeline.importing.formats.annotation.text_spans import text_units
from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.shapes import Intervals


class TextRegions:
    """The texts of a file, and the regions in them.

    Raises Refused if the data has no text.
    """

    def __init__(
        self,
        work: Sequence[LabelStudioWork],
        data: Sequence[Mapping[str, object]],
        file: OpenedFile,
    ) -> None:
        self._data = data
        self._file = file
        self._place = file.place(1)
        self._field = self._text_field(work)

    def segmentation(self, one: LabelStudioWork, asked: Asked) -> Intervals:
        """Return the segmentation of a text.

        Offsets are in code points, or in UTF-16 if only then the regions have their texts.

        Raises Refused for a region that is not inside the text, or whose text differs.
        """
        place = self._place
        text = self._data[one.task].get(self._field)
        if not isinstance(text, str):
            raise place.wrong(f"data.{self._field}", text, "the text that was annotated")
        units = text_units(text, asked, place)
        stated = [stated_span(region, place) for region in one.regions]
        spans = in_code_points(text, stated)
        if spans is None and (spans := in_utf16(text, stated)) is not None:
            self._file.notes.add("utf16_offsets", 1)
        if spans is None:
            raise misfit(text, stated, place)
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
        stated = [stated_span(region, self._place) for region in one.regions] if one else []
        first = str(one.regions[0].get("to_name")) if one else "text"
        names = dict.fromkeys((first, "text", *data))
        texts = {name: text for name in names if isinstance(text := data.get(name), str)}
        if not texts:
            raise self._place.refusal("the data of a task has no text; expected the text itself")
        fitting = (name for name, text in texts.items() if _fits(text, stated))
        return next(fitting, next(iter(texts)))


def _fits(text: str, stated: Sequence[StatedSpan]) -> bool:
    return any(spans(text, stated) is not None for spans in (in_code_points, in_utf16))
