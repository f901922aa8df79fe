"""What must be true of the store after each change, and when all processes have ended."""

import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pyarrow.parquet as pq  # noqa: TID251

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.nightly.kept_verdicts import FOLDER as VERDICTS
from segscore.pipeline.runs.claims import UNFINISHED
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.runs.run_folder import RECORD
from tests.simulation import cases, plans
from tests.simulation.cases import Undisturbed, output_of
from tests.simulation.plans import Event, Job, Plan
from tests.simulation.store import Stored
from tests.simulation.world import World, require

VERDICT = "night.json"
_HARMLESS = {plans.SWITCH, plans.LOST, plans.CLOCK, plans.SLOW}
"""What lets no job fail, unless another one is first."""

_TIMES = ("finished_at", "first_published_at")


@cache
def _parsed(content: bytes) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(content)
    return parsed


def plain_record(content: bytes) -> dict[str, Any]:
    """Return a record without durations, and without whether the run was asked to start over."""
    record = {**_parsed(content)}
    record.pop("seconds")
    return record | {"settings": record["settings"] | {"fresh": False}}


def plain_verdict(content: bytes) -> dict[str, Any]:
    """Return a verdict without its times."""
    return {name: value for name, value in _parsed(content).items() if name not in _TIMES}


@cache
def _table(content: bytes) -> Any:
    return pq.read_table(io.BytesIO(content))


def _require_every_row(undisturbed: Undisturbed) -> None:
    """Check that each row that was read was scored, rejected or unpaired, and is in its table."""
    tree = undisturbed.tree
    given = undisturbed.objects[cases.REPLACED].content.count(b"\n")
    there = {
        table: sum(len(_table(tree[name])) for name in tree if name.startswith(f"{table}/"))
        for table in ("rejects", "unpaired", "hypotheses")
    }
    if RECORD not in tree:
        require(given == there["hypotheses"] + there["rejects"], f"of {given} rows: {there}")
        return
    rows = _parsed(tree[RECORD])["rows"]
    for name, counts in rows.items():
        kinds = ("scored", "rejected", "unpaired")
        require(counts["in"] == sum(counts[kind] for kind in kinds), f"{name}: {counts}")
    require(given == (rows.get("hypotheses") or rows["codings"])["in"], f"{given} rows: {rows}")
    for table, kind in (("rejects", "rejected"), ("unpaired", "unpaired")):
        stated = sum(counts[kind] for counts in rows.values())
        require(there[table] == stated, f"{table} has {there[table]} rows, {stated} are stated")


@dataclass
class Watch:
    """Watches the store of a world, and checks what is promised.

    Attributes:
        world, plan: what is simulated.
        imported, settings: what imports leave, and the setting of each.
        runs: fingerprint -> what the run with it leaves, for all that may be published.
        foreign: name -> content of what must never change.
        seen: fingerprints that were published.
        judged: by fingerprint and whether the gate is the strict one, the verdict on a run.
        verdicts: contents of all verdicts that were published.
        kept: contents of the files of verdicts.
        final: tables of an import that has ended.
        record: that of the run that is published.
    """

    world: World
    plan: Plan
    foreign: dict[str, bytes]
    runs: dict[str, Undisturbed] = field(default_factory=dict)
    imported: list[cases.Tree] = field(default_factory=list)
    settings: list[int] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    verdicts: set[bytes] = field(default_factory=set)
    kept: dict[str, bytes] = field(default_factory=dict)
    final: dict[str, bytes] = field(default_factory=dict)
    judged: dict[tuple[str, bool], bytes] = field(default_factory=dict)
    record: bytes | None = None

    @property
    def command(self) -> str:
        """The command of the first job."""
        return self.plan.jobs[0].command

    @property
    def folder(self) -> str:
        """The folder of the run, as names of objects begin with it."""
        return output_of(self.command).removeprefix("sim://")

    @property
    def objects(self) -> dict[str, Stored]:
        """What is in the store."""
        return self.world.bucket.objects

    def expect(self, undisturbed: Undisturbed, job: Job) -> None:
        """Add what may be published by a job."""
        _require_every_row(undisturbed)
        tree = undisturbed.tree
        if RECORD in tree:
            fingerprint = _parsed(tree[RECORD])["fingerprint"]
            self.runs[fingerprint] = undisturbed
            self.judged[fingerprint, job.strict] = tree.get(VERDICT, b"")
        else:
            self.imported.append(tree)
            self.settings.append(job.n_t)

    def check(self, words: str) -> None:
        """Check the store after a change.

        Raises:
            Broken: something is not as it must be.
        """
        objects = self.objects
        for name, content in self.foreign.items():
            found = objects.get(name)
            require(found is not None, f"{name}, of somebody else, is gone after: {words}")
            require(found is None or found.content == content, f"{name} changed after: {words}")
        tree = cases.tree_of(objects, self.command)
        self._require_whole(tree, words)
        self._require_started_over(tree, words)
        for files in self.imported:
            for name, content in files.items():
                if f"{self.folder}/{name}" in self.foreign:
                    continue
                allowed = [content, *(other.get(name) for other in self.imported)]
                allowed += [run.tree.get(name) for run in self.runs.values()]
                require(
                    tree.get(name, content) in allowed, f"{name} has other bytes after: {words}"
                )
            both = RECORD in tree and "hypotheses/hypotheses.parquet" in tree
            require(not both, f"a run and imported tables are in one folder after: {words}")
        for name, content in self.final.items():
            require(tree.get(name) == content, f"{name} was imported and changed after: {words}")
        if VERDICT in tree and RECORD in tree:
            self.verdicts.add(tree[VERDICT])
        if self.command == "nightly":
            self._require_kept_verdicts(words)
            if words == f"write {self.folder}/{VERDICT}":
                require(tree[VERDICT] in self.kept.values(), f"not kept after: {words}")

    def _require_whole(self, tree: cases.Tree, words: str) -> None:
        if RECORD not in tree:
            return
        fingerprint = _parsed(tree[RECORD])["fingerprint"]
        require(fingerprint in self.runs, f"a run that nobody asked for after: {words}")
        expected = self.runs[fingerprint].tree
        self.seen.add(fingerprint)
        same = plain_record(tree[RECORD]) == plain_record(expected[RECORD])
        require(same, f"{RECORD} is not that of the undisturbed run after: {words}")
        for name, content in expected.items():
            if name not in (RECORD, VERDICT):
                require(name in tree, f"{name} is listed and missing after: {words}")
                require(tree[name] == content, f"{name} has other bytes after: {words}")

    def _require_started_over(self, tree: cases.Tree, words: str) -> None:
        """Check that only a job that starts over has removed a run, or a night that was changed."""
        process = self.world.current
        is_removed = self.record is not None and RECORD not in tree
        if is_removed and process is not None and self.command != "nightly":
            require(process.starts_over, f"a job that does not start over did: {words}")
        self.record = tree.get(RECORD)

    def _require_kept_verdicts(self, words: str) -> None:
        folder = f"bucket/runs/{VERDICTS}/date="
        there = {n: one.content for n, one in self.objects.items() if n.startswith(folder)}
        for name, content in self.kept.items():
            require(there.get(name) == content, f"{name} was lost or changed after: {words}")
        self.kept = there

    def read(self) -> str:
        """Read what is published and the input as programs do; return in words how it went."""
        for _ in range(2):
            try:
                found = b"".join(storage.chunks(f"sim://{cases.REPLACED}", 300))
                whole = [cases.inputs(self.plan.documents, each) for each in (0, 1)]
                same = found in [each[cases.REPLACED].content for each in whole]
                require(same, "a reader found two versions of an input in one")
                run = FinishedRun.open(output_of(self.command))
                expected = self.runs[run.fingerprint].tree
                for table, names in run.record["files"].items():
                    for name, part in zip(names, run.parts(table), strict=True):
                        same = part.equals(_table(expected[f"{table}/{name}"]))
                        require(same, f"a reader found other rows in {table}/{name}")
            except (Refused, Failed) as problem:
                return f"refused: {problem}"
            self.world.give_way()
        return "read"

    def require_one_line(self, outcome: str) -> None:
        """Check that a process ended well, or with one line that names a place."""
        if outcome in ("published", "done", "died", "read"):
            return
        require(re.match(r"(refused|failed): ", outcome), outcome)
        require("\n" not in outcome, f"more than one line: {outcome}")
        names_place = re.search(r"sim://|the first, \S+:", outcome)
        require(names_place and "[Errno" not in outcome, f"no place and reason: {outcome}")

    def end(self, job: Job, outcome: str) -> None:
        """Note how a job ended, and check what it says that it published."""
        if outcome != "published":
            return
        tree = cases.tree_of(self.objects, self.command)
        if job.command == "import":
            own = [i for i, n in zip(self.imported, self.settings, strict=True) if n == job.n_t]
            there = any(one.items() <= tree.items() for one in own)
            require(there, f"{job} says that it published, and did not")
            self.final = {name: tree[name] for one in self.imported for name in one if name in tree}
        else:
            settings = [_parsed(self.runs[each].tree[RECORD])["settings"] for each in self.seen]
            require(
                job.n_t in [one["n_t"] for one in settings],
                f"{job} says that it published, and did not",
            )

    def require_outcomes(self, outcomes: Sequence[str]) -> None:
        """Check that jobs that nothing disturbed published, and that none lost its place."""
        jobs = [job for job in self.plan.jobs if job.command != plans.READ]
        kinds = {event.kind for event in self.plan.events}
        if kinds <= _HARMLESS and f"{self.folder}/{RECORD}" in self.objects and len(jobs) < 3:
            left = [name for name in self.objects if f"{self.folder}/{UNFINISHED}/" in name]
            require(not left, f"left behind though nothing failed: {left}")
        fresh = any(job.fresh and job.command != "import" for job in jobs)
        can_publish = fresh or not self.plan.published
        if can_publish and kinds <= _HARMLESS:
            ended = {*outcomes} & {"published", "done"}
            require(ended, f"nobody published, though nothing failed: {'; '.join(outcomes)}")
        if kinds <= _HARMLESS | {plans.DIE, plans.DIE_AFTER}:
            for outcome in outcomes:
                is_overtaken = re.search("another (job|process)|but was not judged", outcome)
                require(
                    is_overtaken is not None or not outcome.startswith("failed"),
                    f"a job failed, though nothing else did: {outcome}",
                )
        alone = len({job.host for job in jobs}) == 1 and kinds.isdisjoint({plans.STALE, plans.CUT})
        alone = alone and (len(jobs) == 1 or plans.LOST_FOR_GOOD not in kinds)
        for outcome in outcomes:
            overtaken = alone and "another job" in outcome
            require(not overtaken, f"a job at work was overtaken on its own host: {outcome}")

    def require_settled(self, last: str) -> None:
        """Check what is left when the last process has ended, which nothing disturbed.

        Raises:
            Broken: something is left over, missing or wrong.
        """
        self.check("the end")
        tree = cases.tree_of(self.objects, self.command)
        folder = f"{self.folder}/"
        strangers = {name for name in self.foreign if name.startswith(folder)}
        half = "interrupted while it published" in last  # and what it read was replaced
        if last.startswith("refused") and RECORD not in tree and (strangers or half):
            return
        if RECORD in tree:
            expected = self.runs[_parsed(tree[RECORD])["fingerprint"]].tree
        else:
            require(self.imported, f"nothing is published: {last}")
            expected = next((one for one in self.imported if one.items() <= tree.items()), {})
            require(expected, f"tables are missing: {last}")
        beside = {*expected} | {name.removeprefix(folder) for name in strangers}
        if self.imported:
            beside |= {name for one in self.imported for name in one}
        left = sorted({*tree} - beside)
        require(not left, f"left behind: {left}; {last}")
        self._require_no_remains()
        if self.command == "nightly":
            require(VERDICT in tree, f"no verdict: {last}")
            wanted = self.judged[_parsed(tree[RECORD])["fingerprint"], self.plan.jobs[0].strict]
            same = plain_verdict(tree[VERDICT]) == plain_verdict(wanted)
            require(same, f"another verdict: {tree[VERDICT].decode()}, not {wanted.decode()}")
            there = {tree[VERDICT], *self.kept.values()}
            require(self.verdicts <= there, "a verdict that was published is lost")

    def _require_no_remains(self) -> None:
        left = [name for name in self.objects if ".tmp" in name or "/_before/" in name]
        require(not left, f"left behind: {left}")

    def happen(self, event: Event) -> None:
        """Let somebody else write a file: another input, or one in the folder of the run."""
        if event.kind == plans.REPLACE:
            other = cases.inputs(self.plan.documents, 1)[cases.REPLACED]
            self.world.bucket.put(cases.REPLACED, other)
            return
        places = ("mine.txt", "scores/mine.txt", "_unfinished/mine.txt")
        place = places[event.other % len(places)]
        if event.kind == plans.TABLE:
            place = "hypotheses/hypotheses.parquet"
        self.foreign[f"{self.folder}/{place}"] = b"mine"
        self.world.bucket.put(f"{self.folder}/{place}", Stored(b"mine"))
