"""Runs killed again and again and resumed by the same command must end like undisturbed ones.

`python -m tests.faults.chaos --kills N --seed S` kills clients, workers and schedulers at random
moments of real runs, on every kind of cluster, and prints statistics; a broken promise ends it with
exit code 1.  What is killed, how often and when is a function of the seed; the state of the run at
that moment is not.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random

from tests.support.corpora import corpus
from tests.support.driven import FaultPlan, wait
from tests.support.killing import (
    CLIENT,
    SCHEDULER,
    WORKER,
    Cluster,
    Command,
    cluster,
    kill,
    spawned,
)
from tests.support.promises import (
    UNFINISHED,
    Broken,
    Reader,
    require_one_line,
    require_quiet,
    require_same,
)
from tests.support.rows import write_rows
from tests.support.run_files import RECORD, Run, entries, files, record
from tests.support.servers import seaweedfs

LOCAL, PROCESSES, CLUSTER = "local", "processes", "cluster"
VICTIMS = {
    LOCAL: (CLIENT,),
    PROCESSES: (CLIENT, WORKER),
    CLUSTER: (CLIENT, WORKER, SCHEDULER),
}
WORK = ("score", "summary", "meet", "audit", "agreement")
"""Stages of a run, as its record names them, after planning."""

PLANNING, WORKING, PUBLISHING = "planning", "working", "publishing"
LOCAL_SHARE = 9
"""How many kills of a client alone there are for each other kind, since they take little time."""

NO_ANSWER = "did not answer"
"""What the message says if the scheduler or a worker takes a minute to answer."""

AIMED = (None, None, WORKING, PUBLISHING)
"""Places that kills wait for, since a random moment seldom falls into a short one."""

ATTEMPTS = 12
"""Attempts after which a run is not resumed again, but reported as stuck."""


@dataclass(frozen=True)
class Scenario:
    """A run to disturb.

    Attributes:
        name: of the scenario.
        arguments: of the command, without those for the cluster and the output.
        rows: rows of a part.
    """

    name: str
    arguments: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class Kill:
    """One kill.

    Attributes:
        victim: client, worker or scheduler.
        moment: when, as a share of the time that the run takes undisturbed, or works.
        aimed: wait for this, then for the moment; strike at once when it publishes.
        which: chooses between workers.
    """

    victim: str
    moment: float
    aimed: str | None
    which: float


@dataclass
class Figures:
    """Statistics of all runs."""

    runs: int = 0
    missed: int = 0
    kills: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    resumed: int = 0
    slow: int = 0
    messages: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    parts: int = 0
    again: int = 0
    seconds: float = 0.0

    def lines(self) -> Iterator[str]:
        """Yield the statistics as lines of text."""
        kills = self.kills.total()
        yield f"{self.runs} runs, {kills} kills, {self.seconds:.0f} s"
        yield f"{self.missed} runs more, which had ended before the moment came"
        for number, (column, names) in enumerate(
            {
                "at": VICTIMS,
                "of": (CLIENT, WORKER, SCHEDULER),
                "while": (PLANNING, WORKING, PUBLISHING),
            }.items()
        ):
            by = Counter[str]()
            for key, times in self.kills.items():
                by[key[number]] += times
            yield f"kills {column}: " + ", ".join(f"{name} {by[name]}" for name in names)
        yield f"{self.resumed} resumes needed, {self.slow} of them because of a slow machine"
        yield f"{self.again} of {self.parts} parts done more than once"
        for (place, victim, line), times in self.messages.most_common():
            yield f"{times} x {place}, {victim}: {line}"


def scenarios(folder: Path, documents: int = 160) -> list[Scenario]:
    """Write corpora of many small parts, and return the runs to disturb."""
    generated = corpus(seed=3, documents=documents)
    generated.write(folder / "plain", files=4)
    twice = generated.hypotheses[:: max(1, len(generated.hypotheses) // 4)]
    generated.hypotheses.extend({**row, "boundaries": []} for row in twice)
    generated.write(folder / "twice", files=4)
    codings = folder / "codings.jsonl"
    rows = corpus(seed=9, documents=documents).references
    write_rows(codings, rows)

    def score(name: str, *more: str) -> Scenario:
        tables = [str(folder / name / table) for table in ("references", "hypotheses")]
        described = ("--documents", str(folder / name / "documents.parquet"))
        return Scenario(f"score {name}", ("score", *tables, *described, *more), 14)

    return [
        score("plain", "--group-by", "genre", "--reference-points", "none,all"),
        Scenario("agree", ("agree", str(codings), "--window", "per-run"), 14),
        score("twice"),
    ]


Variant = tuple[Scenario, str, str]
"""Scenario, kind of cluster, and kind of victim."""


class Place:
    """The cluster of a run, and its processes that can be killed."""

    def __init__(self, name: str, fault_plan: FaultPlan) -> None:
        self.name = name
        self.fault_plan = fault_plan
        self.cluster: Cluster | None = None

    @contextmanager
    def ready(self) -> Iterator["Place"]:
        """Run the cluster until the block ends."""
        with ExitStack() as stack:
            if self.name == CLUSTER:
                self.cluster = stack.enter_context(cluster(self.fault_plan))
            yield self

    @property
    def option(self) -> tuple[str, ...]:
        """Return the option of the command for this cluster."""
        where = self.name if self.cluster is None else self.cluster.address
        return ("--cluster", where, "--workers", "2")

    def restart(self) -> None:
        """Start killed processes again."""
        if self.cluster is not None:
            self.cluster.restart()

    def victims(self, kind: str, command: Command) -> list[int]:
        """Return living processes of a kind."""
        if kind == CLIENT:
            return [command.process.pid]
        if self.cluster is None:
            return spawned(command.process.pid)
        assert self.cluster.scheduler is not None
        processes = self.cluster.workers if kind == WORKER else [self.cluster.scheduler]
        return [process.pid for process in processes if process.poll() is None]


def where(run: Run) -> str:
    """Return the stage of a run, by its files."""
    names = {name for name in entries(run) if not name.endswith(".tmp")}
    if RECORD in names or names > {UNFINISHED}:
        return PUBLISHING
    return WORKING if "plan.json" in entries(run, UNFINISHED) else PLANNING


def strike(
    blow: Kill, place: Place, command: Command, run: Run, lasts: Mapping[str | None, float]
) -> str | None:
    """Kill a process; return the stage of the run, None if the command ended before.

    Args:
        blow: whom to kill, and when.
        place: where they are.
        command: the client.
        run: the run's folder.
        lasts: seconds that the run takes, and its work.
    """

    def unless_ended(happened: Callable[[], object]) -> Callable[[], object]:
        return lambda: not command.running or happened()

    if blow.aimed is not None:
        wait(unless_ended(lambda: where(run) == blow.aimed), f"the run is {blow.aimed}")
    until = time.monotonic() + blow.moment * lasts.get(blow.aimed, 0.0)
    wait(unless_ended(lambda: time.monotonic() >= until), "the moment of the kill")
    wait(unless_ended(lambda: place.victims(blow.victim, command)), f"a {blow.victim} is there")
    victims = place.victims(blow.victim, command)
    if not command.running or not victims:
        return None
    stage = where(run)
    kill(victims[int(blow.which * len(victims))])
    return stage


class Undisturbed:
    """Files and durations of undisturbed runs."""

    def __init__(self, folder: Path, store: str | None = None) -> None:
        self.folder = folder
        self.store = store
        self.bytes: dict[str, dict[str, bytes]] = {}
        self.lasts: dict[tuple[str, str], dict[str | None, float]] = {}

    def place(self, folder: Path) -> Run:
        """Return the folder of a run whose other files are in a given folder."""
        return folder / "run" if self.store is None else f"{self.store}/{folder.name}"

    def of(
        self, scenario: Scenario, name: str
    ) -> tuple[dict[str, bytes], Mapping[str | None, float]]:
        """Return the run's files, its duration and that of its work; run it if they are not known.

        Raises:
            Broken: it failed, or its bytes differ from those on another cluster.
        """
        key = scenario.name, name
        if key not in self.lasts:
            folder = self.folder / f"undisturbed-{'-'.join(key).replace(' ', '-')}"
            folder.mkdir()
            fault_plan = FaultPlan(str(folder), scenario.rows, {})
            with Place(name, fault_plan).ready() as place:
                start = time.monotonic()
                run = self.place(folder)
                output = ("--output", str(run), *place.option)
                result = Command(fault_plan, *scenario.arguments, *output).result()
                lasts = time.monotonic() - start
            if result.code:
                raise Broken(f"undisturbed: {result.err}")
            recorded = json.loads(record(run) or "")["seconds"]
            work = sum(seconds for stage, seconds in recorded.items() if stage in WORK)
            self.lasts[key] = {None: lasts, WORKING: work}
            require_same(run, self.bytes.setdefault(scenario.name, files(run)))
        return self.bytes[scenario.name], self.lasts[key]


def disturb(
    scenario: Scenario,
    name: str,
    blows: Sequence[Kill],
    folder: Path,
    undisturbed: Undisturbed,
    figures: Figures,
) -> bool:
    """Run a command, kill it, run it again, until it is done; check all promises.

    Returns:
        Whether anybody was hit, before the run had ended.

    Raises:
        Broken: a promise was not kept.
    """
    expected, lasts = undisturbed.of(scenario, name)
    before = figures.kills.total()
    folder.mkdir()
    fault_plan = FaultPlan(str(folder), scenario.rows, {})
    run, remaining = undisturbed.place(folder), list(blows)
    with Place(name, fault_plan).ready() as place:
        reader = Reader(run)
        reader.start()
        for attempt in range(ATTEMPTS):
            output = ("--output", str(run), *place.option)
            command = Command(fault_plan, *scenario.arguments, *output)
            struck = victim = None
            if remaining:
                blow = remaining.pop(0)
                struck, victim = strike(blow, place, command, run, lasts), blow.victim
                if struck is not None:
                    figures.kills[name, blow.victim, struck] += 1
            result = command.result()
            if result.code == 0:
                require_quiet(result.err)
                break
            if struck is None and result.code == 1 and NO_ANSWER in result.err:
                figures.slow += 1  # the machine was too busy to answer in time; nobody was hit
            elif struck is None or (victim == CLIENT) != (result.code == -9):
                raise Broken(f"attempt {attempt} ended by itself: {result.code}: {result.err}")
            elif victim != CLIENT:
                line = require_one_line(result.err, result.code)
                figures.messages[name, str(victim), line.replace(place.option[1], "ADDRESS")] += 1
            figures.resumed += 1
            place.restart()
        else:
            raise Broken(f"{run}: not done after {ATTEMPTS} attempts")
        reader.end()
        require_same(run, expected)
    require_same(run, expected)
    done = [(stage, part) for stage, part, _ in fault_plan.finished_parts()]
    figures.parts += len(set(done))
    figures.again += len(done) - len(set(done))
    return bool(figures.kills.total() - before)


def plan(draw: Random, name: str, victim: str) -> list[Kill]:
    """Plan the kills of one run: the first is of a given kind, one or two more may follow."""

    def blow(target: str) -> Kill:
        return Kill(target, draw.random(), draw.choice(AIMED), draw.random())

    more = range(draw.choice([0, 0, 1, 2]))
    return [blow(victim), *(blow(draw.choice(VICTIMS[name])) for _ in more)]


def ways(scenarios: Sequence[Scenario]) -> list[Variant]:
    """List each scenario on each kind of cluster with each kind of victim."""
    kinds = [(name, victim) for name, victims in VICTIMS.items() for victim in victims]
    often = [(LOCAL, CLIENT)] * LOCAL_SHARE
    return [(scenario, *kind) for kind in [*kinds, *often] for scenario in scenarios]


def harry(
    undisturbed: Undisturbed,
    todo: Sequence[Variant],
    enough: Callable[[], bool],
    seed: int,
    figures: Figures,
) -> None:
    """Disturb runs in all these ways in turn, until there were enough kills.

    Raises:
        Broken: a promise was not kept; the run's folder is left as it was found.
    """
    start = time.monotonic()
    draw = Random(seed)  # noqa: S311
    folder = undisturbed.folder
    shuffled = draw.sample(todo, len(todo))
    for number in count():
        if enough():
            return
        scenario, name, victim = shuffled[number % len(shuffled)]
        kills = figures.kills.total()
        print(f"{kills} kills; next {scenario.name}, {name}, {victim}", flush=True)
        blows = plan(draw, name, victim)
        if disturb(scenario, name, blows, folder / str(number), undisturbed, figures):
            figures.runs += 1
        else:
            figures.missed += 1
        figures.seconds = time.monotonic() - start


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", action="store_true", help="write runs to SeaweedFS")
    parser.add_argument("--output", type=Path, help="folder to keep everything in")
    chosen = parser.parse_args()
    figures = Figures()
    with ExitStack() as stack:
        folder = chosen.output or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        store = None
        if chosen.store:
            (folder / "seaweedfs").mkdir()
            store = stack.enter_context(seaweedfs(folder / "seaweedfs"))
        try:
            todo = ways(scenarios(folder / "corpus"))
            undisturbed = Undisturbed(folder, store)
            harry(
                undisturbed,
                todo,
                lambda: figures.kills.total() >= chosen.kills,
                chosen.seed,
                figures,
            )
        except Broken as problem:
            print(f"BROKEN: {problem}", file=sys.stderr)
            return 1
        finally:
            print(*figures.lines(), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
