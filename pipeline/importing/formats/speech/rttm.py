"""RTTM: one turn of a speaker per line that begins with SPEAKER; other lines are counted."""

from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.shapes import Intervals
from segscore.pipeline.importing.formats.speech.turns import Turn, from_duration, turns_of_lines
from segscore.pipeline.tables.rows import RowPlace


def read(file: OpenedFile, asked: Asked) -> Iterator[Intervals]:
    """Yield one segmentation for each recording.

    Raises Refused for a line of SPEAKER without 9 or 10 fields, and for malformed times.
    """
    return turns_of_lines(file, asked, _turn)


def _turn(fields: list[str], place: RowPlace, asked: Asked) -> Turn | None:
    if fields[0] != "SPEAKER":
        return None
    if len(fields) not in (9, 10):
        raise place.refusal(
            f"{len(fields)} fields; expected 9 or 10: SPEAKER, recording, channel, start, "
            "duration, <NA>, <NA>, speaker, <NA>, <NA>"
        )
    return fields[1], from_duration((fields[3], fields[4], fields[7]), place, asked)
