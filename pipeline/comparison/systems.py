"""The systems of some runs, labelled by name, and by run if several runs have the name."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.names import POINT, is_point

HUMAN = POINT + "human"


@dataclass(frozen=True)
class System:
    """A hypothesis coder of one run.

    Attributes:
        label: unique label: the name, followed by the run's name if several runs have it.
        run: index of the run.
        hypothesis: name of the system in its run (see ``system_name``).
    """

    label: str
    run: int
    hypothesis: str

    @property
    def is_point(self) -> bool:
        """Whether the system is a reference point, which the run made."""
        return is_point(self.hypothesis)


def find_systems(runs: Sequence[FinishedScoring], asked: Sequence[str]) -> list[System]:
    """List the systems of the runs, in the order asked for or by run and name.

    Args:
        runs: the runs to search.
        asked: names or labels of the systems to return; empty for all.

    Raises:
        Refused: there is no system of such a name or label.
    """
    scored = [
        (number, name)
        for number, run in enumerate(runs)
        for name in sorted({system_name(name) for name in _hypotheses(run)})
    ]
    names = [name for _, name in scored]
    systems = [
        System(f"{name}@{runs[run].name}" if names.count(name) > 1 else name, run, name)
        for run, name in scored
    ]
    if not asked:
        return systems
    for name in asked:
        if not any(_is_named(system, name) for system in systems):
            labels = [system.label for system in systems]
            near = nearest(name, labels)
            raise Refused(f"--systems {name}: no such system{near}; there are: {', '.join(labels)}")
    chosen = [system for name in asked for system in systems if _is_named(system, name)]
    return list(dict.fromkeys(chosen))


def _is_named(system: System, name: str) -> bool:
    return name in (system.label, system.hypothesis)


def _hypotheses(run: FinishedScoring) -> list[str]:
    parts = [*run.parts("scores", ["hypothesis"])]
    return [] if not parts else pc.unique(pa.concat_tables(parts).column("hypothesis")).to_pylist()


def system_name(hypothesis: str) -> str:
    """Return the system that a hypothesis belongs to: all held-out humans are one system."""
    return HUMAN if hypothesis.startswith(HUMAN + ":") else hypothesis
