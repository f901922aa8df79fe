"""Notice workers that hang, with their parts, and those that Dask ended for their memory."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import CancelledError
from datetime import datetime
from typing import Any

from distributed import Client  # noqa: TID251

from segscore.pipeline.runs.connecting import ExternalClient, ask, present_workers
from segscore.pipeline.runs.executor import RESUME, Lost
from segscore.pipeline.storage.memory import readable_size

HANGING_SECONDS = 60.0
"""How long a worker that has a part may send nothing before a warning; each next one comes after
twice the time."""

STALLED_SECONDS = 300.0
"""How long no part may end before a warning, where all workers answer; likewise."""

LOOK_SECONDS = 5.0
"""Seconds between two questions to the scheduler."""

_MOST = 3
"""The most parts, and workers, that a message names."""

_LOG = logging.getLogger("segscore")

_HANGING = (
    "worker {worker} has not been heard of for {seconds:.0f} s, since {since}, and has {held}; it "
    "hangs, or its host is disconnected: the run goes on when it answers; if you end its process, "
    "its parts go to other workers"
)
_STALLED = (
    "no part has ended for {seconds:.0f} s, though all workers answer; {held}; a part may be long, "
    "or a disk or a store may hang"
)

_ENDED = "worker-restart-memory"
"""Topic of the events with which nannies report workers that they end for their memory."""

_OUTGROWN = "Dask ended {workers}, which used too much memory (up to {most})"
_ON_CLUSTER = (
    f"{RESUME} after you have started workers with a higher --memory-limit; or make parts smaller "
    "by a lower --memory-limit of this command, with --fresh"
)
_ON_PROCESSES = (
    "; give workers more memory: repeat the command with a higher --memory-limit and --fresh"
)

NameOfTask = Callable[[Any], str | None]
"""Returns what a task does, given its key; None for a task of another run."""


class Watch:
    """Watches the workers of a cluster while a run waits for parts.

    A worker that is stopped, or whose host is disconnected, sends no more signs of life to the
    scheduler, which notices after minutes.
    """

    def __init__(self, client: Client, name_of: NameOfTask) -> None:
        """Watch the workers that a client knows."""
        self._client, self._name_of = client, name_of
        self._next_look = 0.0
        self._seen: dict[str, float] = {}
        self._held: dict[tuple[str, str], float] = {}
        self._silent = Silences(HANGING_SECONDS)
        self._stalled = Silences(STALLED_SECONDS)

    def look(self, *, ended: bool) -> None:
        """Warn of workers that hang, if it is time to ask; ``ended`` if a part has just ended.

        Raises:
            TimeoutError: the scheduler does not answer.
        """
        now = time.monotonic()
        if ended:
            self._stalled.end("", now)
        if now < self._next_look:
            return
        self._next_look = now + LOOK_SECONDS
        try:
            workers = present_workers(self._client)
            tasks = ask(self._client, self._client.scheduler.processing, workers=None)
        except TimeoutError:
            raise
        except OSError:  # without a scheduler, the parts end soon
            return
        self._note(workers, tasks, now)
        self._warn(now)

    def _note(
        self,
        workers: Mapping[str, Mapping[str, Any]],
        tasks: Mapping[str, Iterable[Any]],
        now: float,
    ) -> None:
        """Note which workers gave a sign of life, and since when each has its parts."""
        for worker, known in workers.items():
            if self._seen.get(worker) != known["last_seen"]:
                self._seen[worker] = known["last_seen"]
                self._silent.end(worker, now)
        for gone in self._seen.keys() - workers.keys():
            del self._seen[gone]
            self._silent.end(gone, now)
        clock = time.time()
        names = ((worker, self._name_of(key)) for worker, keys in tasks.items() for key in keys)
        held = [(worker, name) for worker, name in names if name is not None]
        self._held = {each: self._held.get(each, clock) for each in held}

    def _warn(self, now: float) -> None:
        """Warn of each worker that hangs with a part, or of parts that do not end."""
        parts: dict[str, dict[str, float]] = {}
        for (worker, name), since in self._held.items():
            parts.setdefault(worker, {})[name] = since
        for worker, held in parts.items():
            if seconds := self._silent.due(worker, now):
                silent_since = _clock(time.time() - seconds)
                words = {"worker": worker, "since": silent_since, "held": _in_words(held)}
                _LOG.warning(_HANGING.format(seconds=seconds, **words))
        if any(self._silent.lasts(worker) for worker in parts) or not parts:
            return
        if seconds := self._stalled.due("", now):
            first = sorted(parts, key=lambda worker: min(parts[worker].values()))[:_MOST]
            text = "; ".join(f"worker {worker} has {_in_words(parts[worker])}" for worker in first)
            _LOG.warning(_STALLED.format(seconds=seconds, held=text))


class Endings:
    """Knows the workers of a cluster that Dask ended for their memory since a moment."""

    def __init__(self, client: Client) -> None:
        """Begin now; raises what ``ask`` does."""
        self._client = client
        self._begin = max((moment for moment, _ in self._events()), default=0.0)

    def _events(self) -> Iterable[tuple[float, Mapping[str, Any]]]:
        if self._client.status != "running":
            return ()
        return ask(self._client, self._client.scheduler.events, topic=_ENDED) or ()

    def explain(self, loss: Lost) -> Lost:
        """Return the loss of a worker with the reason, if workers were ended for their memory."""
        try:
            used = [event["rss"] for moment, event in self._events() if moment > self._begin]
        except (AttributeError, CancelledError, OSError, RuntimeError):  # the scheduler was lost
            return loss
        if not used:
            return loss
        workers = f"{len(used)} workers" if len(used) > 1 else "a worker"
        is_external = isinstance(self._client, ExternalClient)
        return Lost(
            _OUTGROWN.format(workers=workers, most=readable_size(max(used))),
            _ON_CLUSTER if is_external else _ON_PROCESSES,
        )


class Silences:
    """How long each of several has been silent, and when to speak of it.

    The first time is after ``patience`` seconds, and each next one after twice the time. ``now`` is
    a moment of a clock, in seconds.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._since: dict[str, float] = {}
        self._spoken: dict[str, float] = {}

    def end(self, name: str, now: float) -> None:
        """Note that one is silent no longer."""
        self._since[name] = now
        self._spoken.pop(name, None)

    def due(self, name: str, now: float) -> float:
        """Return for how many seconds one is silent, if it is time to speak of that; else 0."""
        seconds = now - self._since.setdefault(name, now)
        if seconds < 2 * self._spoken.get(name, self._patience / 2):
            return 0.0
        self._spoken[name] = seconds
        return seconds

    def lasts(self, name: str) -> bool:
        """Return whether it was spoken of the silence of one, which lasts."""
        return name in self._spoken


def _in_words(held: Mapping[str, float]) -> str:
    """Name the parts of a worker, the first ones first, each with the time since when it has it."""
    ordered = sorted(held, key=lambda name: held[name])
    named = [f"{name} since {_clock(held[name])}" for name in ordered[:_MOST]]
    more = [f"{len(ordered) - _MOST} more"] * (len(ordered) > _MOST)
    return ", ".join(named + more)


def _clock(seconds: float) -> str:
    """Return a moment as the time of this machine's day."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%H:%M:%S")
