"""Find out what each column of an interval table is for, by its name or by `--columns`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from segscore.pipeline.importing.formats.asked import Asked
from segscore.pipeline.importing.formats.column_names import TIMES, is_weak, unit_of, use_of
from segscore.pipeline.tables.rows import RowPlace, shown

USES = ("document", "coder", "role", "start", "end", "duration", "level", "label")
"""What a column can be for; the keys of `--columns`."""


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
    further: list[str] = []
    aside: list[str] = []
    for usual, columns in _by_use(header, asked).items():
        several = len(columns) > 1
        if usual is None:
            further += columns
        elif usual in asked.columns or (usual == "duration" and several and names.get("end")):
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
            "start=NAME (a table of segmentations has n_units and boundaries)"
        )
    return Columns(chosen, _units(chosen, asked, place), further, aside)


def _by_use(header: Sequence[str], asked: Asked) -> dict[str | None, list[str]]:
    """Return the columns that `--columns` does not name, by their use, in the order of USES."""
    columns: dict[str | None, list[str]] = {use: [] for use in (None, *USES)}
    for column in header:
        if column not in asked.columns.values():
            columns[use_of(column)].append(column)
    for use in USES:
        strong = [column for column in columns[use] if not is_weak(column)]
        if strong or use in asked.columns:
            columns[None] += [column for column in columns[use] if is_weak(column)]
            columns[use] = strong
    return {use: named for use, named in columns.items() if named}


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
