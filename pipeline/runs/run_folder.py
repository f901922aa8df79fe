"""The folder of a run: check that a run may be written there, claim it, and read its state.

Until a run is finished all its files are under `_unfinished`, which readers of Parquet folders
skip.  A run is finished when its `run.json` exists; that file is never overwritten.  The files of
the tables have the run's fingerprint in their names, so that files of different runs can always be
distinguished.  Only the job with the newest claim (``claims``) removes or publishes anything, and
it reads the list of claims again before each step.
"""

import shlex
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from uuid import uuid4

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.runs import claims, receipts
from segscore.pipeline.runs.claims import UNFINISHED, Claim, Files
from segscore.pipeline.runs.fingerprint import (
    ABSENT_IF_EMPTY,
    IGNORED_SETTINGS,
    Fingerprint,
    setting_differences,
    taken_digests,
)
from segscore.pipeline.storage import InputFile
from segscore.pipeline.storage.json_records import Shape, read_record
from segscore.pipeline.storage.listed_files import INPUTS, RUN_TABLES, listed
from segscore.schemas import records

__all__ = ["RUN_TABLES", "UNFINISHED"]

RECORD = "run.json"
_FOLDERS_ASKED = 5
"""Number of folders in which a run is looked for, to name it in a message."""

PARQUET_ENDING = ".parquet"

REJECTS, UNPAIRED = "rejects", "unpaired"
"""The tables of rejected and of unpaired rows."""

_RECORDED = ((key.name, key.kind) for key in records.RUN if not key.name.startswith("files"))
RECORD_SHAPE = Shape((*_RECORDED, *records.SETTINGS))
"""Keys of a record, without its files, which ``listed`` checks."""

MAX_EXAMINATIONS = 5
"""How often to examine a folder again if its content changes during the examination."""

PUBLISHER_SECONDS = 60.0
"""How long to wait for a job that is publishing on another machine."""

PAUSE = 0.5


class OtherRun(Refused):
    """The folder contains a run with other settings or inputs, finished or not.

    The differences are described as far as its record or claim shows them.
    """

    def __init__(self, message: str, differences: Sequence[str]) -> None:
        super().__init__(message)
        self.differences = differences


class Taken(Refused):
    """Another job is working in the folder."""


class _Superseded(Taken):
    """Another job wrote a newer claim before this one had started."""


class Overtaken(Failed):
    """Another job claimed the folder, or published there, while this one was working."""


@dataclass(frozen=True)
class FolderState:
    """The state of a folder before a job writes to it.

    Attributes:
        newest: the newest claim of another attempt; None if there is none.
        record: text of a finished run's run.json; None if there is none.
        resumed: whether to resume the run of the newest claim.
        done: whether the finished run is the same as the job's run.
    """

    newest: Claim | None = None
    record: str | None = None
    resumed: bool = False
    done: bool = False


@dataclass
class Attempt:
    """One attempt to fill a run's folder.

    A fresh one starts over, replacing a finished run. The inputs are the names of those that the
    run keeps. The state of the folder is that when it was examined; the claim is the latest, and
    None before there is one. Files that are known to be prepared are ``written``, as `table/name`:
    a store may list an object late.
    """

    output: str
    fingerprint: Fingerprint
    fresh: bool = False
    inputs: tuple[str, ...] = ()
    state: FolderState = field(default_factory=FolderState)
    claim: Claim | None = None
    written: set[str] = field(default_factory=set)

    @property
    def folder(self) -> str:
        """The folder that the run is prepared in; late tasks of earlier starts write elsewhere."""
        return prepared_in(self.output, self.current_claim.start)

    @property
    def is_beside(self) -> bool:
        """Whether it writes tables beside those that the folder may have, and no run."""
        return self.fingerprint.command in claims.BESIDE

    @property
    def written_to(self) -> str:
        """The folder with the tables: that of the run if it is finished, else ``folder``."""
        return self.output if self.state.done else self.folder

    @property
    def current_claim(self) -> Claim:
        """The claim of this attempt, which must have one."""
        assert self.claim is not None, "a folder is claimed before it is used"
        return self.claim


def prepared_in(output: str, start: str) -> str:
    """Return the location of the folder that a run is prepared in."""
    return storage.join(output, UNFINISHED, start[:8])


def examine(
    output: str, fingerprint: Fingerprint, *, fresh: bool, inputs: tuple[str, ...] = ()
) -> Attempt:
    """Check, before any work, that a run may be written to a folder.

    A fresh attempt starts over, replacing a finished run; the inputs are those that the run keeps.

    Returns:
        An attempt, with the state of the folder.  If ``state.done``, the folder contains this run,
        finished, and there is nothing to do.

    Raises:
        OtherRun: the folder contains another run, finished or not.
        Taken: another process is working in the folder.
        Refused: the folder contains files that are not a run.
    """
    attempt = Attempt(output, fingerprint, fresh, inputs)
    attempt.state = _read_state(attempt)
    return attempt


def _read_state(attempt: Attempt) -> FolderState:
    """Return the state of the attempt's folder; raise the errors of ``examine``."""
    output = attempt.output
    newest, text = _read_claim_and_record(attempt)
    if newest is not None and newest.is_at_work:
        raise Taken(
            f"--output {output}: another run is in progress here (process {newest.pid}); "
            "wait for it or choose another folder"
        )
    if newest is not None and (newest.command in claims.BESIDE) != attempt.is_beside:
        raise OtherRun(
            f"--output {output}: contains what `segscore {newest.command}` has not finished; run "
            "that command again, or choose another folder",
            [],
        )
    if attempt.is_beside and text is not None:
        raise Refused(f"--output {output}: contains a finished run; choose another folder")
    record = None if text is None else record_of(output, text)
    if attempt.fresh:
        _require_none_moved(output, newest)
        return FolderState(newest, text)
    if record is not None and record.get("fingerprint") == attempt.fingerprint.digest:
        return FolderState(newest, text, done=True)
    if record is not None:
        raise _other_run(attempt, record)
    if newest is None:
        return FolderState()
    differences = setting_differences(newest.fingerprint, attempt.fingerprint)
    if differences:
        raise OtherRun(
            f"--output {output}: contains an unfinished run with other settings or inputs "
            f"({'; '.join(differences)}); resume it with its own settings and inputs, choose "
            "another folder, or pass --fresh to start over",
            differences,
        )
    return FolderState(newest, None, resumed=bool(newest.start))


def _require_none_moved(output: str, newest: Claim | None) -> None:
    """Refuse to start over if an earlier attempt has moved some of its tables to the folder."""
    moved = {*newest.moved}.intersection(storage.names(output)) if newest else ()
    if newest and moved:
        raise OtherRun(
            f"--output {output}: `segscore {newest.command}` was interrupted while it published "
            f"{', '.join(sorted(moved))}; run it again without --fresh, or remove them and "
            f"{UNFINISHED}, and start over",
            [],
        )


def _read_claim_and_record(attempt: Attempt) -> tuple[Claim | None, str | None]:
    """Read the newest claim of other attempts, and the text of run.json.

    If a job on another machine is publishing, wait for it first.

    Raises:
        Taken: there is a newer claim than this attempt's own.
        Refused: the folder contains files that are not a run.
    """
    output = attempt.output
    own_number = None if attempt.claim is None else attempt.claim.number
    awaited: Claim | None = None
    names: list[str] = []
    for _ in range(MAX_EXAMINATIONS):
        names = storage.names(output)
        numbers = claims.claim_numbers(output) if UNFINISHED in names else []
        if own_number is not None and numbers[-1:] != [own_number]:
            raise _just_started(output)
        newest = claims.newest_of(output, [number for number in numbers if number != own_number])
        text = storage.read_text(storage.join(output, RECORD))
        if newest is not None and newest != awaited and _is_published_elsewhere(newest):
            wait_for(output, newest)
            awaited = newest
        elif newest is not None or text is not None:
            return newest, text
        elif _has_no_run(output, {*names} & {UNFINISHED} if attempt.is_beside else names):
            return None, None
    others = [name for name in names if name != UNFINISHED and not attempt.is_beside]
    foreign = others or [UNFINISHED]
    raise Refused(
        f"--output {output}: contains files that are not a run ({', '.join(foreign[:3])}); "
        "choose an empty or new folder"
    )


def _is_published_elsewhere(claim: Claim) -> bool:
    return claim.step == claims.PUBLISH and not claim.is_here


def wait_for(output: str, publisher: Claim) -> None:
    """Wait until a publisher on another machine has finished, at most ``PUBLISHER_SECONDS``."""
    deadline = time.monotonic() + PUBLISHER_SECONDS
    while claims.newest(output) == publisher and time.monotonic() < deadline:
        time.sleep(PAUSE)


def _has_no_run(output: str, names: Collection[str]) -> bool:
    """Return whether a folder without a run is empty, or has only remains of an attempt's start."""
    if set(names) - {UNFINISHED}:
        return False
    inside = storage.names(storage.join(output, UNFINISHED)) if names else []
    return all(claims.is_segscore_name(name) for name in inside)


def known_digests(output: str) -> dict[InputFile, str]:
    """Return the digests of inputs that the run in a folder recorded, finished or not."""
    with suppress(Refused, TypeError, ValueError, KeyError, AttributeError):
        text = storage.read_text(storage.join(output, RECORD))
        if text is not None:
            return taken_digests(record_of(output, text)["inputs"])
        claim = claims.newest(output)
        return {} if claim is None else taken_digests(claim.fingerprint["inputs"])
    return {}


def _other_run(attempt: Attempt, record: Mapping[str, Any]) -> OtherRun:
    differences = _differences(record, attempt.fingerprint)
    details = f" ({'; '.join(differences)})" if differences else ""
    return OtherRun(
        f"--output {attempt.output}: contains a finished run with other settings or inputs"
        f"{details}; choose another folder, or pass --fresh to replace it",
        differences,
    )


def _differences(record: Mapping[str, Any], fingerprint: Fingerprint) -> list[str]:
    """Describe how a finished run differs from a fingerprint, as far as its record shows."""
    settings, inputs = (record.get(name, {}) for name in ("settings", "inputs"))
    compared = fingerprint.settings.keys() - {*ABSENT_IF_EMPTY}
    if settings.keys() - {*IGNORED_SETTINGS, *ABSENT_IF_EMPTY} != compared:
        return []
    before = {
        "command": fingerprint.command,
        "settings": {name: settings.get(name) for name in fingerprint.settings},
        "inputs": inputs,
        "version": record.get("versions", {}).get("segscore"),
    }
    return setting_differences(before, fingerprint)


def claim(attempt: Attempt, stages: Mapping[str, Sequence[str]]) -> str | None:
    """Claim the folder, and either start over or resume an earlier attempt.

    The state of the folder is read again after the claim is written, because no other job changes
    the folder from then on.  An attempt that has claimed the folder already, to write the inputs
    that its run keeps, only adds the stages.

    `status` compares the number of receipts with the names of the parts of each stage.

    Returns:
        The folder to write parts to, as an absolute path because workers may have other working
        directories.  None if another job has finished the same run in the meantime.

    Raises:
        As ``examine``, if the folder has changed since; or Overtaken.
    """
    if attempt.claim is not None:
        claim_next(attempt, stages={stage: list(parts) for stage, parts in stages.items()})
        return storage.absolute(attempt.folder)
    claims_folder = storage.join(attempt.output, UNFINISHED)
    storage.make_folder(claims_folder)
    try:
        folder = _claim(attempt, stages)
    except (Refused, Failed):
        storage.remove_if_empty(claims_folder)
        raise
    if folder is None:
        storage.remove_if_empty(claims_folder)
    return folder


def _claim(attempt: Attempt, stages: Mapping[str, Sequence[str]]) -> str | None:
    for _ in range(MAX_EXAMINATIONS):
        newest, resumed = attempt.state.newest, attempt.state.resumed
        # One that starts over, too: the attempt before may still be moving a table.
        moved = {claims.MOVED: newest.moved} if newest and newest.moved else {}
        new_claim = Claim(
            number=newest.number + 1 if newest else 1,
            start=newest.start if newest and resumed else uuid4().hex,
            fingerprint=asdict(attempt.fingerprint),
            stages={stage: list(parts) for stage, parts in {**stages, **moved}.items()},
            shown=kept_files(attempt),
        )
        if _write_claim(attempt, new_claim):
            if newest and not resumed:
                _remove_earlier(attempt)
            elif newest:
                attempt.written |= receipts.remove_damaged(attempt.folder)
            return storage.absolute(attempt.folder)
        if attempt.state.done:
            return None
    raise _just_started(attempt.output)


def claim_next(attempt: Attempt, **changes: Any) -> None:
    """Write a claim that follows the attempt's own, with some changes.

    Raises:
        Overtaken: another job has claimed the folder since.
    """
    before = attempt.current_claim
    new_claim = replace(before, number=before.number + 1, **changes)
    try:
        claims.take_claim(attempt.output, new_claim)
    except FileExistsError as problem:
        raise overtaken(attempt) from problem
    attempt.claim = new_claim
    if not is_based_on(attempt, before):
        claims.withdraw(attempt.output, new_claim.number)
        raise overtaken(attempt)


def overtaken(attempt: Attempt) -> Overtaken:
    """Return the error of an attempt that another job has overtaken."""
    return Overtaken(f"{attempt.output}: another job was first; nothing was published")


def kept_files(attempt: Attempt) -> Files:
    """Return the inputs that the run of an attempt keeps, as ``files`` of its record lists them."""
    return {INPUTS: sorted(attempt.inputs)} if attempt.inputs else {}


def _write_claim(attempt: Attempt, new_claim: Claim) -> bool:
    """Write a claim, and return whether it is valid: the state of the folder has not changed."""
    try:
        claims.take_claim(attempt.output, new_claim)
    except FileExistsError:
        attempt.state = _read_state(attempt)
        return False
    attempt.claim = new_claim
    try:
        state = _read_state(attempt)
    except _Superseded:
        newest = claims.newest(attempt.output)
        if newest is None or newest == new_claim or newest.step == claims.PUBLISH:
            _withdraw(attempt)
        # Otherwise leave the claim, which is not in force.  If it were removed, a job that has not
        # seen the newer one could write it again, and all of them would give up.
        attempt.claim = None
        raise
    except (Refused, Failed):
        _withdraw(attempt)
        raise
    if state != attempt.state:
        _withdraw(attempt)
        attempt.state = state
    return attempt.claim is not None


def _withdraw(attempt: Attempt) -> None:
    claims.withdraw(attempt.output, attempt.current_claim.number)
    attempt.claim = None


def _just_started(output: str) -> _Superseded:
    return _Superseded(
        f"--output {output}: another run just started here; wait for it or choose another folder"
    )


def _remove_earlier(attempt: Attempt) -> None:
    """Remove the files that earlier attempts prepared, as this one starts over."""
    claims_folder = storage.join(attempt.output, UNFINISHED)
    for name in storage.names(claims_folder):
        if claims.is_prepared_folder(name) and name != attempt.current_claim.start[:8]:
            require_newest(attempt)
            storage.remove(storage.join(claims_folder, name))


def require_newest(attempt: Attempt) -> None:
    """Raise Overtaken if another job has claimed the folder since this attempt did."""
    if not is_newest(attempt):
        raise overtaken(attempt)


def is_newest(attempt: Attempt) -> bool:
    """Return whether this attempt's claim is the newest."""
    output, current = attempt.output, attempt.current_claim
    newest = claims.claim_numbers(output)[-1:]
    return newest == [current.number] and claims.read_claim(output, current.number) == current


def is_taken(attempt: Attempt) -> bool:
    """Return whether the newest claim is another job's, or no claim is left.

    A claim of this attempt may be newer than it knows: the answer to its write may have been lost.
    """
    newest, current = claims.newest(attempt.output), attempt.current_claim
    return newest is None or newest.writer != current.writer


def is_based_on(attempt: Attempt, before: Claim | None) -> bool:
    """Return whether an attempt's claim is the newest, and ``before`` is the one preceding it."""
    *earlier, last = claims.claim_numbers(attempt.output) or [0]
    return (
        last == attempt.current_claim.number and claims.newest_of(attempt.output, earlier) == before
    )


def suffix(fingerprint: Fingerprint) -> str:
    """Return the ending of the names of a run's files."""
    return f"-{fingerprint.digest}{PARQUET_ENDING}"


def prepared_tables(attempt: Attempt) -> dict[str, list[str]]:
    """List the prepared tables with the names of their files, sorted."""
    known = {name.partition("/")[0] for name in attempt.written}
    tables = set(RUN_TABLES) & known.union(storage.names(attempt.folder))
    return {table: prepared_names(attempt, table) for table in RUN_TABLES if table in tables}


def prepared_files(attempt: Attempt, table: str) -> list[str]:
    """List the locations of a table's prepared files, sorted by name."""
    names = prepared_names(attempt, table)
    return [storage.join(attempt.folder, table, name) for name in names]


def prepared_names(attempt: Attempt, table: str) -> list[str]:
    """List the names of a table's prepared files, sorted."""
    listed = storage.names(storage.join(attempt.folder, table))
    known = (
        name.removeprefix(f"{table}/") for name in attempt.written if name.startswith(f"{table}/")
    )
    return sorted(name for name in {*listed, *known} if name.endswith(PARQUET_ENDING))


@dataclass(frozen=True)
class Status:
    """The state of a run's folder, as its files show it.

    The record is that of a finished run, and the claim is the newest on an unfinished one, of which
    ``done`` parts are done, by stage; None if there is no such run.
    """

    record: dict[str, Any] | None
    claim: Claim | None
    done: Mapping[str, int]

    @property
    def is_being_published(self) -> bool:
        """Whether a job is publishing a run, as far as can be known of one on another machine."""
        if self.claim is None or self.claim.step != claims.PUBLISH:
            return False
        return self.claim.is_at_work or not self.claim.is_here


def read_status(output: str) -> Status:
    """Read the state of a run's folder.

    Raises:
        Refused: the folder does not exist, or has neither a finished nor an unfinished run, or a
            record is invalid.
    """
    text = storage.read_text(storage.join(output, RECORD))
    newest = claims.newest(output)
    record = None if text is None else record_of(output, text)
    if record is None and newest is None:
        if not storage.is_folder(output):
            raise Refused(f"{output}: there is no such folder; name the folder of a run")
        raise Refused(
            f"{output}: contains no run (neither {RECORD} nor {UNFINISHED}/{claims.PLAN})"
            f"{_run_within(output)}"
        )
    if newest is None:
        return Status(record, None, {})
    folder = prepared_in(output, newest.start)
    done = {stage: len(receipts.finished_parts(folder, stage)) for stage in newest.stages}
    return Status(record, newest, done)


def _run_within(folder: str) -> str:
    """Return a remark that names the last of the runs in a folder, such as that of nights."""
    for name in sorted(storage.names(folder), reverse=True)[:_FOLDERS_ASKED]:
        run = storage.join(folder, name)
        if storage.is_folder(run) and storage.read_text(storage.join(run, RECORD)) is not None:
            return f"; it is a folder of runs: name one, such as {run}"
    return ""


def record_of(output: str, text: str) -> dict[str, Any]:
    """Parse the record of a finished run from the text of its run.json.

    Raises:
        Refused: the text is not what segscore writes; the message says how to go on.
    """
    url = storage.join(output, RECORD)
    try:
        record: dict[str, Any] = read_record(url, text, RECORD_SHAPE)
        listed(record, url)
    except Refused as problem:
        raise Refused(
            f"{problem}; put the file back from a copy, or {_set_aside(output)} and run the "
            "command that made the run again"
        ) from problem
    return record


def _set_aside(output: str) -> str:
    """Say how to move the folder of a damaged run out of the way, under a name that none reads."""
    if not storage.is_local(output):
        return "remove the folder with a program for the store"
    folder = storage.absolute(output).rstrip("/")
    parent, _, name = folder.rpartition("/")
    return f"move the folder away (mv {shlex.quote(folder)} {shlex.quote(f'{parent}/_{name}')})"


def files_of(attempt: Attempt) -> Files:
    """List the files of the finished run that an attempt replaces, by table."""
    text = attempt.state.record
    if text is None:
        return {}
    return listed(record_of(attempt.output, text), storage.join(attempt.output, RECORD))
