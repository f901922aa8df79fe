"""Publish tables that are not a run: move them from an attempt's folder to where readers look."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.runs.publication import claim_publication, tidy
from segscore.pipeline.runs.run_folder import Attempt, is_newest, require_newest
from segscore.pipeline.storage.placement import require_free


def move_tables(attempt: Attempt, tables: Sequence[str]) -> None:
    """Move all prepared tables to the output folder, on a disk each by a rename.

    Tables that are no longer prepared were moved by an attempt that was killed here.  If it was
    killed later, they are prepared again and must be the same.  In a store, a table that it copied
    in part is copied again.

    Raises:
        Refused: one of the tables exists there, and this command did not write it.
        Failed: a table cannot be moved.
        Overtaken: another job has claimed the folder.
    """
    output = attempt.output
    folder, prepared = storage.absolute(attempt.folder), storage.names(attempt.folder)
    there = storage.names(output)
    for table in tables:
        if table not in prepared and table not in there:
            raise Failed(f"{output}: {table} is prepared, but not listed; run the command again")
    to_move = {
        storage.join(folder, table): storage.join(output, table)
        for table in tables
        if table in prepared
    }
    for source in to_move:
        # An attempt that was killed while it wrote a file left it under a temporary name.
        unfinished = [name for name in storage.names(source) if storage.temporary_for(name)]
        storage.remove_files(source, unfinished)
    is_local, has_begun = storage.is_local(output), bool(attempt.current_claim.moved)
    if is_local and has_begun:
        to_move = {s: t for s, t in to_move.items() if not _are_same(s, t)}
    if is_local or not has_begun:
        require_free(output, [table for table in tables if storage.join(folder, table) in to_move])
    claim_publication(attempt, {}, moved=tables)
    for source, target in to_move.items():
        require_newest(attempt)
        storage.move(source, target)
    for table in tables:
        _require_moved(attempt, table)


def _require_moved(attempt: Attempt, table: str) -> None:
    """Check that all files of a table are in the output folder.

    Raises:
        Failed: one is not, as the store did not list it when it was to be moved.
    """
    url = storage.join(attempt.output, table)
    there = {f"{table}/{name}" for name in storage.names(url)}
    known = {name for name in attempt.written if name.startswith(f"{table}/")}
    if lost := sorted(known - there):
        raise Failed(f"{url}: {lost[0]} is not listed yet; run the same command again to resume")


def _are_same(folder: str, other: str) -> bool:
    """Return whether two folders have the same files."""
    names = storage.names(folder)
    return names == storage.names(other) and all(
        storage.read_bytes(storage.join(folder, name))
        == storage.read_bytes(storage.join(other, name))
        for name in names
    )


@contextmanager
def removing(attempt: Attempt, *, resumable: bool) -> Iterator[None]:
    """Remove what was prepared when a command ends, unless the same command can resume it.

    One that has begun to publish can always be resumed.
    """
    try:
        yield
    except BaseException as problem:
        has_begun = attempt.claim is not None and attempt.claim.moved
        if not has_begun and (isinstance(problem, Refused) or not resumable):
            _remove(attempt)
        raise
    _remove(attempt)


def _remove(attempt: Attempt) -> None:
    """Remove what an attempt prepared, its claims, and the output folder if it is empty then."""
    # The error that ended the command matters more than another failure of the store.
    with suppress(OSError, Refused, Failed):
        if attempt.claim is not None and is_newest(attempt):
            tidy(attempt, {})
        storage.remove_if_empty(attempt.output)
