"""The frame that the runs of all commands share: plan, claim a folder, write tables, publish."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from time import perf_counter
from typing import Any, ClassVar, Protocol

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Done
from segscore.pipeline.runs import publication, run_folder
from segscore.pipeline.runs.fingerprint import Fingerprint
from segscore.pipeline.runs.record import Became, reject_warnings, versions
from segscore.pipeline.runs.run_folder import Attempt
from segscore.pipeline.storage.placement import require_apart
from segscore.pipeline.tables.find import InputTable


class RunSettings(Protocol):
    """The settings that every run has; those of a command are a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def output(self) -> str | None:
        """Folder or URL of the run; None to write none."""

    @property
    def fresh(self) -> bool:
        """Whether to start over, and replace a finished run in the same place."""

    @property
    def inputs(self) -> Mapping[str, str | Sequence[str] | None]:
        """What the run reads, by the argument or option that names it."""


class Named(Protocol):
    """The work of one task."""

    @property
    def name(self) -> str:
        """Name of the part, unique in its stage."""


class Run:
    """One run of a command, from its settings to its published folder.

    Attributes:
        attempt: the attempt to fill the output folder, once the run is prepared.
        folder: where the run is prepared, absolute, once it is claimed: workers have working
            directories of their own.
        seconds: how long the stages took.
    """

    attempt: Attempt
    folder: str

    def __init__(self, command: str, settings: RunSettings) -> None:
        """Begin a run.

        Args:
            command: that is run: score, sweep, agree or compare.
            settings: of the command.

        Raises:
            Refused: the output overlaps with an input.
        """
        self.command, self.settings = command, settings
        self.seconds: dict[str, float] = {}
        if settings.output is not None:
            require_apart(settings.output, settings.inputs)

    @property
    def done(self) -> Done:
        """The outcome of a run that was finished before."""
        return Done(
            f"{self.settings.output} holds this run already, finished; --fresh does it again"
        )

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage of the run."""
        start = perf_counter()
        yield
        self.seconds[name] = round(perf_counter() - start, 3)

    def prepare(self, tables: Iterable[InputTable]) -> bool:
        """Check that the run may be written to its output folder.

        Returns:
            Whether there is anything to write: not if there is no output folder, or if it holds
            this very run.

        Raises:
            Refused: the folder holds another run or something else, or another job works there.
        """
        if self.settings.output is None:
            return False
        fingerprint = Fingerprint.of(self.command, self.settings, tables)
        fresh = self.settings.fresh
        self.attempt = publication.check(self.settings.output, fingerprint, fresh=fresh)
        return not self.attempt.found.done

    def work(self) -> AbstractContextManager[None]:
        """Do the work of a prepared run, as ``publication.claimed``."""
        return publication.claimed(self.attempt)

    def claim(self, stages: Mapping[str, Sequence[Named]]) -> bool:
        """Claim the output folder; start over there, or resume what an earlier attempt left.

        Args:
            stages: the parts of each stage, which `status` counts receipts against.

        Returns:
            False if another job finished this very run in the meantime.

        Raises:
            Refused: as ``prepare``, should the folder have changed since.
        """
        names = {stage: [part.name for part in parts] for stage, parts in stages.items()}
        folder = run_folder.claim(self.attempt, names)
        if folder is not None:
            self.folder = folder
        return folder is not None

    def write(
        self,
        table: str,
        rows: pa.Table,
        file: str | None = None,
        plain: tuple[str, ...] = ("document_id",),
    ) -> None:
        """Write a file of an output table; by default the only one, of the table's name.

        Args:
            table: name of the table.
            rows: what to write.
            file: name of the file.
            plain: columns whose values seldom repeat, as ``storage.write_table``.
        """
        url = storage.join(self.folder, table, file or f"{table}.parquet")
        storage.write_table(url, rows, plain=plain)

    def record(
        self,
        tables: Iterable[InputTable],
        account: Became,
        scored: Collection[str] = (),
        libraries: Collection[str] = (),
    ) -> dict[str, Any]:
        """Collect what run.json records about every kind of run.

        Args:
            tables: the input tables.
            account: what became of their rows.
            scored: the coders or hypotheses that have a result.
            libraries: whose versions are recorded beside those that every run uses.
        """
        rejected = any(rows["rejected"] for rows in account.values())
        return {
            "inputs": {table.name: [asdict(file) for file in table.files] for table in tables},
            "rows": account,
            "warnings": reject_warnings(self.attempt, scored) if rejected else [],
            "versions": versions(libraries),
            "seconds": self.seconds,
        }

    def publish(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Publish the tables and the record; return the record as it was written.

        Raises:
            Overtaken: another job took the folder, or published there.
        """
        return publication.publish(self.attempt, record)
