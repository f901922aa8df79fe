"""Promises that every run keeps, whichever process is killed; checked by reading its folder."""

import json
import re
import threading

from tests.support.run_files import RECORD, Run, entries, everything, files, record

UNFINISHED = "_unfinished"

_PROGRESS = re.compile(r"\d+ of \d+ parts done(, about \d+ min left)?")
"""A line about progress; a slow machine also says how much time is left."""


class Broken(AssertionError):  # noqa: N818
    """A promise was not kept."""


class Reader(threading.Thread):
    """Reads a run's folder all the time, as readers of its tables do."""

    def __init__(self, run: Run, *, alone: bool = True) -> None:
        super().__init__(daemon=True)
        self.alone = alone
        self.run_folder = run
        self.over = threading.Event()
        self.problem: str | None = None
        self.looks = 0

    def run(self) -> None:
        """Read until the end, or until something is wrong."""
        while self.problem is None and not self.over.wait(0.005):
            self.problem = violation(self.run_folder, alone=self.alone)
            self.looks += 1

    def end(self) -> None:
        """Stop reading.

        Raises:
            Broken: a record listed missing files, or not all files.
        """
        self.over.set()
        self.join()
        if self.problem is not None:
            raise Broken(f"a reader saw {self.problem}")


def violation(run: Run, *, alone: bool) -> str | None:
    """Return what is wrong with a run's folder; None if nothing is.

    Args:
        run: the folder.
        alone: whether no other job was ever here, whose copies may not be removed yet.
    """
    text = record(run)
    if text is None:
        return None
    try:
        parsed = json.loads(text)
    except ValueError as problem:
        return f"half a record: {problem}"
    for table, listed in parsed["files"].items():
        names = set(entries(run, table))
        if not names >= set(listed) or (alone and names != set(listed)):
            return f"{table} contains {sorted(names)}, its record lists {listed}"
    return None


def strays(run: Run, expected: dict[str, bytes]) -> list[str]:
    """List files of a finished run's folder that are not part of the run."""
    if isinstance(run, str):
        return sorted(everything(run).keys() - {*expected, RECORD})
    wanted = {*expected, RECORD} | {name.partition("/")[0] for name in expected}
    return [name for path in run.rglob("*") if (name := str(path.relative_to(run))) not in wanted]


def require_same(run: Run, expected: dict[str, bytes]) -> None:
    """Check that a finished run equals the undisturbed one to the byte, without further files.

    Raises:
        Broken: naming the difference.
    """
    actual = files(run)
    for name in expected.keys() | actual.keys():
        if expected.get(name) != actual.get(name):
            kinds = [name in contents for contents in (expected, actual)]
            raise Broken(f"{run}/{name}: expected, found: {kinds}; not the undisturbed bytes")
    if more := strays(run, expected):
        raise Broken(f"{run}: contains files that are not of the run: {more}")


def require_one_line(err: str, code: int) -> str:
    """Check that a failed command printed one line; return it.

    Raises:
        Broken: it did not.
    """
    lines = message_lines(err)
    if code not in (1, 2) or len(lines) != 1 or not lines[0].startswith("segscore: error: "):
        raise Broken(f"exit code {code}, standard error ends:\n{err[-1000:]}")
    return lines[0]


def require_quiet(err: str) -> None:
    """Check that a successful command printed nothing but warnings and progress.

    Raises:
        Broken: it did.
    """
    if lines := [line for line in message_lines(err) if not line.startswith("warning: ")]:
        raise Broken(f"the command succeeded, but standard error contains {lines}")


def message_lines(err: str) -> list[str]:
    """Return the lines of standard error without those about progress and compiling."""
    lines = err.splitlines()
    return [line for line in lines if not _PROGRESS.fullmatch(line)]
