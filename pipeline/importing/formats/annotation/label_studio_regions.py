"""Regions of Label Studio: what they are in, and those of audio."""

from collections.abc import Mapping, Sequence

from segscore.pipeline.importing.formats.annotation.label_studio_work import LabelStudioWork
from segscore.pipeline.importing.formats.asked import Asked
from segscore.pipeline.importing.formats.json_fields import object_of, required
from segscore.pipeline.importing.formats.shapes import Intervals, Segment
from segscore.pipeline.tables.rows import RowPlace, shown
from segscore.pipeline.tables.units import MILLISECOND

_DIALOGUE = "paragraphlabels"
_HYPERTEXT = "hypertextlabels"
_OTHERS = ("timeserieslabels", "timelinelabels")


def kind_of_regions(regions: Sequence[Mapping[str, object]], asked: Asked, place: RowPlace) -> str:
    """Return what the regions are in: audio, text or dialogue.

    Without regions, or if they do not say, `--text-units` says that it is text.

    Raises Refused for regions of anything else, such as pictures.
    """
    for region in regions:
        kind = region.get("type")
        value = object_of(region.get("value"), "value", place)
        if kind == _DIALOGUE:
            return "dialogue"
        ends = {"start", "end"} <= value.keys() or "globalOffsets" in value
        if kind in _OTHERS or not ends:
            raise place.refusal(
                f"a region is of the type {shown(kind)}; expected regions of audio, text or "
                "paragraphs, with start and end; choose another control with --from-name"
            )
        if "channel" in value or region.get("original_length") is not None:
            return "audio"
        if kind == _HYPERTEXT or isinstance(value.get("text"), str):
            return "text"
    return "text" if asked.text_units else "audio"


def audio_regions(
    one: LabelStudioWork, of_task: Sequence[Mapping[str, object]], place: RowPlace, asked: Asked
) -> Intervals:
    """Return the segmentation of a recording; any region of the task may state its length."""
    lengths = [
        asked.clock.duration(region["original_length"], place, unit="s")
        for region in of_task
        if region.get("original_length") is not None
    ]
    segments = []
    for region in one.regions:
        value = object_of(region.get("value"), "value", place)
        start, end = (
            asked.clock.time(required(value, name, "a region", place), place, unit="s")
            for name in ("start", "end")
        )
        segments.append(Segment(start, end, place.line))
    length = max(lengths, default=None)
    return Intervals(place=place, unit=MILLISECOND, length=length, segments=segments)
