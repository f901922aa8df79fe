"""The real program in a world: what it takes from there instead of from the machine."""

import os
import platform
import sys
from collections import UserDict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import datetime, tzinfo
from functools import cache
from importlib.metadata import version
from itertools import chain
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch
from uuid import UUID

from segscore.pipeline.agreement import chance, results
from segscore.pipeline.nightly import judge, metrics, restatements, retention
from segscore.pipeline.nightly import run as nightly_run
from segscore.pipeline.nightly.gate import past
from segscore.pipeline.runs import adding, claims, fingerprint, run, run_folder, tasks
from segscore.pipeline.runs.executor import Outcome
from segscore.pipeline.storage import parquet
from segscore.pipeline.tables import find
from tests.simulation import store
from tests.simulation.world import OF_TASKS, POLL, World

_WORLDS: list[World] = []


class OneByOne:
    """Executes the tasks of the current process one by one, in an order of the world's choice."""

    def __init__(self) -> None:
        self.world, self.runs = _WORLDS[-1], 0

    @property
    def at_once(self) -> int:
        """How many tasks nights execute at the same time; undisturbed runs, two."""
        at_once: int = self.world.ask(lambda world: (2, 1, 8)[world.seed % 3])
        return at_once

    def run_calls(
        self, task: Callable[..., Any], calls: Mapping[str, tuple[Any, ...]], shared: Any
    ) -> Iterator[Outcome]:
        """Run a task many times; see ``Executor``."""
        self.runs += 1
        run, process = self.runs, self.world.current
        assert process is not None
        keys = [*calls]
        for at in self.world.ask(lambda world: world.order(run, len(keys))):
            lost = self.world.ask(lambda world: world.befall_task())
            if lost:
                yield Outcome(keys[at], None, OF_TASKS[lost])
                continue
            try:
                result = process.steps.perform(self.world, task, shared, *calls[keys[at]])
                yield Outcome(keys[at], result, None)
            except Exception as problem:
                yield Outcome(keys[at], None, problem)


class Pool:
    """A pool of threads that has none: it does all work at once."""

    def __init__(self, *_: object) -> None: ...

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None: ...

    def map(self, function: Callable[..., Any], *arguments: Any) -> Iterator[Any]:
        """Call a function with each of the arguments."""
        return map(function, *arguments)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Call a function now."""
        future = Future[Any]()
        try:
            future.set_result(function(*arguments))
        except Exception as problem:
            future.set_exception(problem)
        return future


class _OwnMemory(UserDict[Any, Any]):
    """What the program keeps in memory for as long as a process lives."""

    def __init__(self) -> None: ...

    @property
    def data(self) -> dict[Any, Any]:  # type: ignore[override]
        """That of the current process."""
        process = _WORLDS[-1].current
        assert process is not None, "a process remembers"
        return process.memory


class _Datetime(datetime):
    """Its present is that of the world."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Any:
        return _WORLDS[-1].ask(lambda world: world.now(tz))


_STEPS = (parquet.read_columns, find.find_table, adding._add_batch, results.agreement_tables)
"""Functions that depend only on what they are given and on the store; tasks do, too."""


def _step(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function as a step of the process that calls it."""

    def perform(*arguments: Any, **named: Any) -> Any:
        world = _WORLDS[-1]
        if world.current is None:
            return function(*arguments, **named)
        return world.current.steps.perform(world, function, *arguments, **named)

    return perform


def everywhere(function: Callable[..., Any], other: Any) -> Iterator[AbstractContextManager[Any]]:
    """Yield what replaces a function in each module of the program that has it by its name."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("segscore.") and vars(module).get(function.__name__) is function:
            yield patch.object(module, function.__name__, other)


@contextmanager
def simulating() -> Iterator[None]:
    """Take processes, clocks, random names and threads from the world that was entered last."""

    def world() -> World:
        return _WORLDS[-1]

    def uuid4() -> UUID:
        return UUID(bytes=world().ask(lambda world: world.token(16)))

    clock = SimpleNamespace(
        monotonic=lambda: world().ask(lambda world: world.clock),
        sleep=lambda seconds: world().ask(lambda world: world.sleep(seconds)),
    )
    patches: list[AbstractContextManager[Any]] = [
        patch.object(os, "getpid", lambda: world().ask(lambda world: world.pid)),
        patch.object(os, "kill", lambda *each: world().ask(lambda world: world.kill(*each))),
        patch.object(os, "urandom", lambda size: world().ask(lambda world: world.token(size))),
        patch.object(platform, "node", lambda: world().ask(lambda world: world.host)),
        patch.object(claims, "started", lambda pid: f"start of {pid}"),
        patch.object(run_folder, "time", clock),
        patch.object(past, "_KNOWN", _OwnMemory()),
        patch.object(run, "perf_counter", clock.monotonic),
        patch.object(nightly_run, "monotonic", clock.monotonic),
        patch.object(run_folder, "PAUSE", POLL),
        patch.object(fingerprint, "version", cache(version)),
        patch.object(chance, "DRAWS", 1),
        *(patch.object(module, "uuid4", uuid4) for module in (run_folder, tasks)),
        *(
            patch.object(module, "datetime", _Datetime)
            for module in (judge, metrics, nightly_run, restatements, retention)
        ),
    ]
    patches += everywhere(ThreadPoolExecutor, Pool)
    patches += chain.from_iterable(everywhere(each, _step(each)) for each in _STEPS)
    with ExitStack() as stack:
        stack.enter_context(store.known())
        for each in patches:
            stack.enter_context(each)
        yield


@contextmanager
def entered(world: World) -> Iterator[None]:
    """Make a world the one that is simulated."""
    _WORLDS.append(world)
    try:
        with store.served(world.serve):
            yield
    finally:
        _WORLDS.pop()
