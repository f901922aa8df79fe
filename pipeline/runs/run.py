"""The steps that runs of all commands share: check, claim a folder, write tables, publish."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from time import perf_counter
from typing import Any, Protocol

import pyarrow as pa

from segscore.pipeline.errors import Done
from segscore.pipeline.runs.commit import find_commit
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.runs.record import SCHEMA, RowCounts, versions, warn_of_rejects
from segscore.pipeline.runs.run_folder import REJECTS, Attempt
from segscore.pipeline.runs.sink import FolderSink, MemorySink, RunSettings, Sink
from segscore.pipeline.storage.placement import require_apart
from segscore.pipeline.tables.find import InputTable
from segscore.pipeline.tables.units import one_unit

REPLICATES_IGNORED = (
    "--replicates is ignored: intervals are computed by leaving out each document in turn, without "
    "random replicates (docs/measures.md)"
)


class NamedPart(Protocol):
    """The work of one task."""

    @property
    def name(self) -> str:
        """Name of the part, unique within its stage."""


class Run:
    """One run of a command, from its settings to its results.

    It measures the duration of each stage that has ended, in seconds.
    """

    def __init__(self, command: str, settings: RunSettings, sink: Sink | None = None) -> None:
        """Create a run with a sink: by default the output folder, or memory if there is none.

        Raises:
            Refused: the output overlaps with an input.
        """
        self.command, self.settings = command, settings
        self.seconds: dict[str, float] = {}
        self.sink: Sink = sink or MemorySink()
        if sink is None and settings.output is not None:
            require_apart(settings.output, settings.inputs)
            self.sink = FolderSink(settings.output)

    @property
    def attempt(self) -> Attempt:
        """The attempt to fill the output folder of a prepared run."""
        return self._folder_sink.attempt

    @property
    def folder(self) -> str:
        """The folder that the tasks of a run write to, once it is claimed."""
        return self._folder_sink.folder

    @property
    def _folder_sink(self) -> FolderSink:
        assert isinstance(self.sink, FolderSink), "only a run with an output folder has tasks"
        return self.sink

    @property
    def done(self) -> Done:
        """The outcome to return if this run was already finished."""
        return Done(
            f"{self.settings.output} already contains this run, finished; pass --fresh to repeat it"
        )

    @property
    def finished_record(self) -> dict[str, Any]:
        """The record of the finished run in the output folder.

        Raises:
            Refused: the folder has no finished run.
        """
        assert self.settings.output is not None, "only a run with an output folder is finished"
        record: dict[str, Any] = FinishedRun.open(self.settings.output).record
        return record

    @property
    def finished_rows(self) -> RowCounts:
        """The row counts of the finished run in the output folder.

        Raises:
            Refused: the folder has no finished run.
        """
        rows: RowCounts = self.finished_record["rows"]
        return rows

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure how long a stage takes, and record it in ``seconds``."""
        start = perf_counter()
        yield
        self.seconds[name] = round(perf_counter() - start, 3)

    def prepare(self, tables: Iterable[InputTable]) -> bool:
        """Check that the run may be written to its folder; return False if it is there, finished.

        Raises:
            Refused: the folder contains another run or other files, or another job is using it;
                or the tables are in different units.
        """
        tables = [*tables]
        one_unit({table.location: table.unit for table in tables})
        return self.sink.prepare(self.command, self.settings, tables)

    def work(self) -> AbstractContextManager[None]:
        """Return the context to do the work of a prepared run in."""
        return self.sink.work()

    def claim(self, stages: Mapping[str, Sequence[NamedPart]]) -> bool:
        """Claim the output folder, and either start over or resume an earlier attempt.

        This returns False if another job has finished the same run in the meantime.

        Raises:
            Refused: as for ``prepare``, if the folder has changed since.
        """
        return self.sink.claim(
            {stage: [part.name for part in parts] for stage, parts in stages.items()}
        )

    def write(
        self,
        table: str,
        rows: pa.Table,
        file: str | None = None,
        plain: tuple[str, ...] = ("document_id",),
    ) -> None:
        """Write one file of an output table; the arguments are those of ``FolderSink.write``."""
        self.sink.write(table, rows, file, plain)

    def record(
        self,
        tables: Collection[InputTable],
        account: RowCounts,
        scored: Collection[str] = (),
        libraries: Collection[str] = (),
    ) -> dict[str, Any]:
        """Return the part of run.json that runs of all commands share.

        The scored coders or hypotheses have a result. The versions of the libraries are recorded,
        besides those of the libraries that every run uses.
        """
        rejected = any(rows["rejected"] or "copies" in rows for rows in account.values())
        warnings = [warning for table in tables for warning in table.warnings]
        if getattr(self.settings, "replicates", None) is not None:
            warnings.append(REPLICATES_IGNORED)
        if rejected:
            rejects = self.sink.read(REJECTS, ["table", "rule", "coder", "document_id"])
            warnings += warn_of_rejects(rejects, scored, self.sink.location(REJECTS))
        return {
            "unit": one_unit({table.location: table.unit for table in tables}),
            "inputs": self.sink.inputs(tables),
            "rows": account,
            "warnings": warnings,
            "schema": SCHEMA,
            "versions": versions(libraries),
            "commit": find_commit(),
            **({"seconds": self.seconds} if self.sink.publishes else {}),
        }

    def publish(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Publish the tables and the record, and return the record as written.

        Raises:
            Overtaken: another job has claimed the folder, or published there.
        """
        return self.sink.publish(record)
