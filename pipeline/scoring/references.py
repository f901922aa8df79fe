"""Prepare the accepted references by document, as every task needs them for scoring."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import Documents, hash_names
from segscore.pipeline.arrays.ragged import Flags, Ints, Ragged, flags, from_lists, numbers, ragged
from segscore.pipeline.arrays.row_digests import row_digests
from segscore.pipeline.measures.windows import reference_windows
from segscore.pipeline.scoring.boundaries import LabelUse, Side, UnitLengths, side_from_rows
from segscore.pipeline.scoring.consensus import consensus
from segscore.pipeline.scoring.excluded import without_excluded
from segscore.pipeline.scoring.window_policy import share_of_windows, window_sizes
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.statistics.resampling import Units, assign_units
from segscore.pipeline.tables.boundary_types import without_faults
from segscore.pipeline.tables.columns import DOCUMENTS, SEGMENTATIONS
from segscore.pipeline.tables.contradictions import Described, without_contradictions
from segscore.pipeline.tables.read import Rows, refuse
from segscore.pipeline.tables.segment_labels import without_unlabelled


@dataclass(frozen=True)
class References:
    """Accepted references, grouped by document and ordered by coder within a document.

    Attributes:
        documents: the documents that have a reference.
        first: document d has the reference rows first[d]..first[d+1]-1, shape (documents + 1,).
        units: n_units of each document, always in units, shape (documents,).
        words: words in each unit of each document, in a run in words; else None.
        weights: weight of each unit of each document, in a run that weighs content; else None.
        coder: name of each reference's coder, shape (rows,).
        size: N of each reference's document in the unit of the run, shape (rows,).
        side: boundaries of the references.
        window: window size k of each reference, shape (rows,).
        panel_window: window size m of each document, shape (documents,).
        attributes: columns of the documents and references tables, one row per reference.
        overruled: columns of the references table whose values those of the documents replace.
        resampling: resampling units of the documents.
        p_seg: share of the windows that contain a reference boundary; NaN without windows.
        digest: what each reference says, as a number, shape (rows,) (`arrays.row_digests`); empty
            before a run scores.
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
    overruled: pa.Table
    resampling: Units
    p_seg: float
    digest: Ints

    def __len__(self) -> int:
        return len(self.size)

    @property
    def document(self) -> Ints:
        """Document number of each reference, shape (rows,)."""
        return np.repeat(np.arange(len(self.documents)), np.diff(self.first))

    @property
    def has_panels(self) -> bool:
        """Whether any document has several references."""
        return bool((np.diff(self.first) > 1).any())


def accept_references(
    rows: Rows, described: Described | None, settings: MeasuringSettings, *, typed: bool
) -> tuple[Rows, pa.Table]:
    """Reject references that contradict each other or cannot be measured.

    Returns:
        The accepted references, grouped by document and ordered by coder, and the rejects.
    """
    rows, excluded = without_excluded(rows, settings)
    rows, rejects = without_contradictions(rows, described, settings.length_tolerance)
    rejects += excluded
    if typed:
        rows, bad_types = without_faults(rows, settings.boundary_types)
        rejects += bad_types
    if settings.select:
        rows, unlabelled = without_unlabelled(rows, "--select")
        rejects.append(unlabelled)
    needed = {"unit_lengths": settings.units == "words", "unit_weights": settings.unit_weights}
    for name in (name for name, is_set in needed.items() if is_set and described is not None):
        assert described is not None
        reason = f"the documents table has no {name} for this document"
        rows, without_list = refuse(
            rows, _lack_list(name, rows, described), f"{name}_known", reason
        )
        rejects.append(without_list)
    return in_order(rows), pa.concat_tables(rejects)


def in_order(rows: Rows) -> Rows:
    """Group rows by document, and order them by coder within a document.

    This is a total order, so the same rows in other files make the same table.
    """
    if rows.numbered.are_distinct:
        return rows
    coders = rows.coders
    rank = np.empty(len(coders.names), np.int64)
    rank[sorted(range(len(rank)), key=coders.names.__getitem__)] = np.arange(len(rank))
    return rows.take(np.lexsort((rank[coders.code], rows.numbered.document)))


def _lack_list(name: str, rows: Rows, described: Described) -> Flags:
    """Return which rows belong to a document for which the documents table lacks this list."""
    has_list = np.zeros(1 + len(described.rows), bool)
    if name in described.rows.table.column_names:
        has_list[:-1] = flags(described.rows.table.column(name).chunk(0).is_valid())
    # `find` returns -1 for a document that is not in the table: the last entry, which stays False.
    return ~has_list[described.documents.find(rows.ids)]


def prepare_references(
    rows: Rows, described: Described | None, settings: MeasuringSettings, *, typed: bool
) -> References:
    """Prepare accepted references, at least one, for scoring."""
    documents, document = rows.numbered.documents, rows.numbered.document
    size = numbers(rows.table.column("n_units").chunk(0)).astype(np.int64)
    units = np.zeros(len(documents), np.int64)
    units[document] = size
    words = weights = None
    if settings.units == "words" and described is not None:
        words = _unit_lists("unit_lengths", documents, described)
        size = words.whole(document)
    if settings.unit_weights and described is not None:
        weights = _unit_lists("unit_weights", documents, described)
    side = side_from_rows(rows, document, words, typed=typed, use=label_use(settings))
    segments = side.boundaries.lengths + 1
    window, panel_window = window_sizes(size, segments, document, len(documents), settings)
    references = References(
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
        overruled=_overruled(rows, described),
        resampling=assign_units(hash_names(documents.ids).hashes),
        p_seg=estimate_p_seg(side.boundaries, size, window, settings),
        digest=np.zeros(0, np.int64),
    )
    return with_units(references, settings.resample_by, len(documents))


def label_use(settings: MeasuringSettings) -> LabelUse:
    """Return what a run needs the labels of segments for."""
    return LabelUse(settings.selected, settings.confusion)


def consensus_references(
    references: References, label: str, share: Fraction, settings: MeasuringSettings
) -> References:
    """Make the consensus of each document's coders as an additional reference.

    With the window policy `per-pair` a consensus has its own window size; otherwise it has that of
    the original references.  A share of 0 stands for any coder.
    """
    n = len(references.documents)
    first = references.first[:-1]
    size = references.size[first]
    boundaries = consensus(references.side.boundaries, references.first, share)
    in_units = consensus(references.side.in_units, references.first, share)
    window = references.window[first]
    if settings.window == "per-pair":
        window, _ = window_sizes(size, boundaries.lengths + 1, np.arange(n), n, settings)
    collapsed = in_units.lengths - boundaries.lengths
    return replace(
        references,
        first=np.arange(n + 1),
        coder=pa.array([label] * n, pa.string()),
        size=size,
        side=Side(in_units, boundaries, boundaries, None, np.maximum(0, collapsed)),
        window=window,
        attributes=shared_attributes(references),
        digest=row_digests(references.units, in_units),
    )


def shared_attributes(references: References) -> pa.Table:
    """Return each document's attributes, null where its references differ."""
    first, document = references.first[:-1], references.document
    columns = {}
    for name in references.attributes.column_names:
        values = references.attributes.column(name).combine_chunks()
        if pa.types.is_nested(values.type):
            columns[name] = pa.nulls(len(first), values.type)  # lists cannot be compared here
            continue
        code = numbers(values.dictionary_encode().indices.fill_null(-1))
        differing = np.zeros(len(first), bool)
        differing[document[code != code[first][document]]] = True
        columns[name] = values.take(pa.array(first, mask=differing))
    return pa.table(columns) if columns else references.attributes.take(pa.array(first))


def _unit_lists(name: str, documents: Documents, described: Described) -> UnitLengths:
    if not len(documents):  # the table may lack the column then
        return UnitLengths.from_lengths(from_lists([]))
    row = described.documents.find(documents.ids)
    return UnitLengths.from_lengths(
        ragged(described.rows.table.column(name).chunk(0).take(pa.array(row)))
    )


def count_windows(boundaries: Ragged, size: Ints, window: Ints) -> tuple[int, int]:
    """Count the windows of some references, and how many of them contain a boundary."""
    windows = int(np.maximum(0, size - window).sum())
    return windows, int(reference_windows(boundaries, size, window).sum())


def estimate_p_seg(
    boundaries: Ragged, size: Ints, window: Ints, settings: MeasuringSettings
) -> float:
    """Return P_seg of some references, unless the settings give it; NaN without windows."""
    if settings.p_seg is not None:
        return settings.p_seg
    windows, with_boundary = count_windows(boundaries, size, window)
    return share_of_windows(with_boundary, windows)


def _attributes(rows: Rows, described: Described | None) -> pa.Table:
    """Return the attributes of each reference: those of its document, then those of its own row."""
    columns: dict[str, pa.ChunkedArray] = {}
    if described is not None:
        row = described.documents.find(rows.ids)
        index = pa.array(row, mask=row < 0)
        for name in described.rows.table.column_names:
            if name not in DOCUMENTS.names:
                columns[name] = described.rows.table.column(name).take(index)
    for name in rows.table.column_names:
        if name not in (*SEGMENTATIONS.names, *columns):
            columns[name] = rows.table.column(name)
    return pa.table(columns) if columns else pa.table({"": pa.nulls(len(rows))}).select([])


def _overruled(rows: Rows, described: Described | None) -> pa.Table:
    """Return the attributes of references that their documents have, too."""
    documents = () if described is None else described.rows.table.column_names
    names = [name for name in rows.table.column_names if name not in SEGMENTATIONS.names]
    return rows.table.select([name for name in names if name in documents])


def with_units(references: References, resample_by: str | None, in_run: int) -> References:
    """Assign documents to resampling units: one each, or those with a value of an attribute.

    Args:
        references: the references.
        resample_by: the attribute; None for single documents.
        in_run: number of documents of the run.
    """
    values = None
    if resample_by is not None:
        values = shared_attributes(references).column(resample_by).combine_chunks()
    hashes = hash_names(references.documents.ids).hashes
    return replace(references, resampling=assign_units(hashes, values, in_run))
