"""Markers exported by Premiere: six columns with tabs, named in the user's language."""

from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.editing.timecode_marks import timecode_mark
from segscore.pipeline.importing.formats.shapes import Marks
from segscore.pipeline.tables.units import MILLISECOND

CELLS = 6
_IN = 2


def read(file: OpenedFile, asked: Asked) -> Iterator[Marks]:
    """Yield one segmentation: each marker is a point, at the timecode in the third column.

    Raises Refused for a line without six cells, a malformed timecode, or no marker.
    """
    marks = []
    for number, line in enumerate(file.lines(), start=1):
        if not line.strip():
            continue
        place = file.place(number)
        cells = line.split("\t")
        if len(cells) != CELLS:
            raise place.refusal(
                f"{len(cells)} cells; expected {CELLS} with tabs between them: name, "
                "description, in, out, duration, type"
            )
        if number > 1:
            marks.append(timecode_mark(cells[_IN], place, asked))
    if not marks:
        raise file.refusal("there is no marker in it; expected at least one after the header")
    yield Marks(place=file.place(marks[0].line), unit=MILLISECOND, marks=marks)
