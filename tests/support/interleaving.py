"""Jobs stepped through every order of their storage operations, one operation at a time.

Each job runs in a greenlet of its own and stops before each operation of its storage.  A search
chooses which job continues, and tries every choice.  It goes depth first and runs each order from
the beginning; it does not follow an order beyond a state that it has seen.  The state consists of
the storage, and of what each job has done and read so far, which alone determines what it does
next.  A job may also die at an operation: then none of its later ones has any effect.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import Any

from greenlet import getcurrent, greenlet

HALF = re.compile(r"(link|replace|unlink) \S+\.tmp\b")
SHOWN = re.compile(r"run/\.?(scores|summary)\b")
PREPARED = re.compile(r"_unfinished/([0-9a-f]{8})\b")


class Died(BaseException):
    """Ends a job immediately, as a kill does."""


@dataclass
class Job:
    """One process, as storage sees it.

    Attributes:
        name: of the job; its random names are derived from it.
        pid, host: of its process.
        work: what it does.
    """

    name: str
    pid: int
    host: str
    work: Callable[[], str]
    outcome: str | None = None
    dead: bool = False
    start: str = ""
    drawn: int = 0
    next: str = ""
    past: Any = field(default_factory=lambda: blake2b(digest_size=16))
    waits: Callable[[], bool] | None = None
    runs_in: greenlet | None = None

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self.outcome is None

    def token(self, digits: int) -> str:
        """Draw a name that no other job draws, the same in each order."""
        self.drawn += 1
        return blake2b(f"{self.name} {self.drawn}".encode(), digest_size=digits // 2).hexdigest()


class Stage:
    """The jobs of one order, and which of them runs."""

    def __init__(self, jobs: Sequence[Job], *, shared: bool = True) -> None:
        """Prepare the jobs.

        Args:
            jobs: the jobs.
            shared: whether jobs read parts that another one prepares or publishes.  If not, other
                jobs need not run between operations on parts.
        """
        self.jobs = jobs
        self.shared = shared
        self.main = getcurrent()

    @property
    def current(self) -> Job | None:
        """The job that runs now; None for the search."""
        now = getcurrent()
        return next((job for job in self.jobs if job.runs_in is now), None)

    def operate(self, name: str, act: Callable[[], Any], summary: Callable[[Any], object]) -> Any:
        """Do an operation when it is this job's turn, and record its result."""
        job = self.current
        if job is None:
            return act()
        if not self.is_private(job, name):
            self._pause(job, name)
        try:
            result = act()
        except OSError as problem:
            job.past.update(f"{name} {type(problem).__name__}\n".encode())
            raise
        job.past.update(f"{name} {summary(result)!r}\n".encode())
        return result

    def is_private(self, job: Job, name: str) -> bool:
        """Whether no other job can notice an operation.

        Those are operations on the job's own or on published parts, and the second half of
        writing a file.
        """
        place = PREPARED.search(name)
        is_own = place is not None and place[1] == job.start
        half = HALF.match(name) is not None
        return not self.shared and (is_own or half or SHOWN.search(name) is not None)

    def wait(self, over: Callable[[], bool]) -> None:
        """Wait until a condition is true; until then the job is not chosen."""
        job = self.current
        assert job is not None
        job.waits = over
        self._pause(job, "wait")
        job.waits = None
        job.past.update(b"waited\n")

    def _pause(self, job: Job, name: str) -> None:
        if not job.dead:
            job.next = name
            self.main.switch()
        if job.dead:
            raise Died

    def start(self) -> None:
        """Start all jobs; each stops before its first operation."""
        for job in self.jobs:
            job.runs_in = greenlet(self._run)
            job.runs_in.switch(job)

    @staticmethod
    def _run(job: Job) -> None:
        try:
            job.outcome = job.work()
        except Died:
            job.outcome = "died"
        except Exception as problem:
            job.outcome = f"{type(problem).__name__}: {problem}"

    def choices(self) -> list[int]:
        """Jobs that can continue."""
        running = [n for n, job in enumerate(self.jobs) if job.runs]
        ready = [n for n in running if (waits := self.jobs[n].waits) is None or waits()]
        return ready or running  # a job that nobody else can wake has waited long enough

    def step(self, number: int, *, die: bool = False) -> None:
        """Let a job do its next operation, or die before it."""
        job = self.jobs[number]
        job.dead = die
        assert job.runs_in is not None
        job.runs_in.switch()

    def end(self) -> None:
        """End the jobs that still run."""
        for number, job in enumerate(self.jobs):
            if job.runs:
                self.step(number, die=True)


Choice = tuple[int, bool]
"""The number of the job that takes the next step, and whether it dies instead."""


def _drawn(stage: Stage, draw: Random) -> Iterator[Choice]:
    while choices := stage.choices():
        yield draw.choice(choices), False


@dataclass
class Search:
    """A search over all orders.

    Attributes:
        prepare: makes empty storage and its jobs, the same each time, for one order.
        state: content of the storage.
        deaths: how many jobs may die in one order.
        shared: as ``Stage`` takes it.
        most: orders after which the search gives up, and fails.
    """

    prepare: Callable[[], Sequence[Job]]
    enter: Callable[[Stage], Any]
    state: Callable[[], object]
    judge: Callable[[Sequence[Job], list[str]], None]
    deaths: int = 0
    shared: bool = True
    most: int = 50_000
    orders: int = 0
    seen: set[Any] = field(default_factory=set)

    def run(self) -> int:
        """Try every order; return how many were run."""
        untried: list[list[Choice]] = [[]]
        while untried:
            assert self.orders < self.most, "jobs draw at random, or read what is not in `past`"
            untried += self._follow(untried.pop())
            self.orders += 1
        return self.orders

    def sample(self, orders: int, seed: int) -> None:
        """Try some orders, each drawn at random."""
        draw = Random(seed)  # noqa: S311
        for _ in range(orders):
            self._run(lambda stage, _: _drawn(stage, draw))

    def _follow(self, prefix: list[Choice]) -> list[list[Choice]]:
        """Run one order, with the first choice wherever none is given; return the other choices."""
        others: list[list[Choice]] = []
        self._run(lambda stage, choices_taken: self._choices(stage, prefix, choices_taken, others))
        return others

    def _run(self, choices: Callable[[Stage, list[Choice]], Iterator[Choice]]) -> None:
        """Run one order; judge it unless it led to a state already seen."""
        jobs = self.prepare()
        stage = Stage(jobs, shared=self.shared)
        choices_taken: list[Choice] = []
        steps: list[str] = []
        with self.enter(stage):
            stage.start()
            try:
                for choice in choices(stage, choices_taken):
                    number, die = choice
                    job = jobs[number]
                    steps.append(f"{job.name}{' dies before' if die else ''} {job.next}")
                    choices_taken.append(choice)
                    stage.step(number, die=die)
                whole = not any(job.runs for job in jobs)
            finally:
                stage.end()
        if whole:
            self.judge(jobs, steps)

    def _choices(
        self,
        stage: Stage,
        prefix: list[Choice],
        choices_taken: list[Choice],
        others: list[list[Choice]],
    ) -> Iterator[Choice]:
        yield from prefix
        while choices := stage.choices():
            now = (self.state(), *((job.past.digest(), job.outcome) for job in stage.jobs))
            if now in self.seen:
                return
            self.seen.add(now)
            options = [(number, False) for number in choices]
            if sum(die for _, die in choices_taken) < self.deaths:
                options += [(number, True) for number in choices]
            others += [[*choices_taken, option] for option in options[1:]]
            yield options[0]
