"""Compute the tallies of some documents from their pairs, coders and positions."""

import json
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from segscore.pipeline.agreement.agreement_index import index_sums
from segscore.pipeline.agreement.block import Block, disagreements
from segscore.pipeline.agreement.chance import first_by_hash
from segscore.pipeline.agreement.coder_pairs import EDITS, Counts
from segscore.pipeline.agreement.coefficients import PAIR_COUNTS
from segscore.pipeline.agreement.prominence import REACHES
from segscore.pipeline.agreement.tallies import Groups, Tallies, folds, tally_documents
from segscore.pipeline.arrays.document_ids import Hashes, hash_names, mix
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, add_up

ITEM_UNIT = 2.0**-36
"""A document's rate is an integer multiple of this, so that sums do not depend on their order."""

SQUARES_SPLIT = 2**30
"""Squares are summed in a high and a low part, so that no sum over an archive overflows."""


class Counted(NamedTuple):
    """How documents are counted.

    Attributes:
        bucketed: whether units are hash buckets.
        segments: whether chances are computed from segments.
        same_tool: attribute of codings; two with one value of it judge nobody. None: all do.
    """

    bucketed: bool
    segments: bool
    same_tool: str | None = None


def tallies_of(
    block: Block,
    group_by: Groups,
    extra: Mapping[str, pa.Table],
    how: Counted,
) -> Tallies:
    """Add up some documents by resampling unit.

    Args:
        block: the documents.
        group_by: the group-by columns and their types.
        extra: the tallies of codings that are set aside, which are not of a block.
        how: how they are counted.
    """
    bucketed, segments, same_tool = how
    pairs, sums = block.pairs, block.sums
    groups = block.attributes_of(np.arange(len(sums.coders)))

    def add(key: str, document: Ints, columns: Mapping[str, object]) -> pa.Table:
        return tally_documents(key, columns, document, groups, group_by)

    documents, codings = np.arange(len(sums.coders)), block.coding_document
    hashes = hash_names(block.ids).hashes
    unit = block.units.astype(np.int64) if bucketed else block.units
    rate = item_rate(sums.marks + (sums.coders if segments else 0), sums.coders * sums.size)
    coder = block.coder.dictionary_encode()
    of_codings = {"unit": unit[codings], "coder": coder, **_codings(block)}
    of_pairs, of_distances = _pairs(block, folds(hashes))
    held_out = {"coder": coder, **_held_out(block, rate, segments=segments)}
    of_document = {"document": hashes[pairs.document], "unit": unit[pairs.document]}
    judging = ~block.pairs_of_one(same_tool)
    names = ("coder", "peer", *EDITS, "pair_places")
    every = pa.table({**of_document, **{name: of_pairs[name] for name in names}})
    of_sample = every.filter(pa.array(judging))
    sampled = dict(zip(every.column_names, of_sample.columns, strict=True))
    of_panels = {"unit": unit, "panel": panels(block), "places": sums.size}
    return Tallies(
        documents=add("documents", documents, {"unit": unit, **_documents(block, rate)}),
        panels=add("panels", documents, of_panels),
        rates=add("rates", codings, of_codings),
        peers=add("peers", pairs.document, of_pairs),
        distances=add("distances", pairs.document[block.near.pair], of_distances),
        held_out=add("held_out", codings, held_out),
        segments=add("segments", codings, _segments(block)),
        supports=add("supports", *_supports(block)),
        sample=add("sample", pairs.document[judging], sampled),
        lengths=add("lengths", *_lengths(block, hashes, coder)),
        **extra,
    )


def _lengths(
    block: Block, hashes: Hashes, coder: pa.DictionaryArray
) -> tuple[Ints, dict[str, object]]:
    """Return the document of codings that may be drawn, and the columns of ``lengths``."""
    drawn = np.zeros(len(hashes), bool)
    drawn[first_by_hash(hashes, block.sums.coders)] = True
    rows = np.flatnonzero(drawn[block.coding_document])
    document = block.coding_document[rows]
    return document, {
        "document": hashes[document],
        "coder": coder.take(pa.array(rows)),
        "marks": block.boundaries[rows],
        "places": block.sums.size[document],
    }


def _codings(block: Block) -> dict[str, object]:
    """Return the numbers of each coding, and those of its pairs."""
    return {
        "codings": np.ones_like(block.coding_document),
        "marks": block.boundaries,
        "places": block.sums.size[block.coding_document],
        **_with_peers(block),
    }


def _pairs(block: Block, fold: Ints) -> tuple[dict[str, object], dict[str, object]]:
    """Return the columns of each pair of codings, and of each two boundaries near each other."""
    pairs, counts = block.pairs, block.counts
    named = block.codings.coder.dictionary_encode()
    of_pairs: dict[str, object] = {
        "fold": fold[pairs.document],
        "coder": named.take(pa.array(pairs.row)),
        "peer": named.take(pa.array(pairs.peer)),
        "documents": np.ones_like(pairs.document),
        **{name: counts[name] for name in (*EDITS, "pair_places")},
        "near_pairs": block.near.pairs,
        "offset_sum": block.near.offset_sum,
    }
    near_pair = block.near.pair
    of_distances: dict[str, object] = {
        "fold": fold[pairs.document[near_pair]],
        "coder": named.take(pa.array(pairs.row[near_pair])),
        "peer": named.take(pa.array(pairs.peer[near_pair])),
        "distance": block.near.distance,
        "near": np.ones_like(near_pair),
    }
    return of_pairs, of_distances


def _with_peers(block: Block) -> Counts:
    """Add up the counts of all pairs that each coding is in, shape (codings,) each."""
    pairs, first = block.pairs, block.rows[0]
    both = np.concatenate([pairs.row - first, pairs.peer - first])
    return {
        name: add_up(np.tile(block.counts[name], 2), both, len(block.boundaries))
        for name in PAIR_COUNTS
    }


def _documents(block: Block, rate: Ints) -> Counts:
    """Return the sums of each document."""
    sums = block.sums
    return {
        "coders": sums.coders,
        "documents": np.ones_like(sums.coders),
        "pairs": np.diff(block.pairs.first),
        **{name: sums.pairs[name] for name in (*EDITS, "pair_places")},
        "codings": sums.coders,
        "marks": sums.marks,
        "places": sums.coders * sums.size,
        "item_rate": rate,
        "item_documents": (sums.size > 0).astype(np.int64),
    }


def item_rate(marks: Ints, places: Ints) -> Ints:
    """Return each document's marks / places in multiples of ``ITEM_UNIT``, rounded down.

    The rate is 0 for a document without places. The quotient is computed in two steps of 18 bits,
    so that neither a product nor the sum of a hundred million rates exceeds 2^63.
    """
    divisor = np.maximum(places, 1)
    high, rest = np.divmod(marks << 18, divisor)
    return np.where(places > 0, (high << 18) + (rest << 18) // divisor, 0)


def _held_out(block: Block, rate: Ints, *, segments: bool) -> Counts:
    """Return, for each coding, the sums of its document with and without that coding."""
    document, pairs, sums = block.coding_document, block.pairs, block.sums
    own_apart, by_pair = np.zeros(len(document), np.int64), disagreements(block.counts)
    np.add.at(own_apart, pairs.row - block.rows[0], by_pair)
    np.add.at(own_apart, pairs.peer - block.rows[0], by_pair)
    coders, size, marks = sums.coders[document], sums.size[document], block.boundaries
    remaining_marks = sums.marks[document] - marks + (coders - 1 if segments else 0)
    return {
        "coders": coders,
        "documents": np.ones_like(document),
        "marks": marks,
        "places": size,
        "document_marks": sums.marks[document],
        "apart": sums.disagreements[document],
        "own_apart": own_apart,
        "item_rate": rate[document],
        "item_rate_without": item_rate(remaining_marks, (coders - 1) * size),
        "item_documents": (size > 0).astype(np.int64),
    }


@kernel
def _hash_panels(rows: Ints, coder: Hashes, hashes: Hashes) -> None:
    for d in range(len(rows) - 1):
        state = np.uint64(0)
        for row in range(rows[d], rows[d + 1]):
            state = mix(state ^ coder[row])
        hashes[d] = state


def panels(block: Block) -> pa.Array:
    """Name the set of coders of each document: a JSON list, coders ascending."""
    rows = block.rows - block.rows[0]
    hashes = np.empty(len(rows) - 1, np.uint64)
    _hash_panels(rows, hash_names(block.coder).hashes, hashes)
    _, first, panel = np.unique(hashes, return_index=True, return_inverse=True)
    listed = [
        json.dumps(block.coder.slice(rows[d], rows[d + 1] - rows[d]).to_pylist())
        for d in first.tolist()
    ]
    return pa.DictionaryArray.from_arrays(pa.array(panel, pa.int32()), pa.array(listed))


@kernel
def _squared_sizes(offsets: Ints, values: Positions, size: Ints, squares: Ints) -> None:
    for row in range(len(offsets) - 1):
        last = 0
        for i in range(offsets[row], offsets[row + 1]):
            squares[row] += (values[i] - last) ** 2
            last = values[i]
        squares[row] += (size[row] - last) ** 2


def _segments(block: Block) -> Counts:
    """Return numbers and sizes of segments, and their squares in two parts."""
    rows = block.rows
    boundaries = block.codings.side.boundaries
    block_boundaries = Ragged(boundaries.offsets[rows[0] : rows[-1] + 1], boundaries.values)
    size = block.codings.size[rows[0] : rows[-1]]
    squares = np.zeros(len(size), np.int64)
    _squared_sizes(block_boundaries.offsets, block_boundaries.values, size, squares)
    segments = block.boundaries + 1
    return {
        "codings": np.ones_like(size),
        "segments": segments,
        "segments_squared_high": segments**2 // SQUARES_SPLIT,
        "segments_squared_low": segments**2 % SQUARES_SPLIT,
        "sizes": size,
        "sizes_squared_high": squares // SQUARES_SPLIT,
        "sizes_squared_low": squares % SQUARES_SPLIT,
        **index_sums(block.index),
    }


def _supports(block: Block) -> tuple[Ints, Counts]:
    """Return the document of each marked position at each reach, and how many coders support it."""
    marked = block.marked
    document = np.tile(marked.document, len(REACHES))
    return document, {
        "reach": np.repeat(np.arange(len(REACHES)), len(marked.document)),
        "coders": block.sums.coders[document],
        "within": marked.coders.ravel(),
        "positions": np.ones_like(document),
    }
