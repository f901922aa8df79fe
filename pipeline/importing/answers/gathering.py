"""Tasks that read units and answers, and write them by document.

A bucket is a partition of documents (``runs.packets``), of which a later task reads what belongs to
its documents only.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.breaks import BREAK_KINDS, kinds_in
from segscore.pipeline.importing.answers.cleaning import clean
from segscore.pipeline.importing.answers.forms import texts_in
from segscore.pipeline.importing.answers.inputs import has_json_lines_name, read_replies, read_units
from segscore.pipeline.importing.answers.options import AUTO, AnswerOptions
from segscore.pipeline.importing.answers.placing import MOST_CHARACTERS
from segscore.pipeline.importing.conversion.names import names_of_files
from segscore.pipeline.importing.open_input import open_input
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.parts import (
    FilePart,
    PartReceipt,
    count_lines,
    cut_files,
    refusable,
)
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.runs.packets import read_packets, write_packets
from segscore.pipeline.storage.compression import without_compression
from segscore.pipeline.tables.rows import RowPlace

SOURCE, ANSWERS = "source", "answers"

_MOST_BUCKETS = 512
_BEGINNING = 1000
"""Number of characters that are kept of an answer that is too long to be read."""

_UNITS = pa.schema(
    [
        ("document_id", pa.string()),
        ("url", pa.string()),
        ("line", pa.int64()),
        ("units", pa.list_(pa.string())),
        ("times", pa.string()),
    ]
)
_ANSWERS = pa.schema(
    [
        ("document_id", pa.string()),
        ("url", pa.string()),
        ("line", pa.int64()),
        ("coder", pa.string()),
        ("answer", pa.string()),
        ("characters", pa.int64()),
        ("json", pa.bool_()),
    ]
)


@dataclass(frozen=True)
class GatherJob:
    """What all tasks that gather share; `what` is `answers`, or a name of units: `source`."""

    folder: str
    what: str
    options: AnswerOptions
    settings: ImportSettings
    buckets: int


@dataclass(frozen=True)
class GatheredPart(PartReceipt):
    """What a task has read.

    Attributes:
        edges: edges of the packets of the buckets in its file.
        lines: number of lines, if the part is a range of a file.
        before: number of lines of the file before the part, to be added to those of the rows.
        kinds: number of answers by the kinds of breaks in them: a bit for each kind.
        breaks: number of breaks of each kind.
        lists: number of answers that are lists of texts in JSON.
        rows: number of rows that were written.
    """

    edges: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    lines: int = 0
    before: int = 0
    kinds: dict[int, int] = field(default_factory=dict)
    breaks: dict[str, int] = field(default_factory=dict)
    lists: int = 0
    rows: int = 0


def number_of_buckets(size: int, part: int) -> int:
    """Return the number of buckets for files of a size in bytes, given that of a part."""
    return min(_MOST_BUCKETS, max(1, -(-size // part)))


def cut_parts(
    files: Sequence[storage.InputFile], options: AnswerOptions, size: int
) -> list[FilePart]:
    """Cut files into parts of about a size in bytes, in their order; JSON Lines also inside."""

    def is_divisible(url: str) -> bool:
        plain = options.encoding is None and without_compression(url) == url
        return plain and has_json_lines_name(url)

    documents = names_of_files([file.url for file in files])
    return [
        replace(part, documents=tuple(documents[url] for url in part.urls))
        for part in cut_files(files, size, is_divisible)
    ]


@refusable
def gather_part(job: GatherJob, part: FilePart) -> GatheredPart:
    """Read the files of a part, and write their rows by bucket.

    Raises:
        Failed: a file was replaced since it was found.
    """
    try:
        gathered = _gather(job, part, 2 if part.start else 1)
    except Refused:
        if not part.start:
            raise
        gathered = _gather(job, part, part.first_line())  # refuses with the line in the file
    part.require_versions()
    return gathered


def _gather(job: GatherJob, part: FilePart, first: int) -> GatheredPart:
    rows: list[dict[str, object]] = []
    kinds: Counter[int] = Counter()
    breaks: Counter[str] = Counter()
    lines = lists = 0
    for url, document in zip(part.urls, part.documents, strict=True):
        if part.end is None:
            file = open_input(url, job.settings)
        else:
            content = storage.read_lines(url, part.start, part.end)
            lines = count_lines(content)
            file = OpenedFile(url, content, first_line=first)
        before = first - 1 if part.end is not None else 0
        for row in _rows(job, file, document):
            row["line"] = int(str(row["line"])) - before
            rows.append({**row, "url": url})
            if job.what != ANSWERS or job.options.breaks != AUTO:
                continue
            answer = clean(str(row["answer"]), job.options.answer).text
            if texts_in(json.loads(answer) if row["json"] else answer) is not None:
                lists += 1
            elif not row["json"]:
                found = kinds_in(answer)
                kinds[sum(1 << BREAK_KINDS.index(kind) for kind in found)] += 1
                breaks.update(found)
    table = pa.Table.from_pylist(rows, schema=_ANSWERS if job.what == ANSWERS else _UNITS)
    ids = table.column("document_id").combine_chunks()
    edges = write_packets(_url(job.folder, job.what, part.name), table, ids, job.buckets)
    return GatheredPart(None, edges, lines, 0, dict(kinds), dict(breaks), lists, len(rows))


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
    most = MOST_CHARACTERS[job.options.format_name]
    for reply in read_replies(file, document, job.options):
        is_text = isinstance(reply.answer, str)
        text = str(reply.answer) if is_text else json.dumps(reply.answer)
        yield {
            "document_id": _storable(reply.document_id),
            "line": reply.place.line,
            "coder": _storable(reply.coder),
            "answer": _storable(text if len(text) <= most else text[:_BEGINNING]),
            "characters": len(text),
            "json": not is_text,
        }


def _storable(text: str) -> str:
    """Return a text with lone surrogates, which UTF-8 does not have, replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _url(folder: str, what: str, name: str) -> str:
    return storage.join(folder, what, f"{name}.arrows")


def read_bucket(
    folder: str, what: str, parts: Mapping[str, GatheredPart], bucket: int
) -> Iterator[dict[str, object]]:
    """Yield the rows of a bucket in the order of the parts, each with its `url` and `line`."""
    by_url = {_url(folder, what, name): part for name, part in parts.items()}
    packets = read_packets({url: part.edges for url, part in by_url.items()}, bucket)
    for url, table in packets.items():
        for row in table.to_pylist():
            row["line"] += by_url[url].before
            yield row


@dataclass(frozen=True)
class DocumentUnits:
    """The texts of a document's units, and a JSON list of their start times if there is one."""

    texts: Sequence[str]
    place: RowPlace
    times: str | None


def units_by_document(rows: Iterable[dict[str, object]], where: str) -> dict[str, DocumentUnits]:
    """Return document -> its units, from rows of ``read_bucket``; messages say `where` they are.

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
