"""Simulate a night by its plan, and find the fewest events with which it still fails."""

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from segscore.pipeline.runs.claims import UNFINISHED
from segscore.pipeline.runs.receipts import ENDING
from tests.simulation import cases, plans
from tests.simulation.cases import NIGHT, output_of, undisturbed, work
from tests.simulation.plans import Job, Plan
from tests.simulation.program import entered, simulating
from tests.simulation.promises import Watch
from tests.simulation.steps import known
from tests.simulation.store import Bucket, Stored
from tests.simulation.world import Broken, World
from tests.support import kernels

Mutation = Callable[[], AbstractContextManager[Any]]
"""Leaves out a guard, in a context."""

BEFORE = 4
"""`n_t` of the run that was published before."""

MOST_WORK, POLLS = 4, 1000
"""How many times the requests of an undisturbed run one may make, and how many more while it waits
for another host."""

READING = plans.Alone(40, (), ())
"""About how many requests a reader makes."""


@contextmanager
def prepared() -> Iterator[None]:
    """Prepare this process to simulate nights."""
    with kernels.run("interpreted"), simulating():
        yield


def tidy_memory(*, forgetting: bool = False) -> None:
    """Free memory that nothing refers to, if that is not done automatically.

    What is left is not searched again.
    """
    if forgetting:
        gc.unfreeze()
        known.cache_clear()
    gc.collect()
    gc.freeze()


@dataclass(frozen=True)
class Night:
    """A night that was simulated: what was broken, if anything, and what happened."""

    plan: Plan
    problem: str | None
    requests: int
    lines: list[str]


def simulate(plan: Plan, *, telling: bool = False, mutation: Mutation = nullcontext) -> Night:
    """Simulate a night; with ``telling``, what happens is told line by line.

    Only its own processes work in the context of ``mutation``.
    """
    command = plan.jobs[0].command
    if plan.published:
        found = undisturbed(Job(command, n_t=BEFORE), plan.documents, 0, False).objects
        # It is of a version that kept no verdicts.
        before = {name: found[name] for name in found if f"verdicts/date={NIGHT}" not in name}
    else:
        before = cases.start(command, plan.documents)
    world = World(Bucket(dict(before)), plan.seed, known(mutation, plan.parts), telling=telling)
    watch = _watch(plan, world)
    problem = None
    with ExitStack() as stack:
        stack.enter_context(cases.limits(plan.parts))
        stack.enter_context(entered(world))
        stack.enter_context(mutation())
        world.after, world.happen = watch.check, watch.happen
        try:
            _run_jobs(plan, world, watch)
            _settle(plan, world, watch)
        except Broken as broken:
            problem = str(broken)
    requests = sum(process.requests for process in world.processes)
    return Night(plan, problem, requests, world.lines or [])


def _watch(plan: Plan, world: World) -> Watch:
    """Prepare to watch a night: all that may be published is computed."""
    command = plan.jobs[0].command
    ours = f"{output_of(command).removeprefix('sim://')}/"
    foreign = {
        name: stored.content
        for name, stored in world.bucket.objects.items()
        if not name.startswith((ours, "bucket/in/", "bucket/runs/history"))
    }
    watch = Watch(world, plan, foreign)
    replaced = any(event.kind == plans.REPLACE for event in plan.events)
    for job in {replace(job, host="here", fresh=False) for job in plan.jobs}:
        for version in (0, 1) if replaced else (0,):
            if job.command != plans.READ:
                watch.expect(undisturbed(job, plan.documents, version, plan.parts), job)
    if plan.published:
        job = Job(command, n_t=BEFORE)
        watch.expect(undisturbed(job, plan.documents, 0, False), job)
    return watch


def _run_jobs(plan: Plan, world: World, watch: Watch) -> None:
    for number, job in enumerate(plan.jobs):
        doing = watch.read if job.command == plans.READ else partial(_do, job, world, watch)
        events = [event for event in plan.events if event.process == number]
        world.start(job.host, doing, events, most=_most(job, plan), starts_over=job.fresh)
    world.run()
    for process in world.processes:
        watch.require_one_line(str(process.outcome))
    watch.require_outcomes([str(process.outcome) for process in world.processes])


def _do(job: Job, world: World, watch: Watch) -> str:
    outcome = work(job, world)
    watch.end(job, outcome)
    return outcome


def _most(job: Job, plan: Plan) -> int:
    """Return how many requests a job may make."""
    return MOST_WORK * alone(job, plan.documents, plan.parts).requests + POLLS


def alone(job: Job, documents: int, parts: bool) -> plans.Alone:
    """Return the requests of a job that nothing disturbs."""
    if job.command == plans.READ:
        return READING
    ended = undisturbed(job, documents, 0, parts)
    return plans.Alone(ended.requests, ended.changes, ended.creates)


def _settle(plan: Plan, world: World, watch: Watch) -> None:
    """Run the first command once more, with nothing to disturb it, and check what is left.

    On the host of each job, as one may not tidy up for another that may still be at work.
    """
    if plan.damaged:
        _damage(plan, world)
    first = replace(plan.jobs[0], fresh=False)
    for host in sorted({"here", *(job.host for job in plan.jobs)}, reverse=True):
        last = _finish(world, plan, replace(first, host=host))
        if "run that command again" in last:
            others = (job for job in plan.jobs if job.command not in (first.command, plans.READ))
            for other in others:
                last = _finish(world, plan, replace(other, host=host, fresh=False))
        if last in ("published", "done") and not _is_unfinished(world):
            break
    if _is_unfinished(world) and first.command != "import":  # a run with other settings
        last = _alone(world, plan, replace(first, host="here", fresh=True))
    watch.require_one_line(last)
    watch.require_settled(last)


def _is_unfinished(world: World) -> bool:
    return any(f"/{UNFINISHED}/" in name for name in world.bucket.objects)


def _finish(world: World, plan: Plan, job: Job) -> str:
    """Run a job alone, and once more as its message says."""
    last = _alone(world, plan, job)
    if "--fresh" in last and "without --fresh" not in last:
        last = _alone(world, plan, replace(job, fresh=True))
    return last


def _alone(world: World, plan: Plan, job: Job) -> str:
    most = _most(job, plan)
    process = world.start(job.host, lambda: work(job, world), most=most, starts_over=job.fresh)
    world.run()
    return str(process.outcome)


def _damage(plan: Plan, world: World) -> None:
    """Cut a file that was prepared, or change a byte of it."""
    objects = world.bucket.objects
    begin = f"{output_of(plan.jobs[0].command).removeprefix('sim://')}/{UNFINISHED}/"
    others = ("/plan", "/mine")
    there = (name for name in sorted(objects) if name.startswith(begin))
    prepared = [name for name in there if not any(each in name for each in others)]
    if prepared:
        draw = Random(plan.seed)  # noqa: S311
        of_receipts = [name for name in prepared if name.endswith(ENDING)]
        name = draw.choice(of_receipts if of_receipts and draw.random() < 0.5 else prepared)
        content = bytearray(objects[name].content)
        if content and draw.random() < 0.7:
            content[draw.randrange(len(content))] ^= 1
        else:
            del content[len(content) // 2 :]
        objects[name] = Stored(bytes(content))


def planned(seed: int) -> Plan:
    """Return the night of a seed."""
    return plans.draw_plan(seed, alone)


def shrink(plan: Plan) -> Plan:
    """Return a night that fails too, with as few events, jobs and documents as can be found."""
    changed = True
    while changed:
        changed = False
        for smaller in _smaller(plan):
            if simulate(smaller).problem is not None:
                plan, changed = smaller, True
                break
    return plan


def _smaller(plan: Plan) -> Iterator[Plan]:
    for change in ({"parts": False}, {"published": False}, {"damaged": False}, {"documents": 3}):
        if (smaller := replace(plan, **change)) != plan:
            yield smaller
    last = len(plan.jobs) - 1
    if last and not any(last in (event.process, event.other) for event in plan.events):
        yield replace(plan, jobs=plan.jobs[:-1])
    for left_out in plan.events:
        yield plan.with_events([event for event in plan.events if event != left_out])
