"""Find codings for `simulate` and `consensus`, and publish the tables that these write."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import run_folder
from segscore.pipeline.runs.fingerprint import Fingerprint
from segscore.pipeline.runs.publish_tables import publish_tables, removing
from segscore.pipeline.runs.run_folder import Attempt
from segscore.pipeline.settings.ranges import check_locations
from segscore.pipeline.storage.placement import require_apart, require_free
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.find import InputTable, find_table


class Preparation:
    """The tables of a command, and the record that says how they were made.

    Attributes:
        attempt: the attempt to fill the output folder.
        table: the codings that the command reads.
        written: the tables that it has written to the folder of the attempt.
    """

    def __init__(self, attempt: Attempt, table: InputTable) -> None:
        self.attempt = attempt
        self.table = table
        self.written: list[str] = []

    def write(self, table: str, file: str, rows: pa.Table | Iterable[pa.Table]) -> None:
        """Write a file of a table where it is prepared.

        Raises:
            Failed: the file cannot be written.
        """
        self.written.append(table)
        storage.write_table(storage.join(self.attempt.folder, table, file), rows)

    def show(self, name: str, record: str) -> None:
        """Publish all tables, and then the record.

        Raises:
            Refused: a table exists there by now.
            Failed: a table cannot be copied, or the file exists there by now.
        """
        publish_tables(self.attempt, [*dict.fromkeys(self.written)])
        url = storage.join(self.attempt.output, name)
        try:
            storage.write_new_text(url, record)
        except FileExistsError as problem:
            if storage.read_text(url) != record:  # as an attempt that was killed here wrote it
                raise Failed(f"{url}: another process wrote it meanwhile") from problem


@contextmanager
def preparing(
    command: str, codings: str, output: str, settings: Any, written: Sequence[str]
) -> Iterator[Preparation]:
    """Claim an output folder while tables are made from codings; afterwards nothing else is left.

    Args:
        command: the command.
        codings: location of the codings.
        output: the output folder.
        settings: a dataclass of what else the tables depend on.
        written: names of the tables and of the record.

    Raises:
        Refused: the input cannot be found, something to be written exists, another command is
            writing there, or the folder cannot be written to.
    """
    check_locations({"CODINGS": codings, "--output": output})
    require_apart(output, {"CODINGS": codings})
    table = find_table("references", codings, SEGMENTATIONS)
    fingerprint = Fingerprint.of(command, settings, [table], {})
    attempt = run_folder.examine(output, fingerprint, fresh=False)
    if not attempt.state.resumed:
        require_free(output, written)
    with removing(attempt, resumable=False):
        run_folder.claim(attempt, {})
        yield Preparation(attempt, table)
