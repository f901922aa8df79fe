"""Processes that take turns at the requests of a simulated store, as a plan says.

Each process is a greenlet.  It runs until an event of the plan interrupts it at one of its
requests, or it sleeps: then another goes on.  One that dies is ended by a `BaseException`, and so
is each attempt of its clean-up to reach the store: what a dead process would do has no effect.
"""

import os
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from hashlib import blake2b
from random import Random
from typing import Any

from greenlet import getcurrent, greenlet

from segscore.pipeline.runs.executor import Lost
from tests.simulation import plans, store
from tests.simulation.plans import Event
from tests.simulation.steps import Known, Question, Steps
from tests.simulation.store import Bucket, Request, ServerError

PID, STEP, FIRST = 4_000_000, 0.01, 1_767_300_000.0
"""Id of the first process, seconds that a request takes, and the time at which all begin."""

SUSPENDED, POLL = 200.0, 20.0
"""Seconds for which a slow process does nothing unless another gives way to it: longer than others
wait for a publisher; and those between two looks of one that waits.

Within a change it stands still only if it creates a file, and no longer than another file is in its
way: no store removes a file only if it is still the same.
"""

FAILED, TRIES = 0.4, 4
"""Share of requests that a failing store answers with 500, and how often a client makes each."""

_PREPARED = re.compile(r"/_unfinished/[0-9a-f]{8}/")
"""What only the run that is prepared sees."""

_FITTING = {
    plans.CUT: (store.READ,),
    plans.STALE: (store.LIST, store.FIND),
    plans.ETAG: (store.LOOK,),
    plans.SLOW: (store.READ, store.LIST, store.LOOK),
    plans.LOST: (store.CHANGE,),
    plans.LOST_FOR_GOOD: (store.CHANGE,),
    plans.DIE_AFTER: (store.CHANGE,),
}
"""Kinds of events that can befall only some kinds of requests."""


def _writes_prepared(request: Request) -> bool:
    """Return whether a request writes a file that is not published yet."""
    return request.words.startswith("write ") and bool(_PREPARED.search(request.words))


def _fits(event: Event, request: Request) -> bool:
    """Return whether an event can befall a request."""
    if event.kind == plans.SLOW and request.words.startswith("create "):
        return True
    if event.kind == plans.TABLE and not _writes_prepared(request):
        return False
    return request.kind in _FITTING.get(event.kind, (request.kind,))


OF_TASKS = {plans.WORKER: Lost("the worker was lost"), plans.MEMORY: MemoryError()}
"""Kinds of events that befall the next task of a process, and how it ends."""


class Died(BaseException):
    """Ends a process immediately, as a kill does."""


class Broken(BaseException):
    """A promise was not kept; nothing that catches errors hides it."""


def require(kept: object, words: str) -> None:
    """Raise Broken unless a promise was kept."""
    if not kept:
        raise Broken(words)


@dataclass
class Process:
    """One process.

    Attributes:
        number, host, work, events: what it is and does, and what happens to it.
        most: the number of requests that it may make.
        requests: how many it has made.
        until: the time until which it is suspended.
        behind: of a process behind a store that fails, what says at which requests it does.
        changes, creates: the numbers of its requests that changed what others see, and of those
            that created a claim, a record or a verdict.
        rival: the process that goes on after each of these.
        creating: what it is about to create while it stands still.
        outcome: how it ended.
        starts_over: whether it may replace a run.
    """

    number: int
    host: str
    work: Callable[[], str]
    events: list[Event]
    most: int = 10_000
    requests: int = 0
    until: float = 0.0
    behind: Random | None = None
    changes: list[int] = field(default_factory=list)
    creates: list[int] = field(default_factory=list)
    rival: int | None = None
    creating: str = ""
    outcome: str | None = None
    dead: bool = False
    starts_over: bool = False
    drawn: int = 0
    runs_in: greenlet | None = None
    memory: dict[Any, Any] = field(default_factory=dict)
    steps: Steps = field(default_factory=lambda: Steps({}))


class World:
    """The store, the clock and the processes of one simulated night.

    Attributes:
        bucket: the objects of the store.
        after: called after each request that changed something.
        happen: called with an event that is not about the request itself, such as of a stranger.
        lines: what happened, if it is to be told.
    """

    def __init__(
        self, bucket: Bucket, seed: int, known: Known | None = None, *, telling: bool = False
    ) -> None:
        self.bucket, self._known = bucket, {} if known is None else known
        self.seed = seed
        self.clock, self.wall = 0.0, 0.0
        self.processes: list[Process] = []
        self.current: Process | None = None
        self.after: Callable[[str], None] = lambda _: None
        self.happen: Callable[[Event], None] = lambda _: None
        self.lines: list[str] | None = [] if telling else None
        self.main = getcurrent()
        self._next: int | None = None

    def start(
        self,
        host: str,
        work: Callable[[], str],
        events: Sequence[Event] = (),
        most: int = 10_000,
        *,
        starts_over: bool = False,
    ) -> Process:
        """Add a process, which begins when it is its turn."""
        number = len(self.processes)
        process = Process(number, host, work, sorted(events), most, starts_over=starts_over)
        process.steps.known = self._known
        self.processes.append(process)
        return process

    def run(self) -> None:
        """Let the processes take turns until all have ended."""
        turn = 0
        while alive := [process for process in self.processes if process.outcome is None]:
            self.clock = max(self.clock, min(one.until for one in alive))
            awake = [one for one in alive if one.until <= self.clock]
            chosen = next((one for one in awake if one.number >= turn), awake[0])
            self.current = chosen
            if chosen.runs_in is None:
                chosen.runs_in = greenlet(self._live)
                chosen.runs_in.switch(chosen)
            else:
                chosen.runs_in.switch()
            self.current = None
            turn = chosen.number + 1 if self._next is None else self._next
            self._next = None

    def _live(self, process: Process) -> None:
        try:
            process.outcome = process.work()
        except Died:
            process.outcome = "died"
        self.tell(f"ended: {process.outcome}")

    def tell(self, line: str) -> None:
        """Note a line about the current process, if there is somebody to read it."""
        if self.lines is not None and self.current is not None:
            self.lines.append(f"{self.current.number}.{self.current.requests} {line}")

    def serve(self, request: Request) -> Any:
        """Answer a request, with what the plan says."""
        # Threads of Arrow read footers ahead; they cannot give way, and nothing befalls them.
        if self.current is None or threading.current_thread() is not threading.main_thread():
            return request.act(self.bucket, False)
        return self.ask(lambda world: world.answer(request))

    def ask(self, question: Question) -> Any:
        """Ask something for the current process, which may be doing a step."""
        process = self.current
        return question(self) if process is None else process.steps.ask(question, self)

    def answer(self, request: Request) -> Any:
        """Answer a request of the current process, with what the plan says."""
        process = self.current
        assert process is not None, "a process asks"
        if process.dead:
            raise Died
        self.clock += STEP
        process.requests += 1
        require(process.requests <= process.most, f"more than {process.most} requests")
        if request.kind == store.CHANGE and not _PREPARED.search(request.words.split()[-1]):
            process.changes.append(process.requests)
        if request.words.startswith("create "):
            process.creates.append(process.requests)
        self._answer_creators(request)
        kinds = [self._befall(event, request) for event in self._due(process, request)]
        self.tell(f"{request.words}{''.join(f' ({kind})' for kind in kinds)}")
        return self._answer(process, request, kinds)

    def _due(self, process: Process, request: Request) -> list[Event]:
        due = [
            event
            for event in process.events
            if event.at <= process.requests and event.kind not in OF_TASKS and _fits(event, request)
        ]
        process.events = [event for event in process.events if event not in due]
        return due

    def _answer_creators(self, request: Request) -> None:
        """Let those go on that still create a file that is about to be removed."""
        verb, name = request.words.split()[:2]
        for other in self.processes if verb == "remove" else ():
            if other.creating == name:
                other.until = self.clock
                self.give_way(other.number)

    def _befall(self, event: Event, request: Request) -> str:
        """Do what an event does before the request; return its kind."""
        process = self.current
        assert process is not None, "an event befalls a process"
        if event.kind == plans.CLOCK:
            self.wall += -3 * 3600.0 if event.other % 2 else 86400.0
        elif event.kind in (plans.SWITCH, plans.SLOW):
            process.until = self.clock + SUSPENDED * (event.kind == plans.SLOW)
            if event.kind == plans.SWITCH:  # one that stood still goes on now
                self.processes[event.other].until = self.clock
            self.tell(str(event))
            process.creating = request.words.removeprefix("create ")
            self.give_way(event.other)
            process.creating = ""
        elif event.kind == plans.RIVAL:
            process.rival = event.other
        elif event.kind == plans.FAILING:
            process.behind = Random(f"{self.seed} {event}")  # noqa: S311
        elif event.kind in (plans.REPLACE, plans.STRANGER, plans.TABLE):
            self.happen(event)
        return event.kind

    def _answer(self, process: Process, request: Request, kinds: Sequence[str]) -> Any:
        if plans.DIE in kinds:
            process.dead = True
            raise Died
        if plans.ERROR in kinds or (process.behind and self._fails(process.behind)):
            raise ServerError("Internal Server Error")
        if plans.LOST in kinds:
            request.act(self.bucket, False)  # the client repeats it
        try:
            result = request.act(self.bucket, plans.STALE in kinds)
        finally:
            if request.kind == store.CHANGE:
                self.after(request.words)
        if plans.DIE_AFTER in kinds:
            process.dead = True
            raise Died
        if process.rival is not None and request.words.startswith("create "):
            self.give_way(process.rival)
        if plans.LOST_FOR_GOOD in kinds:
            raise ServerError("Internal Server Error")
        if plans.CUT in kinds:
            return result[: len(result) // 2]
        return result | {"ETag": "wrong"} if plans.ETAG in kinds else result

    def _fails(self, draw: Random) -> bool:
        """Repeat a request as a client does, a little later each time; return whether all fail."""
        for attempt in range(TRIES):
            if draw.random() >= FAILED:
                return False
            self.clock += 0.5 * 2**attempt
        return True

    def give_way(self, other: int | None = None) -> None:
        """Let another process go on, and return when it is the current one's turn again."""
        process = self.current
        if process is None or process.dead:
            return
        self._next = other
        self.main.switch()

    def sleep(self, seconds: float) -> None:
        """Let time pass, and others work."""
        if self.current is not None and self.current.dead:
            raise Died
        self.clock += seconds
        self.give_way()

    def token(self, size: int) -> bytes:
        """Draw bytes that no other process draws, the same in each replay."""
        process = self.current
        number, drawn = (-1, 0) if process is None else (process.number, process.drawn)
        if process is not None:
            process.drawn += 1
        return blake2b(f"{number} {drawn}".encode(), digest_size=size).digest()

    def order(self, run: int, number: int) -> tuple[int, ...]:
        """Draw the order in which the tasks of a run of tasks end."""
        assert self.current is not None, "a process runs tasks"
        order = [*range(number)]
        Random(f"{self.seed} {self.current.number} {run}").shuffle(order)  # noqa: S311
        return tuple(order)

    def befall_task(self) -> str | None:
        """Return the kind of the event that befalls the next task of the current process."""
        process = self.current
        assert process is not None, "a process runs tasks"
        lost = [event for event in process.events if event.kind in OF_TASKS]
        process.events = [event for event in process.events if event not in lost]
        if lost:
            self.tell(f"of a task: {lost[0].kind}")
        return lost[0].kind if lost else None

    def now(self, zone: tzinfo | None = None) -> datetime:
        """Return the time by the clock of the wall."""
        return datetime.fromtimestamp(FIRST + self.clock + self.wall, zone)

    def kill(self, pid: int, _: int) -> None:
        """Raise ProcessLookupError for a process that has ended."""
        if not any(PID + one.number == pid and one.outcome is None for one in self.processes):
            raise ProcessLookupError

    @property
    def pid(self) -> int:
        """Id of the current process."""
        return os.getppid() if self.current is None else PID + self.current.number

    @property
    def host(self) -> str:
        """Name of the current process's host."""
        return "here" if self.current is None else self.current.host
