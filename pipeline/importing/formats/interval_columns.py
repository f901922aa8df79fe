"""The columns of an interval table: what each is for, by its name or by `--columns`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from segscore.pipeline.importing.settings import COLUMN_USES, ImportSettings
from segscore.pipeline.tables.rows import RowPlace, shown
from segscore.pipeline.tables.units import MILLISECOND, PER_SECOND

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

_COUNTED = {
    f"{name}{plural}": unit
    for names, unit in (
        (("char", "character", "char_idx", "char_index"), "character"),
        (("token", "tok"), "token"),
        (("word",), "word"),
        (("sentence", "sent"), "sentence"),
        (("utterance", "utt"), "utterance"),
        (("turn",), "turn"),
        (("line",), "line"),
    )
    for name in names
    for plural in ("", "s")
}
"""Word in a column's name -> the unit that its numbers count, as in start_char or token_end."""

_ENDINGS = (*_UNITS, "_timecode", "_tc")
_NAMES = {
    "document": "document document_id doc doc_id docid file file_id filename file_name "
    "recording recording_id audio audio_id video video_id",
    "coder": "coder coder_id annotator annotator_id system system_id rater",
    "role": "role",
    "start": "start start_time starttime begin begin_time onset from in t_start tmin xmin "
    "start_index start_idx",
    "end": "end end_time endtime stop stop_time offset to until out t_end tmax xmax end_index "
    "end_idx",
    "duration": "duration dur length",
    "level": "level",
    "label": "label event_label title topic name segment headline heading text speaker",
}
_WEAK = {
    "document": "show show_id episode episode_id programme program session session_id dialogue "
    "dialogue_id meeting meeting_id lecture lecture_id conversation conversation_id film film_id "
    "movie movie_id song song_id uri",
    "coder": "model user",
}
"""Names that count only if no column of the table has one of the others."""

_USE_OF = {name: use for names in (_NAMES, _WEAK) for use in names for name in names[use].split()}
_WEAK_NAMES = {name for names in _WEAK.values() for name in names.split()}


def use_of(column: str) -> str | None:
    """Return what a column is for by its usual name; None if the name says nothing."""
    name = plain_name(column)
    if name in _USE_OF:
        return _USE_OF[name]
    if (counting := _counting(column)) is not None:
        return counting[0]
    ends = (_USE_OF.get(name.removesuffix(e)) for e in _ENDINGS if name.endswith(e))
    use = next(ends, None)
    return use if use in TIMES else None


def _counting(column: str) -> tuple[str, str] | None:
    """Return the use and the unit of a name such as start_char or token_end; None for others."""
    first, _, last = ("" if "[" in column else plain_name(column)).partition("_")
    for use, unit in ((first, last), (last, first)):
        if unit in _COUNTED and _USE_OF.get(use) in TIMES:
            return _USE_OF[use], _COUNTED[unit]
    return None


def is_weak(column: str) -> bool:
    """Return whether a column's name counts only if no other column is for the same thing."""
    return plain_name(column) in _WEAK_NAMES or _counting(column) is not None


def unit_of(column: str) -> str | None:
    """Return the unit that the ending of a column's name says; None if it says none."""
    name = plain_name(column)
    return next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), None)


def has_start(header: Sequence[str]) -> bool:
    """Return whether one of the columns is a start by its name."""
    return any(use_of(column) == "start" for column in header)


def plain_name(column: str) -> str:
    """Return a name in small letters, with `_` for all between words: start_time_seconds."""
    return re.sub(r"[\s()\[\].-]+", "_", column.strip().lower()).strip("_")


@dataclass(frozen=True)
class Columns:
    """The use of each column of an interval table.

    Attributes:
        names: use -> name of the column.
        units: use -> unit of its numbers, for times whose column or `--time-unit` says it.
        further: columns without a use, which may be attributes.
        aside: columns with a use that `--columns` gave to another column, or to none.
        counted: the unit that starts and ends count, by their names or `--unit`; None for times.
        named: whether it is their names that say so.
    """

    names: Mapping[str, str]
    units: Mapping[str, str]
    further: Sequence[str]
    aside: Sequence[str]
    counted: str | None = None
    named: bool = False


def choose_columns(header: Sequence[str], settings: ImportSettings, place: RowPlace) -> Columns:
    """Find out what each column is for.

    Raises:
        Refused: there is no start, a column of `--columns` is missing, two columns are for one
            thing, units contradict each other, or there are frames without a frame rate.
    """
    names: dict[str, str] = {}
    for use, column in settings.column_names.items():
        if column and column not in header:
            raise place.refusal(
                f"no column {column} (--columns {use}={column}); the columns are "
                f"{', '.join(header)}"
            )
        names[use] = column
    further: list[str] = []
    aside: list[str] = []
    for usual, columns in _by_use(header, settings).items():
        several = len(columns) > 1
        if usual is None:
            further += columns
        elif usual in settings.column_names or (
            usual == "duration" and several and names.get("end")
        ):
            aside += columns
        elif several and usual != "label":
            raise place.refusal(
                f"the columns {', '.join(columns)} all name the {usual}; choose one with --columns "
                f"{usual}=NAME"
            )
        else:
            names[usual] = columns[0]
            further += columns[1:]
    chosen = {use: column for use, column in names.items() if column}
    if "start" not in chosen:
        raise place.refusal(
            f"no start among the columns {', '.join(map(shown, header))}; name it with --columns "
            "start=NAME (a table of segmentations has n_units and boundaries; a column of flags of "
            "0 and 1, also of masks such as 0010, is named with --flags NAME)"
        )
    counted = _counted(chosen, settings, place)
    if counted is None and plain_name(chosen["start"]).endswith(("_index", "_idx")):
        raise place.refusal(
            f"the column {chosen['start']} counts units; name them with --unit, such as --unit "
            "character"
        )
    units = {} if counted else _units(chosen, settings, place)
    named = _counting(chosen["start"]) is not None
    return Columns(chosen, units, further, aside, counted, named)


def _by_use(header: Sequence[str], settings: ImportSettings) -> dict[str | None, list[str]]:
    """Return the columns that `--columns` does not name by use, in the order of COLUMN_USES."""
    columns: dict[str | None, list[str]] = {use: [] for use in (None, *COLUMN_USES)}
    for column in header:
        if column not in settings.column_names.values():
            columns[use_of(column)].append(column)
    for use in COLUMN_USES:
        strong = [column for column in columns[use] if not is_weak(column)]
        if strong or use in settings.column_names:
            columns[None] += [column for column in columns[use] if is_weak(column)]
            columns[use] = strong
    return {use: named for use, named in columns.items() if named}


def _counted(names: Mapping[str, str], settings: ImportSettings, place: RowPlace) -> str | None:
    """Return the unit that starts and ends count, if it is not a time.

    Raises:
        Refused: columns, or a column and an option, say different units.
    """
    said = (
        {} if settings.unit in (None, *PER_SECOND) else {f"--unit {settings.unit}": settings.unit}
    )
    for column in (names[use] for use in TIMES if use in names):
        counting = _counting(column)
        if counting is not None or unit_of(column) is not None:
            said[f"the column {column}"] = counting[1] if counting else MILLISECOND
    if settings.clock.unit is not None and said:
        said[f"--time-unit {settings.clock.unit}"] = MILLISECOND
    if len({*said.values()}) > 1:
        shown_units = ", ".join(f"{name} says {unit}s" for name, unit in said.items())
        raise place.refusal(f"{shown_units}; expected one unit")
    return next((unit for unit in said.values() if unit not in PER_SECOND), None)


def _units(names: Mapping[str, str], settings: ImportSettings, place: RowPlace) -> dict[str, str]:
    units = {}
    for use in TIMES:
        column = names.get(use, "")
        stated = unit_of(column)
        unit = settings.clock.unit
        if stated and unit and stated != unit:
            raise place.refusal(
                f"the column {column} has {stated} by its name, and --time-unit is {unit}; "
                "expected one unit"
            )
        if column and (stated or unit) == "frames" and settings.clock.rate is None:
            raise place.refusal(
                f"the column {column} has frames; name their rate with --frame-rate"
            )
        if column and (stated or unit):
            units[use] = stated or unit or ""
    return units
