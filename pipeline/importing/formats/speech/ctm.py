"""CTM: one word per line; words in a row on one channel are one segment."""

from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.shapes import Intervals
from segscore.pipeline.importing.formats.speech.turns import (
    Turn,
    from_duration,
    require_fields,
    turns_of_lines,
)
from segscore.pipeline.tables.rows import RowPlace


def read(file: OpenedFile, asked: Asked) -> Iterator[Intervals]:
    """Yield one segmentation for each recording; the label of a word is its channel.

    A recording with one channel only is one segment, which is noted.

    Raises Refused for a line of less than 5 fields, and for malformed times.
    """
    for recording in turns_of_lines(file, asked, _word):
        if len({segment.label for segment in recording.segments}) == 1:
            file.notes.add("one_channel", str(recording.document_id))
        yield recording


def _word(fields: list[str], place: RowPlace, asked: Asked) -> Turn | None:
    if fields[0].startswith(";;"):
        return None
    require_fields(fields, 5, "recording, channel, start, duration, word", place)
    recording, channel, start, duration = fields[:4]
    return recording, from_duration((start, duration, channel), place, asked)
