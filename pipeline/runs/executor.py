"""The interface of executors of tasks: threads, processes, a Dask cluster."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from segscore.pipeline.errors import Inaccessible, NoResult, Refused, StartOver

_ATTEMPT = re.compile("-[0-9a-f]{32}$")


RESUME = "; finished parts are kept: run the same command to resume"
"""What a message ends with if the same command may succeed the next time."""


class Lost(Exception):  # noqa: N818
    """A task failed because its worker or the scheduler was lost; ``advice`` says how to go on."""

    def __init__(self, reason: str, advice: str = RESUME) -> None:
        super().__init__(reason)
        self.advice = advice


@dataclass(frozen=True)
class Outcome:
    """How one task ended: with what it returned, or with the error that it raised."""

    key: str
    receipt: Any
    error: BaseException | None


class Executor(Protocol):
    """Executes the tasks of a run; several threads may call it, each for a run of its own."""

    @property
    def at_once(self) -> int:
        """How many tasks it executes at the same time.

        Raises:
            Failed: the workers of a cluster were lost.
        """

    def run_calls(
        self, task: Callable[..., Any], calls: Mapping[str, tuple[Any, ...]], shared: Any
    ) -> Iterator[Outcome]:
        """Run a task many times, and yield the outcome of each call, failed or not, when it ends.

        Args:
            task: a module-level function, called as ``task(shared, *arguments)``.
            calls: key of each call -> its own arguments, which should be small.
            shared: the value that every call needs; sent to each worker once.

        Raises:
            Failed: the workers of a cluster were lost, or cannot do the work.
        """


def key_of(part: str, attempt: str) -> str:
    """Return the key of a call for a part, unique to an attempt of 32 hexadecimal digits."""
    return f"{part}-{attempt}"


def part_of(key: str) -> str:
    """Return the name of the part that a key of ``key_of`` is for."""
    return _ATTEMPT.sub("", key)


def recurs(error: BaseException) -> bool:
    """Return whether an error of a task is in the input or the settings, and will come again."""
    return isinstance(error, Refused) and not isinstance(error, Inaccessible)


def how_to_go_on(error: BaseException) -> str:
    """Return what a message ends with after the error of a task.

    Only where the same command may succeed the next time does it advise to repeat it.
    """
    if isinstance(error, MemoryError):
        return (
            "; the same command will need as much again: run it where there is more memory, or "
            "give it less at once"
        )
    if recurs(error) or isinstance(error, NoResult | StartOver):
        return ""
    return error.advice if isinstance(error, Lost) else RESUME
