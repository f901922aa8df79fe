"""The folder of a run: claimed, filled out of sight, resumed, and shown to readers when whole.

Until it is finished everything lies under `_unfinished`, which readers of Parquet folders skip.  A
run is finished when its `run.json` exists; that file is written last and never over another.  The
files of its tables have the run's fingerprint in their names, so that those of two runs can always
be told apart.
"""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pipeline import receipts, storage
from pipeline.errors import Done, Failed, Refused
from pipeline.fingerprint import Fingerprint, differences

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
PARQUET = ".parquet"


@dataclass(frozen=True)
class Claim:
    """A run that may be prepared here.

    Attributes:
        output: folder of the run.
        fingerprint: of the run.
        replaced: text of the finished run's record that this one is to replace; None for none.
        resumed: whether an earlier attempt left something to go on from.
    """

    output: str
    fingerprint: Fingerprint
    replaced: str | None
    resumed: bool

    @property
    def folder(self) -> str:
        """Where the run is prepared."""
        return storage.join(self.output, UNFINISHED)


def check(output: str, fingerprint: Fingerprint, *, fresh: bool) -> Claim:
    """Make sure that a run may be written here; write nothing.

    Args:
        output: folder of the run.
        fingerprint: of the run.
        fresh: whether to start over, and replace a finished run.

    Raises:
        Refused: the folder holds another run, finished or not, or something that is not a run, or
            a process of this machine is at work in it.
        Done: it holds this very run, finished.
    """
    held = storage.names(output)
    if not held:
        return Claim(output, fingerprint, None, resumed=False)
    if RECORD not in held and UNFINISHED not in held and not set(held) <= set(TABLES):
        raise Refused(
            f"--output {output}: holds files that are not a run ({', '.join(held[:3])}); "
            "choose an empty or new folder"
        )
    record, plan = _record(output), _plan(output)
    if plan is not None and _is_at_work(plan):
        raise Refused(
            f"--output {output}: another run is at work here (process {plan['pid']}); wait "
            "for it or choose another folder"
        )
    if fresh:
        text = storage.read_text(storage.join(output, RECORD))
        return Claim(output, fingerprint, text, resumed=False)
    if record is not None:
        _refuse_finished(output, record, fingerprint)
    if plan is not None:
        other = differences(plan["fingerprint"], fingerprint)
        if other:
            raise Refused(
                f"--output {output}: holds an unfinished run of other settings or inputs: "
                f"{'; '.join(other)}. Run as it was to resume it, choose another folder, or pass "
                "--fresh to start over"
            )
    return Claim(output, fingerprint, None, resumed=plan is not None)


def _refuse_finished(output: str, record: Mapping[str, Any], fingerprint: Fingerprint) -> None:
    if record.get("fingerprint") == fingerprint.digest:
        raise Done(f"{output} holds this run already, finished; --fresh does it again")
    raise Refused(
        f"--output {output}: holds a finished run of other settings or inputs; choose another "
        "folder, or pass --fresh to replace it"
    )


def claim(found: Claim, stages: Mapping[str, Sequence[str]]) -> str:
    """Make the place where a run is prepared, or find it as an earlier attempt left it.

    Args:
        found: what ``check`` said.
        stages: the parts to come, by stage: what `status` counts receipts against.

    Returns:
        The folder to write parts to.

    Raises:
        Refused: the place cannot be written to.
    """
    if not found.resumed:
        storage.remove(found.folder)
    storage.make_folder(found.folder)
    plan = {
        "fingerprint": asdict(found.fingerprint),
        "stages": {stage: list(parts) for stage, parts in stages.items()},
        "host": platform.node(),
        "pid": os.getpid(),
    }
    storage.write_text(storage.join(found.folder, PLAN), json.dumps(plan, indent=2) + "\n")
    return found.folder


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


def publish(found: Claim, record: Mapping[str, Any]) -> dict[str, Any]:
    """Show a finished run to readers: its tables, then its record.

    Every step can be done twice, so two attempts at one run may both try, and one that died may
    be done again.  Exactly one writes the record.

    Returns:
        The record as it was written.

    Raises:
        Failed: another job published a run here meanwhile, or took this one's parts away.
    """
    listed = _staged(found)
    whole = {**record, "fingerprint": found.fingerprint.digest, "files": listed}
    url = storage.join(found.output, RECORD)
    if found.replaced is not None and storage.read_text(url) == found.replaced:
        storage.remove(url)
    _leave_only(found.output, listed)
    suffix = _suffix(found.fingerprint)
    for table, files in listed.items():
        source = storage.join(found.folder, table)
        target = storage.join(found.output, table)
        storage.copy(source, target, {file.removesuffix(suffix) + PARQUET: file for file in files})
    if _staged(found) != listed:
        raise Failed(f"{found.output}: another job started over here; nothing was published")
    try:
        text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
        storage.write_new_text(url, text)
    except FileExistsError as problem:
        _yield_to_winner(found, listed)
        raise Failed(f"{found.output}: another job published a run here meanwhile") from problem
    _leave_only(found.output, listed)
    storage.remove(found.folder)
    return whole


def _suffix(fingerprint: Fingerprint) -> str:
    return f"-{fingerprint.digest}{PARQUET}"


def _staged(found: Claim) -> dict[str, list[str]]:
    """The tables that were prepared, and their files by the names they are to have."""
    plan = _plan(found.output)
    if plan is None or plan["fingerprint"] != asdict(found.fingerprint):
        raise Failed(f"{found.output}: another job took this folder; nothing was published")
    there = storage.names(found.folder)
    suffix = _suffix(found.fingerprint)
    return {
        table: [
            name.removesuffix(PARQUET) + suffix
            for name in storage.names(storage.join(found.folder, table))
            if name.endswith(PARQUET)
        ]
        for table in TABLES
        if table in there
    }


def _leave_only(output: str, listed: Mapping[str, Sequence[str]]) -> None:
    """Remove what is not of the run from its tables."""
    held = storage.names(output)
    for table in (table for table in TABLES if table in held):
        if table not in listed:
            storage.remove(storage.join(output, table))
            continue
        for name in set(storage.names(storage.join(output, table))) - set(listed[table]):
            storage.remove(storage.join(output, table, name))


def _yield_to_winner(found: Claim, listed: Mapping[str, Sequence[str]]) -> None:
    """Take back what this attempt copied, but for what the published run has, too."""
    record = _record(found.output)
    winner = {} if record is None else record.get("files", {})
    for table, files in listed.items():
        for name in set(files) - set(winner.get(table, ())):
            storage.remove(storage.join(found.output, table, name))


@dataclass(frozen=True)
class Status:
    """What a run's folder tells from its files alone.

    Attributes:
        record: run.json of a finished run, else None.
        plan: plan.json of an unfinished one, else None.
        done: stage -> parts of the unfinished run that are done.
        at_work: whether a process of this machine prepares it.
    """

    record: dict[str, Any] | None
    plan: dict[str, Any] | None
    done: Mapping[str, int]
    at_work: bool


def status(output: str) -> Status:
    """Tell what a folder holds.

    Raises:
        Refused: neither a run nor the beginning of one, or a record that cannot be read.
    """
    record, plan = _record(output), _plan(output)
    if record is None and plan is None:
        raise Refused(f"{output}: holds no run (neither {RECORD} nor {UNFINISHED}/{PLAN})")
    if plan is None:
        return Status(record, None, {}, at_work=False)
    folder = storage.join(output, UNFINISHED)
    done = {stage: len(receipts.kept(folder, stage)) for stage in plan["stages"]}
    return Status(record, plan, done, _is_at_work(plan))


def _record(output: str) -> dict[str, Any] | None:
    needed = {"signature": str, "pairs": int, "rows": dict}
    return _load(storage.join(output, RECORD), needed)


def _plan(output: str) -> dict[str, Any] | None:
    needed = {"fingerprint": dict, "stages": dict}
    return _load(storage.join(output, UNFINISHED, PLAN), needed)


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
