"""STM: one turn of a speaker per line, with its start and end."""

from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.shapes import Intervals
from segscore.pipeline.importing.formats.speech.turns import (
    Turn,
    from_end,
    require_fields,
    turns_of_lines,
)
from segscore.pipeline.tables.rows import RowPlace

_NOBODY = "inter_segment_gap"


def read(file: OpenedFile, asked: Asked) -> Iterator[Intervals]:
    """Yield one segmentation for each recording; comments and gaps between turns are counted.

    Raises Refused for a line of less than 5 fields, and for malformed times.
    """
    return turns_of_lines(file, asked, _turn)


def _turn(fields: list[str], place: RowPlace, asked: Asked) -> Turn | None:
    if fields[0].startswith(";;"):
        return None
    require_fields(fields, 5, "recording, channel, speaker, start, end", place)
    recording, _, speaker, start, end = fields[:5]
    return (
        None if speaker == _NOBODY else (recording, from_end((start, end, speaker), place, asked))
    )
