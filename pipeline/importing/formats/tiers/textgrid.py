"""Praat TextGrids in text: tiers of intervals and of points."""

from collections.abc import Iterator
from itertools import pairwise

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.json_fields import brief
from segscore.pipeline.importing.formats.shapes import Intervals, Mark, Marks, Segment, Shape
from segscore.pipeline.importing.formats.tiers.textgrid_tiers import TextGrid, TextGridTier
from segscore.pipeline.importing.formats.tiers.tiers import chosen_tiers, tier_coder
from segscore.pipeline.importing.formats.times import round_half_up
from segscore.pipeline.tables.rows import RowPlace
from segscore.pipeline.tables.units import MILLISECOND


def read(file: OpenedFile, asked: Asked) -> Iterator[Shape]:
    """Yield one segmentation for each tier that is read.

    Intervals without text are gaps, unless no interval of the tier has text.

    Raises:
        Refused: the binary form, a text that is cut or malformed, a tier that is not there, or
            intervals that do not meet.
    """
    if file.content.startswith(b"ooBinaryFile"):
        raise file.refusal(
            "a TextGrid in binary form; save it in Praat with Save as text file (long or short)"
        )
    grid = TextGrid(file, asked.clock)
    places = chosen_tiers([tier.name for tier in grid.tiers], file, asked)
    for tier in (grid.tiers[place] for place in places):
        coder = tier_coder("", tier.name, len(places), asked)
        if tier.points:
            marks = [Mark(start, line) for start, _, _, line in tier.entries]
            yield Marks(
                place=tier.place, unit=MILLISECOND, coder=coder, length=grid.length, marks=marks
            )
        else:
            yield Intervals(
                place=tier.place,
                unit=MILLISECOND,
                coder=coder,
                length=grid.length,
                segments=_segments(tier),
            )


def _segments(tier: TextGridTier) -> list[Segment]:
    for (_, end, _, _), (start, _, _, line) in pairwise(tier.entries):
        if round_half_up(start.exact) != round_half_up(end.exact):
            raise RowPlace(tier.place.source, line).refusal(
                f"an interval of {brief(tier.name)} starts at {start.text}, but the one "
                f"before it ends at {end.text}; intervals of a TextGrid meet"
            )
    none = not any(text for _, _, text, _ in tier.entries)
    return [Segment(start, end, line) for start, end, text, line in tier.entries if text or none]
