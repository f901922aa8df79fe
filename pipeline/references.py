"""What every task must know: the accepted references by document, ready to be met."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline import resampling
from pipeline.document_ids import Documents, distinct, names
from pipeline.measures.windows import reference_windows, window_size
from pipeline.reading import Rows, refuse
from pipeline.segmentations import (
    Flags,
    Ints,
    Ragged,
    cumulative,
    flags,
    in_words,
    numbers,
    ragged,
)
from pipeline.settings import ScoreSettings

SEGMENTATION_COLUMNS = ("document_id", "coder", "n_units", "boundaries", "boundary_types")
DOCUMENT_COLUMNS = ("document_id", "n_units", "unit_lengths")
UNIQUE_CODER = "unique_document_coder"
UNIQUE_DOCUMENT = "unique_document"
SAME_UNITS = "n_units_agree"
LENGTHS_KNOWN = "unit_lengths_known"
TWICE = "this coder has more than one row for this document"
OTHER_UNITS = "n_units differs from that of another row of this document"
NO_LENGTHS = "the documents table has no unit_lengths for this document"


@dataclass(frozen=True)
class UnitLengths:
    """Words in each unit, one row a document, and their running totals."""

    lengths: Ragged
    totals: Ints

    def of(self, document: Ints) -> Ints:
        """Words in the whole of each document, shape (rows,)."""
        return self.totals[self.lengths.offsets[document + 1] - 1]


@dataclass(frozen=True)
class References:
    """Accepted references, those of one document side by side and in the order of their coders.

    Positions and sizes are in the unit of the run (units or words).

    Attributes:
        documents: the documents that have a reference.
        first: document d's references are rows first[d]..first[d+1]-1, shape (documents + 1,).
        units: n_units of each document, in units whatever the run measures in, shape (documents,).
        lengths: unit lengths of each document, in a run in words.
        coder: name of each reference's coder, shape (rows,).
        size: N of each reference's document, shape (rows,).
        boundaries: one row a reference.
        collapsed: boundaries each reference lost when it was brought to words, shape (rows,).
        window: k of each reference, shape (rows,).
        attributes: columns of the documents table and of the references table, one row a reference.
        resampling_unit: of each document, shape (documents,).
        p_seg: share of the windows that hold a reference boundary; NaN if there is no window.
    """

    documents: Documents
    first: Ints
    units: Ints
    lengths: UnitLengths | None
    coder: pa.StringArray
    size: Ints
    boundaries: Ragged
    collapsed: Ints
    window: Ints
    attributes: pa.Table
    resampling_unit: Ints
    p_seg: float

    def __len__(self) -> int:
        return len(self.size)


@dataclass(frozen=True)
class Described:
    """What the documents table says, its duplicates refused.

    Attributes:
        rows: one row a document.
        documents: finds them by id.
        rejects: rows refused.
    """

    rows: Rows
    documents: Documents
    rejects: pa.Table


def describe(rows: Rows) -> Described:
    """Take up a validated documents table; no copy of a document listed twice is believed."""
    twice = repeated(distinct(_ids(rows)).find(_ids(rows)))
    kept, refused = refuse(
        rows, twice, UNIQUE_DOCUMENT, "the document has more than one row in this table"
    )
    return Described(kept, distinct(_ids(kept)), refused)


def _ids(rows: Rows) -> pa.StringArray:
    return rows.table.column("document_id").chunk(0)


def repeated(keys: Ints) -> Flags:
    """Which keys occur more than once, shape (rows,)."""
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse] > 1)


def accept(
    rows: Rows, described: Described | None, settings: ScoreSettings
) -> tuple[Rows, pa.Table]:
    """Refuse the references that contradict each other, and those that cannot be measured.

    Args:
        rows: references whose rows are valid each for itself.
        described: the documents table, if there is one.
        settings: of the run.

    Returns:
        The references of each document side by side, in the order of their coders; the rejects.
    """
    rows, rejects = without_contradictions(rows, described)
    if settings.units == "words" and described is not None:
        rows, unmeasured = refuse(rows, _unmeasured(rows, described), LENGTHS_KNOWN, NO_LENGTHS)
        rejects.append(unmeasured)
    document = distinct(_ids(rows)).find(_ids(rows))
    # Only a total order makes the same table from the same rows in other files.
    rank = pc.rank(rows.table.column("coder"), tiebreaker="dense")
    return rows.take(np.lexsort((numbers(rank), document))), pa.concat_tables(rejects)


def without_contradictions(rows: Rows, described: Described | None) -> tuple[Rows, list[pa.Table]]:
    """Refuse segmentations that contradict each other, all that take part in it."""
    rows, twice = refuse(rows, _twice(rows), UNIQUE_CODER, TWICE)
    rows, disagreeing = refuse(rows, _disagreeing(rows, described), SAME_UNITS, OTHER_UNITS)
    return rows, [twice, disagreeing]


def _twice(rows: Rows) -> Flags:
    document = distinct(_ids(rows)).find(_ids(rows))
    coder = rows.table.column("coder").chunk(0).dictionary_encode().indices
    return repeated(document << 32 | numbers(coder).astype(np.int64))


def _disagreeing(rows: Rows, described: Described | None) -> Flags:
    """The documents table decides how many units there are; without it, all must say the same."""
    stated = numbers(rows.table.column("n_units").chunk(0)).astype(np.int64)
    documents = distinct(_ids(rows))
    document = documents.find(_ids(rows))
    most = np.zeros(len(documents), np.int64)
    np.maximum.at(most, document, stated)
    least = most.copy()
    np.minimum.at(least, document, stated)
    wrong = (least != most)[document]
    if described is not None:
        place = described.documents.find(_ids(rows))
        units = numbers(described.rows.table.column("n_units").chunk(0)).astype(np.int64)
        wrong = np.where(place >= 0, stated != units[place] if len(units) else False, wrong)
    return wrong


def _unmeasured(rows: Rows, described: Described) -> Flags:
    known = np.zeros(1 + len(described.rows), bool)
    if "unit_lengths" in described.rows.table.column_names:
        known[:-1] = flags(described.rows.table.column("unit_lengths").chunk(0).is_valid())
    # A document that is not described has place -1: the last entry, which stays False.
    return ~known[described.documents.find(_ids(rows))]


def make_ready(rows: Rows, described: Described | None, settings: ScoreSettings) -> References:
    """Make accepted references ready to be met.

    Args:
        rows: at least one, as ``accept`` returns them.
        described: the documents table, if there is one.
        settings: of the run.
    """
    documents = distinct(_ids(rows))
    document = documents.find(_ids(rows))
    stated = numbers(rows.table.column("n_units").chunk(0)).astype(np.int64)
    units = np.zeros(len(documents), np.int64)
    units[document] = stated
    lengths = None
    size = stated
    original = boundaries = ragged(rows.table.column("boundaries").chunk(0))
    if settings.units == "words" and described is not None:
        lengths = _unit_lengths(documents, described)
        boundaries = in_words(original, document, lengths.lengths, lengths.totals)
        size = lengths.of(document)
    window = _windows(size, boundaries.lengths + 1, document, len(documents), settings)
    return References(
        documents=documents,
        first=np.searchsorted(document, np.arange(len(documents) + 1)),
        units=units,
        lengths=lengths,
        coder=rows.table.column("coder").chunk(0),
        size=size,
        boundaries=boundaries,
        collapsed=original.lengths - boundaries.lengths,
        window=window,
        attributes=_attributes(rows, described),
        resampling_unit=_resampling_units(documents),
        p_seg=_p_seg(boundaries, size, window, settings),
    )


def _unit_lengths(documents: Documents, described: Described) -> UnitLengths:
    place = described.documents.find(documents.ids)
    lengths = ragged(described.rows.table.column("unit_lengths").chunk(0).take(pa.array(place)))
    return UnitLengths(lengths, cumulative(lengths))


def _windows(
    size: Ints, segments: Ints, document: Ints, n_documents: int, settings: ScoreSettings
) -> Ints:
    """Window size of each reference row by the run's policy (METRICS 2)."""
    if isinstance(settings.window, int):
        return np.full(len(size), settings.window, np.int64)
    if settings.window == "per-pair":
        return window_size(size, segments, settings.rounding)
    pool = document if settings.window == "per-document" else np.zeros_like(document)
    total = np.zeros((2, n_documents), np.int64)
    np.add.at(total[0], pool, size)
    np.add.at(total[1], pool, segments)
    return window_size(total[0][pool], total[1][pool], settings.rounding)


def _p_seg(boundaries: Ragged, size: Ints, window: Ints, settings: ScoreSettings) -> float:
    if settings.p_seg is not None:
        return settings.p_seg
    windows = int(np.maximum(0, size - window).sum())
    covered = int(reference_windows(boundaries, size, window).sum())
    return covered / windows if windows else float("nan")


def _attributes(rows: Rows, described: Described | None) -> pa.Table:
    """Attributes of each reference row: what its document has, then what the row itself has."""
    columns: dict[str, pa.ChunkedArray] = {}
    if described is not None:
        place = described.documents.find(_ids(rows))
        index = pa.array(place, mask=place < 0)
        for name in described.rows.table.column_names:
            if name not in DOCUMENT_COLUMNS:
                columns[name] = described.rows.table.column(name).take(index)
    for name in rows.table.column_names:
        if name not in (*SEGMENTATION_COLUMNS, "boundary_scores", *columns):
            columns[name] = rows.table.column(name)
    return pa.table(columns) if columns else pa.table({"": pa.nulls(len(rows))}).select([])


def _resampling_units(documents: Documents) -> Ints:
    if len(documents) <= resampling.BUCKETS:
        return np.arange(len(documents))
    return resampling.buckets(names(documents.ids).hashes)


def unit_hashes(references: References) -> NDArray[np.uint64]:
    """The hash that draws each resampling unit's weights, shape (units,)."""
    if len(references.documents) <= resampling.BUCKETS:
        return names(references.documents.ids).hashes
    return np.arange(resampling.BUCKETS, dtype=np.uint64)


def estimator(references: References, replicates: int) -> str:
    """Name how intervals are estimated, for the signature."""
    if not replicates:
        return "none"
    by_document = len(references.documents) <= resampling.BUCKETS
    return "poisson,documents" if by_document else f"poisson,{resampling.BUCKETS}-buckets"
