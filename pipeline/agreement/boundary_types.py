"""Compare codings by boundary type: how well each type agrees, and which types are confused."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.agreement.block import cut_blocks
from segscore.pipeline.agreement.coder_pairs import EDITS, Peers, peers
from segscore.pipeline.agreement.coefficients import PAIR_COUNTS
from segscore.pipeline.agreement.extra_tallies import AuditedDocuments
from segscore.pipeline.agreement.tallies import Groups, tally_documents
from segscore.pipeline.arrays.ragged import Ints, Ragged, add_up, flags
from segscore.pipeline.measures import edits
from segscore.pipeline.measures.pairing import TypedSides
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.measures.type_confusion import no_decisions
from segscore.pipeline.scoring.references import (
    References,
    accept_references,
    prepare_references,
)
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.tables.boundary_types import COLUMN
from segscore.pipeline.tables.contradictions import Described
from segscore.pipeline.tables.read import Rows

COUNTS = (*PAIR_COUNTS, "marks", "places", "paired")
"""Counts in the tally ``types`` of ``tallies.Tallies``.

The first are of pairs of codings, as if there were no other type; ``marks`` and ``places`` are of
codings; ``paired`` are boundaries of two coders that match, are a near miss or are at one position.
"""


def typed_codings(
    rows: Rows, accepted: Rows, described: Described | None, settings: MeasuringSettings
) -> References | None:
    """Return the accepted codings with types, of documents with two of them; None without any.

    Args:
        rows: codings, which may have types.
        accepted: those of them that are accepted.
        described: the documents table, if there is one.
        settings: how codings are measured.
    """
    if COLUMN not in rows.table.column_names or not len(accepted):
        return None
    known = pc.and_(rows.table.column(COLUMN).is_valid(), pc.is_in(_keys(rows), _keys(accepted)))
    typed = rows.keep(flags(known.combine_chunks()))
    if not len(typed):
        return None
    typed, _ = accept_references(typed, described, settings, typed=True)
    document = typed.numbered.document
    typed = typed.keep((np.bincount(document) > 1)[document]) if len(typed) else typed
    return prepare_references(typed, described, settings, typed=True) if len(typed) else None


def _keys(rows: Rows) -> pa.Array:
    """Name each row by its document and coder."""
    columns = (rows.table.column(name).chunk(0).cast(pa.string()) for name in _KEY)
    return pc.binary_join_element_wise(*columns, "\0")


_KEY = ("document_id", "coder")


def types_tally(
    typed: References | None, audited: AuditedDocuments, group_by: Groups, n_t: int
) -> pa.Table:
    """Return the tally ``types``, empty without types.

    Args:
        typed: codings with types, of documents with two of them.
        audited: all codings of the coders.
        group_by: the group-by columns and their types.
        n_t: near misses lie 1..n_t-1 positions apart.
    """
    names = ("document", "type", "other_type", *COUNTS)
    parts = [dict.fromkeys(names, np.zeros(0, np.int64))]
    if typed is not None:
        documents = audited.codings.documents.find(typed.documents.ids)
        for of_part in cut_blocks(typed.first):
            pairs = peers(typed.first, of_part)
            parts += [_of_type(typed, pairs, kind, n_t) for kind in _kinds(typed)]
            parts += _confused(typed, pairs, n_t)
    columns = {name: np.concatenate([part[name] for part in parts]) for name in names}
    document = columns.pop("document")
    if typed is not None:
        document = documents[document]
    keys = {"unit": audited.units[document]}
    return tally_documents("types", keys | columns, document, audited.attributes, group_by)


def _kinds(typed: References) -> list[int]:
    assert typed.side.types is not None
    return [int(kind) for kind in np.unique(typed.side.types)]


def _of_type(typed: References, pairs: Peers, kind: int, n_t: int) -> dict[str, Ints]:
    """Count the pairs of codings of each document as if they had one type alone."""
    assert typed.side.types is not None
    chosen = typed.side.types == kind
    before = np.append(0, np.cumsum(chosen))
    alone = Ragged(before[typed.side.typed.offsets], typed.side.typed.values[chosen])
    size = typed.size[pairs.row]
    counted = edits.count(pair_rows(alone, alone, pairs.row, pairs.peer, size), n_t)
    counts = dict(zip(edits.COUNTS, counted, strict=True))
    start, end = pairs.documents
    documents = np.arange(start, end)
    sums = {name: add_up(counts[name], pairs.document, len(documents)) for name in EDITS}
    sums["pair_places"] = add_up(size - 1, pairs.document, len(documents))
    first = typed.first[start : end + 1]
    sums["marks"] = alone.offsets[first[1:]] - alone.offsets[first[:-1]]
    sums["places"] = np.diff(first) * (typed.size[first[:-1]] - 1)
    fixed = np.full(len(documents), kind, np.int64)
    paired = np.zeros_like(fixed)
    return {"document": documents, "type": fixed, "other_type": fixed, "paired": paired, **sums}


def _confused(typed: References, pairs: Peers, n_t: int) -> Iterator[dict[str, Ints]]:
    """Yield how often two coders of each document decided for two types (Fournier 2013, eq 7).

    Each document is counted by itself, so that it does not matter which others are in its part.
    """
    assert typed.side.types is not None
    sides, offsets = typed.side.typed, typed.side.typed.offsets
    for number, (start, end) in enumerate(pairwise(pairs.first.tolist())):
        rows = typed.first[pairs.documents[0] + number : pairs.documents[0] + number + 2]
        kinds = np.unique(typed.side.types[offsets[rows[0]] : offsets[rows[1]]])
        if not len(kinds):
            continue
        row, peer = pairs.row[start:end], pairs.peer[start:end]
        decided = no_decisions(kinds.tolist())
        span = slice(offsets[rows[0]], offsets[rows[1]])
        own = Ragged(offsets[rows[0] : rows[1] + 1] - offsets[rows[0]], sides.values[span])
        kind = typed.side.types[span]
        of_pairs = pair_rows(own, own, row - rows[0], peer - rows[0], typed.size[row])
        types = TypedSides(kinds.tolist(), kind, kind)
        edits.count(of_pairs, n_t, types=types, decided=decided)
        cells = decided.cells[0, 1:, 1:]
        both = np.triu(cells + cells.T - np.diag(np.diag(cells)))
        one, other = np.nonzero(both)
        yield {
            **dict.fromkeys(COUNTS, np.zeros(len(one), np.int64)),
            "document": np.full(len(one), pairs.documents[0] + number),
            "type": kinds[one].astype(np.int64),
            "other_type": kinds[other].astype(np.int64),
            "paired": both[one, other],
        }
