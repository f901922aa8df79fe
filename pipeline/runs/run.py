"""The steps that runs of all commands share: check, claim a folder, write tables, publish."""

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
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.runs.record import RowCounts, reject_warnings, versions
from segscore.pipeline.runs.run_folder import Attempt
from segscore.pipeline.storage.placement import require_apart
from segscore.pipeline.tables.find import InputTable
from segscore.pipeline.tables.units import one_unit


class RunSettings(Protocol):
    """The settings that every run has; each command has a dataclass with these and its own."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def output(self) -> str | None:
        """Folder or URL of the run; None to write nothing."""

    @property
    def fresh(self) -> bool:
        """Whether to start over, replacing a finished run in the same folder."""

    @property
    def inputs(self) -> Mapping[str, str | Sequence[str] | None]:
        """Files and folders that the run reads, by the argument or option that names them."""


class NamedPart(Protocol):
    """The work of one task."""

    @property
    def name(self) -> str:
        """Name of the part, unique within its stage."""


class Run:
    """One run of a command, from its settings to its published folder.

    Attributes:
        attempt: the attempt to fill the output folder; set by ``prepare``.
        folder: the folder that tasks write to; set by ``claim``. The path is absolute because
            workers may have other working directories.
        seconds: duration of each stage that has ended, by name.
    """

    attempt: Attempt
    folder: str

    def __init__(self, command: str, settings: RunSettings) -> None:
        """Create a run.

        Args:
            command: score, sweep, agree or compare.
            settings: settings of the command.

        Raises:
            Refused: the output overlaps with an input.
        """
        self.command, self.settings = command, settings
        self.seconds: dict[str, float] = {}
        if settings.output is not None:
            require_apart(settings.output, settings.inputs)

    @property
    def done(self) -> Done:
        """The outcome to return if this run was already finished."""
        return Done(
            f"{self.settings.output} already contains this run, finished; pass --fresh to repeat it"
        )

    @property
    def finished_rows(self) -> RowCounts:
        """The row counts of the finished run in the output folder.

        Raises:
            Refused: the folder has no finished run.
        """
        assert self.settings.output is not None, "only a run with an output folder is finished"
        rows: RowCounts = FinishedRun.open(self.settings.output).record["rows"]
        return rows

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure how long a stage takes, and record it in ``seconds``."""
        start = perf_counter()
        yield
        self.seconds[name] = round(perf_counter() - start, 3)

    def prepare(self, tables: Iterable[InputTable]) -> bool:
        """Check that the run may be written to its output folder.

        Returns:
            True if the run has to be written; False if there is no output folder, or if the folder
            already contains this run, finished.

        Raises:
            Refused: the folder contains another run or other files, or another job is using it;
                or the tables are in different units.
        """
        if self.settings.output is None:
            return False
        tables = [*tables]
        one_unit({table.location: table.unit for table in tables})
        fingerprint = Fingerprint.of(self.command, self.settings, tables)
        fresh = self.settings.fresh
        self.attempt = publication.check(self.settings.output, fingerprint, fresh=fresh)
        return not self.attempt.state.done

    def work(self) -> AbstractContextManager[None]:
        """Return the context to do the work of a prepared run in; see ``publication.claimed``."""
        return publication.claimed(self.attempt)

    def claim(self, stages: Mapping[str, Sequence[NamedPart]]) -> bool:
        """Claim the output folder, and either start over or resume an earlier attempt.

        Args:
            stages: the parts of each stage; `status` compares the number of receipts with them.

        Returns:
            False if another job has finished the same run in the meantime.

        Raises:
            Refused: as for ``prepare``, if the folder has changed since.
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
        """Write one file of an output table.

        Args:
            table: name of the table.
            rows: rows of the file.
            file: name of the file; by default the table's name, for a table of one file.
            plain: columns whose values seldom repeat; see ``storage.write_table``.
        """
        url = storage.join(self.folder, table, file or f"{table}.parquet")
        storage.write_table(url, rows, plain=plain)

    def record(
        self,
        tables: Collection[InputTable],
        account: RowCounts,
        scored: Collection[str] = (),
        libraries: Collection[str] = (),
    ) -> dict[str, Any]:
        """Return the part of run.json that runs of all commands share.

        Args:
            tables: the input tables.
            account: how many rows of each table were scored, rejected and unpaired.
            scored: the coders or hypotheses that have a result.
            libraries: further libraries whose versions to record, besides those every run uses.
        """
        rejected = any(rows["rejected"] for rows in account.values())
        warnings = [warning for table in tables for warning in table.warnings]
        if rejected:
            warnings += reject_warnings(self.attempt, scored)
        return {
            "unit": one_unit({table.location: table.unit for table in tables}),
            "inputs": {table.name: [asdict(file) for file in table.files] for table in tables},
            "rows": account,
            "warnings": warnings,
            "versions": versions(libraries),
            "seconds": self.seconds,
        }

    def publish(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Publish the tables and the record, and return the record as written.

        Raises:
            Overtaken: another job has claimed the folder, or published there.
        """
        return publication.publish(self.attempt, record)
