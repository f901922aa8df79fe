"""Execute the tasks of a run in threads of this process."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from types import TracebackType
from typing import Any

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.runs.executor import Outcome, Pack, Unpack, exchange_failure


class Threads:
    """An ``Executor`` that runs tasks in threads; leaving its context waits for running tasks."""

    def __init__(self, count: int) -> None:
        """Create the executor.

        Args:
            count: number of tasks that run at the same time.
        """
        self._pool = ThreadPoolExecutor(count, "segscore")

    def __enter__(self) -> "Threads":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(cancel_futures=True)

    def run_calls(
        self, task: Callable[..., Any], calls: Mapping[str, tuple[Any, ...]], shared: Any
    ) -> Iterator[Outcome]:
        """Run a task many times, as ``Executor`` describes."""
        keys = {
            self._pool.submit(task, shared, *arguments): key for key, arguments in calls.items()
        }
        for future in as_completed(list(keys)):
            key, error = keys.pop(future), future.exception()
            yield Outcome(key, future.result() if error is None else None, error)

    def exchange(
        self, pack: Pack, pieces: Sequence[Any], places: int, unpack: Unpack, shared: Any
    ) -> int:
        """Deliver packets to their places by way of a temporary file, as ``Executor`` describes."""

        def keep(piece: Any) -> list[tuple[int, slice]]:
            return [(place, spill.append(packet)) for place, packet in pack(shared, piece)]

        def take(place: int) -> int:
            return unpack(shared, place, [spill.read(packet) for packet in packets[place]])

        packets: list[list[slice]] = [[] for _ in range(places)]
        try:
            with storage.Spill() as spill:
                for kept in self._pool.map(keep, pieces):
                    for place, packet in kept:
                        packets[place].append(packet)
                filled = [place for place in range(places) if packets[place]]
                return sum(self._pool.map(take, filled))
        except (Refused, Failed):
            raise
        except Exception as problem:
            raise exchange_failure(problem) from problem
