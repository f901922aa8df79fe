"""Read a user's own table of published scores, to show beside the systems."""

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.measures import ALL
from segscore.pipeline.measures.published import nearest_measure
from segscore.pipeline.settings.reading import read_file
from segscore.pipeline.storage.csv_rows import csv_records, csv_rows
from segscore.pipeline.testsets.published import PublishedScore

_OPTION = "--published-scores"
_NEEDED = ("system", "measure", "value")
_OTHERS = ("document_id", "convention", "source", "note")


def read_own_scores(location: str) -> list[PublishedScore]:
    """Read published scores from a CSV file with the columns system, measure and value.

    It may also have document_id, convention, source and note.  The file stands for the test set.

    Raises:
        Refused: the file cannot be read, lacks a column or has an unknown one, or a row has an
            empty cell where one is needed, no number, or a measure that there is not.
    """
    text = read_file(_OPTION, location)
    header = csv_rows(f"{_OPTION} {location}", text)[:1]
    _require_columns(location, header[0] if header else [])
    rows = csv_records(f"{_OPTION} {location}", text)
    scores = [_score(location, number, row) for number, row in enumerate(rows, start=2)]
    if not scores:
        raise Refused(f"{_OPTION} {location}: has no row")
    return scores


def _require_columns(location: str, names: list[str]) -> None:
    known = (*_NEEDED, *_OTHERS)
    for name in _NEEDED:
        if name not in names:
            raise Refused(
                f"{_OPTION} {location}: has no column {name}; it needs {', '.join(_NEEDED)}"
            )
    for name in names:
        if name not in known:
            raise Refused(
                f"{_OPTION} {location}: unknown column {name}{nearest(name, known)}; there are "
                f"{', '.join(known)}"
            )


def _score(location: str, number: int, row: dict[str, str | None]) -> PublishedScore:
    cells = {name: (row.get(name) or "").strip() for name in (*_NEEDED, *_OTHERS)}
    place = f"{_OPTION} {location}:{number}"
    for name in _NEEDED:
        if not cells[name]:
            raise Refused(f"{place}: {name} is empty")
    if cells["measure"] not in ALL:
        near = nearest_measure(cells["measure"], [*ALL])
        raise Refused(f"{place}: no measure {cells['measure']}{near}")
    try:
        float(cells["value"].removesuffix("%"))
    except ValueError as problem:
        raise Refused(f"{place}: value {cells['value']} is not a number") from problem
    name = location.rpartition("/")[2]
    evidence = "paper" if cells["convention"] else "unknown"
    source = cells.pop("source") or name
    return PublishedScore(set=name, split="all", evidence=evidence, source=source, **cells)
