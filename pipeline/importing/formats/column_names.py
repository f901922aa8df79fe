"""Usual names of the columns of an interval table, and the units that their endings say."""

import re
from collections.abc import Sequence

TIMES = ("start", "end", "duration")
_UNITS = {
    "_ms": "ms",
    "_msec": "ms",
    "_s": "s",
    "_sec": "s",
    "_secs": "s",
    "_seconds": "s",
    "_frame": "frames",
    "_frames": "frames",
}
"""Ending of a column's name -> the unit of its numbers."""

_ENDINGS = (*_UNITS, "_timecode", "_tc")
_NAMES = {
    "document": "document document_id doc doc_id docid file file_id filename file_name "
    "recording recording_id audio audio_id video video_id",
    "coder": "coder coder_id annotator annotator_id system system_id rater",
    "role": "role",
    "start": "start start_time starttime begin begin_time onset from in t_start tmin xmin",
    "end": "end end_time endtime stop stop_time offset to until out t_end tmax xmax",
    "duration": "duration dur length",
    "level": "level",
    "label": "label event_label title topic name segment headline heading text speaker",
}
_WEAK = {
    "document": "show show_id episode episode_id programme program session session_id dialogue "
    "dialogue_id meeting meeting_id lecture conversation uri",
    "coder": "model user",
}
"""Names that count only if no column of the table has one of the others."""

_USE_OF = {name: use for names in (_NAMES, _WEAK) for use in names for name in names[use].split()}
_WEAK_NAMES = {name for names in _WEAK.values() for name in names.split()}


def use_of(column: str) -> str | None:
    """Return what a column is for by its usual name; None if the name says nothing."""
    name = _plain(column)
    if name in _USE_OF:
        return _USE_OF[name]
    ends = (_USE_OF.get(name.removesuffix(e)) for e in _ENDINGS if name.endswith(e))
    use = next(ends, None)
    return use if use in TIMES else None


def is_weak(column: str) -> bool:
    """Return whether a column's name counts only if no other column is for the same thing."""
    return _plain(column) in _WEAK_NAMES


def unit_of(column: str) -> str | None:
    """Return the unit that the ending of a column's name says; None if it says none."""
    name = _plain(column)
    return next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), None)


def has_start(header: Sequence[str]) -> bool:
    """Return whether one of the columns is a start by its name."""
    return any(use_of(column) == "start" for column in header)


def _plain(column: str) -> str:
    """Return a name in small letters, with `_` for all between words: start_time_seconds."""
    return re.sub(r"[\s()\[\].-]+", "_", column.strip().lower()).strip("_")
