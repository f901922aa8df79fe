"""Jobs on a disk: one whole run, one message from each other job, and a death at every operation.

Orders of two and three jobs, on one machine and on several, are tried in `tests/simulation`, in an
object store; those here show that a disk keeps the same promises.
"""

import json
import re
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, NoResult, Refused
from segscore.pipeline.runs import publication, receipts, run_folder
from segscore.pipeline.runs.fingerprint import Fingerprint
from segscore.pipeline.storage.listed_files import kept_name
from tests.support.interleaving import Job, Search, Stage
from tests.support.stepped_storage import SteppedDisk, Tree

LINES = re.compile(
    r"(refused|failed): [^\n]*("
    r"another run is in progress here \(process \d+\); wait for it or choose another folder"
    r"|another run just started here; wait for it or choose another folder"
    r"|another job (published a run here in the meantime|has claimed this folder); this one "
    r"published nothing"
    r"|contains an unfinished run with other settings or inputs \(n_t was \d, is \d\); [^\n]*"
    r"|contains a finished run with other settings or inputs \(n_t was \d, is \d\); [^\n]*"
    r")"
)
"""Messages of a job that did not publish."""


def fingerprint(n_t: int) -> Fingerprint:
    return Fingerprint("score", {"n_t": n_t}, {}, "0.2.0")


def kept_input(n_t: int) -> tuple[str, bytes]:
    """The name and the content of an input that a run keeps."""
    content = b"references %d" % n_t
    return kept_name("references", [content]), content


def expected(n_t: int, *, keeping: bool = False) -> dict[str, bytes]:
    """The files of a run."""
    end = f"-{fingerprint(n_t).digest}.parquet"
    files = {f"scores/part-0{end}": b"scores %d" % n_t, f"summary/all{end}": b"sums %d" % n_t}
    name, content = kept_input(n_t)
    return files | ({f"inputs/{name}": content} if keeping else {})


NOTHING = "nothing could be scored"


def work(output: str, n_t: int, letters: str = "") -> str:
    """Run as commands do, with the letters of ``jobs``; return the outcome."""
    kept = dict([kept_input(n_t)]) if "k" in letters else {}
    fresh, empty = "f" in letters, "e" in letters
    try:
        attempt = publication.check(output, fingerprint(n_t), fresh=fresh, inputs=tuple(kept))
        if attempt.state.done:
            return "done"
        keeping = publication.keeping(attempt, kept) if kept else nullcontext()
        with keeping, publication.claimed(attempt):
            folder = run_folder.claim(attempt, {"scored": ["part-0"]})
            if folder is None:
                return "done"
            if not receipts.finished_parts(folder, "scored"):
                storage.write_bytes(f"{folder}/scores/part-0.parquet", b"scores %d" % n_t)
                storage.write_bytes(f"{folder}/receipts/scored/part-0.receipt", b"done")
            if empty:
                raise NoResult(NOTHING)
            storage.write_bytes(f"{folder}/summary/all.parquet", b"sums %d" % n_t)
            fields = {"signature": "s", "pairs": 1, "rows": {}, "settings": {"n_t": n_t}}
            whole = fields | {"inputs": {}, "versions": {"segscore": "0.2.0"}}
            publication.publish(attempt, whole)
    except Refused as problem:
        return f"refused: {problem}"
    except Failed as problem:
        return f"failed: {problem}"
    return "published"


def jobs(stepped: SteppedDisk, *kinds: str) -> list[Job]:
    """Make jobs named by n_t, and another machine.

    They have an `f` if they start over, an `e` if they are empty, and a `k` if they keep an input.
    """
    new_jobs = []
    for number, kind in enumerate(kinds):
        letters, _, host = kind.partition("@")
        name = f"{'ABC'[number]}{kind}"

        def act(letters: str = letters) -> str:
            return work(stepped.output, int(letters[0]), letters)

        new_jobs.append(Job(name, 4_000_000 + number, host or "here", act))
    return new_jobs


def require_whole(tree: Tree, *, alone: bool) -> int | None:
    """Check that a published run is whole and, with ``alone``, that no other file is beside it."""
    if "run.json" not in tree:
        return None
    record = json.loads(tree["run.json"])
    n_t: int = record["settings"]["n_t"]
    files = expected(n_t, keeping="inputs" in record["files"])
    listed = {f"{table}/{name}" for table, names in record["files"].items() for name in names}
    assert listed == set(files)
    for name, content in files.items():
        assert tree.get(name) == content, name
    if alone:
        assert set(tree) == {"run.json", *files}
    return n_t


def search(stepped: SteppedDisk, kinds: Sequence[str], before: Tree, deaths: int = 0) -> Search:
    """Prepare a search over the orders of some jobs."""

    def prepare() -> list[Job]:
        stepped.reset(before)
        return jobs(stepped, *kinds)

    def state() -> object:
        tree = stepped.tree()
        if not before or "run.json" in tree:
            require_whole(tree, alone=False)
        return frozenset(tree.items())

    def judge(order_jobs: Sequence[Job], order: list[str]) -> None:
        try:
            require_one_run(stepped, order_jobs, before)
        except AssertionError as problem:
            raise AssertionError(
                "\n".join(
                    [*order, *(f"{job.name}: {job.outcome}" for job in order_jobs), str(problem)]
                )
                + f"\nleft: {sorted(stepped.tree())}"
            ) from problem

    shared = any("@" in kind for kind in kinds) or len(kinds) == 1
    return Search(prepare, stepped.entered, state, judge, deaths, shared)


def require_one_run(stepped: SteppedDisk, order_jobs: Sequence[Job], before: Tree) -> None:
    """Check that one whole run is left, and that every other job said so.

    If no job published because one had nothing to score, what was there before must be left.
    """
    outcomes = {job.name: str(job.outcome) for job in order_jobs}
    known = ("published", "done", "died", f"failed: {NOTHING}")
    for outcome in outcomes.values():
        assert outcome in known or LINES.fullmatch(outcome), outcome
    winners = [job for job in order_jobs if job.outcome == "published"]
    died = [job for job in order_jobs if job.outcome == "died"]
    if not died and not winners:
        assert known[-1] in outcomes.values()
        assert {name: text for name, text in stepped.tree().items() if name != "./"} == before
        return
    if not died:
        n_t = require_whole(stepped.tree(), alone=True)
        assert any(job.name[1] == str(n_t) for job in winners)
        assert len(winners) == 1 or any("f" in job.name for job in winners)
        return
    require_whole(stepped.tree(), alone=False)
    # The next job finds the run, resumes it, or starts it over.
    n_t = int(died[0].name[1])
    letters = died[0].name + "f" * (len({job.name[1] for job in order_jobs}) > 1)
    assert undisturbed_run(stepped, n_t, letters.replace("e", "")) in ("published", "done")
    assert require_whole(stepped.tree(), alone=True) == n_t


def undisturbed_run(stepped: SteppedDisk, n_t: int, letters: str = "") -> str:
    """Do an undisturbed run in a process of its own; return the outcome."""
    job = Job("last", 5_000_000, "here", lambda: work(stepped.output, n_t, letters))
    stage = Stage([job])
    with stepped.entered(stage):
        stage.start()
        while job.runs:
            stage.step(0)
    return str(job.outcome)


def finished_run(stepped: SteppedDisk, n_t: int) -> Tree:
    """Files of a finished run."""
    stepped.reset({})
    assert undisturbed_run(stepped, n_t) == "published"
    tree = stepped.tree()
    require_whole(tree, alone=True)
    return tree


@pytest.fixture
def stepped(tmp_path: Path) -> SteppedDisk:
    """Storage that jobs write to."""
    return SteppedDisk(tmp_path)


@pytest.mark.parametrize(
    ("kind", "before"),
    [
        ("2k", None),
        ("2fk", 2),
        ("3fk", 2),
        ("2ek", None),
        ("3fek", 2),
    ],
    ids=str,
)
def test_a_job_may_die_at_every_operation(
    stepped: SteppedDisk, kind: str, before: int | None
) -> None:
    """The same command then finds the run, resumes it, or starts it over."""
    tree = finished_run(stepped, before) if before else {}
    assert search(stepped, [kind], tree, deaths=1).run() > 20


@pytest.mark.parametrize(
    ("kinds", "before"),
    [
        ("2 2e", None),
        ("2 2e@there 3", None),
        ("2k 2fk@there 3fk", None),
        ("2fk 3fk@there 2fk", 2),
    ],
)
def test_jobs_in_random_orders_leave_one_run(
    stepped: SteppedDisk, kinds: str, before: int | None
) -> None:
    tree = finished_run(stepped, before) if before else {}
    search(stepped, kinds.split(), tree).sample(100, seed=11)
