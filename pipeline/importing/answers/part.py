"""Tasks that place the answers of some documents, and write their rows."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.alignment_rows import (
    ALIGNMENT_FOLDER,
    aligned_row,
    write_alignment,
)
from segscore.pipeline.importing.answers.clock_numbers import number_times
from segscore.pipeline.importing.answers.deciding import Decision, NumberReading
from segscore.pipeline.importing.answers.gathering import (
    ANSWERS,
    SOURCE,
    DocumentUnits,
    GatheredPart,
    place_of_row,
    read_bucket,
    units_by_document,
)
from segscore.pipeline.importing.answers.options import (
    LEAVE_OUT,
    RANGES,
    STARTS,
    TIMES,
    AnswerOptions,
)
from segscore.pipeline.importing.answers.placing import (
    Placed,
    Prepared,
    decide_numbers,
    failure_by_length,
    failure_of_numbers,
    place_answer,
    prepare,
)
from segscore.pipeline.importing.answers.tallies import (
    AnswerTally,
    FailedAnswer,
    add_tallies,
    tally_of,
    tally_of_absent,
)
from segscore.pipeline.importing.answers.timing import Timing
from segscore.pipeline.importing.import_tables import check_block, name_of_part
from segscore.pipeline.importing.parts import PartReceipt, refusable
from segscore.pipeline.importing.read_part import write_rejects
from segscore.pipeline.importing.shapes import positions_of
from segscore.pipeline.importing.shards import Shard, write_shard
from segscore.pipeline.importing.timed_rows import time_rows
from segscore.pipeline.storage.memory import release_memory
from segscore.pipeline.tables.rows import ParsedRow, RowPlace
from segscore.pipeline.tables.validate import REJECT_COLUMNS

TITLES = "titles"
"""Attribute of a segmentation: the headings of its text."""


@dataclass(frozen=True)
class Bucket:
    """Documents whose answers one task places, or whose segmentations it projects."""

    name: str
    number: int


def chosen_buckets(files: Iterable[Ints], count: int) -> list[Bucket]:
    """Return the buckets with rows in any of some files; their files are named as of a table.

    Args:
        files: the edges of the packets of each file.
        count: number of buckets.
    """
    numbers = {int(number) for edges in files for number in np.flatnonzero(np.diff(edges))}
    return [Bucket(name_of_part(ALIGNMENT_FOLDER, one, count), one) for one in sorted(numbers)]


@dataclass(frozen=True)
class PlaceJob:
    """What all tasks that place answers share; without `timing`, boundaries remain in units.

    What was gathered is by ``SOURCE`` and ``ANSWERS``, then by the part.
    """

    folder: str
    options: AnswerOptions
    gathered: Mapping[str, Mapping[str, GatheredPart]]
    timing: Timing | None = None


@dataclass(frozen=True)
class NumbersReceipt(PartReceipt):
    """How many answers show how units are numbered.

    Attributes:
        zeros: number of answers that contain 0.
        lasts: number of answers that contain the number of units of their document.
        ones: number of answers whose segments begin at 1.
        tallies: answers, and those without a number, by coder.
    """

    zeros: int = 0
    lasts: int = 0
    ones: int = 0
    tallies: dict[str, AnswerTally] = field(default_factory=dict)


@dataclass(frozen=True)
class PlacedReceipt(PartReceipt):
    """What became of the answers of some documents: their rows, if any, and how many lack one."""

    shard: Shard | None = None
    rejects: int = 0
    left_out: int = 0
    aligned: int = 0
    tallies: dict[str, AnswerTally] = field(default_factory=dict)


@dataclass(frozen=True)
class _Pair:
    """An answer, and the units of its document; `too_long` says that it is not read."""

    document_id: str
    coder: str
    answer: object
    units: DocumentUnits
    place: RowPlace
    too_long: str | None = None


@refusable
def survey_numbers(job: PlaceJob, part: Bucket) -> NumbersReceipt:
    """Count the answers that show how units are numbered."""
    zeros = lasts = ones = 0
    tallies: list[dict[str, AnswerTally]] = []
    for pair in _pairs(job, part, _units(job, part)):
        prepared, reading = _survey(pair, job.options)
        spans = reading.spans if isinstance(reading, NumberReading) else ()
        numbers = {number for span in spans for number in span}
        zeros += 0 in numbers
        lasts += 0 not in numbers and len(pair.units.texts) in numbers
        ones += (
            isinstance(reading, NumberReading)
            and reading.kind in (STARTS, RANGES)
            and all(low == 1 for low, _ in spans[:1])
        )
        placed = Placed(pair.too_long or failure_of_numbers(prepared, reading))
        tallies.append({pair.coder: tally_of(pair.document_id, placed, _failed(pair, placed))})
    return NumbersReceipt(None, zeros, lasts, ones, add_tallies(tallies))


def _survey(pair: _Pair, options: AnswerOptions) -> tuple[Prepared, Decision]:
    """Read the numbers of an answer from 1, or from 0 if they cannot be read from 1."""
    prepared = prepare(pair.answer, len(pair.units.texts), options)
    if prepared.failure is not None:
        return prepared, None
    decisions = [
        decide_numbers(prepared, len(pair.units.texts), first, options, pair.place)
        for first in (1, 0)
    ]
    return prepared, next(
        (each for each in decisions if isinstance(each, NumberReading)), decisions[0]
    )


@refusable
def place_part(job: PlaceJob, part: Bucket) -> PlacedReceipt:
    """Place the answers of some documents."""
    try:
        return _place(job, part)
    finally:
        release_memory()


def _place(job: PlaceJob, part: Bucket) -> PlacedReceipt:
    rows: list[ParsedRow] = []
    rejects: list[dict[str, object]] = []
    aligned: list[dict[str, object]] = []
    tallies: list[dict[str, AnswerTally]] = []
    units = _units(job, part)
    answered: dict[str, set[str]] = {}
    for pair in _pairs(job, part, units):
        answered.setdefault(pair.coder, set()).add(pair.document_id)
        try:
            placed = (
                place_answer(pair.answer, pair.units.texts, job.options, pair.place)
                if pair.too_long is None
                else Placed(pair.too_long)
            )
        except Refused as problem:
            raise pair.place.refusal(f"{pair.document_id}: {problem}") from problem
        failed = _failed(pair, placed)
        tallies.append({pair.coder: tally_of(pair.document_id, placed, failed)})
        aligned.append(aligned_row(pair.document_id, pair.coder, placed))
        if failed is not None and job.options.failed == LEAVE_OUT:
            rejects.append(_reject(pair, placed, job.options.role))
        else:
            rows.append(_row(pair, placed, job.options))
    tallies.append({coder: tally_of_absent(units, names) for coder, names in answered.items()})
    rejected = pa.Table.from_pylist(rejects, schema=REJECT_COLUMNS)
    write_rejects(job.folder, f"{part.name}-answers", [rejected])
    block, bad = check_block(positions_of(rows)) if rows else (None, REJECT_COLUMNS.empty_table())
    number = write_rejects(job.folder, f"{part.name}-placed", [bad])
    if block is not None and job.timing is not None:
        block = time_rows(block, job.timing, units)
    write_alignment(job.folder, part.name, aligned)
    return PlacedReceipt(
        shard=write_shard(job.folder, part.name, [] if block is None else [block]),
        rejects=number,
        left_out=len(rejects),
        aligned=len(aligned),
        tallies=add_tallies(tallies),
    )


def _failed(pair: _Pair, placed: Placed) -> FailedAnswer | None:
    """Describe an answer that cannot be used; None for others."""
    if placed.failure is None:
        return None
    text = pair.answer if isinstance(pair.answer, str) else json.dumps(pair.answer)
    return FailedAnswer.of(pair.document_id, pair.coder, placed.failure, text)


def _rows(job: PlaceJob, part: Bucket, what: str) -> Iterator[dict[str, object]]:
    return read_bucket(job.folder, what, job.gathered[what], part.number)


def _units(job: PlaceJob, part: Bucket) -> dict[str, DocumentUnits]:
    """Return the units of the documents of a bucket; raise Refused if one occurs twice."""
    return units_by_document(_rows(job, part, SOURCE), "the source")


def _pairs(job: PlaceJob, part: Bucket, units: Mapping[str, DocumentUnits]) -> Iterator[_Pair]:
    """Yield the answers of a bucket with their units.

    Raises:
        Refused: an answer occurs twice, or its document has no units.
    """
    first: dict[tuple[str, str], RowPlace] = {}
    missing: list[tuple[str, RowPlace]] = []
    for row in _rows(job, part, ANSWERS):
        document, coder, place = str(row["document_id"]), str(row["coder"]), place_of_row(row)
        if document not in units:
            missing.append((document, place))
            continue
        if (known := first.setdefault((document, coder), place)) is not place:
            raise place.refusal(
                f"{coder} has two answers for the document {document}; the first is at "
                f"{known.source}:{known.line}; keep one, or read the answers of each run on "
                "their own and score them with --trials"
            )
        too_long = failure_by_length(int(str(row["characters"])), job.options)
        is_json = row["json"] and too_long is None
        answer = json.loads(str(row["answer"])) if is_json else row["answer"]
        if job.options.are_times and too_long is None:
            answer = _numbered(answer, job, document, units[document], place)
        if not missing:
            yield _Pair(document, coder, answer, units[document], place, too_long)
    if missing:
        document, place = missing[0]
        more = f"; and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise place.refusal(f"--source has no units of the document {document}{more}")


def _numbered(
    answer: object, job: PlaceJob, document: str, units: DocumentUnits, place: RowPlace
) -> object:
    """Return an answer with numbers of units in the place of times."""
    if job.timing is None:
        raise place.refusal(f"--numbers {TIMES}: name the times of the units with --unit-times")
    times = job.timing.times_of(document, len(units.texts), place, units)
    length, start = job.timing.length_of(document, times)
    starts = [each.exact for each in times.starts]
    return number_times(answer, starts, Fraction(start + length))


def _row(pair: _Pair, placed: Placed, options: AnswerOptions) -> ParsedRow:
    words = tuple(len(unit.split()) for unit in pair.units.texts)
    usable = placed.failure is None
    types = placed.types if usable else None
    return ParsedRow(
        document_id=pair.document_id,
        coder=pair.coder,
        role=options.role,
        n_units=len(pair.units.texts),
        boundaries=tuple(placed.boundaries) if usable else (),
        boundary_types=None if types is None else tuple(types),
        unit_lengths=words if any(words) else None,
        attributes={TITLES: tuple(placed.titles)} if placed.titles and usable else {},
        source=pair.place.source,
        line=pair.place.line,
    )


def _reject(pair: _Pair, placed: Placed, role: str) -> dict[str, object]:
    return {
        "table": "hypotheses" if role == "hypothesis" else "references",
        "source": pair.place.source,
        "row": pair.place.line - 1,
        "rule": "answer_usable",
        "detail": placed.failure,
        "document_id": pair.document_id,
        "coder": pair.coder,
    }
