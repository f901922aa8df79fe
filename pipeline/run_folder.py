"""The folder of a run: claimed, filled out of sight, resumed, and shown to readers when whole.

Until it is finished everything lies under `_unfinished`, which readers of Parquet folders skip.  A
run is finished when its `run.json` exists; that file is written last and never over another.  The
files of its tables have the run's fingerprint in their names, so that those of two runs can always
be told apart.
"""

import json
import os
import platform
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import uuid4

from pipeline import receipts, storage
from pipeline.errors import Done, Failed, Refused
from pipeline.fingerprint import WHERE_AND_WHEN, Fingerprint, differences

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
    "comparisons",
    "systems",
    "omnibus",
    "worst",
    "where",
    "rejects",
    "unpaired",
)
PARQUET = ".parquet"
TEMPORARY = ".tmp"
"""How names end while a file is written (``storage``)."""


class OtherRun(Refused):
    """The folder holds a run of other settings or inputs, finished or not.

    Attributes:
        differences: what it had otherwise, as far as it tells.
    """

    def __init__(self, message: str, differences: Sequence[str]) -> None:
        super().__init__(message)
        self.differences = differences


class Taken(Refused):
    """Another job is at work in the folder."""


class Overtaken(Failed):
    """Another job took the folder, or published there, while this one was at work."""


@dataclass(frozen=True)
class Claim:
    """A run that may be prepared here.

    Attributes:
        output: folder of the run.
        fingerprint: of the run.
        replaced: text of the finished run's record that this one is to replace; None for none.
        resumed: whether an earlier attempt left something to go on from.
        start: names the first of the attempts that go on from each other.
    """

    output: str
    fingerprint: Fingerprint
    replaced: str | None
    resumed: bool
    start: str = field(default_factory=lambda: uuid4().hex)

    @property
    def place(self) -> str:
        """What holds the plan, and the folder."""
        return storage.join(self.output, UNFINISHED)

    @property
    def folder(self) -> str:
        """Where the run is prepared: what a task of a run started over writes late is elsewhere."""
        return storage.join(self.place, _named(self.start))


def check(output: str, fingerprint: Fingerprint, *, fresh: bool) -> Claim:
    """Make sure that a run may be written here; write nothing, but finish what is published.

    Args:
        output: folder of the run.
        fingerprint: of the run.
        fresh: whether to start over, and replace a finished run.

    Raises:
        OtherRun: the folder holds another run, finished or not.
        Taken: a process of this machine is at work in it.
        Refused: it holds something that is not a run.
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
        raise Taken(
            f"--output {output}: another run is at work here (process {plan['pid']}); wait "
            "for it or choose another folder"
        )
    if fresh:
        text = storage.read_text(storage.join(output, RECORD))
        return Claim(output, fingerprint, text, resumed=False)
    if record is not None:
        _refuse_finished(output, record, plan, fingerprint)
    if plan is not None:
        other = differences(plan["fingerprint"], fingerprint)
        if other:
            raise OtherRun(
                f"--output {output}: holds an unfinished run of other settings or inputs: "
                f"{'; '.join(other)}. Run as it was to resume it, choose another folder, or pass "
                "--fresh to start over",
                other,
            )
        return Claim(output, fingerprint, None, resumed=True, start=str(plan.get("start")))
    return Claim(output, fingerprint, None, resumed=False)


def _refuse_finished(
    output: str,
    record: Mapping[str, Any],
    plan: Mapping[str, Any] | None,
    fingerprint: Fingerprint,
) -> None:
    if record.get("fingerprint") != fingerprint.digest:
        other = _told(record, fingerprint)
        known = f" ({'; '.join(other)})" if other else ""
        raise OtherRun(
            f"--output {output}: holds a finished run of other settings or inputs"
            f"{known}; choose another folder, or pass --fresh to replace it",
            other,
        )
    listed = record.get("files")
    if isinstance(listed, dict) and (plan is None or plan["fingerprint"] == asdict(fingerprint)):
        # Who published it may have been killed before all was put in order.
        _remove(output, _strays(output, listed))
        _discard(output, str(plan and plan.get("start")))
    raise Done(f"{output} holds this run already, finished; --fresh does it again")


def _told(record: Mapping[str, Any], fingerprint: Fingerprint) -> list[str]:
    """What a finished run had otherwise, as far as its record tells."""
    settings, inputs = (record.get(name, {}) for name in ("settings", "inputs"))
    if settings.keys() - set(WHERE_AND_WHEN) != fingerprint.settings.keys():
        return []
    before = {
        "command": fingerprint.command,
        "settings": {name: settings[name] for name in fingerprint.settings},
        "inputs": inputs,
        "version": record.get("versions", {}).get("segscore"),
    }
    return differences(before, fingerprint)


def claim(found: Claim, stages: Mapping[str, Sequence[str]]) -> str:
    """Make the place where a run is prepared, or find it as an earlier attempt left it.

    Args:
        found: what ``check`` said.
        stages: the parts to come, by stage: what `status` counts receipts against.

    Returns:
        The folder to write parts to.

    Raises:
        Refused: the place cannot be written to.
        Taken: another job was first.
    """
    url = storage.join(found.place, PLAN)
    if not found.resumed:
        # The plan first: without it, nobody takes what is left for a run to go on with.
        storage.remove(url)
        storage.remove(found.place)
    storage.make_folder(found.folder)
    plan = {
        "start": found.start,
        "fingerprint": asdict(found.fingerprint),
        "stages": {stage: list(parts) for stage, parts in stages.items()},
        "host": platform.node(),
        "pid": os.getpid(),
        "born": _born(os.getpid()),
    }
    text = json.dumps(plan, indent=2) + "\n"
    if found.resumed:
        storage.write_text(url, text)
        halves = _strays(found.output, {})
        _remove(found.output, {of: list(filter(_is_half, names)) for of, names in halves.items()})
        return found.folder
    try:
        storage.write_new_text(url, text)
    except FileExistsError as problem:
        raise Taken(
            f"--output {found.output}: another run began here just now; wait for it or choose "
            "another folder"
        ) from problem
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
    return plan.get("born") in (None, _born(plan["pid"]))


def _born(pid: int) -> str | None:
    """When a process started, if the system tells: a later one may have the number of a dead one.

    In a container that is the rule: its first processes have the same numbers each time.
    """
    try:
        told = list(storage.lines(f"/proc/{pid}/stat"))
    except (Refused, OSError):  # no such system, or no such process any more
        return None
    state, *numbers = told[0].rpartition(")")[2].split()
    return None if state in ("Z", "X") else numbers[18]


def publish(found: Claim, record: Mapping[str, Any]) -> dict[str, Any]:
    """Show a finished run to readers: its tables, then its record.

    Every step can be done twice, so two attempts at one run may both try, and one that died may
    be done again.  Exactly one writes the record.  What others left beside it is removed by who
    has won, and then only what was there before: an attempt that has not lost yet may still win,
    and then its files have to be there.

    Returns:
        The record as it was written.

    Raises:
        Overtaken: another job published a run here meanwhile, or took this one's parts away.
    """
    listed: Files = {}
    try:
        listed = _staged(found)
        _remove_replaced(found, listed)
        whole = {**record, "fingerprint": found.fingerprint.digest, "files": listed}
        _show(found, listed)
        strays = _strays(found.output, listed)
        text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
        storage.write_new_text(storage.join(found.output, RECORD), text)
    except (Failed, FileExistsError, FileNotFoundError) as problem:
        _yield(found, listed, problem)
        raise
    _remove(found.output, strays)
    _discard(found.output, found.start)
    return whole


Files = dict[str, list[str]]
"""Table -> names of its files."""


def _suffix(fingerprint: Fingerprint) -> str:
    return f"-{fingerprint.digest}{PARQUET}"


def _staged(found: Claim) -> Files:
    """The tables that were prepared, and their files by the names they are to have."""
    plan = _plan(found.output)
    if plan is None or plan.get("start") != found.start:
        raise Overtaken(f"{found.output}: another job took this folder; nothing was published")
    there = storage.names(found.folder)
    suffix = _suffix(found.fingerprint)
    dropped = _superseded(found, plan)
    return {
        table: [name.removesuffix(PARQUET) + suffix for name in _counting(found, table, dropped)]
        for table in TABLES
        if table in there
    }


def prepared_files(found: Claim, table: str) -> list[str]:
    """Where the files of a table are that were prepared and count, in the order of their names."""
    dropped = _superseded(found, _plan(found.output) or {"stages": {}})
    folder = storage.join(found.folder, table)
    return [storage.join(folder, name) for name in _counting(found, table, dropped)]


def _superseded(found: Claim, plan: Mapping[str, Any]) -> set[str]:
    parts = (receipts.superseded(found.folder, stage) for stage in plan["stages"])
    return set[str]().union(*parts)


def _counting(found: Claim, table: str, dropped: Collection[str]) -> list[str]:
    held = storage.names(storage.join(found.folder, table))
    return [name for name in held if name.endswith(PARQUET) and name not in dropped]


def _show(found: Claim, listed: Files) -> None:
    """Copy what was prepared to where readers look, and make sure that it was still ours."""
    suffix = _suffix(found.fingerprint)
    for table, files in listed.items():
        source = storage.join(found.folder, table)
        target = storage.join(found.output, table)
        storage.copy(source, target, {file.removesuffix(suffix) + PARQUET: file for file in files})
    if _staged(found) != listed:
        raise Overtaken(f"{found.output}: another job started over here; nothing was published")


def _remove_replaced(found: Claim, listed: Files) -> None:
    """Remove the finished run that this one replaces, but for what both have."""
    url = storage.join(found.output, RECORD)
    if found.replaced is None or storage.read_text(url) != found.replaced:
        return
    storage.remove(url)
    _remove(found.output, _beyond(json.loads(found.replaced).get("files", {}), listed))


def _beyond(files: Files, listed: Mapping[str, Sequence[str]]) -> Files:
    return {
        table: [name for name in names if name not in listed.get(table, ())]
        for table, names in files.items()
    }


def _strays(output: str, listed: Mapping[str, Sequence[str]]) -> Files:
    """What is not of a run: files in its tables, whole tables, and what was half written."""
    held = storage.names(output)
    there = {table: storage.names(storage.join(output, table)) for table in TABLES if table in held}
    return {**_beyond(there, listed), "": [name for name in held if _is_half(name)]}


def _is_half(name: str) -> bool:
    return name.endswith(TEMPORARY)


def _remove(output: str, strays: Files) -> None:
    for table, files in strays.items():
        folder = storage.join(output, table) if table else output
        for name in files:
            storage.remove(storage.join(folder, name))
        if files and table and not storage.names(folder):
            storage.remove(folder)


def _yield(found: Claim, listed: Files, problem: Exception) -> None:
    """Take back what this attempt copied, if there is a winner, but for what that has, too.

    Raises:
        Overtaken: there is one.
    """
    record = _record(found.output)
    if record is None:
        return
    _remove(found.output, _beyond(listed, record.get("files", {})))
    _discard(found.output, found.start)
    raise Overtaken(f"{found.output}: another job published a run here meanwhile") from problem


def _discard(output: str, start: str) -> None:
    """Remove what a run was prepared from, if nobody else prepares another there."""
    plan = _plan(output)
    if plan is not None and plan.get("start") != start:
        return
    # The plan first: without it, what is left for want of time is nobody's.
    folder = storage.join(output, UNFINISHED)
    with suppress(OSError):  # who lost may be at it too; the run is published all the same
        storage.remove(storage.join(folder, PLAN))
        storage.remove(folder)


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
    folder = prepared(output)
    done = {stage: len(receipts.kept(folder, stage)) for stage in plan["stages"]}
    return Status(record, plan, done, _is_at_work(plan))


def files(output: str, record: Mapping[str, Any], table: str) -> list[str]:
    """Where the files of a finished run's table are, as its record lists them; empty for none."""
    listed = record.get("files", {}).get(table, [])
    return [storage.join(output, table, name) for name in listed]


def prepared(output: str) -> str:
    """Where the unfinished run of a folder is prepared, as its plan tells."""
    plan = _plan(output) or {}
    return storage.join(output, UNFINISHED, _named(str(plan.get("start"))))


def _named(start: str) -> str:
    return start[:8]


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
