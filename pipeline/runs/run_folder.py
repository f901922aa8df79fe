"""The folder of a run: whether a run may be written there, the claim on it, and what it holds.

Until a run is finished everything lies under `_unfinished`, which readers of Parquet folders skip.
A run is finished when its `run.json` exists; that file is never written over another.  The files
of its tables have the run's fingerprint in their names, so that those of two runs can always be
told apart.  Only the job whose claim is the newest (``claims``) removes or shows anything, and it
looks at the claims again before each step.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import uuid4

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.runs import claims, receipts
from segscore.pipeline.runs.claims import UNFINISHED, Claim, Files
from segscore.pipeline.runs.fingerprint import WHERE_AND_WHEN, Fingerprint, setting_differences
from segscore.pipeline.storage.listed_files import RUN_TABLES, listed

__all__ = ["RUN_TABLES", "UNFINISHED"]

RECORD = "run.json"
PARQUET_ENDING = ".parquet"

LOOKS = 5
"""How often a folder is looked at whose content changes while it is looked at."""

PUBLISHER_SECONDS = 60.0
"""How long another machine may take between two steps of publishing."""

PAUSE = 0.5


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
class Found:
    """What a folder holds before a job writes to it.

    Attributes:
        newest: the newest claim of another attempt; None for none.
        record: text of a finished run's run.json; None for none.
        resumed: whether to resume what the newest claim is for.
        done: whether the finished run is the very one that the job is to do.
    """

    newest: Claim | None = None
    record: str | None = None
    resumed: bool = False
    done: bool = False


@dataclass
class Attempt:
    """One attempt to fill a run's folder.

    Attributes:
        output: folder of the run.
        fingerprint: of the run.
        fresh: whether to start over, and replace a finished run.
        found: what the folder held.
        claim: this attempt's claim in force; None before it has one.
    """

    output: str
    fingerprint: Fingerprint
    fresh: bool = False
    found: Found = field(default_factory=Found)
    claim: Claim | None = None

    @property
    def folder(self) -> str:
        """Where the run is prepared; what a late task of another attempt writes is elsewhere."""
        return prepared_in(self.output, self.held.start)

    @property
    def held(self) -> Claim:
        """The claim that this attempt has."""
        assert self.claim is not None, "a folder is claimed before it is used"
        return self.claim


def prepared_in(output: str, start: str) -> str:
    """Name the folder that a run is prepared in."""
    return storage.join(output, UNFINISHED, start[:8])


def examine(output: str, fingerprint: Fingerprint, *, fresh: bool) -> Attempt:
    """Make sure that a run may be written here, before any work.

    Args:
        output: folder of the run.
        fingerprint: of the run.
        fresh: whether to start over, and replace a finished run.

    Returns:
        The attempt to do it, and what the folder holds: nothing is to be done if it holds this very
        run, finished.

    Raises:
        OtherRun: the folder holds another run, finished or not.
        Taken: another process is at work in it.
        Refused: it holds something that is not a run.
    """
    attempt = Attempt(output, fingerprint, fresh)
    attempt.found = _look(attempt)
    return attempt


def _look(attempt: Attempt) -> Found:
    """Find out what this attempt may do in its folder; the errors are those of ``examine``."""
    output = attempt.output
    newest, text = _settled(attempt)
    if newest is not None and newest.is_at_work:
        raise Taken(
            f"--output {output}: another run is at work here (process {newest.pid}); wait "
            "for it or choose another folder"
        )
    record = None if text is None else record_of(output, text)
    if attempt.fresh:
        return Found(newest, text)
    if record is not None and record.get("fingerprint") == attempt.fingerprint.digest:
        return Found(newest, text, done=True)
    if record is not None:
        raise _other_run(attempt, record)
    if newest is None:
        return Found()
    other = setting_differences(newest.fingerprint, attempt.fingerprint)
    if other:
        raise OtherRun(
            f"--output {output}: holds an unfinished run of other settings or inputs: "
            f"{'; '.join(other)}. Run as it was to resume it, choose another folder, or pass "
            "--fresh to start over",
            other,
        )
    return Found(newest, None, resumed=bool(newest.start))


def _settled(attempt: Attempt) -> tuple[Claim | None, str | None]:
    """Read the newest claim of others and the record; wait for who publishes on another machine.

    Raises:
        Taken: there is a newer claim than this attempt's own.
        Refused: the folder holds something that is not a run.
    """
    output = attempt.output
    own = None if attempt.claim is None else attempt.claim.number
    waited: Claim | None = None
    names: list[str] = []
    for _ in range(LOOKS):
        names = storage.names(output)
        numbers = claims.claim_numbers(output) if UNFINISHED in names else []
        if own is not None and numbers[-1:] != [own]:
            raise _began_just_now(output)
        newest = claims.newest_of(output, [number for number in numbers if number != own])
        text = storage.read_text(storage.join(output, RECORD))
        if newest is not None and newest != waited and _is_published_elsewhere(newest):
            wait_for(output, newest)
            waited = newest
        elif newest is not None or text is not None or _is_ours(output, names):
            return newest, text
    others = [name for name in names if name != UNFINISHED] or [UNFINISHED]
    raise Refused(
        f"--output {output}: holds files that are not a run ({', '.join(others[:3])}); "
        "choose an empty or new folder"
    )


def _is_published_elsewhere(claim: Claim) -> bool:
    return claim.step == claims.PUBLISH and not claim.is_here


def wait_for(output: str, publisher: Claim) -> None:
    """Wait until a publisher on another machine is done, or has not been for too long."""
    until = time.monotonic() + PUBLISHER_SECONDS
    while claims.newest(output) == publisher and time.monotonic() < until:
        time.sleep(PAUSE)


def _is_ours(output: str, names: Sequence[str]) -> bool:
    """Whether a folder without a run holds nothing, or only what an attempt left at its start."""
    if set(names) - {UNFINISHED}:
        return False
    inside = storage.names(storage.join(output, UNFINISHED)) if names else []
    return all(claims.is_ours(name) for name in inside)


def _other_run(attempt: Attempt, record: Mapping[str, Any]) -> OtherRun:
    other = _differences(record, attempt.fingerprint)
    known = f" ({'; '.join(other)})" if other else ""
    return OtherRun(
        f"--output {attempt.output}: holds a finished run of other settings or inputs"
        f"{known}; choose another folder, or pass --fresh to replace it",
        other,
    )


def _differences(record: Mapping[str, Any], fingerprint: Fingerprint) -> list[str]:
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
    return setting_differences(before, fingerprint)


def claim(attempt: Attempt, stages: Mapping[str, Sequence[str]]) -> str | None:
    """Claim the folder; start over there, or resume what an earlier attempt left.

    What the claim is based on is looked at once more when the claim is in force: from then on
    nobody else changes it.

    Args:
        attempt: what ``examine`` returned.
        stages: the parts to come, by stage: what `status` counts receipts against.

    Returns:
        The folder to write parts to, absolute: workers have folders of their own.  None if another
        job has finished this very run since.

    Raises:
        As ``examine`` does, should the folder have changed since.
    """
    place = storage.join(attempt.output, UNFINISHED)
    storage.make_folder(place)
    try:
        folder = _claim(attempt, stages)
    except (Refused, Failed):
        storage.remove_if_empty(place)
        raise
    if folder is None:
        storage.remove_if_empty(place)
    return folder


def _claim(attempt: Attempt, stages: Mapping[str, Sequence[str]]) -> str | None:
    for _ in range(LOOKS):
        newest, resumed = attempt.found.newest, attempt.found.resumed
        mine = Claim(
            number=newest.number + 1 if newest else 1,
            start=newest.start if newest and resumed else uuid4().hex,
            fingerprint=asdict(attempt.fingerprint),
            stages={stage: list(parts) for stage, parts in stages.items()},
        )
        if _take(attempt, mine):
            if newest and not resumed:
                _remove_earlier(attempt)
            return storage.absolute(attempt.folder)
        if attempt.found.done:
            return None
    raise _began_just_now(attempt.output)


def _take(attempt: Attempt, mine: Claim) -> bool:
    """Write a claim; whether it stands, that is, the folder is still what it was based on."""
    try:
        claims.take_claim(attempt.output, mine)
    except FileExistsError:
        attempt.found = _look(attempt)
        return False
    attempt.claim = mine
    try:
        found = _look(attempt)
    except (Refused, Failed):
        _withdraw(attempt)
        raise
    if found != attempt.found:
        _withdraw(attempt)
        attempt.found = found
    return attempt.claim is not None


def _withdraw(attempt: Attempt) -> None:
    claims.withdraw(attempt.output, attempt.held.number)
    attempt.claim = None


def _began_just_now(output: str) -> Taken:
    return Taken(
        f"--output {output}: another run began here just now; wait for it or choose another folder"
    )


def _remove_earlier(attempt: Attempt) -> None:
    """Remove what earlier attempts prepared, when this one starts over."""
    place = storage.join(attempt.output, UNFINISHED)
    for name in storage.names(place):
        if claims.is_start(name) and name != attempt.held.start[:8]:
            require_held(attempt)
            storage.remove(storage.join(place, name))


def require_held(attempt: Attempt) -> None:
    """Make sure that the folder is still this attempt's.

    Raises:
        Overtaken: it is not.
    """
    if not is_held(attempt):
        raise Overtaken(f"{attempt.output}: another job took this folder; nothing was published")


def is_held(attempt: Attempt) -> bool:
    """Whether this attempt's claim is the newest."""
    output, mine = attempt.output, attempt.held
    newest = claims.claim_numbers(output)[-1:]
    return newest == [mine.number] and claims.read_claim(output, mine.number) == mine


def is_based_on(attempt: Attempt, before: Claim | None) -> bool:
    """Whether an attempt's claim is the newest, and follows a certain one."""
    *earlier, last = claims.claim_numbers(attempt.output) or [0]
    return last == attempt.held.number and claims.newest_of(attempt.output, earlier) == before


def suffix(fingerprint: Fingerprint) -> str:
    """How the names of a run's files end."""
    return f"-{fingerprint.digest}{PARQUET_ENDING}"


def prepared_tables(attempt: Attempt) -> dict[str, list[str]]:
    """List the tables that were prepared, and the files of each that count, sorted."""
    tables = set(RUN_TABLES) & set(storage.names(attempt.folder))
    dropped = _superseded(attempt)
    return {table: _counting(attempt, table, dropped) for table in RUN_TABLES if table in tables}


def prepared_files(attempt: Attempt, table: str) -> list[str]:
    """Where the files of a table are that were prepared and count, in the order of their names."""
    names = _counting(attempt, table, _superseded(attempt))
    return [storage.join(attempt.folder, table, name) for name in names]


def _superseded(attempt: Attempt) -> set[str]:
    parts = (receipts.superseded(attempt.folder, stage) for stage in attempt.held.stages)
    return set[str]().union(*parts)


def _counting(attempt: Attempt, table: str, dropped: set[str]) -> list[str]:
    names = storage.names(storage.join(attempt.folder, table))
    return [name for name in names if name.endswith(PARQUET_ENDING) and name not in dropped]


@dataclass(frozen=True)
class Status:
    """What a run's folder tells from its files alone.

    Attributes:
        record: run.json of a finished run, else None.
        claim: the newest claim on an unfinished one, else None.
        done: stage -> parts of the unfinished run that are done.
    """

    record: dict[str, Any] | None
    claim: Claim | None
    done: Mapping[str, int]


def read_status(output: str) -> Status:
    """Tell what a folder holds.

    Raises:
        Refused: neither a run nor the beginning of one, or a record that cannot be read.
    """
    text = storage.read_text(storage.join(output, RECORD))
    newest = claims.newest(output)
    record = None if text is None else record_of(output, text)
    if record is None and newest is None:
        raise Refused(f"{output}: holds no run (neither {RECORD} nor {UNFINISHED}/{claims.PLAN})")
    if newest is None:
        return Status(record, None, {})
    folder = prepared_in(output, newest.start)
    done = {stage: len(receipts.kept(folder, stage)) for stage in newest.stages}
    return Status(record, newest, done)


def record_of(output: str, text: str) -> dict[str, Any]:
    """Read the record of a finished run from the text of its run.json.

    Raises:
        Refused: it is not what segscore writes.
    """
    url = storage.join(output, RECORD)
    record = claims.load_record(url, text, {"signature": str, "pairs": int, "rows": dict})
    listed(record, url)
    return record


def files_of(attempt: Attempt) -> Files:
    """The files of the finished run that an attempt replaces."""
    text = attempt.found.record
    if text is None:
        return {}
    return listed(record_of(attempt.output, text), storage.join(attempt.output, RECORD))
