"""Tasks that read units and answers, and write them by document.

A document belongs to the bucket of its name.  Each task writes one Parquet file with a row group
for each bucket that has a row, so that a later task reads what belongs to its documents only.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import PurePosixPath
from zlib import crc32

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.breaks import BREAK_KINDS, kinds_in
from segscore.pipeline.importing.answers.cleaning import clean
from segscore.pipeline.importing.answers.options import AUTO, AnswerOptions
from segscore.pipeline.importing.answers.placing import MOST_CHARACTERS
from segscore.pipeline.importing.answers.replies import read_replies
from segscore.pipeline.importing.answers.units import has_json_lines_name, read_units
from segscore.pipeline.importing.conversion.names import (
    name_in_folder,
    shared_folders,
    without_endings,
)
from segscore.pipeline.importing.open_input import open_input
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.storage.compression import without_compression
from segscore.pipeline.storage.memory import row_group_limit
from segscore.pipeline.tables.rows import RowPlace

SOURCE, ANSWERS = "source", "answers"

_MOST_BUCKETS = 512
_FILES = 256
_UNITS = pa.schema(
    [
        ("document_id", pa.string()),
        ("file", pa.int32()),
        ("line", pa.int64()),
        ("units", pa.list_(pa.string())),
        ("times", pa.string()),
    ]
)
_ANSWERS = pa.schema(
    [
        ("document_id", pa.string()),
        ("file", pa.int32()),
        ("line", pa.int64()),
        ("coder", pa.string()),
        ("answer", pa.string()),
        ("json", pa.bool_()),
    ]
)


@dataclass(frozen=True)
class GatherPart:
    """The input of one task.

    Attributes:
        name: its number among all parts.
        urls: its files.
        versions: their versions when they were found.
        documents: the name of the document of each file, if the file does not name any.
        start: first byte of a range of the only file; lines that begin in the range are read.
        end: the byte after the range; None if the files are read whole.
    """

    name: str
    urls: tuple[str, ...]
    versions: tuple[str, ...]
    documents: tuple[str, ...]
    start: int = 0
    end: int | None = None


@dataclass(frozen=True)
class GatherJob:
    """What all tasks that gather share.

    Attributes:
        folder: the folder that tasks write to.
        what: name of what is gathered: `answers`, or another for units, such as `source`.
        options: the options.
        settings: settings of the import.
        buckets: number of buckets.
    """

    folder: str
    what: str
    options: AnswerOptions
    settings: ImportSettings
    buckets: int


@dataclass(frozen=True)
class GatheredPart:
    """What a task has read.

    Attributes:
        refusal: why its files are refused; None if they are not.
        buckets: bucket of each row group.
        rows: number of rows.
        lines: number of lines, if the part is a range of a file.
        kinds: number of answers by the kinds of breaks in them: a bit for each kind.
        breaks: number of breaks of each kind.
    """

    refusal: str | None = None
    buckets: list[int] = field(default_factory=list)
    rows: int = 0
    lines: int = 0
    kinds: dict[int, int] = field(default_factory=dict)
    breaks: dict[str, int] = field(default_factory=dict)


def number_of_buckets(size: int, part: int) -> int:
    """Return the number of buckets for files of a size in bytes, given that of a part."""
    return min(_MOST_BUCKETS, max(1, -(-size // part)))


def bucket_of(document: str, buckets: int) -> int:
    """Return the bucket of a document."""
    return crc32(document.encode("utf-8", "surrogatepass")) % buckets


def cut_parts(
    files: Sequence[storage.InputFile], options: AnswerOptions, size: int
) -> list[GatherPart]:
    """Cut files into parts of about a size in bytes, in their order; JSON Lines also inside."""
    parts: list[GatherPart] = []
    waiting: list[tuple[storage.InputFile, str]] = []

    def flush() -> None:
        if waiting:
            found, names = zip(*waiting, strict=True)
            urls, versions = zip(*((file.url, file.version) for file in found), strict=True)
            parts.append(GatherPart("", urls, versions, names))
            waiting.clear()

    for file, name in zip(files, _documents([file.url for file in files]), strict=True):
        plain = options.encoding is None and without_compression(file.url) == file.url
        cut = file.size > size and plain and has_json_lines_name(file.url)
        full = sum(one.size for one, _ in waiting) + file.size > size
        if cut or full or len(waiting) == _FILES:
            flush()
        waiting.append((file, name))
        if cut:
            flush()
            whole = parts.pop()
            parts += [
                replace(whole, start=at, end=min(at + size, file.size))
                for at in range(0, file.size, size)
            ]
    flush()
    return [replace(part, name=f"{number:06}") for number, part in enumerate(parts)]


def _documents(urls: Sequence[str]) -> list[str]:
    """Return the document's name of each file, with its folder if others have the same name."""
    stems = [without_endings(PurePosixPath(url).name, ()) for url in urls]
    count = Counter(stems)
    shared = shared_folders(urls)
    return [
        name_in_folder(stem, url, shared) if count[stem] > 1 else stem
        for stem, url in zip(stems, urls, strict=True)
    ]


def gather_part(job: GatherJob, part: GatherPart) -> GatheredPart:
    """Read the files of a part, and write their rows by bucket.

    Raises:
        Failed: a file was replaced since it was found.
    """
    try:
        gathered = _gather(job, part, 2 if part.start else 1)
    except Refused as refusal:
        return GatheredPart(_with_place(job, part) or str(refusal))
    for url, version in zip(part.urls, part.versions, strict=True):
        storage.require_version(url, version)
    return gathered


def _with_place(job: GatherJob, part: GatherPart) -> str | None:
    """Return why a range of a file is refused, with the number of the line in the file."""
    if not part.start:
        return None
    try:
        # The line that has the byte before the range ends before the first line of the range.
        _gather(job, part, 2 + storage.count_newlines(part.urls[0], part.start - 1))
    except Refused as refusal:
        return str(refusal)
    return None


def _gather(job: GatherJob, part: GatherPart, first: int) -> GatheredPart:
    rows: list[dict[str, object]] = []
    kinds: Counter[int] = Counter()
    breaks: Counter[str] = Counter()
    lines = 0
    for number, (url, document) in enumerate(zip(part.urls, part.documents, strict=True)):
        if part.end is None:
            file = open_input(url, job.settings)
        else:
            content = storage.read_lines(url, part.start, part.end)
            lines = content.count(b"\n") + (bool(content) and not content.endswith(b"\n"))
            file = OpenedFile(url, content, first_line=first)
        before = first - 1 if part.end is not None else 0
        for row in _rows(job, file, document):
            row["line"] = int(str(row["line"])) - before
            rows.append({**row, "file": number})
            if job.options.breaks == AUTO and not row.get("json", True):
                found = kinds_in(clean(str(row["answer"]), job.options.answer).text)
                kinds[sum(1 << BREAK_KINDS.index(kind) for kind in found)] += 1
                breaks.update(found)
    buckets = _write(job, part.name, rows)
    return GatheredPart(None, buckets, len(rows), lines, dict(kinds), dict(breaks))


def _rows(job: GatherJob, file: OpenedFile, document: str) -> Iterator[dict[str, object]]:
    if job.what != ANSWERS:
        for source in read_units(file, document, job.options):
            units = [_storable(unit) for unit in source.units]
            yield {
                "document_id": _storable(source.document_id),
                "line": source.place.line,
                "units": units,
                "times": source.times,
            }
        return
    for reply in read_replies(file, document, job.options):
        is_text = isinstance(reply.answer, str)
        text = str(reply.answer) if is_text else json.dumps(reply.answer)
        yield {
            "document_id": _storable(reply.document_id),
            "line": reply.place.line,
            "coder": _storable(reply.coder),
            "answer": _storable(text[: MOST_CHARACTERS + 1]),
            "json": not is_text,
        }


def _storable(text: str) -> str:
    """Return a text with lone surrogates, which UTF-8 does not have, replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _write(job: GatherJob, name: str, rows: Iterable[dict[str, object]]) -> list[int]:
    numbered = sorted(
        (
            (bucket_of(str(row["document_id"]), job.buckets), number, row)
            for number, row in enumerate(rows)
        ),
        key=lambda one: one[:2],
    )
    written = []
    schema = _ANSWERS if job.what == ANSWERS else _UNITS
    with storage.TableFile(_url(job.folder, job.what, name)) as file:
        for bucket, group in groupby(numbered, key=lambda one: one[0]):
            table = pa.Table.from_pylist([row for *_, row in group], schema=schema)
            file.write(table)
            written.append(bucket)
    return written


def _url(folder: str, what: str, name: str) -> str:
    return storage.join(folder, what, f"{name}.parquet")


@dataclass(frozen=True)
class GatheredFile:
    """A file that a task has written by bucket.

    Attributes:
        name: name of its part.
        urls: the files that its rows were read from.
        before: number of lines of the file before the part.
        buckets: bucket of each row group.
    """

    name: str
    urls: tuple[str, ...]
    before: int
    buckets: list[int]


def read_bucket(
    folder: str, what: str, files: Sequence[GatheredFile], bucket: int, memory: int | None
) -> Iterator[dict[str, object]]:
    """Yield the rows of a bucket in the order of their files, each with its `url` and `line`."""
    for file in files:
        if bucket in file.buckets:
            numbers = [file.buckets.index(bucket)]
            table = storage.read_row_groups(
                _url(folder, what, file.name), numbers, lambda names: names, row_group_limit(memory)
            )
            for row in table.to_pylist():
                row["url"] = file.urls[row["file"]]
                row["line"] += file.before
                yield row


@dataclass(frozen=True)
class DocumentUnits:
    """The units of a document.

    Attributes:
        texts: their texts.
        place: where they were read.
        times: a JSON list of their start times; None if the record has none.
    """

    texts: Sequence[str]
    place: RowPlace
    times: str | None


def units_by_document(rows: Iterable[dict[str, object]], where: str) -> dict[str, DocumentUnits]:
    """Return document -> its units.

    Args:
        rows: rows of units, as ``read_bucket`` yields them.
        where: what contains them, for messages.

    Raises:
        Refused: a document occurs twice.
    """
    found: dict[str, DocumentUnits] = {}
    for row in rows:
        document, place = str(row["document_id"]), place_of_row(row)
        if document in found:
            first = found[document].place
            raise place.refusal(
                f"the document {document} is in {where} twice; the first is at "
                f"{first.source}:{first.line}"
            )
        found[document] = DocumentUnits(row["units"], place, row["times"])  # type: ignore[arg-type]
    return found


def place_of_row(row: dict[str, object]) -> RowPlace:
    """Return where a row that ``read_bucket`` yields was read."""
    return RowPlace(str(row["url"]), int(str(row["line"])))
