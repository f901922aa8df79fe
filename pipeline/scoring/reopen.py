"""Reopen a finished scoring run: read its settings, and its inputs if they have not changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from os.path import commonpath, dirname, isabs, normpath
from pathlib import PurePosixPath
from typing import Any

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.inputs import Collected, Inputs, collect, find_inputs
from segscore.pipeline.scoring.missing import Missing
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.storage import InputFile
from segscore.pipeline.storage.listed_files import INPUTS, digest_in, kept_name
from segscore.pipeline.tables.find import InputTable

_CHUNK = 8 * 2**20
"""Bytes of a file that are read at once to check them."""


@dataclass(frozen=True)
class Reopened:
    """The inputs of a finished run, read and validated again.

    Attributes:
        settings: settings of the run.
        inputs: input tables of the run.
        collected: references and documents of the run.
        rule: how the pairs of the run were counted, without groups.
        missing: documents of which systems had no hypothesis.
    """

    settings: ScoreSettings
    inputs: Inputs
    collected: Collected
    rule: Rule
    missing: Missing

    @property
    def references(self) -> References:
        """The accepted references."""
        return self.collected.references


def reopen(run: FinishedScoring) -> Reopened:
    """Read the inputs of a run in a folder again.

    Raises:
        Refused: an input has changed since the run, or is in a place that is not trusted.
    """
    recorded_inputs = run.recorded_inputs
    settings = _with_recorded_locations(run.score_settings(), recorded_inputs)
    settings = _with_kept_inputs(run, settings)
    run.trusted.require(run.url, [url for url in settings.inputs.values() if url is not None])
    inputs = find_inputs(settings)
    require_unchanged(inputs.tables, recorded_inputs)
    collected = collect(settings, inputs)
    rule = Rule(settings, run.types, {})
    missing = Missing.of_record(run.record.get("missing"))
    return Reopened(settings, inputs, collected, rule, missing)


def _with_recorded_locations(
    settings: ScoreSettings, recorded_inputs: Mapping[str, Any]
) -> ScoreSettings:
    """Return settings whose input tables are where the run found them."""
    documents = settings.documents
    if documents is not None:
        documents = recorded_location(documents, recorded_inputs.get("documents", ()))
    return replace(
        settings,
        references=recorded_location(settings.references, recorded_inputs.get("references", ())),
        hypotheses=recorded_location(settings.hypotheses, recorded_inputs.get("hypotheses", ())),
        documents=documents,
    )


def _with_kept_inputs(run: FinishedScoring, settings: ScoreSettings) -> ScoreSettings:
    """Return settings in which tables that the run keeps are where its folder is now."""
    kept = {url.rpartition("/")[2]: url for url in run.files(INPUTS)}

    def place_of(location: str) -> str:
        return kept.get(location.rpartition("/")[2], location)

    return replace(
        settings,
        references=place_of(settings.references),
        hypotheses=place_of(settings.hypotheses),
        documents=settings.documents and place_of(settings.documents),
    )


def recorded_location(location: str, files: Sequence[Mapping[str, Any]]) -> str:
    """Return where a run found an input table, whatever the current folder is.

    Args:
        location: a file, a directory, a glob or a URL, perhaps relative to the folder in which the
            run was started.
        files: the table's files as the run's record lists them, with their full paths.
    """
    if len(several := storage.split_locations(location)) > 1:
        urls = sorted(file["url"] for file in files)
        known = all("://" in one or isabs(one) for one in several)
        listed = f"{{{','.join(urls)}}}"
        return location if known or storage.split_locations(listed) != (*urls,) else listed
    if "://" in location or isabs(location) or not files:
        return location
    paths = [PurePosixPath(file["url"]).parts for file in files]
    parts = [part for part in PurePosixPath(normpath(location)).parts if part != ".."]
    if not parts:  # the current folder, or one above it
        return commonpath([dirname(file["url"]) for file in files])
    is_pattern = [any(sign in part for sign in "*?[") for part in parts]
    fixed = is_pattern.index(True) if any(is_pattern) else len(parts)
    if fixed == 0 and "**" in parts:
        return location
    compared = parts[: fixed or None]
    for start in range(len(paths[0]) - len(compared), -1, -1):
        base, end = paths[0][:start], start + len(compared)
        if all(path[:start] == base and _match(path[start:end], compared) for path in paths):
            return str(PurePosixPath(*base, *parts))
    return location


def _match(names: Sequence[str], patterns: Sequence[str]) -> bool:
    return len(names) == len(patterns) and all(
        name == pattern or fnmatchcase(name, pattern)
        for name, pattern in zip(names, patterns, strict=True)
    )


def _is_unchanged(table: str, file: InputFile, recorded_file: Mapping[str, Any]) -> bool:
    """Return whether a file is as it was recorded; one that the run keeps may have been moved."""
    if digest_in(file.url) is None:
        return asdict(file) == recorded_file
    name = file.url.rpartition("/")[2]
    recorded_name = str(recorded_file.get("url")).rpartition("/")[2]
    if (name, file.size) != (recorded_name, recorded_file.get("size")):
        return False
    return name == kept_name(table, storage.chunks(file.url, _CHUNK))


def require_unchanged(tables: Iterable[InputTable], recorded_inputs: Mapping[str, Any]) -> None:
    """Check that input tables have not changed since a run.

    Raises:
        Refused: a file has changed, or a table has other files; the message names it.
    """
    for table in tables:
        recorded_files = recorded_inputs.get(table.name, ())
        for file, recorded_file in zip(table.files, recorded_files, strict=False):
            if not _is_unchanged(table.name, file, recorded_file):
                raise Refused(f"{file.url}: has changed since the run; restore it or score again")
        if len(table.files) != len(recorded_files):
            raise Refused(
                f"{table.name}: its files are not those of the run; restore them or score again"
            )
