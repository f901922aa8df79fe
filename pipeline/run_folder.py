"""The folder of a run: claimed, filled out of sight, and shown to readers only when whole.

Until it is finished everything lies under `_unfinished`, which readers of Parquet folders skip.  A
run is finished when its `run.json` exists; that file is written last and never over another.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline import storage
from pipeline.errors import Failed, Refused

RECORD = "run.json"
PLAN = "plan.json"
UNFINISHED = "_unfinished"
TABLES = ("scores", "summary", "rejects", "unpaired")


def claim(output: str, plan: Mapping[str, Any], *, fresh: bool) -> str:
    """Make the place where a run is prepared; whatever an earlier attempt left there is dropped.

    Args:
        output: folder of the run.
        plan: what `status` shows of an unfinished run; the key `parts` lists the parts to come.
        fresh: whether a finished run may be replaced.

    Returns:
        The folder to write parts to.

    Raises:
        Refused: the folder holds a finished run, or something that is not a run.
    """
    held = storage.names(output)
    if RECORD in held and not fresh:
        raise Refused(
            f"--output {output}: holds a finished run; choose another folder, "
            "or pass --fresh to replace it"
        )
    if held and RECORD not in held and UNFINISHED not in held:
        raise Refused(
            f"--output {output}: holds files that are not a run ({', '.join(held[:3])}); "
            "choose an empty or new folder"
        )
    folder = storage.join(output, UNFINISHED)
    storage.remove(folder)
    storage.make_folder(folder)
    storage.write_text(storage.join(folder, PLAN), json.dumps(plan, indent=2) + "\n")
    return folder


def publish(output: str, record: Mapping[str, Any]) -> None:
    """Show a finished run to readers: its tables, then its record.

    Raises:
        Failed: another job published a run here meanwhile.
    """
    folder = storage.join(output, UNFINISHED)
    storage.remove(storage.join(output, RECORD))
    for table in TABLES:
        storage.remove(storage.join(output, table))
        if table in storage.names(folder):
            storage.move(storage.join(folder, table), storage.join(output, table))
    text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
    try:
        storage.write_new_text(storage.join(output, RECORD), text)
    except FileExistsError as problem:
        raise Failed(f"{output}: another job published a run here meanwhile") from problem
    storage.remove(folder)


@dataclass(frozen=True)
class Status:
    """What a run's folder tells from its files alone.

    Attributes:
        record: run.json of a finished run, else None.
        plan: plan.json of an unfinished one, else None.
        done: parts of an unfinished run whose scores are written.
    """

    record: dict[str, Any] | None
    plan: dict[str, Any] | None
    done: int


def status(output: str) -> Status:
    """Tell what a folder holds.

    Raises:
        Refused: neither a run nor the beginning of one, or a record that cannot be read.
    """
    folder = storage.join(output, UNFINISHED)
    record = _load(storage.join(output, RECORD))
    plan = _load(storage.join(folder, PLAN))
    if record is None and plan is None:
        raise Refused(f"{output}: holds no run (neither {RECORD} nor {UNFINISHED}/{PLAN})")
    return Status(record, plan, len(storage.names(storage.join(folder, "scores"))))


def _load(url: str) -> dict[str, Any] | None:
    text = storage.read_text(url)
    try:
        loaded = None if text is None else json.loads(text)
    except ValueError as problem:
        raise Refused(f"{url}: not readable as JSON ({problem})") from problem
    if loaded is not None and not isinstance(loaded, dict):
        raise Refused(f"{url}: not the record of a run")
    return loaded
