"""Publish imported tables: move them from the hidden folder to where readers look."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.runs import claims
from segscore.pipeline.runs.publication import claim_publication
from segscore.pipeline.runs.run_folder import Attempt, is_newest, require_newest
from segscore.pipeline.storage.placement import require_free

HIDDEN = "_import"
"""Folder in the output folder in which an import is prepared, as if it were a run."""


def hidden_folder(output: str) -> str:
    """Return the folder in which an import to an output folder is prepared."""
    return storage.join(output, HIDDEN)


def has_begun_to_publish(attempt: Attempt) -> bool:
    """Return whether an earlier attempt of the same import had prepared all tables."""
    numbers = claims.claim_numbers(attempt.output)
    earlier = (claims.read_claim(attempt.output, number) for number in numbers)
    start = attempt.current_claim.start
    return any(
        one is not None and (one.step, one.start) == (claims.PUBLISH, start) for one in earlier
    )


def move_tables(attempt: Attempt, output: str, tables: Sequence[str]) -> None:
    """Move all prepared tables to the output folder, on a disk each by a rename.

    Tables that are no longer prepared were moved by an attempt that was killed here.  In a store, a
    table that it copied in part is copied again.

    Raises:
        Refused: one of the tables exists there, and this import did not write it.
        Failed: a table cannot be moved.
        Overtaken: another job has claimed the hidden folder.
    """
    prepared = [table for table in tables if table in storage.names(attempt.folder)]
    if storage.is_local(output) or not has_begun_to_publish(attempt):
        require_free(output, prepared)
    claim_publication(attempt, {})
    for table in prepared:
        require_newest(attempt)
        source = storage.join(storage.absolute(attempt.folder), table)
        # An attempt that was killed while it wrote a file left it under a temporary name.
        unfinished = [name for name in storage.names(source) if storage.temporary_for(name)]
        storage.remove_files(source, unfinished)
        storage.move(source, storage.join(output, table))


@contextmanager
def removing(attempt: Attempt, output: str, *, resumable: bool) -> Iterator[None]:
    """Remove what an import prepared when it ends, unless the same command can resume it."""
    try:
        yield
    except Refused:
        _remove(attempt, output)
        raise
    except BaseException:
        if not resumable:
            _remove(attempt, output)
        raise
    _remove(attempt, output)


def _remove(attempt: Attempt, output: str) -> None:
    """Remove the hidden folder, and the output folder if it is empty then."""
    # The error that ended the command matters more than another failure of the store.
    with suppress(OSError, Refused, Failed):
        if attempt.claim is not None and is_newest(attempt):
            storage.remove(attempt.output)
        storage.remove_if_empty(attempt.output)
        storage.remove_if_empty(output)
