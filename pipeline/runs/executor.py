"""What every executor of tasks offers, be it threads or a Dask cluster."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from segscore.pipeline.errors import Failed

Pack = Callable[[Any, Any], list[tuple[int, bytes]]]
"""``pack(shared, piece)`` returns packets of bytes, each with the number of its place."""

Unpack = Callable[[Any, int, Sequence[bytes]], int]
"""``unpack(shared, place, packets)`` processes all packets of a place, and returns a count."""


class Lost(Exception):  # noqa: N818
    """A task failed because its worker or the scheduler was lost."""


@dataclass(frozen=True)
class Outcome:
    """How one task ended.

    Attributes:
        key: key of the task.
        receipt: what the task returned; None if it failed.
        error: what the task raised; None if it succeeded.
    """

    key: str
    receipt: Any
    error: BaseException | None


class Executor(Protocol):
    """Executes the tasks of a run."""

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

    def exchange(
        self, pack: Pack, pieces: Sequence[Any], places: int, unpack: Unpack, shared: Any
    ) -> int:
        """Pack pieces into packets, and deliver each packet to its place.

        Args:
            pack: makes the packets of a piece.
            pieces: the pieces to pack.
            places: number of places.
            unpack: processes the packets of a place, in the order of their pieces.
            shared: the value that every call needs, which should be small.

        Returns:
            The sum of the counts that ``unpack`` returned.

        Raises:
            Refused, Failed: as ``pack`` and ``unpack`` do.
            Failed: packets were lost, or the workers of a cluster.
        """


def exchange_failure(cause: BaseException) -> Failed:
    """Return the error for an exchange that failed for any other reason than a bad input."""
    reason = " ".join(str(cause).split()) or type(cause).__name__
    return Failed(f"could not send rows between workers: {reason}; run the same command to resume")
