"""Count and add up a block of documents of a part, as the source of all output tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
import pyarrow as pa

from segscore.pipeline.agreement import coder_pairs, prominence
from segscore.pipeline.agreement.agreement_index import IndexCounts, count_index
from segscore.pipeline.agreement.coder_pairs import EDITS, Counts, Peers, add_pairs
from segscore.pipeline.agreement.nearest import NearBoundaries, pair_nearest
from segscore.pipeline.agreement.prominence import Marked
from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints, numbers
from segscore.pipeline.scoring.references import References

_Number = TypeVar("_Number", Ints, Floats)
PAIRS_AT_ONCE = 131_072
"""About how many pairs of coders a task keeps in memory; a single document may have more."""


@dataclass(frozen=True)
class Reach:
    """How far apart the boundaries of two coders may be that are compared.

    Attributes:
        n_t: near misses lie 1..n_t-1 positions apart.
        within: the largest distance of boundaries that are paired to measure offsets, in units.
        bin_size: size of the bins of the agreement index, in units.
    """

    n_t: int
    within: int
    bin_size: int = 1


@dataclass(frozen=True)
class BlockSums:
    """Sums for each document, shape (documents,) each.

    Attributes:
        pairs: sums over coder pairs: ``EDITS``, ``pair_places`` and ``mark_products``, the
            products of both coders' numbers of boundaries.
        coders: number of coders.
        marks: number of boundaries in all codings.
        size: N - 1, the number of potential boundaries.
    """

    pairs: Counts
    coders: Ints
    marks: Ints
    size: Ints

    @property
    def disagreements(self) -> Ints:
        """Number of positions at which a pair of coders disagrees, summed over the pairs."""
        return disagreements(self.pairs)


@dataclass(frozen=True)
class Block:
    """Some documents with their codings and pairs of coders.

    Attributes:
        codings: codings of the whole part.
        attributes: attributes of each document of the part, null where its codings differ.
        pairs: coder pairs of the block's documents.
        counts: counts for each pair.
        sums: sums for each document.
        marked: the documents' marked positions.
        near: the boundaries of each pair that lie near each other.
        index: what the agreement index of each coding is computed from.
    """

    codings: References
    attributes: pa.Table
    pairs: Peers
    counts: Counts
    sums: BlockSums
    marked: Marked
    near: NearBoundaries
    index: IndexCounts

    @property
    def rows(self) -> Ints:
        """Rows of the codings: document d of the block has rows[d]..rows[d+1]-1."""
        start, end = self.pairs.documents
        return self.codings.first[start : end + 1]

    @property
    def coding_document(self) -> Ints:
        """Document of each coding of the block, counted from 0, shape (codings,)."""
        return np.repeat(np.arange(len(self.sums.coders)), self.sums.coders)

    @property
    def coder(self) -> pa.StringArray:
        """Coder's name of each coding, shape (codings,)."""
        rows = self.rows
        return self.codings.coder.slice(rows[0], rows[-1] - rows[0])

    @property
    def boundaries(self) -> Ints:
        """Number of boundaries of each coding, shape (codings,)."""
        rows = self.rows
        return self.codings.side.boundaries.lengths[rows[0] : rows[-1]]

    @property
    def collapsed(self) -> Ints:
        """Boundaries that each document's codings lost in words, shape (documents,)."""
        return add_pairs(self.codings.side.collapsed, self.rows)

    @property
    def ids(self) -> pa.StringArray:
        """Ids of the documents, shape (documents,)."""
        start, end = self.pairs.documents
        return self.codings.documents.ids.slice(start, end - start)

    @property
    def units(self) -> Hashes:
        """Resampling unit of each document, shape (documents,)."""
        start, end = self.pairs.documents
        units = self.codings.resampling
        return units.hashes[units.index[start:end]]

    def pairs_of_one(self, attribute: str | None) -> Flags:
        """Return which pairs of codings have one value of an attribute, shape (pairs,)."""
        pairs = self.pairs
        if attribute is None:
            return np.zeros(len(pairs), bool)
        values = self.codings.attributes.column(attribute).combine_chunks()
        code = numbers(values.dictionary_encode().indices.fill_null(-1))
        return np.asarray((code[pairs.row] == code[pairs.peer]) & (code[pairs.row] >= 0))

    def attributes_of(self, document: Ints) -> dict[str, pa.ChunkedArray]:
        """Return the attributes of the block's documents with these numbers."""
        chosen = self.attributes.take(pa.array(self.pairs.documents[0] + document))
        return dict(zip(chosen.column_names, chosen.columns, strict=True))


def disagreements(counts: Mapping[str, _Number]) -> _Number:
    """Count the positions at which a pair disagrees, or sum them over a document's pairs."""
    return counts["misses"] + counts["false_alarms"] + 2 * counts["near_misses"]


def make_block(
    codings: References, attributes: pa.Table, documents: tuple[int, int], reach: Reach
) -> Block:
    """Pair the codings of some documents of a part, count, and add up."""
    start, end = documents
    rows = codings.first[start : end + 1]
    pairs = coder_pairs.peers(codings.first, documents)
    counts = coder_pairs.count_coder_pairs(codings, pairs, reach.n_t)
    summed = {name: add_pairs(counts[name], pairs.first) for name in (*EDITS, "pair_places")}
    products = counts["boundaries"] * counts["peer_boundaries"]
    summed["mark_products"] = add_pairs(products, pairs.first)
    boundaries = codings.side.boundaries
    marks = boundaries.offsets[rows[1:]] - boundaries.offsets[rows[:-1]]
    sums = BlockSums(summed, np.diff(rows), marks, codings.size[rows[:-1]] - 1)
    marked = prominence.marked(boundaries, rows, codings.panel_window[start:end])
    near = pair_nearest(boundaries, pairs.row, pairs.peer, reach.within)
    index = count_index(boundaries.arrays, rows, codings.size[rows[:-1]], reach.bin_size)
    return Block(codings, attributes, pairs, counts, sums, marked, near, index)


def cut_blocks(first: Ints) -> list[tuple[int, int]]:
    """Divide a part's documents into blocks of about ``PAIRS_AT_ONCE`` pairs or codings."""
    coders = np.diff(first)
    work = np.cumsum(np.maximum(coders, coders * (coders - 1) // 2))
    block = (work - 1) // PAIRS_AT_ONCE
    edges = [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(coders)]
    return [(a, b) for a, b in pairwise(edges) if b > a]
