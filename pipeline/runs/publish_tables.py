"""Publish tables that are not a run: copy them from an attempt's folder to where readers look."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.runs.publication import claim_publication, tidy
from segscore.pipeline.runs.run_folder import (
    Attempt,
    is_newest,
    prepared_names,
    require_newest,
)
from segscore.pipeline.storage.placement import require_free


def publish_tables(attempt: Attempt, tables: Sequence[str]) -> None:
    """Copy all prepared tables to the output folder; one that is new on a disk appears whole.

    What is prepared stays until all tables are there, so an attempt that was killed is repeated.

    Raises:
        Refused: one of the tables exists there, and this command did not write it.
        Failed: a table cannot be copied.
        Overtaken: another job has claimed the folder.
    """
    output, there = attempt.output, storage.names(attempt.output)
    prepared = {table: prepared_names(attempt, table) for table in tables}
    begun = {*attempt.current_claim.moved}
    if storage.is_local(output):
        begun = {name for name in begun if name in there and _are_same(attempt, name)}
    require_free(output, [table for table in tables if table not in begun])
    claim_publication(attempt, {}, moved=tables)
    for table, names in prepared.items():
        require_newest(attempt)
        source, target = storage.join(attempt.folder, table), storage.join(output, table)
        storage.copy(source, target, {name: name for name in names})


def _are_same(attempt: Attempt, table: str) -> bool:
    """Return whether a table is in the output folder as it was prepared."""
    prepared, shown = storage.join(attempt.folder, table), storage.join(attempt.output, table)
    names = prepared_names(attempt, table)
    return names == storage.names(shown) and all(
        storage.read_bytes(storage.join(prepared, name))
        == storage.read_bytes(storage.join(shown, name))
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
