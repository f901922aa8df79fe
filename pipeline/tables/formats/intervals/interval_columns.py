"""Find out what each column of an interval table is for, by its name or by `--columns`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from segscore.pipeline.tables.formats.asked import Asked
from segscore.pipeline.tables.formats.rows import RowPlace, shown

USES = ("document", "coder", "role", "start", "end", "duration", "level", "label")
"""What a column can be for; the keys of `--columns`."""

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

_NAMES = {
    "document": "document doc file filename file_name recording audio video show episode programme "
    "program session dialogue dialog conversation meeting lecture uri document_id doc_id file_id "
    "recording_id audio_id video_id show_id episode_id session_id dialogue_id meeting_id",
    "coder": "coder coder_id annotator annotator_id system system_id model rater user",
    "role": "role",
    "start": "start start_time starttime begin begin_time onset from t_start tmin xmin",
    "end": "end end_time endtime stop stop_time offset to until t_end tmax xmax",
    "duration": "duration dur length",
    "level": "level",
    "label": "label event_label title topic name segment headline heading text speaker",
}
_USE_OF = {name: use for use, names in _NAMES.items() for name in names.split()}


@dataclass(frozen=True)
class Columns:
    """What the columns of an interval table are for.

    Attributes:
        names: use -> name of the column.
        units: use -> unit of its numbers, for times whose column or `--time-unit` says it.
        further: columns without a use, which may be attributes.
        aside: columns with a use that `--columns` gave to another column, or to none.
    """

    names: Mapping[str, str]
    units: Mapping[str, str]
    further: Sequence[str]
    aside: Sequence[str]


def use_of(column: str) -> str | None:
    """Return what a column is for by its usual name; None if the name says nothing."""
    name = column.strip().lower().replace(" ", "_").replace("-", "_")
    if name in _USE_OF:
        return _USE_OF[name]
    use = next((_USE_OF.get(name.removesuffix(e)) for e in _UNITS if name.endswith(e)), None)
    return use if use in TIMES else None


def has_start(header: Sequence[str]) -> bool:
    """Return whether one of the columns is a start by its name."""
    return any(use_of(column) == "start" for column in header)


def choose_columns(header: Sequence[str], asked: Asked, place: RowPlace) -> Columns:
    """Find out what each column is for.

    Raises:
        Refused: there is no start, a column of `--columns` is missing, two columns are for one
            thing, units contradict each other, or there are frames without a frame rate.
    """
    names: dict[str, str] = {}
    for use, column in asked.columns.items():
        if column and column not in header:
            raise place.refusal(
                f"there is no column {column} (--columns {use}={column}); the columns are "
                f"{', '.join(header)}"
            )
        names[use] = column
    further, aside = [], []
    for column in header:
        usual = use_of(column)
        if column in asked.columns.values():
            continue
        if usual is None or (usual == "label" and usual in names):
            further.append(column)
        elif usual in asked.columns:
            aside.append(column)
        elif usual in names:
            raise place.refusal(
                f"the columns {names[usual]} and {column} both name the {usual}; choose one with "
                f"--columns {usual}=NAME"
            )
        else:
            names[usual] = column
    chosen = {use: column for use, column in names.items() if column}
    if "start" not in chosen:
        raise place.refusal(
            f"no start among the columns {', '.join(map(shown, header))}; name it with --columns "
            "start=NAME (a table of segmentations has n_units and boundaries)"
        )
    return Columns(chosen, _units(chosen, asked, place), further, aside)


def _units(names: Mapping[str, str], asked: Asked, place: RowPlace) -> dict[str, str]:
    units = {}
    for use in TIMES:
        column = names.get(use, "")
        stated = unit_of(column)
        unit = asked.clock.unit
        if stated and unit and stated != unit:
            raise place.refusal(
                f"the column {column} has {stated} by its name, and --time-unit is {unit}; "
                "expected one unit"
            )
        if column and (stated or unit) == "frames" and asked.clock.rate is None:
            raise place.refusal(
                f"the column {column} has frames; name their rate with --frame-rate"
            )
        if column and (stated or unit):
            units[use] = stated or unit or ""
    return units


def unit_of(column: str) -> str | None:
    """Return the unit that the ending of a column's name says; None if it says none."""
    name = column.strip().lower()
    return next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), None)
