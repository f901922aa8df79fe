"""Claims on the folder of a run: numbered files, each written once; the newest is in force.

A job claims a folder by writing the claim with the next number; if several jobs try, one succeeds.
To publish, the job writes one more claim.  Starting over, resuming and publishing thus exclude each
other, on a disk and on any store that can refuse to overwrite a file, and the list of claims alone
shows a job whether the folder still belongs to it.
"""

import json
import os
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.storage.json_records import Shape, read_record
from segscore.pipeline.storage.listed_files import listed

UNFINISHED = "_unfinished"
PLAN = "plan.json"
NUMBERED = re.compile(r"plan(?:-([1-9][0-9]*))?\.json")
START = re.compile(r"[0-9a-f]{32}|")
_FOLDER = re.compile(r"[0-9a-f]{8}")

BESIDE = ("import", "project", "consensus", "simulate")
"""Commands that write tables, and no run, to a folder that may have other tables."""

WORK, PUBLISH = "work", "publish"
"""Purpose of a claim: to prepare a run, or to publish it."""

MOVED = "moved"
"""Stage of a claim of a command in ``BESIDE`` that has begun to publish: the tables to move."""

_SHAPE = Shape(
    {
        "start": "string",
        "step": "string",
        "host": "string or null",
        "pid": "int or null",
        "born": "string or null",
        "stages.*[]": "string",
        "fingerprint.command": "string",
        "fingerprint.version": "string",
        "fingerprint.settings": "object",
        "fingerprint.inputs.*[].url": "string",
        "fingerprint.inputs.*[].size": "int",
        "fingerprint.inputs.*[].version": "string",
    }.items()
)

Files = dict[str, list[str]]
"""Table -> names of its files."""


@dataclass(frozen=True)
class Claim:
    """One claim on a folder.

    Attributes:
        number: position in the list of claims, from 1.
        start: 32 hexadecimal digits, which name the folder that the run is prepared in; a job that
            resumes the run uses the same.
        fingerprint: the fingerprint of the run, as plain data.
        stages: names of the parts to do, by stage.
        step: ``WORK`` or ``PUBLISH``.
        shown: files that the publisher copies to the tables' folders, where readers look.
        replaced: files of the finished run that the publisher replaces.
        host, pid, born: host, id and start time of the process that wrote the claim.
    """

    number: int
    start: str
    fingerprint: Mapping[str, Any]
    stages: Mapping[str, Sequence[str]]
    step: str = WORK
    shown: Files = field(default_factory=dict)
    replaced: Files = field(default_factory=dict)
    host: str | None = field(default_factory=lambda: platform.node())
    pid: int | None = field(default_factory=lambda: os.getpid())
    born: str | None = field(default_factory=lambda: started(os.getpid()))

    @property
    def command(self) -> str:
        """The command of the run."""
        return str(self.fingerprint.get("command", "score"))

    @property
    def writer(self) -> tuple[str, str | None, int | None, str | None]:
        """What no claim of another process, or of another attempt, has."""
        return self.start, self.host, self.pid, self.born

    @property
    def moved(self) -> Sequence[str]:
        """The tables that this or an earlier attempt moves to the folder, if it writes no run."""
        return self.stages.get(MOVED, ())

    @property
    def is_here(self) -> bool:
        """Whether a process on this machine wrote the claim."""
        return self.host == platform.node()

    @property
    def is_at_work(self) -> bool:
        """Whether another process on this machine wrote the claim and is still running."""
        if not self.is_here or self.pid in (None, os.getpid()):
            return False
        assert self.pid is not None
        try:
            os.kill(self.pid, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except PermissionError:
            pass
        return self.born in (None, started(self.pid))


def started(pid: int) -> str | None:
    """Return the start time of a process in clock ticks since boot; None if it is unknown or dead.

    The start time is needed because a new process may get the id of a dead one.  In a container
    this is the rule, as its first processes have the same ids on every start.
    """
    try:
        text = list(storage.lines(f"/proc/{pid}/stat"))
    except (Refused, OSError):  # the system has no /proc, or the process has ended
        return None
    state, *numbers = text[0].rpartition(")")[2].split()
    return None if state in ("Z", "X") else numbers[18]


def url_of(output: str, number: int) -> str:
    """Return the location of the file of a claim."""
    name = PLAN if number == 1 else f"plan-{number}.json"
    return storage.join(output, UNFINISHED, name)


def number_of(name: str) -> int | None:
    """Return the number of a claim from the name of its file; None for other files."""
    match = NUMBERED.fullmatch(name)
    return match and int(match[1] or 1)


def is_prepared_folder(name: str) -> bool:
    """Return whether a name is that of a folder to prepare a run in, or of one being removed."""
    return _FOLDER.fullmatch(storage.temporary_for(name) or name) is not None


def is_segscore_name(name: str) -> bool:
    """Return whether a name is one that segscore gives to files and folders in ``UNFINISHED``."""
    return is_prepared_folder(name) or number_of(storage.temporary_for(name) or name) is not None


def claim_numbers(output: str) -> list[int]:
    """List the numbers of the claims on a folder, ascending."""
    names = storage.names(storage.join(output, UNFINISHED))
    return sorted(number for name in names if (number := number_of(name)) is not None)


def newest(output: str) -> Claim | None:
    """Read the newest claim on a folder; None if there is none.

    Raises:
        Refused: the file is not one that segscore writes.
    """
    return newest_of(output, claim_numbers(output))


def newest_of(output: str, numbers: Sequence[int]) -> Claim | None:
    """Read the newest of the numbered claims that was not withdrawn; None if there is none.

    Raises:
        Refused: the file is not one that segscore writes.
    """
    existing = (read_claim(output, number) for number in reversed(numbers))
    return next((claim for claim in existing if claim is not None), None)


def read_claim(output: str, number: int) -> Claim | None:
    """Read a claim; None if it no longer exists.

    Raises:
        Refused: the file is not one that segscore writes.
    """
    url = url_of(output, number)
    text = storage.read_text(url)
    if text is None:
        return None
    content = read_record(url, text, _SHAPE)
    start, step = content.get("start", ""), content.get("step", WORK)
    if not START.fullmatch(start) or step not in (WORK, PUBLISH):
        raise Refused(f"{url}: not a file that segscore writes, or damaged: start or step")
    return Claim(
        number,
        start,
        content["fingerprint"],
        content["stages"],
        step,
        listed({"files": content.get("shown", {})}, url),
        listed({"files": content.get("replaced", {})}, url),
        content.get("host"),
        content.get("pid"),
        content.get("born"),
    )


def take_claim(output: str, claim: Claim) -> None:
    """Write a claim; if several jobs write the same number, one succeeds.

    Raises:
        FileExistsError: a claim with this number exists.
        Refused: the folder is not writable.
        Failed: there is no space left, or no server answers.
    """
    content = {name: value for name, value in asdict(claim).items() if name != "number"}
    storage.write_new_text(url_of(output, claim.number), json.dumps(content, indent=2) + "\n")


def withdraw(output: str, number: int) -> None:
    """Remove a claim that this job wrote, and the folder of claims if it is empty then."""
    storage.remove(url_of(output, number))
    storage.remove_if_empty(storage.join(output, UNFINISHED))
