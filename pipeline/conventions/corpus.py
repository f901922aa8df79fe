"""The pairs of a corpus, in arrays that every convention can count."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import Documents
from segscore.pipeline.arrays.ragged import Flags, Ints, Ragged, flags, trimmed
from segscore.pipeline.conventions.document_sample import rows_taken
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs, pair_rows
from segscore.pipeline.scoring.boundaries import side_from_rows
from segscore.pipeline.scoring.counting import pair_up
from segscore.pipeline.scoring.documents import DocumentRows
from segscore.pipeline.tables.units import MILLISECOND

TIME, EDGES = "time", "edges"
"""What answers may need: positions in milliseconds; columns that say which ends are boundaries."""

_EDGES = ("edge_start", "edge_end")
"""Columns of the tables: whether a boundary is at the start of the document, and at its end."""


@dataclass(frozen=True)
class CodedSide:
    """The references or the hypotheses of a corpus; boundary types are ignored.

    Attributes:
        boundaries: positions in the unit of the run, one row per segmentation.
        n_units: N of each segmentation's document, shape (rows,).
        document: document number of each segmentation, shape (rows,).
        system: number of each segmentation's system; 0 for references, shape (rows,).
        edges: whether the start and the end of the document are boundaries, shape (rows, 2).
        length: length of each document in ``Corpus.parts`` of a unit, shape (rows,); None for N.
    """

    boundaries: Ragged
    n_units: Ints
    document: Ints
    system: Ints
    edges: Flags
    length: Ints | None = None


@dataclass(frozen=True)
class Corpus:
    """References, hypotheses, and which of them are compared.

    Attributes:
        references: the references.
        hypotheses: the hypotheses.
        ref_row: row of the reference in each pair, shape (pairs,).
        hyp_row: row of the hypothesis in each pair, shape (pairs,).
        documents: the documents, by number.
        systems: names of the systems, by number.
        offers: what answers may need (``TIME``, ``EDGES``) and the tables have.
        parts: how many parts of a unit the lengths of documents count.
        repeated: whether a segmentation may have several boundaries at one position.
    """

    references: CodedSide
    hypotheses: CodedSide
    ref_row: Ints
    hyp_row: Ints
    documents: Documents
    systems: tuple[str, ...]
    offers: frozenset[str] = frozenset()
    parts: int = 1
    repeated: bool = False

    @cached_property
    def document(self) -> Ints:
        """Document number of each pair, shape (pairs,)."""
        return self.hypotheses.document[self.hyp_row]

    @cached_property
    def system(self) -> Ints:
        """System number of each pair, shape (pairs,)."""
        return self.hypotheses.system[self.hyp_row]

    @cached_property
    def unbounded(self) -> Flags:
        """Whether the reference of each pair has no boundary, shape (pairs,)."""
        return self.references.boundaries.lengths[self.ref_row] == 0

    @cached_property
    def neither(self) -> Flags:
        """Whether neither side of each pair has a boundary, shape (pairs,)."""
        return self.unbounded & (self.hypotheses.boundaries.lengths[self.hyp_row] == 0)

    def only(self, chosen: Ints) -> "Corpus":
        """Return the corpus with some of its pairs, and all segmentations of their systems."""
        ref_row, hyp_row, side = self.ref_row[chosen], self.hyp_row[chosen], self.hypotheses
        kept = np.flatnonzero(np.isin(side.system, np.unique(side.system[hyp_row])))
        hypotheses = CodedSide(
            rows_taken(side.boundaries, kept),
            side.n_units[kept],
            side.document[kept],
            side.system[kept],
            side.edges[kept],
        )
        hyp_row = np.searchsorted(kept, hyp_row)
        return replace(self, hypotheses=hypotheses, ref_row=ref_row, hyp_row=hyp_row)

    def pairs(self, references: Ragged, hypotheses: Ragged, n_units: Ints) -> SegmentationPairs:
        """Return the pairs with other boundaries, and other lengths of the references."""
        lengths = n_units[self.ref_row]
        return pair_rows(references, hypotheses, self.ref_row, self.hyp_row, lengths)


def corpus_of(rows: DocumentRows, *, typed: bool, unit: str | None) -> Corpus:
    """Return the pairs of the accepted rows of two tables.

    Args:
        rows: the rows, which may have boundary types.
        typed: whether they have.
        unit: unit of the positions; None if it is not known.
    """
    references, accepted = rows.references, rows.accepted
    pairs = pair_up(accepted.document, references.first)
    side = side_from_rows(accepted.rows, accepted.document, references.words, typed=typed)
    sizes = references.size[references.first[accepted.document]]
    systems = accepted.rows.coders
    no_system = np.zeros(len(references), np.int64)
    tables = rows.collected.reference_rows.table, accepted.rows.table
    offers = {TIME} if unit == MILLISECOND else set()
    offers |= (
        {EDGES} if any(name in table.column_names for table in tables for name in _EDGES) else set()
    )
    return Corpus(
        CodedSide(
            trimmed(references.side.boundaries),
            references.size,
            references.document,
            no_system,
            _edges(tables[0]),
        ),
        CodedSide(
            trimmed(side.boundaries), sizes, accepted.document, systems.code, _edges(tables[1])
        ),
        pairs.ref_row,
        pairs.hyp_row,
        references.documents,
        tuple(systems.names),
        frozenset(offers),
    )


def _edges(table: pa.Table) -> Flags:
    """Return whether each segmentation has a boundary at its start, and at its end.

    It has one unless its table says that there is none.
    """
    columns = []
    for name in _EDGES:
        known = name in table.column_names and pa.types.is_boolean(table.schema.field(name).type)
        column = table.column(name).fill_null(True).combine_chunks() if known else None
        columns.append(np.ones(table.num_rows, bool) if column is None else flags(column))
    return np.stack(columns, axis=1)
