"""Read marks with timecode, for Premiere and edit decision lists."""

import re

from segscore.pipeline.importing.formats.asked import Asked
from segscore.pipeline.importing.formats.shapes import Mark, Moment
from segscore.pipeline.tables.rows import RowPlace, shown

_TIMECODE = re.compile(r"([0-9]{1,3})[:;]([0-9]{2})[:;]([0-9]{2})([:;])([0-9]{2,3})")


def timecode_mark(text: str, place: RowPlace, asked: Asked) -> Mark:
    """Return the mark at HH:MM:SS:FF, or at HH:MM:SS;FF or HH;MM;SS;FF, which drop frames.

    Raises Refused for anything else, and if `--frame-rate` is not given.
    """
    timecode = _TIMECODE.fullmatch(text.strip())
    if not timecode:
        raise place.refusal(f"{shown(text)} is not timecode; expected HH:MM:SS:FF")
    hours, minutes, seconds, drop, frames = timecode.groups()
    moment = asked.clock.time(f"{hours}:{minutes}:{seconds}{drop}{frames}", place)
    return Mark(Moment(moment.exact, timecode[0]), place.line)
