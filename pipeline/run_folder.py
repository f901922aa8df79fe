"""The folder of a run: claimed, filled out of sight, and shown to readers only when whole.

Until it is finished everything lies under `_unfinished`, which readers of Parquet folders skip.  A
run is finished when its `run.json` exists; that file is written last and never over another.
"""

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline import storage
from pipeline.errors import Failed, Refused

RECORD = "run.json"
PLAN = "plan.json"
UNFINISHED = "_unfinished"
TABLES = (
    "scores",
    "panel_scores",
    "confusion",
    "summary",
    "curves",
    "operating_points",
    "pairs",
    "documents",
    "agreement",
    "coders",
    "peers",
    "corpus",
    "prominence",
    "rejects",
    "unpaired",
)


def check(output: str, *, fresh: bool) -> None:
    """Make sure that a run may be written here; write nothing.

    Args:
        output: folder of the run.
        fresh: whether a finished run may be replaced.

    Raises:
        Refused: the folder holds a finished run, or something that is not a run.
    """
    held = storage.names(output)
    if not held:
        return
    if RECORD not in held and UNFINISHED not in held:
        raise Refused(
            f"--output {output}: holds files that are not a run ({', '.join(held[:3])}); "
            "choose an empty or new folder"
        )
    found = status(output)
    if found.plan is not None and not fresh and _is_at_work(found.plan):
        raise Refused(
            f"--output {output}: another run is at work here (process {found.plan['pid']}); wait "
            "for it or choose another folder"
        )
    if found.record is not None and not fresh:
        raise Refused(
            f"--output {output}: holds a finished run; choose another folder, "
            "or pass --fresh to replace it"
        )


def claim(output: str, plan: Mapping[str, Any]) -> str:
    """Make the place where a run is prepared; whatever an earlier attempt left there is dropped.

    Args:
        output: folder of the run, which ``check`` has passed.
        plan: what `status` shows of an unfinished run; the key `parts` lists the parts to come.

    Returns:
        The folder to write parts to.

    Raises:
        Refused: the place cannot be written to.
    """
    folder = storage.join(output, UNFINISHED)
    plan = {**plan, "host": platform.node(), "pid": os.getpid()}
    storage.remove(folder)
    storage.make_folder(folder)
    storage.write_text(storage.join(folder, PLAN), json.dumps(plan, indent=2) + "\n")
    return folder


def _is_at_work(plan: Mapping[str, Any]) -> bool:
    """Whether the process that prepares a run still runs, as far as this machine can tell."""
    if plan.get("host") != platform.node() or plan.get("pid") in (None, os.getpid()):
        return False
    try:
        os.kill(plan["pid"], 0)
    except ProcessLookupError:
        return False
    except (PermissionError, TypeError, OverflowError):
        return isinstance(plan["pid"], int)
    return True


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
    record = _load(storage.join(output, RECORD), {"signature": str, "pairs": int, "rows": dict})
    plan = _load(storage.join(folder, PLAN), {"parts": list})
    if record is None and plan is None:
        raise Refused(f"{output}: holds no run (neither {RECORD} nor {UNFINISHED}/{PLAN})")
    return Status(record, plan, len(storage.names(storage.join(folder, "scores"))))


def _load(url: str, needed: Mapping[str, type]) -> dict[str, Any] | None:
    text = storage.read_text(url)
    if text is None:
        return None
    try:
        loaded = json.loads(text)
    except ValueError as problem:
        raise Refused(f"{url}: not readable as JSON ({problem})") from problem
    if not isinstance(loaded, dict) or any(
        not isinstance(loaded.get(key), kind) for key, kind in needed.items()
    ):
        raise Refused(f"{url}: not what a run of segscore writes")
    return loaded
