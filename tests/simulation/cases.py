"""The inputs and commands of simulated nights, and what comes of them if nothing disturbs them."""

import json
import traceback
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from random import Random
from typing import Any
from unittest.mock import patch

from segscore.pipeline.agreement.run import run_agreement
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.errors import Done, Failed, Refused
from segscore.pipeline.importing.run import find_imported, run_import
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.nightly.run import run_night
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.runs import planning
from segscore.pipeline.runs.tasks import ignore_progress
from segscore.pipeline.scoring.run import run_scoring
from segscore.pipeline.scoring.settings import ScoreSettings
from tests.simulation.plans import Job
from tests.simulation.program import OneByOne, entered
from tests.simulation.steps import known
from tests.simulation.store import Bucket, Stored
from tests.simulation.world import World

BUCKET = "sim://bucket"
BEFORE, NIGHT = date(2026, 1, 1), date(2026, 1, 2)
RUNS = f"{BUCKET}/runs"
NOTES = ("bucket/runs/notes.txt", "bucket/runs/verdicts/notes.txt", "bucket/run.txt")
"""Files of others that are there from the start."""

REPLACED = f"bucket/in/hypotheses/date={NIGHT}/part.jsonl"
"""The input that may be replaced."""

_MEASURES = ("pk",)

_PARTS = planning.Limits(rows_per_part=6, bytes_per_part=600)

Tree = dict[str, bytes]
"""Name -> content."""


def output_of(command: str) -> str:
    """Return the folder that a command writes to."""
    return f"{RUNS}/date={NIGHT}" if command == "nightly" else f"{BUCKET}/run"


def _rows(role: str, night: date, documents: int, version: int) -> str:
    """Return a table; one hypothesis of many is broken, and two have no reference."""
    draw = Random(f"{role} {night} {version}")  # noqa: S311
    lines = []
    for number in range(documents + (role == "hypotheses")):
        units = 12 + 3 * number
        for coder in ("desk", "other") if role == "references" else ("steady", "new"):
            found = sorted(draw.sample(range(1, units), 3))
            if role == "hypotheses" and number == 7 and coder == "new":
                found = [units + 5]
            row = {"document_id": f"d{number}", "coder": coder, "n_units": units}
            lines.append(json.dumps({**row, "boundaries": found}) + "\n")
    return "".join(lines)


@cache
def inputs(documents: int, version: int) -> dict[str, Stored]:
    """Return the objects from the start: inputs of two nights, a file to import, others' files."""
    found = {name: Stored(b"mine") for name in NOTES}
    for role in ("references", "hypotheses"):
        for night in (BEFORE, NIGHT):
            of = version if (role, night) == ("hypotheses", NIGHT) else 0
            text = _rows(role, night, documents, of)
            found[f"bucket/in/{role}/date={night}/part.jsonl"] = Stored(text.encode())
    return found


def work(job: Job, world: World) -> str:
    """Run a command as its job does, and return in words how it ended."""
    process = world.current
    assert process is not None, "a process works"
    return str(process.steps.perform(world, _work, job))


def _work(job: Job) -> str:
    try:
        outcome = _COMMANDS[job.command](job, OneByOne())
    except (Refused, Failed) as problem:
        return f"{'refused' if isinstance(problem, Refused) else 'failed'}: {problem}"
    except Exception as problem:
        return f"traceback: {''.join(traceback.format_exception(problem)[-4:])}"
    return "done" if isinstance(outcome, Done) else "published"


def _nightly(job: Job, executor: OneByOne) -> object:
    settings = NightSettings(
        date=NIGHT if job.command == "nightly" else BEFORE,
        references=f"{BUCKET}/in/references/date={{date}}",
        hypotheses=f"{BUCKET}/in/hypotheses/date={{date}}",
        runs=RUNS,
        gate="pk<=+0.4" if job.strict else "pk<=+0.5",
        max_unpaired=1.0,
        fresh=job.fresh,
        scoring={"n_t": job.n_t, "max_rejects": 1.0, "measures": _MEASURES},
    )
    return run_night(settings, executor, ignore_progress, lambda _: None)


def _score(job: Job, executor: OneByOne) -> object:
    settings = ScoreSettings(
        references=f"{BUCKET}/in/references/date={NIGHT}",
        hypotheses=f"{BUCKET}/in/hypotheses/date={NIGHT}",
        output=output_of("score"),
        max_unpaired=1.0,
        max_rejects=1.0,
        fresh=job.fresh,
        n_t=job.n_t,
        measures=_MEASURES,
    )
    return run_scoring(settings, executor, ignore_progress)


def _agree(job: Job, executor: OneByOne) -> object:
    settings = AgreeSettings(
        codings=f"{BUCKET}/in/hypotheses/date={NIGHT}",
        output=output_of("agree"),
        fresh=job.fresh,
        n_t=job.n_t,
        max_rejects=1.0,
    )
    return run_agreement(settings, executor, ignore_progress)


def _import(job: Job, executor: OneByOne) -> object:
    settings = ImportSettings(
        files=(f"{BUCKET}/in/hypotheses/date={NIGHT}/part.jsonl",),
        output=output_of("import"),
        max_rejects=1.0,
        role="hypothesis",
        unit="sentence" if job.n_t == 3 else None,
        fresh=job.fresh,
    )
    found, resumable = find_imported(settings), job.host == "here"
    return run_import(settings, found, executor, ignore_progress, resumable=resumable)


_COMMANDS: dict[str, Callable[[Job, OneByOne], object]] = {
    "nightly": _nightly,
    "night before": _nightly,
    "score": _score,
    "agree": _agree,
    "import": _import,
}


def limits(parts: bool) -> Any:
    """Return the context in which runs have several parts, or one."""
    return patch.object(planning, "LIMITS", _PARTS if parts else planning.Limits())


@dataclass(frozen=True)
class Undisturbed:
    """What a command leaves if nothing disturbs it, and how many requests it makes.

    Attributes:
        tree: the files of its folder.
        objects: all objects of the store.
        requests: their number.
        changes: the numbers of those that change what others see, such as a claim or a record.
    """

    tree: Tree
    objects: dict[str, Stored]
    requests: int
    changes: list[int]


@cache
def start(command: str, documents: int) -> dict[str, Stored]:
    """Return the objects that are there before a night, with the night before it."""
    objects = dict(inputs(documents, 0))
    if command != "nightly":
        return objects
    world = World(Bucket(objects), 0)
    with entered(world), limits(False):
        process = world.start("here", lambda: work(Job("night before"), world))
        world.run()
    assert process.outcome == "published", process.outcome
    return world.bucket.objects


@cache
def undisturbed(job: Job, documents: int, version: int, parts: bool) -> Undisturbed:
    """Run a job alone, wherever and however it is started."""
    if job != (plain := replace(job, host="here", fresh=False)):
        return undisturbed(plain, documents, version, parts)
    command = job.command
    objects = {**start(command, documents), **inputs(documents, version)}
    world = World(Bucket(objects), 0, known(nullcontext, parts))
    with entered(world), limits(parts):
        process = world.start("here", lambda: work(job, world))
        world.run()
    assert process.outcome == "published", process.outcome
    objects = world.bucket.objects
    tree = tree_of(objects, command)
    return Undisturbed(tree, objects, process.requests, process.changes)


def tree_of(objects: dict[str, Stored], command: str) -> Tree:
    """Return the files of a command's folder."""
    folder = output_of(command).removeprefix("sim://") + "/"
    return {
        name.removeprefix(folder): stored.content
        for name, stored in objects.items()
        if name.startswith(folder)
    }
