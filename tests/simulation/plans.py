"""What happens in a simulated night: who runs, and what goes wrong at which request of whom."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

HOSTS = ("here", "there")
COMMANDS = ("nightly", "score", "score", "agree", "import", "import")

SWITCH, DIE, DIE_AFTER = "switch", "die", "die after"
ERROR, LOST, LOST_FOR_GOOD, SLOW = "error", "lost answer", "lost for good", "slow"
CUT, STALE, ETAG, FAILING = "truncated", "stale listing", "wrong ETag", "failing store"
REPLACE, STRANGER, CLOCK, WORKER = "input replaced", "stranger's file", "clock", "worker lost"
TABLE, MEMORY, RIVAL = "stranger's table", "no memory", "rival"

_DRAWN = (
    (SWITCH, 12), (DIE, 4), (DIE_AFTER, 3), (ERROR, 1), (LOST, 3), (LOST_FOR_GOOD, 2), (SLOW, 3),
    (CUT, 1), (STALE, 3), (FAILING, 1), (ETAG, 1), (REPLACE, 3), (STRANGER, 1), (CLOCK, 1),
    (WORKER, 1), (MEMORY, 1),
)  # fmt: skip
"""Kinds of events, and how often each is drawn."""


@dataclass(frozen=True, order=True)
class Event:
    """Something that happens at a request of a process, or at its next one that it can befall.

    Attributes:
        process: number of the process.
        at: number of its request.
        kind: what happens.
        other: of a switch, the process that goes on; of a rival, the one that goes on after each
            claim from now on.
    """

    process: int
    at: int
    kind: str
    other: int = 0

    def __str__(self) -> str:
        """Say it in words."""
        to = f" to process {self.other}" if self.kind in (SWITCH, SLOW, RIVAL) else ""
        return f"process {self.process}, request {self.at}: {self.kind}{to}"


@dataclass(frozen=True)
class Job:
    """What one process does: a command, with a setting, which starts over if fresh; or it reads.

    The setting is `n_t`, and of an import the unit.  Imports there cannot be resumed.  A strict
    night has another gate.
    """

    command: str
    host: str = "here"
    n_t: int = 2
    fresh: bool = False
    strict: bool = False

    def __str__(self) -> str:
        """Say it in words."""
        options = f"--n-t {self.n_t}{' --fresh' * self.fresh}{' (strict)' * self.strict}"
        return f"{self.command} {options} on {self.host}"


READ = "read"
"""Command of a job that reads what is published."""


@dataclass(frozen=True)
class Plan:
    """A simulated night.

    Attributes:
        seed: what it was drawn from; it also decides the order in which tasks end.
        documents: number of documents.
        parts: whether the documents are divided into several parts.
        published: whether a run with another setting was published before.
        damaged: whether a prepared file is damaged when all have ended.
        jobs: the processes.
        events: what happens to them.
    """

    seed: int
    documents: int
    parts: bool
    published: bool
    damaged: bool
    jobs: Sequence[Job]
    events: Sequence[Event]

    def with_events(self, events: Sequence[Event]) -> "Plan":
        """Return the same night with other events."""
        return replace(self, events=tuple(events))

    def lines(self) -> list[str]:
        """Say what happens, a line each."""
        words = f"{self.documents} documents{' in parts' * self.parts}"
        words += ", over a published run" * self.published
        words += ", a prepared file damaged in the end" * self.damaged
        jobs = [f"process {number}: {job}" for number, job in enumerate(self.jobs)]
        return [words, *jobs, *map(str, sorted(self.events))]


@dataclass(frozen=True)
class Alone:
    """How many requests a job makes alone, and which change what others see, or create a file."""

    requests: int
    changes: Sequence[int]
    creates: Sequence[int]


def draw_plan(seed: int, alone: Callable[[Job, int, bool], Alone]) -> Plan:
    """Draw a night.

    Args:
        seed: what to draw it from.
        alone: returns the requests of a job, for a number of documents, in parts or not.
    """
    draw = Random(f"night {seed}")  # noqa: S311
    command = draw.choice(COMMANDS)
    published = draw.random() < 0.3 and command != "import"
    jobs = [_draw_job(draw, command, published) for _ in range(draw.choice((1, 1, 2, 2, 3)))]
    published = published and jobs[0].command != "import"
    if draw.random() < 0.3 and command != "import":
        jobs.append(Job(READ, draw.choice(HOSTS)))
    parts, damaged = draw.random() < 0.2, draw.random() < 0.2
    documents = draw.choice((3, 3, 3, 3, 5, 8))
    kinds, weights = zip(*_DRAWN, strict=True)
    if len(jobs) == 1:
        weights = (0, *weights[1:])
    events = set()
    drawn = draw.choices(kinds, weights, k=draw.choice((0, 1, 1, 2, 2, 3, 3, 4, 6, 9)))
    if draw.random() < 0.3:
        drawn = [kind if kind == SWITCH else drawn[0] for kind in drawn]
    for kind in drawn:
        process, other = (draw.randrange(len(jobs)) for _ in range(2))
        at = _draw_request(draw, alone(jobs[process], documents, parts))
        events.add(Event(process, at, kind, other))
    if damaged and draw.random() < 0.6:
        ends = alone(jobs[0], documents, parts).changes[1] - draw.randint(-1, 6)
        events.add(Event(0, max(1, ends), DIE))  # so that there is something to be damaged
    if command == "import":
        documents, jobs[1:], of_import = _draw_import(draw, documents, parts, jobs, alone)
        events |= of_import
    if len(jobs) > 1 and jobs[1].command != READ and draw.random() < 0.4:
        jobs, of_both = _draw_conflict(draw, jobs, lambda job: alone(job, documents, parts))
        events |= of_both
    return Plan(seed, documents, parts, published, damaged, tuple(jobs), tuple(sorted(events)))


def _draw_import(
    draw: Random,
    documents: int,
    parts: bool,
    jobs: Sequence[Job],
    alone: Callable[[Job, int, bool], Alone],
) -> tuple[int, Sequence[Job], set[Event]]:
    """Let a stranger's table appear, or start over an import that has published half of its tables.

    Only of 8 documents are some rejected, so that there is a second table.  Return the number of
    documents, all jobs but the first, and events.
    """
    first, *others = jobs
    kind = draw.random()
    if not others and kind < 0.2:
        at = draw.randint(1, alone(first, documents, parts).requests)
        return documents, others, {Event(0, at, TABLE)}
    if others and kind < 0.15:
        _claim, _publication, copy, *_ = alone(first, 8, parts).changes
        return 8, [replace(first, fresh=True), *others[1:]], {Event(0, copy, DIE_AFTER)}
    return documents, others, set()


def _draw_conflict(
    draw: Random, jobs: list[Job], alone: Callable[[Job], Alone]
) -> tuple[list[Job], set[Event]]:
    """Let jobs meet while they claim or publish; return the jobs and the events."""
    slow = draw.random() < 0.5
    if slow and draw.random() < 0.7:
        elsewhere = HOSTS[jobs[0].host == HOSTS[0]]
        others = [replace(job, fresh=job.command != READ) for job in jobs[1:]]
        jobs = [jobs[0], replace(others[0], host=elsewhere), *others[1:]]
    several = [alone(job) for job in jobs if job.command != READ]
    kind = draw.random()
    if not slow and kind < 0.3:
        return jobs, {Event(0, 1, RIVAL, 1), Event(1, 1, RIVAL, 0)}
    if not slow and kind < 0.5:
        return jobs, _draw_race(draw, several)
    return jobs, _draw_collision(draw, several, slow=slow)


def _draw_collision(draw: Random, jobs: Sequence[Alone], *, slow: bool) -> set[Event]:
    """Let the first process give way just before it claims, or stand still while it publishes.

    It goes on while the second or the last one works.
    """
    first, last = jobs[0], draw.choice((1, len(jobs) - 1, len(jobs) - 1))
    back = Event(last, _draw_request(draw, jobs[last]), SWITCH, 0)
    if not slow:
        return {Event(0, max(1, first.changes[0] - draw.randint(0, 6)), SWITCH, 1), back}
    at = draw.choice(first.changes[1:]) + draw.choice((-1, 0, 1))
    if draw.random() < 0.4:
        at = draw.choice(first.creates[1:])
    return {Event(0, at, SLOW, 1), back}


def _draw_race(draw: Random, jobs: Sequence[Alone]) -> set[Event]:
    """Let processes take turns at almost every request while they claim the folder."""
    return {
        Event(number, at, SWITCH, draw.randrange(len(jobs)))
        for number, job in enumerate(jobs)
        for at in range(max(1, job.changes[0] - 6), job.changes[0] + 10)
        if draw.random() < 0.5
    }


def _draw_request(draw: Random, alone: Alone) -> int:
    """Draw the number of a request: most often one near a claim, a record or a published table."""
    if alone.changes and draw.random() < 0.7:
        return max(1, draw.choice(alone.changes) + draw.choice((-1, 0, 0, 0, 1, 2)))
    return draw.randint(1, alone.requests)


def _draw_job(draw: Random, command: str, published: bool) -> Job:
    """Draw a job of a command; a few are of another command, for the same folder."""
    mixed = {"score": "import", "agree": "score", "import": "score"}
    if draw.random() < 0.15:
        command = mixed.get(command, command)
    fresh = draw.random() < (0.8 if published else 0.2)
    n_t = 3 if draw.random() < 0.2 else 2
    host, strict = HOSTS[draw.random() < 0.3], command == "nightly" and draw.random() < 0.2
    return Job(command, host, n_t, fresh, strict)
