"""The guards of the protocol, each of which can be left out: simulated nights must then fail."""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from greenlet import getcurrent, greenlet

from segscore.pipeline import storage
from segscore.pipeline.nightly import kept_verdicts
from segscore.pipeline.runs import (
    claims,
    publication,
    publish_tables,
    receipt_file,
    receipts,
    run_folder,
)
from segscore.pipeline.storage import files, object_stores
from tests.simulation import nights, plans
from tests.simulation.nights import Mutation
from tests.simulation.plans import Plan


@contextmanager
def _without_fence() -> Iterator[None]:
    """Let a process go on after another has claimed the folder."""
    with ExitStack() as stack:
        for module in (run_folder, publication, publish_tables):
            stack.enter_context(patch.object(module, "require_newest", lambda _: None))
        yield


def _put(place: Any, content: bytes, *, new: bool) -> None:
    """Write over what is there, also where a new file was asked for."""
    del new
    place.files.pipe_file(place.path, content)


@contextmanager
def _with_record_first() -> Iterator[None]:
    """Let each process write the record, and copy the tables it lists after that."""
    copies = defaultdict[greenlet, list[tuple[Any, ...]]](list)
    real_write = publication._write_record

    def copy(*each: Any) -> None:
        copies[getcurrent()].append(each)

    def write_record(attempt: Any, text: str) -> None:
        real_write(attempt, text)
        for each in copies.pop(getcurrent(), ()):
            storage.copy(*each)

    late = SimpleNamespace(**{**vars(storage), "copy": copy})
    with (
        patch.object(publication, "storage", late),
        patch.object(publication, "_write_record", write_record),
    ):
        yield


def _take_valid_claim(attempt: Any, new_claim: Any) -> bool:
    """Write a claim, and do not look at the folder again after that."""
    try:
        claims.take_claim(attempt.output, new_claim)
    except FileExistsError:
        attempt.state = run_folder._read_state(attempt)
        return False
    attempt.claim = new_claim
    return True


def _without_memory() -> AbstractContextManager[Any]:
    """Do not know which files were prepared."""
    nothing = property(lambda _: set(), _nothing)
    return patch.object(run_folder.Attempt, "written", nothing, create=True)


def _nothing(*_: Any, **__: Any) -> None:
    """Do nothing."""


def _replaced(owner: Any, name: str, value: Any) -> Mutation:
    return lambda: patch.object(owner, name, value)


@dataclass(frozen=True)
class Guard:
    """A guard of the protocol.

    Attributes:
        without: leaves it out.
        jobs: the fewest jobs of a night that can show that it is missing.
        kinds: kinds of events of which such a night has one; empty if it needs none.
        damaged: whether such a night damages a prepared file.
    """

    without: Mutation
    jobs: int = 1
    kinds: frozenset[str] = frozenset()
    damaged: bool = False

    def may_be_missed(self, plan: Plan) -> bool:
        """Return whether a night can show that the guard is missing."""
        jobs = [job for job in plan.jobs if job.command != plans.READ]
        kinds = {event.kind for event in plan.events}
        shows = not self.kinds or bool(kinds & self.kinds)
        return len(jobs) >= self.jobs and shows and self.damaged <= plan.damaged


_TURNS = frozenset({plans.SWITCH, plans.SLOW})
_ENDS = frozenset({plans.DIE, plans.DIE_AFTER, plans.ERROR, plans.LOST_FOR_GOOD, plans.FAILING})

GUARDS: dict[str, Guard] = {
    "the fence: the newest claim is read before each step": Guard(_without_fence, 2, _TURNS),
    "claims and records never replace a file": Guard(_replaced(files, "put", _put), 2, _TURNS),
    "a write whose answer was lost is known by its mark": Guard(
        _replaced(object_stores, "_is_marked", lambda *_: False), 1, frozenset({plans.LOST})
    ),
    "no other writer's file has the mark": Guard(
        _replaced(object_stores, "_is_marked", lambda *_: True), 2, _TURNS
    ),
    "the record is written last": Guard(_with_record_first),
    "the record that is replaced is removed first": Guard(
        _replaced(publication, "_remove_record", _nothing)
    ),
    "the folder is read again after it was claimed": Guard(
        _replaced(run_folder, "_write_claim", _take_valid_claim), 2, _TURNS
    ),
    "a claim counts only if it follows the one that was read": Guard(
        _replaced(run_folder, "is_based_on", lambda *_: True), 2, _TURNS
    ),
    "a process that is at work is not overtaken": Guard(
        _replaced(claims.Claim, "is_at_work", False), 2, _TURNS
    ),
    "a publisher on another host is waited for": Guard(
        _replaced(run_folder, "_is_published_elsewhere", lambda _: False), 2, _TURNS
    ),
    "prepared files are as they were written": Guard(
        _replaced(receipts, "_files_unless_damaged", lambda *_: []), 1, _ENDS, damaged=True
    ),
    "receipts have a checksum": Guard(
        _replaced(receipt_file, "_checksum", lambda *_: bytes(32)), 1, _ENDS, damaged=True
    ),
    "inputs are those that were found": Guard(
        _replaced(storage, "require_version", _nothing), 1, frozenset({plans.REPLACE})
    ),
    "files of the run that is replaced are removed": Guard(
        _replaced(publication, "_remove_files", _nothing)
    ),
    "claims are removed last": Guard(_replaced(publication, "tidy", _nothing)),
    "a verdict is kept before it is replaced": Guard(_replaced(kept_verdicts, "_keep", _nothing)),
    "tables that are there are not written over": Guard(
        _replaced(publish_tables, "require_free", _nothing), 1, frozenset({plans.TABLE})
    ),
    "what is prepared is known, and not only listed": Guard(
        _without_memory, 1, frozenset({plans.STALE})
    ),
    "a claim says which tables were moved": Guard(_replaced(claims.Claim, "moved", ()), 1, _ENDS),
    "a half published import is not started over": Guard(
        _replaced(run_folder, "_require_none_moved", _nothing), 1, _ENDS
    ),
}
"""What a guard ensures -> the guard."""

LONGEST = 5000
"""Seeds after which a guard that nobody misses is superfluous, or the simulation too weak."""


def find_mutations(first: int, most: int) -> int:
    """Leave out each guard; print at which night that is found; return how many are not."""
    left, begin = dict(GUARDS), time.monotonic()
    with nights.prepared():
        for number in range(min(most, LONGEST)):
            plan = nights.planned(first + number)
            for name, guard in [*left.items()]:
                if not guard.may_be_missed(plan):
                    continue
                problem = nights.simulate(plan, mutation=guard.without).problem
                if problem is not None:
                    del left[name]
                    seconds = time.monotonic() - begin
                    print(f"{number + 1:5} {seconds:6.0f} s  {name}: {problem[:120]}", flush=True)
            if not left:
                break
    for name in left:
        print(f"not found: {name}")
    return len(left)
