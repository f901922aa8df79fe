"""The guards of the protocol, each of which can be left out: simulated nights must then fail."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

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
from tests.simulation import nights
from tests.simulation.nights import Mutation


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


def _publish_record_first(attempt: Any, record: Any) -> dict[str, Any]:
    """Write the record, and copy the tables it lists after that."""
    copies: list[tuple[Any, ...]] = []

    def write_record(attempt: Any, text: str) -> None:
        real_write(attempt, text)
        for each in copies:
            real_copy(*each)

    real_write, real_copy = publication._write_record, storage.copy
    with (
        patch.object(publication, "_write_record", write_record),
        patch.object(storage, "copy", lambda *each: copies.append(each)),
    ):
        return _PUBLISH(attempt, record)


_PUBLISH = publication.publish


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


MUTATIONS: dict[str, Mutation] = {
    "the fence: the newest claim is read before each step": _without_fence,
    "claims and records never replace a file": _replaced(files, "put", _put),
    "a write whose answer was lost is known by its mark": _replaced(
        object_stores, "_is_marked", lambda *_: False
    ),
    "no other writer's file has the mark": _replaced(object_stores, "_is_marked", lambda *_: True),
    "the record is written last": _replaced(publication, "publish", _publish_record_first),
    "the record that is replaced is removed first": _replaced(
        publication, "_remove_record", _nothing
    ),
    "the folder is read again after it was claimed": _replaced(
        run_folder, "_write_claim", _take_valid_claim
    ),
    "a claim counts only if it follows the one that was read": _replaced(
        run_folder, "is_based_on", lambda *_: True
    ),
    "a process that is at work is not overtaken": _replaced(claims.Claim, "is_at_work", False),
    "a publisher on another host is waited for": _replaced(
        run_folder, "_is_published_elsewhere", lambda _: False
    ),
    "prepared files are as they were written": _replaced(
        receipts, "_files_unless_damaged", lambda *_: []
    ),
    "receipts have a checksum": _replaced(receipt_file, "_checksum", lambda *_: bytes(32)),
    "inputs are those that were found": _replaced(storage, "require_version", _nothing),
    "files of the run that is replaced are removed": _replaced(
        publication, "_remove_files", _nothing
    ),
    "claims are removed last": _replaced(publication, "tidy", _nothing),
    "a verdict is kept before it is replaced": _replaced(kept_verdicts, "_keep", _nothing),
    "tables that are there are not written over": _replaced(
        publish_tables, "require_free", _nothing
    ),
    "what is prepared is known, and not only listed": _without_memory,
    "tables that were moved in part are moved again": _replaced(claims.Claim, "moved", ()),
    "a half published import is not started over": _replaced(
        run_folder, "_require_none_moved", _nothing
    ),
}
"""What a guard ensures -> what leaves it out."""

LONGEST = 5000
"""Seeds after which a guard that nobody misses is superfluous, or the simulation too weak."""


def seeds_until_found(mutation: Mutation, first: int, most: int = LONGEST) -> tuple[int, str]:
    """Return after how many seeds a mutation was found, and by what; 0 if it was not."""
    with nights.prepared():
        for number in range(most):
            plan = nights.planned(first + number)
            problem = nights.simulate(plan, mutation=mutation).problem
            if problem is not None:
                return number + 1, problem
    return 0, "not found"


def find_mutations(first: int, most: int) -> int:
    """Leave out each guard; print after how many seeds that is found; return how many are not."""
    survived = 0
    for name, mutation in MUTATIONS.items():
        begin = time.monotonic()
        seeds, problem = seeds_until_found(mutation, first, min(most, LONGEST))
        survived += not seeds
        print(f"{seeds:5} {time.monotonic() - begin:6.0f} s  {name}: {problem[:120]}", flush=True)
    return survived
