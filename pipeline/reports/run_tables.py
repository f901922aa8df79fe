"""Open a run for a report, and name its groups."""

from collections.abc import Sequence

from segscore.pipeline.errors import Refused
from segscore.pipeline.reports.page import isolated
from segscore.pipeline.runs.finished import FinishedRun, RunRow


def group_name(row: RunRow, by: Sequence[str]) -> str:
    """Return the name of a group: its value, or with several attributes each one and its value.

    An attribute that is null is left out: the group is over all its values.
    """
    if len(by) == 1:
        return str(row[by[0]])
    return ", ".join(f"{name} {isolated(str(row[name]))}" for name in by if row[name] is not None)


SHAPE: dict[str, type] = {
    "settings": dict,
    "inputs": dict,
    "rows": dict,
    "files": dict,
    "versions": dict,
    "seconds": dict,
    "warnings": list,
}
"""Keys of run.json that a report needs, and their types."""

ROW_COUNTS = ("in", "scored", "rejected", "unpaired")


def open_run(url: str) -> FinishedRun:
    """Open a run to report on.

    Raises:
        Refused: there is no run, it is not finished, or segscore did not write its record.
    """
    url = url.rstrip("/") or url
    run = FinishedRun.open(url, "the run is not finished; `segscore status` shows its progress")
    record = run.record
    wrong = [name for name, kind in SHAPE.items() if not isinstance(record.get(name), kind)]
    rows, inputs = record["rows"], record.get("inputs")
    if not all(isinstance(row, dict) and {*ROW_COUNTS} <= row.keys() for row in rows.values()):
        wrong.append("rows")
    if isinstance(inputs, dict) and not all(isinstance(files, list) for files in inputs.values()):
        wrong.append("inputs")
    if wrong:
        raise Refused(
            f"{url}: the key {wrong[0]} of run.json is not what this version of segscore writes; "
            "run the command again with --fresh"
        )
    return run
