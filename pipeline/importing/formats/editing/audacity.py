"""Audacity labels: start, end and text with tabs between them."""

from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.shapes import Intervals, Segment
from segscore.pipeline.tables.rows import shown
from segscore.pipeline.tables.units import MILLISECOND


def read(file: OpenedFile, asked: Asked) -> Iterator[Intervals]:
    r"""Yield one segmentation: a label track, in the order of the file.

    Lines of frequencies, which begin with \, and blank lines are skipped.

    Raises Refused for a line without two times.
    """
    segments = []
    for number, line in enumerate(file.lines(), start=1):
        if not line.strip() or line.startswith("\\"):
            continue
        place = file.place(number)
        cells = line.split("\t")
        if len(cells) < 2:
            raise place.refusal(f"{shown(line)} is not a label; expected start, end, text and tabs")
        start, end = (asked.clock.time(cell, place, unit="s") for cell in cells[:2])
        segments.append(Segment(start, end, number))
    if not segments:
        raise file.refusal("there is no label in it; expected at least one")
    yield Intervals(place=file.place(1), unit=MILLISECOND, segments=segments, ordered=True)
