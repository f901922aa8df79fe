"""Publish a finished run, its tables before its record, and remove files that are left over."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from typing import Any

from segscore.pipeline import storage
from segscore.pipeline.errors import Absent, Failed, NoResult, Refused, Unsuitable
from segscore.pipeline.runs import claims, run_folder
from segscore.pipeline.runs.claims import UNFINISHED, Files
from segscore.pipeline.runs.fingerprint import Fingerprint
from segscore.pipeline.runs.run_folder import (
    PARQUET_ENDING,
    RECORD,
    REJECTS,
    Attempt,
    Overtaken,
    require_newest,
)
from segscore.pipeline.storage.listed_files import INPUTS


def check(
    output: str, fingerprint: Fingerprint, *, fresh: bool, inputs: tuple[str, ...] = ()
) -> Attempt:
    """Check that a run may be written to a folder, and tidy up if the run is already there.

    Files of a finished run are not changed; only files that its publisher should have removed, but
    did not because it died, are removed.

    Args, Returns, Raises: as for ``run_folder.examine``.
    """
    attempt = run_folder.examine(output, fingerprint, fresh=fresh, inputs=inputs)
    if attempt.state.done:
        with suppress(Refused, Failed, OSError):
            _tidy_finished(replace(attempt))
    return attempt


@contextmanager
def claimed(attempt: Attempt) -> Iterator[None]:
    """Turn errors of the enclosed work into ``Overtaken`` if another job has claimed the folder.

    If the input has nothing to measure, cannot be read or does not suit the settings, the attempt
    is discarded, so that a command with other input or settings may use the folder.

    Raises:
        Overtaken: the work failed, with any error, and another job has claimed the folder.
    """
    try:
        yield
    except (Refused, Failed, OSError) as problem:
        if attempt.claim is None:
            raise
        try:
            overtaken = isinstance(problem, Overtaken) or run_folder.is_taken(attempt)
        except (Refused, Failed, OSError):  # the store cannot be reached: raise the first error
            overtaken = False
        if overtaken:
            raise _give_up(attempt) from problem
        if isinstance(problem, Absent | NoResult | Unsuitable):
            with suppress(Refused, Failed, OSError):  # the first error says more
                _discard(attempt)
        raise


@contextmanager
def keeping(attempt: Attempt, contents: Mapping[str, bytes]) -> Iterator[None]:
    """Claim the folder and write the inputs that the run keeps, and do the enclosed work.

    No file is written before the claim, and none is written over: the name of an input says its
    content.  If the work fails before it has claimed the folder for its tasks, nothing is left.

    The contents are by the name of the file.

    Raises:
        As ``run_folder.claim``.
        Overtaken: another job has claimed the folder.
        Failed: an input cannot be written.
    """
    is_new = not storage.is_folder(attempt.output)
    try:
        with claimed(attempt):
            if run_folder.claim(attempt, {}) is not None:
                for name, content in contents.items():
                    require_newest(attempt)
                    _keep(storage.join(attempt.output, INPUTS, name), content)
                require_newest(attempt)
        yield
    except (Refused, Failed, OSError):
        with suppress(Refused, Failed, OSError):  # the first error says more
            _undo_keeping(attempt)
            if is_new:
                storage.remove_if_empty(attempt.output)
        raise


def _keep(url: str, content: bytes) -> None:
    """Write an input, unless a file of the same content is there already."""
    try:
        storage.write_new_bytes(url, content)
    except FileExistsError as problem:
        if storage.read_bytes(url) != content:
            raise Failed(
                f"{url}: is not the file that its name says; move it away, and run again"
            ) from problem


def _undo_keeping(attempt: Attempt) -> None:
    """Remove what an attempt wrote to keep its inputs, unless its tasks have begun.

    If another job has tidied up since, and removed the claim that lists them, nobody else would
    remove inputs that were written after that.
    """
    if attempt.claim is None:
        return
    if run_folder.is_newest(attempt):
        if not attempt.state.resumed and not attempt.claim.stages:
            _discard(attempt)
        return
    claimed_names = _claimed_files(attempt.output, elsewhere=True).get(INPUTS, [])
    published = storage.read_text(storage.join(attempt.output, RECORD))
    shown = {} if published is None else run_folder.record_of(attempt.output, published)["files"]
    needed = {*claimed_names, *shown.get(INPUTS, ())}
    folder = storage.join(attempt.output, INPUTS)
    leftovers = {*attempt.inputs} - needed
    storage.remove_files(folder, [name for name in storage.names(folder) if name in leftovers])
    storage.remove_if_empty(folder)


def _discard(attempt: Attempt) -> None:
    """Remove the claims and the files of an attempt that has no result.

    A finished run that the attempt should have replaced stays as it was. If rows were rejected, the
    prepared files are kept until the next run is published: the message of the error names them.

    Raises:
        Overtaken: another job has claimed the folder.
    """
    rejects = run_folder.prepared_files(attempt, REJECTS)
    rejected = any(storage.read_columns(url, ["row"]).num_rows for url in rejects)
    claim_publication(attempt, {})
    tidy(attempt, run_folder.files_of(attempt), keep=attempt.folder if rejected else None)


def _give_up(attempt: Attempt) -> Overtaken:
    """Clean up after an attempt that lost its folder, and return the error to raise.

    Its files are removed, unless another job resumes its run.
    """
    output = attempt.output
    text = storage.read_text(storage.join(output, RECORD))
    published = text is not None and text != attempt.state.record
    with suppress(Refused, Failed, OSError):
        newest = claims.newest(output)
        if newest is not None and newest != attempt.claim and newest.step == claims.PUBLISH:
            run_folder.wait_for(output, newest)  # its clean-up may miss our last files
            newest = claims.newest(output)
        if newest == attempt.claim and published:  # then its publisher did not tidy up
            attempt.state = replace(attempt.state, record=text)
            tidy(attempt, run_folder.files_of(attempt))
        elif newest is None or newest.start != attempt.current_claim.start:
            storage.remove(attempt.folder)
            storage.remove_if_empty(storage.join(output, UNFINISHED))
    action = "published a run here in the meantime" if published else "has claimed this folder"
    return Overtaken(f"{output}: another job {action}; this one published nothing")


def publish(attempt: Attempt, record: Mapping[str, Any]) -> dict[str, Any]:
    """Publish a run: copy its tables to where readers look, then write its record.

    The claim to publish excludes all other jobs.  Every step after it can be repeated, so an
    attempt that dies here is simply resumed.  Files of the run that is replaced are removed first,
    so that readers never find two runs in a folder.  Files that a publisher on another machine
    copied are removed last, after this run's record exists: if that publisher is slow and not dead,
    it may write its record until then, and a record must never name files that do not exist.  One
    that stands still for longer than others wait, within the request that removes a record, may
    remove theirs: no store removes a file only if it is still the same.  One that stands still
    within the request that writes its record, until a second job has published and a third has
    removed that record, may write one whose files are gone.

    All parts of the attempt are done. The record that is returned has the fingerprint and the list
    of files, which the given one lacks.

    Raises:
        Overtaken: another job has claimed the folder, or published there.
    """
    ending = run_folder.suffix(attempt.fingerprint)
    prepared = run_folder.prepared_tables(attempt)
    shown = run_folder.kept_files(attempt) | {
        table: [name.removesuffix(PARQUET_ENDING) + ending for name in names]
        for table, names in prepared.items()
    }
    claim_publication(attempt, shown)
    _remove_record(attempt)
    _remove_files(attempt, _claimed_files(attempt.output, elsewhere=False), shown)
    for table, names in prepared.items():
        require_newest(attempt)
        source, target = storage.join(attempt.folder, table), storage.join(attempt.output, table)
        storage.copy(source, target, dict(zip(names, shown[table], strict=True)))
    full_record = {**record, "fingerprint": attempt.fingerprint.digest, "files": shown}
    _write_record(attempt, json.dumps(full_record, indent=2, ensure_ascii=False) + "\n")
    with suppress(Refused, Failed, OSError):  # the run is published; the next job tidies up
        tidy(attempt, shown)
    return full_record


def claim_publication(attempt: Attempt, shown: Files, moved: Sequence[str] = ()) -> None:
    """Write the claim to publish files, or to move tables, which follows the claim to work.

    Raises:
        Overtaken: another job has claimed the folder since.
    """
    replaced = run_folder.files_of(attempt)
    stages = {**attempt.current_claim.stages, **({claims.MOVED: [*moved]} if moved else {})}
    changes = {"step": claims.PUBLISH, "shown": shown, "replaced": replaced, "stages": stages}
    run_folder.claim_next(attempt, **changes)


def _remove_record(attempt: Attempt) -> None:
    """Remove the record of the run that this one replaces.

    Raises:
        Overtaken: another job has published here in the meantime.
    """
    url = storage.join(attempt.output, RECORD)
    text = storage.read_text(url)
    if text != attempt.state.record:
        raise run_folder.overtaken(attempt)
    if text is not None:
        require_newest(attempt)
        storage.remove(url)


def _write_record(attempt: Attempt, text: str) -> None:
    """Write run.json.

    Raises:
        Overtaken: another job has claimed the folder, or published here, in the meantime.
    """
    url = storage.join(attempt.output, RECORD)
    require_newest(attempt)
    try:
        storage.write_new_text(url, text)
    except FileExistsError as problem:
        raise run_folder.overtaken(attempt) from problem


def tidy(attempt: Attempt, shown: Mapping[str, list[str]], keep: str | None = None) -> None:
    """Remove what attempts left beside a finished run, and then their claims.

    Outside ``UNFINISHED``, only files that a claim lists and temporary files for them are removed.

    The files ``shown`` of the finished run stay, as does the folder ``keep`` in ``UNFINISHED``. The
    claim of the attempt is the newest, and is removed last.

    Raises:
        Overtaken: another job has claimed the folder.
    """
    output = attempt.output
    claims_folder = storage.join(output, UNFINISHED)
    _remove_files(attempt, _claimed_files(output, elsewhere=True), shown)
    for name in storage.names(claims_folder):
        url = storage.join(claims_folder, name)
        if claims.is_segscore_name(name) and claims.number_of(name) is None and url != keep:
            require_newest(attempt)
            storage.remove(url)
    require_newest(attempt)
    for number in claims.claim_numbers(output):
        if number <= attempt.current_claim.number:
            storage.remove(claims.url_of(output, number))
    storage.remove_if_empty(claims_folder)


def _claimed_files(output: str, *, elsewhere: bool) -> Files:
    """List all files that attempts, according to their claims, published or replaced, by table.

    Files that jobs on other machines published are left out unless ``elsewhere``, even if a job
    here published files of the same names, as equal runs do.
    """
    files: dict[str, set[str]] = {"": {RECORD}}
    spared: dict[str, set[str]] = {}
    for number in claims.claim_numbers(output):
        claim = claims.read_claim(output, number)
        if claim is None:
            continue
        listed = files if elsewhere or claim.is_here else spared
        for found, tables in ((listed, claim.shown), (files, claim.replaced)):
            for table, names in tables.items():
                found.setdefault(table, set()).update(names)
    return {table: sorted(names - spared.get(table, set())) for table, names in files.items()}


def _remove_files(attempt: Attempt, listed: Files, shown: Mapping[str, list[str]]) -> None:
    """Remove listed files that are not shown, and what was being written for files and tables."""
    for table, names in listed.items():
        folder = storage.join(attempt.output, table) if table else attempt.output
        obsolete = {*names} - {*shown.get(table, ()), RECORD}
        being_written = {*names} if table else {*names, *listed, *attempt.current_claim.moved}
        leftovers = [
            name
            for name in storage.names(folder)
            if name in obsolete or storage.temporary_for(name) in being_written
        ]
        if leftovers:
            require_newest(attempt)
            if table:
                storage.remove_files(folder, leftovers)
                storage.remove_if_empty(folder)
            else:  # folders too
                for name in leftovers:
                    storage.remove(storage.join(folder, name))


def _tidy_finished(attempt: Attempt) -> None:
    """Tidy up a finished run whose publisher died before it had done so.

    Do nothing if another job may be working in the folder.
    """
    newest = attempt.state.newest
    if newest is not None:
        is_same_run = newest.fingerprint == asdict(attempt.fingerprint)
        if not is_same_run or not (newest.is_here or newest.step == claims.PUBLISH):
            return
    if UNFINISHED in storage.names(attempt.output) and run_folder.claim(attempt, {}) is not None:
        tidy(attempt, run_folder.files_of(attempt))
