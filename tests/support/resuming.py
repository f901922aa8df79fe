"""Runs that are interrupted, in this process or in one of their own."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from segscore.pipeline.runs.planning import Limits
from tests.support.command_line import CommandResult, Segscore
from tests.support.corpora import Corpus, corpus
from tests.support.driven import FaultPlan, Gate
from tests.support.killing import Command
from tests.support.run_files import files

ROWS = 20
STAGE = "scored"


class Workspace:
    """A corpus, the folder of its run, and the files of the undisturbed run."""

    def __init__(self, folder: Path, segscore: Segscore) -> None:
        self.folder = folder
        self.segscore = segscore
        self.run = folder / "run"
        self.corpus: Corpus = corpus(seed=4, documents=40)
        self.corpus.write(folder, files=2)
        segscore.cut(Limits(rows_per_part=ROWS, read_again=0.0))  # rows are shuffled
        self.commands: list[Command] = []

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, *raised: object) -> None:
        for command in self.commands:
            command.kill()

    def arguments(self, output: Path, *options: object) -> tuple[object, ...]:
        """Return the arguments of the command line."""
        tables = (self.folder / "references", self.folder / "hypotheses")
        return ("score", *tables, "--output", output, *options)

    def score(self, *options: object) -> CommandResult:
        """Run the command in this process."""
        return self.segscore(*self.arguments(self.run, *options))

    def undisturbed(self, *options: object) -> dict[str, bytes]:
        """Return the files of the same run elsewhere."""
        output = self.folder / "undisturbed"
        assert self.segscore(*self.arguments(output, *options)).code == 0
        contents = files(output)
        shutil.rmtree(output)
        return contents

    def start(
        self, gates: Mapping[str, Gate], *options: object, host: str | None = None
    ) -> tuple[FaultPlan, Command]:
        """Run the command in a process of its own, one part after the other, with gates."""
        fault_plan = self.fault_plan(gates, host)
        return fault_plan, self.command(fault_plan, *options)

    def fault_plan(self, gates: Mapping[str, Gate], host: str | None = None) -> FaultPlan:
        """Make gates and settings of processes."""
        folder = self.folder / f"plan{len(list(self.folder.glob('plan*')))}"
        folder.mkdir()
        return FaultPlan(str(folder), ROWS, gates, host)

    def command(self, fault_plan: FaultPlan, *options: object) -> Command:
        """Run the command in a process of its own, one part after the other."""
        command = Command(fault_plan, *self.arguments(self.run, "--workers", 1, *options))
        self.commands.append(command)
        return command

    @property
    def receipts(self) -> dict[str, int]:
        """Receipts of the unfinished run, and when each was written."""
        return {path.name: path.stat().st_mtime_ns for path in self._receipts()}

    def receipt(self) -> Path:
        """Return one of the receipts."""
        return min(self._receipts())

    def _receipts(self) -> list[Path]:
        return list((self.run / "_unfinished").glob(f"**/receipts/{STAGE}/*"))

    def write_again(self) -> None:
        """Replace the tables by those of the changed corpus."""
        for name in ("references", "hypotheses"):
            shutil.rmtree(self.folder / name)
        self.corpus.write(self.folder, files=2)
