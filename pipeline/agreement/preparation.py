"""Write the tables of `simulate` and `consensus` to a hidden folder, and then publish them.

The hidden folder is in the output folder. It contains a claim, which only one of several commands
can make, and the tables until they are published. A command removes only the files that it wrote
there, so a command that was killed leaves its hidden folder, and the next one asks the user to
remove it.
"""

import json
import os
import platform
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.settings.ranges import check_locations
from segscore.pipeline.storage.placement import require_apart, require_free
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.find import InputTable, find_table
from segscore.pipeline.tables.read import Rows, read_valid

CLAIM = "claim.json"


def read_codings(
    codings: str, output: str, written: Sequence[str]
) -> tuple[InputTable, Rows, pa.Table]:
    """Read the codings of a command that writes tables to an output folder.

    Returns:
        The table, its valid rows, and the rejected rows.

    Raises:
        Refused: the input cannot be read, or something to be written exists.
    """
    check_locations({"CODINGS": codings, "--output": output})
    require_apart(output, {"CODINGS": codings})
    require_free(output, written)
    table = find_table("references", codings, SEGMENTATIONS)
    return (table, *read_valid(table, SEGMENTATIONS))


class Preparation:
    """Tables that are being prepared for an output folder.

    Attributes:
        output: the output folder.
        hidden: the hidden folder in it that the tables are written to.
        written: table and name of each file that this command wrote there.
    """

    def __init__(self, output: str, hidden: str) -> None:
        self.output = output
        self.hidden = hidden
        self.written: list[tuple[str, str]] = []

    def write(self, table: str, file: str, rows: pa.Table | Iterable[pa.Table]) -> None:
        """Write a file of a table to the hidden folder.

        Raises:
            Failed: the file cannot be written.
        """
        self.written.append((table, file))
        storage.write_table(storage.join(self.hidden, table, file), rows)

    def show(self, name: str, record: str) -> None:
        """Publish all tables: move them to the output folder, on a disk each by a rename.

        Raises:
            Refused: a table exists there by now.
            Failed: a table cannot be moved, or the file exists there by now.
        """
        tables = list(dict.fromkeys(table for table, _ in self.written))
        require_free(self.output, tables)
        for table in tables:
            storage.move(storage.join(self.hidden, table), storage.join(self.output, table))
        try:
            storage.write_new_text(storage.join(self.output, name), record)
        except FileExistsError as problem:
            raise Failed(f"{self.output}: another process wrote {name} meanwhile") from problem

    def clear(self) -> None:
        """Remove the files that this command left in the hidden folder, and then the folder."""
        for table, file in self.written:
            storage.remove(storage.join(self.hidden, table, file))
        storage.remove(storage.join(self.hidden, CLAIM))
        tables = dict.fromkeys(table for table, _ in self.written)
        for folder in (*(storage.join(self.hidden, table) for table in tables), self.hidden):
            _remove_empty(folder)


def _remove_empty(folder: str) -> None:
    if not storage.names(folder):
        storage.remove(folder)


@contextmanager
def preparing(output: str, hidden: str, names: Sequence[str]) -> Iterator[Preparation]:
    """Claim an output folder while tables are written to it.

    Raises:
        Refused: one of them exists, another command of this kind is running there or was killed, or
            the folder cannot be written to.
    """
    require_free(output, names)
    folder = storage.join(output, hidden)
    refusal = Refused(
        f"--output {output}: contains {hidden}, so another command is writing here or was killed; "
        f"wait for it, or remove {folder} if none is running, or choose another folder"
    )
    if hidden in storage.names(output):
        raise refusal
    for path in (output, folder):
        storage.make_folder(path)
    try:
        claim = {"host": platform.node(), "pid": os.getpid()}
        storage.write_new_text(storage.join(folder, CLAIM), json.dumps(claim) + "\n")
    except FileExistsError as problem:
        raise refusal from problem
    except BaseException:
        with suppress(OSError, Refused, Failed):
            _remove_empty(folder)
        raise
    preparation = Preparation(output, folder)
    try:
        require_free(output, names)
        yield preparation
    finally:
        # The error that ended the command matters more than another failure of the store.
        with suppress(OSError, Refused, Failed):
            preparation.clear()
