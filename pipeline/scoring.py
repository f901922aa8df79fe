"""One part of a scoring run: hypotheses meet their references, are counted, valued and written."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline import storage, summary
from pipeline.measures import COUNTS, MEASURES, edits, windows
from pipeline.measures.measure import evaluate
from pipeline.reading import Rows, Slice, join, read, refuse, validate
from pipeline.references import (
    OTHER_UNITS,
    SAME_UNITS,
    SEGMENTATION_COLUMNS,
    TWICE,
    UNIQUE_CODER,
    References,
)
from pipeline.segmentations import (
    Flags,
    Floats,
    Ints,
    Ragged,
    column,
    in_words,
    numbers,
    ragged,
)
from pipeline.settings import ScoreSettings
from pipeline.summary import Sums

UNPAIRED = ("table", "source", "row", "document_id", "coder")

Seen = dict[str, tuple[NDArray[np.uint8], NDArray[np.uint8]]]
"""Coder -> bits over the run's documents: seen at least once, seen more than once."""


@dataclass(frozen=True)
class Part:
    """The hypotheses of one task.

    Attributes:
        name: of the files it writes; made from what it reads.
        slices: what it reads, in this order.
    """

    name: str
    slices: tuple[Slice, ...]


@dataclass(frozen=True)
class Job:
    """What all tasks of a run share beside the references.

    Attributes:
        settings: of the run.
        further: columns of the hypotheses beyond those every file has.
        group_by: type of each group-by column.
        folder: where parts are written until the run is published.
    """

    settings: ScoreSettings
    further: pa.Schema
    group_by: dict[str, pa.DataType]
    folder: str


@dataclass(frozen=True)
class Receipt:
    """What a task tells of its part; the rows themselves are in the files it wrote.

    Attributes:
        rows: hypotheses read.
        rejected: of these, refused.
        unpaired: of these, without an accepted reference.
        pairs: rows of scores written.
        met: bits over the rows of the references: met a hypothesis.
        seen: which coders judged which documents, to find duplicates across parts.
        sums: what the pairs add up to.
    """

    rows: int
    rejected: int
    unpaired: int
    pairs: int
    met: NDArray[np.uint8]
    seen: Seen
    sums: Sums


@dataclass(frozen=True)
class Pairs:
    """Which reference meets which hypothesis: rows of either, shape (pairs,)."""

    ref_row: Ints
    hyp_row: Ints


def score_part(
    shared: tuple[References, Job], part: Part, duplicates: Mapping[str, NDArray[np.uint8]]
) -> Receipt:
    """Score the hypotheses of one part against all their references; write its files.

    Args:
        shared: the accepted references, and what else all tasks share.
        part: what to read.
        duplicates: coder -> bits over the documents for which it has several rows, all refused.
    """
    from schemas.segmentations import SEGMENTATIONS

    references, job = shared
    read_rows = join([read(piece, job.further) for piece in part.slices])
    rows, broken = validate(read_rows, SEGMENTATIONS)
    document = references.documents.find(rows.table.column("document_id").chunk(0))
    unpaired = rows.keep(document < 0)
    rows, document = rows.keep(document >= 0), document[document >= 0]
    seen = _seen(rows, document, len(references.documents))
    twice = _marked(rows, document, duplicates, len(references.documents))
    document = document[~twice]
    rows, repeated = refuse(rows, twice, UNIQUE_CODER, TWICE)
    other = numbers(rows.table.column("n_units").chunk(0)) != references.units[document]
    document = document[~other]
    rows, contradicting = refuse(rows, other, SAME_UNITS, OTHER_UNITS)
    rejects = pa.concat_tables([broken, repeated, contradicting])
    pairs = meet(document, references.first)
    scores, sums = score(rows, document, pairs, references, job)
    if len(pairs.ref_row):
        storage.write_table(storage.join(job.folder, "scores", part.name), scores)
    if rejects.num_rows:
        storage.write_table(storage.join(job.folder, "rejects", part.name), rejects)
    if len(unpaired):
        storage.write_table(
            storage.join(job.folder, "unpaired", part.name), list_unpaired(unpaired)
        )
    met = np.zeros(len(references), bool)
    met[pairs.ref_row] = True
    return Receipt(
        rows=len(read_rows),
        rejected=rejects.num_rows,
        unpaired=len(unpaired),
        pairs=len(pairs.ref_row),
        met=np.packbits(met),
        seen=seen,
        sums=sums,
    )


def list_unpaired(rows: Rows) -> pa.Table:
    """List rows that met no partner (schemas/unpaired.py)."""
    return pa.table(rows.listed(np.arange(len(rows)))).select(list(UNPAIRED))


def _coders(rows: Rows) -> tuple[Ints, list[str]]:
    encoded = rows.table.column("coder").chunk(0).dictionary_encode()
    return numbers(encoded.indices).astype(np.int64), encoded.dictionary.to_pylist()


def _seen(rows: Rows, document: Ints, n_documents: int) -> Seen:
    coder, named = _coders(rows)
    seen: Seen = {}
    for number, name in enumerate(named):
        times = np.bincount(document[coder == number], minlength=n_documents)
        seen[name] = np.packbits(times > 0), np.packbits(times > 1)
    return seen


def _marked(
    rows: Rows, document: Ints, duplicates: Mapping[str, NDArray[np.uint8]], n_documents: int
) -> Flags:
    marked = np.zeros(len(rows), bool)
    if duplicates:
        coder, named = _coders(rows)
        for number, name in enumerate(named):
            if name in duplicates:
                twice = np.unpackbits(duplicates[name], count=n_documents).astype(bool)
                marked |= (coder == number) & twice[document]
    return marked


def meet(document: Ints, first: Ints) -> Pairs:
    """Pair each hypothesis with all references of its document.

    Args:
        document: of each hypothesis, shape (hypotheses,).
        first: document d's references are rows first[d]..first[d+1]-1, shape (documents + 1,).

    Returns:
        Pairs in the order of the hypotheses, then of the references.
    """
    start = first[document]
    partners = first[document + 1] - start
    hyp_row = np.repeat(np.arange(len(document)), partners)
    before = np.cumsum(partners) - partners
    return Pairs(np.arange(len(hyp_row)) + np.repeat(start - before, partners), hyp_row)


def score(
    rows: Rows, document: Ints, pairs: Pairs, references: References, job: Job
) -> tuple[pa.Table, Sums]:
    """Count and value every pair: the scores table, and what its rows add up to.

    Args:
        rows: hypotheses, each with a reference.
        document: of each hypothesis, shape (hypotheses,).
        pairs: who meets whom.
        references: accepted references.
        job: what all tasks share.
    """
    original = hypotheses = ragged(rows.table.column("boundaries").chunk(0))
    if references.lengths is not None:
        lengths = references.lengths
        hypotheses = in_words(original, document, lengths.lengths, lengths.totals)
    collapsed = original.lengths - hypotheses.lengths
    counts = count(references, hypotheses, pairs, job.settings)
    parameters = {**job.settings.parameters, "p_seg": references.p_seg}
    values = evaluate(
        MEASURES.values(), dict(zip(COUNTS, counts, strict=True)), parameters, rows=True
    )
    attributes = _attributes(rows, pairs, references)
    ref, hyp = pa.array(pairs.ref_row), pa.array(pairs.hyp_row)
    table = pa.table(
        {
            "document_id": rows.table.column("document_id").chunk(0).take(hyp),
            "reference": references.coder.take(ref),
            "hypothesis": rows.table.column("coder").chunk(0).take(hyp),
            **attributes,
            "n_units": column(references.size[pairs.ref_row]),
            "window": column(references.window[pairs.ref_row]),
            "collapsed_boundaries": column(
                references.collapsed[pairs.ref_row] + collapsed[pairs.hyp_row]
            ),
            **{name: column(row) for name, row in zip(COUNTS, counts, strict=True)},
            **{name: column(row) for name, row in values.items()},
        }
    )
    unit = references.resampling_unit[document[pairs.hyp_row]]
    return table, _sums(
        table, list(job.group_by), pairs, unit, counts, np.stack([*values.values()])
    )


def count(
    references: References, hypotheses: Ragged, pairs: Pairs, settings: ScoreSettings
) -> Ints:
    """Run every family's pass over the pairs, shape (counts, pairs), in the order of COUNTS."""
    size = references.size[pairs.ref_row]
    window = references.window[pairs.ref_row]
    both = references.boundaries, hypotheses, pairs.ref_row, pairs.hyp_row, size
    return np.concatenate([windows.count(*both, window), edits.count(*both, settings.n_t)])


def _attributes(rows: Rows, pairs: Pairs, references: References) -> dict[str, pa.Array]:
    """What the document or the reference has; where they are silent, what the hypothesis has."""
    from_references = references.attributes.take(pa.array(pairs.ref_row))
    columns = dict(zip(from_references.column_names, from_references.columns, strict=True))
    for name in rows.table.column_names:
        if name not in (*SEGMENTATION_COLUMNS, "boundary_scores", *columns):
            columns[name] = rows.table.column(name).take(pa.array(pairs.hyp_row))
    return columns


def _sums(
    table: pa.Table, group_by: list[str], pairs: Pairs, unit: Ints, counts: Ints, values: Floats
) -> Sums:
    """Add up over all documents of each hypothesis and, if asked for, over each of its groups."""
    code, keys = _groups(table, ["hypothesis"])
    overall = [(key[0], *[None] * len(group_by)) for key in keys]
    sums = [summary.gather(overall, code, unit, pairs.hyp_row, counts, values)]
    if group_by:
        code, keys = _groups(table, ["hypothesis", *group_by])
        # A document without a value for an attribute is in no group, only in the whole.
        named = code >= 0
        sums.append(
            summary.gather(
                keys,
                code[named],
                unit[named],
                pairs.hyp_row[named],
                counts[:, named],
                values[:, named],
            )
        )
    return summary.merge(sums)


def _groups(table: pa.Table, by: list[str]) -> tuple[Ints, list[tuple[object, ...]]]:
    """Number the combinations of some columns' values that occur; -1 where a value is null."""
    code = np.zeros(table.num_rows, np.int64)
    for name in by:
        encoded = table.column(name).combine_chunks().dictionary_encode()
        index = numbers(encoded.indices.fill_null(-1)).astype(np.int64)
        code = np.where((code < 0) | (index < 0), -1, code * len(encoded.dictionary) + index)
    met, first, number = np.unique(code, return_index=True, return_inverse=True)
    nulls = int((met < 0).sum())
    found = table.select(by).take(pa.array(first[nulls:]))
    return number - nulls, list(zip(*(each.to_pylist() for each in found.columns), strict=True))
