"""What every task must know: the accepted references by document, ready to be met."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import Documents, hash_names
from segscore.pipeline.arrays.ragged import Flags, Ints, Ragged, flags, from_lists, numbers, ragged
from segscore.pipeline.measures.windows import reference_windows, window_size
from segscore.pipeline.scoring.boundaries import Side, UnitLengths, side_of
from segscore.pipeline.scoring.consensus import consensus
from segscore.pipeline.scoring.measuring import MeasuringSettings
from segscore.pipeline.statistics.bootstrap import Units, units
from segscore.pipeline.tables.boundary_types import without_faults
from segscore.pipeline.tables.columns import DOCUMENTS, SEGMENTATIONS
from segscore.pipeline.tables.contradictions import Described, _ids, without_contradictions
from segscore.pipeline.tables.read import Rows, refuse


@dataclass(frozen=True)
class References:
    """Accepted references, those of one document side by side and in the order of their coders.

    Attributes:
        documents: the documents that have a reference.
        first: document d's references are rows first[d]..first[d+1]-1, shape (documents + 1,).
        units: n_units of each document, in units whatever the run measures in, shape (documents,).
        words: words in each unit of each document, in a run in words.
        weights: weight of each unit of each document, in a run that weighs content.
        coder: name of each reference's coder, shape (rows,).
        size: N of each reference's document in the unit of the run, shape (rows,).
        side: their boundaries.
        window: k of each reference, shape (rows,).
        panel_window: m of each document, shape (documents,).
        attributes: columns of the documents table and of the references table, one row a reference.
        resampling: what documents are resampled by.
        p_seg: share of the windows that hold a reference boundary; NaN if there is no window.
    """

    documents: Documents
    first: Ints
    units: Ints
    words: UnitLengths | None
    weights: UnitLengths | None
    coder: pa.StringArray
    size: Ints
    side: Side
    window: Ints
    panel_window: Ints
    attributes: pa.Table
    resampling: Units
    p_seg: float

    def __len__(self) -> int:
        return len(self.size)

    @property
    def document(self) -> Ints:
        """Document of each reference, shape (rows,)."""
        return np.repeat(np.arange(len(self.documents)), np.diff(self.first))

    @property
    def has_panels(self) -> bool:
        """Whether a document has several references."""
        return bool((np.diff(self.first) > 1).any())


def accept_references(
    rows: Rows, described: Described | None, settings: MeasuringSettings, *, typed: bool
) -> tuple[Rows, pa.Table]:
    """Refuse the references that contradict each other, and those that cannot be measured.

    Args:
        rows: references whose rows are valid each for itself.
        described: the documents table, if there is one.
        settings: of the run.
        typed: whether the run tells boundary types apart.

    Returns:
        The references of each document side by side, in the order of their coders; the rejects.
    """
    rows, rejects = without_contradictions(rows, described)
    if typed:
        rows, faulty = without_faults(rows, settings.boundary_types)
        rejects += faulty
    needed = {"unit_lengths": settings.units == "words", "unit_weights": settings.unit_weights}
    for name in (name for name, asked in needed.items() if asked and described is not None):
        assert described is not None
        reason = f"the documents table has no {name} for this document"
        rows, missing = refuse(rows, _without(name, rows, described), f"{name}_known", reason)
        rejects.append(missing)
    return in_order(rows), pa.concat_tables(rejects)


def in_order(rows: Rows) -> Rows:
    """Put the rows of each document side by side, in the order of their coders.

    Only a total order makes the same table from the same rows in other files.
    """
    if rows.numbered.once_each:
        return rows
    coders = rows.coders
    rank = np.empty(len(coders.names), np.int64)
    rank[sorted(range(len(rank)), key=coders.names.__getitem__)] = np.arange(len(rank))
    return rows.take(np.lexsort((rank[coders.code], rows.numbered.document)))


def _without(name: str, rows: Rows, described: Described) -> Flags:
    """Which rows belong to a document of which the documents table does not have this list."""
    known = np.zeros(1 + len(described.rows), bool)
    if name in described.rows.table.column_names:
        known[:-1] = flags(described.rows.table.column(name).chunk(0).is_valid())
    # A document that is not described has place -1: the last entry, which stays False.
    return ~known[described.documents.find(_ids(rows))]


def make_ready(
    rows: Rows, described: Described | None, settings: MeasuringSettings, *, typed: bool
) -> References:
    """Make accepted references ready to be met.

    Args:
        rows: at least one, as ``accept_references`` returns them.
        described: the documents table, if there is one.
        settings: of the run.
        typed: whether the run tells boundary types apart.
    """
    documents, document = rows.numbered.documents, rows.numbered.document
    size = numbers(rows.table.column("n_units").chunk(0)).astype(np.int64)
    units = np.zeros(len(documents), np.int64)
    units[document] = size
    words = weights = None
    if settings.units == "words" and described is not None:
        words = _by_unit("unit_lengths", documents, described)
        size = words.whole(document)
    if settings.unit_weights and described is not None:
        weights = _by_unit("unit_weights", documents, described)
    side = side_of(rows, document, words, typed=typed)
    segments = side.boundaries.lengths + 1
    window, panel_window = _windows(size, segments, document, len(documents), settings)
    return References(
        documents=documents,
        first=np.searchsorted(document, np.arange(len(documents) + 1)),
        units=units,
        words=words,
        weights=weights,
        coder=rows.table.column("coder").chunk(0),
        size=size,
        side=side,
        window=window,
        panel_window=panel_window,
        attributes=_attributes(rows, described),
        resampling=resampled_by(documents, settings, len(documents)),
        p_seg=_p_seg(side.boundaries, size, window, settings),
    )


def agreed(
    references: References, label: str, share: Fraction, settings: MeasuringSettings
) -> References:
    """Make the consensus of each document's coders a reference of its own (docs/measures.md).

    It has its own window where the policy is per pair; otherwise that of the original references.

    Args:
        references: the original ones.
        label: the coder it goes by.
        share: of a document's coders that must have marked a boundary; 0 is any of them.
        settings: of the run.
    """
    n = len(references.documents)
    first = references.first[:-1]
    size = references.size[first]
    boundaries = consensus(references.side.boundaries, references.first, share)
    in_units = consensus(references.side.in_units, references.first, share)
    window = references.window[first]
    if settings.window == "per-pair":
        window = window_size(size, boundaries.lengths + 1, settings.rounding)
    collapsed = in_units.lengths - boundaries.lengths
    return replace(
        references,
        first=np.arange(n + 1),
        coder=pa.array([label] * n, pa.string()),
        size=size,
        side=Side(in_units, boundaries, boundaries, None, np.maximum(0, collapsed)),
        window=window,
        attributes=shared_attributes(references),
    )


def shared_attributes(references: References) -> pa.Table:
    """Take each document's attributes: the value all its references have, null if they differ."""
    first, document = references.first[:-1], references.document
    columns = {}
    for name in references.attributes.column_names:
        values = references.attributes.column(name).combine_chunks()
        if pa.types.is_nested(values.type):
            columns[name] = pa.nulls(len(first), values.type)  # nothing tells lists apart
            continue
        code = numbers(values.dictionary_encode().indices.fill_null(-1))
        differing = np.zeros(len(first), bool)
        differing[document[code != code[first][document]]] = True
        columns[name] = values.take(pa.array(first, mask=differing))
    return pa.table(columns) if columns else references.attributes.take(pa.array(first))


def _by_unit(name: str, documents: Documents, described: Described) -> UnitLengths:
    if not len(documents):  # the table need not have the column then
        return UnitLengths.of(from_lists([]))
    place = described.documents.find(documents.ids)
    return UnitLengths.of(ragged(described.rows.table.column(name).chunk(0).take(pa.array(place))))


def _windows(
    size: Ints, segments: Ints, document: Ints, n_documents: int, settings: MeasuringSettings
) -> tuple[Ints, Ints]:
    """Window size by the run's policy (docs/measures.md): of each reference, of each document."""
    if isinstance(settings.window, int):
        return np.full_like(size, settings.window), np.full(n_documents, settings.window)
    per_run = settings.window == "per-run"
    pool = np.zeros_like(document) if per_run else document
    total = np.zeros((2, n_documents), np.int64)
    np.add.at(total[0], pool, size)
    np.add.at(total[1], pool, segments)
    if per_run:
        total = np.repeat(total[:, :1], n_documents, axis=1)
    of_document = window_size(total[0], total[1], settings.rounding)
    if settings.window == "per-pair":
        return window_size(size, segments, settings.rounding), of_document
    return of_document[document], of_document


def count_windows(boundaries: Ragged, size: Ints, window: Ints) -> tuple[int, int]:
    """Count the windows of some references, and those of them that hold a boundary."""
    windows = int(np.maximum(0, size - window).sum())
    return windows, int(reference_windows(boundaries, size, window).sum())


def share_of_windows(covered: int, windows: int) -> float:
    """P_seg (docs/measures.md), NaN if there is no window."""
    return covered / windows if windows else float("nan")


def _p_seg(boundaries: Ragged, size: Ints, window: Ints, settings: MeasuringSettings) -> float:
    if settings.p_seg is not None:
        return settings.p_seg
    windows, covered = count_windows(boundaries, size, window)
    return share_of_windows(covered, windows)


def _attributes(rows: Rows, described: Described | None) -> pa.Table:
    """Attributes of each reference row: what its document has, then what the row itself has."""
    columns: dict[str, pa.ChunkedArray] = {}
    if described is not None:
        place = described.documents.find(_ids(rows))
        index = pa.array(place, mask=place < 0)
        for name in described.rows.table.column_names:
            if name not in DOCUMENTS.names:
                columns[name] = described.rows.table.column(name).take(index)
    for name in rows.table.column_names:
        if name not in (*SEGMENTATIONS.names, *columns):
            columns[name] = rows.table.column(name)
    return pa.table(columns) if columns else pa.table({"": pa.nulls(len(rows))}).select([])


def resampled_by(documents: Documents, settings: MeasuringSettings, in_run: int) -> Units:
    """Resample documents each by itself, or by buckets where the run has many.

    Args:
        documents: some or all of the run's.
        settings: of the run.
        in_run: how many documents the run has.
    """
    if not settings.replicates:
        return Units(np.zeros(len(documents), np.int64), np.zeros(1, np.uint64))
    return units(hash_names(documents.ids).hashes, in_run)
