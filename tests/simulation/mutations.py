"""The guards of the protocol, each of which can be left out: simulated nights must then fail."""

import inspect
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from textwrap import dedent
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from greenlet import getcurrent, greenlet

from segscore.pipeline import storage
from segscore.pipeline.nightly import judge, kept_verdicts
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
from tests.simulation.program import everywhere


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


def _rewritten(owner: Any, name: str, line: str, other: str) -> Mutation:
    """Return what replaces a piece of a function's text by another."""

    @contextmanager
    def without() -> Iterator[None]:
        function = vars(owner)[name]
        text = dedent(inspect.getsource(function))
        assert text.count(line) == 1, f"{name} has {line!r} {text.count(line)} times"
        module = vars(sys.modules[function.__module__])
        found: dict[str, Any] = {}
        exec(compile(text.replace(line, other), name, "exec"), module, found)  # noqa: S102
        with ExitStack() as stack:
            stack.enter_context(patch.object(owner, name, found[name]))
            for each in everywhere(function, found[name]):
                stack.enter_context(each)
            yield

    return without


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


def _text(owner: Any, name: str, line: str, other: str, jobs: int = 1) -> Guard:
    return Guard(_rewritten(owner, name, line, other), jobs)


GUARDS |= {
    "a command does not resume what one of another kind has not finished": _text(
        run_folder,
        "_read_state",
        "(newest.command in claims.BESIDE) != attempt.is_beside",
        "False",
    ),
    "no tables are written beside a finished run": _text(
        run_folder, "_read_state", "attempt.is_beside and text is not None", "False"
    ),
    "a finished run is the same only with its fingerprint": _text(
        run_folder,
        "_read_state",
        'record.get("fingerprint") == attempt.fingerprint.digest',
        "True",
    ),
    "a run is resumed only with its settings and inputs": _text(
        run_folder,
        "_read_state",
        "setting_differences(newest.fingerprint, attempt.fingerprint)",
        "[]",
    ),
    "a newer claim than one's own is seen": _text(
        run_folder,
        "_read_claim_and_record",
        "own_number is not None and numbers[-1:] != [own_number]",
        "False",
        2,
    ),
    "no run is written to a folder with other files": _text(
        run_folder, "_has_no_run", "if set(names) - {UNFINISHED}:", "if False:"
    ),
    "a run that starts over has a folder of its own": _text(
        run_folder, "_claim", "newest.start if newest and resumed", "newest.start if newest"
    ),
    "a claim that is not valid is withdrawn": _text(
        run_folder,
        "_withdraw",
        "claims.withdraw(attempt.output, attempt.current_claim.number)",
        "pass",
        2,
    ),
    "the newest claim is one's own, and not only its number": _text(
        run_folder,
        "is_newest",
        " and claims.read_claim(output, current.number) == current",
        "",
        2,
    ),
    "only its own files are removed from _unfinished": _text(
        claims, "is_segscore_name", "return ", "return True or "
    ),
    "publishing is claimed": _text(publication, "publish", "claim_publication(attempt, shown)", ""),
    "a run that was published meanwhile is not removed": _text(
        publication, "_remove_record", "text != attempt.state.record", "False", 2
    ),
    "files of a publisher elsewhere are removed last": _text(
        publication, "publish", "elsewhere=False", "elsewhere=True", 2
    ),
    "files of an equal run elsewhere are spared": _text(
        publication, "_claimed_files", " - spared.get(table, set())", "", 3
    ),
    "claims are removed after what they list": _text(
        publication,
        "tidy",
        "    _remove_files(attempt, _claimed_files(output, elsewhere=True), shown)\n",
        "    listed = _claimed_files(output, elsewhere=True)\n"
        "    for number in claims.claim_numbers(output)[:-1]:\n"
        "        storage.remove(claims.url_of(output, number))\n"
        "    _remove_files(attempt, listed, shown)\n",
    ),
    "only files that claims list are removed": _text(
        publication, "_remove_files", "name in obsolete", "name not in shown.get(table, RECORD)"
    ),
    "one that was overtaken removes what it prepared": _text(
        publication, "_give_up", "storage.remove(attempt.folder)", "pass", 2
    ),
    "files of two runs have different names": _text(
        publication, "publish", "run_folder.suffix(attempt.fingerprint)", "PARQUET_ENDING"
    ),
    "the claim to publish lists the files": _text(
        publication,
        "publish",
        "claim_publication(attempt, shown)",
        "claim_publication(attempt, {})",
    ),
    "what is prepared stays if the command can be repeated": _text(
        publish_tables,
        "removing",
        "not has_begun and (isinstance(problem, Refused) or not resumable)",
        "True",
    ),
    "the digest of a prepared file is checked, and not only its size": _text(
        files, "is_as_written", " and described(chunks(url, BUFFER)) == written", ""
    ),
    "a file is still the same after it was read": _text(
        object_stores.RemoteFile, "_require_unchanged", "current != self.version", "False"
    ),
    "the verdict before is kept before it is replaced": _text(
        kept_verdicts,
        "publish",
        "    if night.written is not None:\n        _keep(runs, night.date, night.written)\n",
        "",
    ),
    "a verdict is kept before it is published": _text(
        kept_verdicts,
        "publish",
        "        _keep(runs, night.date, verdict.text())\n"
        "        nights.save_verdict(night.url, verdict)\n",
        "        nights.save_verdict(night.url, verdict)\n"
        "        _keep(runs, night.date, verdict.text())\n",
    ),
    "a verdict is kept": _text(
        kept_verdicts, "publish", "        _keep(runs, night.date, verdict.text())\n", ""
    ),
    "a verdict is repeated only while its reasons are the same": _text(
        judge, "judge", "is_current(known, reasons, earlier)", "True"
    ),
}

LONGEST = 5000
"""Seeds after which a guard that nobody misses is superfluous, or the simulation too weak."""


def find_mutations(first: int, most: int, words: str = "") -> int:
    """Leave out each guard; print at which night that is found; return how many are not."""
    left = {name: guard for name, guard in GUARDS.items() if re.search(words, name)}
    begin = time.monotonic()
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
            if number % 20 == 0:
                nights.tidy_memory()
    for name in left:
        print(f"not found: {name}")
    return len(left)
