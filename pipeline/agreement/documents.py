"""Measure agreement in each document: pairs, means over pairs, coefficients, prominence."""

from collections.abc import Collection, Iterable
from heapq import nsmallest

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.agreement.agreement_index import index_columns
from segscore.pipeline.agreement.block import Block, BlockSums
from segscore.pipeline.agreement.coder_pairs import Counts
from segscore.pipeline.agreement.coefficients import ACTUAL, Agreement, CoefficientKey, coefficients
from segscore.pipeline.agreement.prominence import REACHES
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Floats, Ints, column, numbers
from segscore.pipeline.measures.measure import evaluate
from segscore.schemas.rows import DocumentRow, number_in


def document_coefficients(
    sums: BlockSums, n_t: int, *, segments: bool
) -> dict[CoefficientKey, Agreement]:
    """Compute every coefficient of each document, with rates from boundaries or from segments."""
    pairs, others = sums.pairs, sums.coders - 1
    places = sums.coders * sums.size
    plain = pairs["mark_products"].astype(np.float64)
    extra = others * sums.marks + sums.coders * others // 2 if segments else 0
    with np.errstate(divide="ignore", invalid="ignore"):
        named = {
            "marks": sums.marks,
            "places": places,
            "rate": (sums.marks + (sums.coders if segments else 0)) / places,
            "product": (plain + extra) / sums.size,
            "category_product": plain / sums.size,
            "both": others * sums.marks,
            "paired_marks": sums.marks,
            "paired_places": places,
            "disagreement": sums.disagreements / others,
        }
    floats = {name: values.astype(np.float64) for name, values in (pairs | named).items()}
    return coefficients(floats, n_t)


def similarities(counts: Counts, n_t: int) -> dict[str, Floats]:
    """Compute every similarity of each pair; two coders without any boundary agree perfectly."""
    values = evaluate(ACTUAL.values(), counts, {"n_t": n_t}, rows=False)
    return {name: np.where(np.isnan(value), 1.0, value) for name, value in values.items()}


def pairs_table(block: Block, similar: dict[str, Floats], windows: dict[str, Floats]) -> pa.Table:
    """Return the rows of `pairs` (schemas/agreement.py)."""
    pairs, counts = block.pairs, dict(block.counts)
    size = counts.pop("pair_places")
    names = {
        "document_id": block.ids.take(pa.array(pairs.document)),
        "coder": block.codings.coder.take(pa.array(pairs.row)),
        "peer": block.codings.coder.take(pa.array(pairs.peer)),
        **block.attributes_of(pairs.document),
        "n_units": column(size + 1),
    }
    values = {name: column(array) for name, array in (counts | similar | windows).items()}
    return pa.table({**names, **values})


def window_measures(counts: Counts) -> dict[str, Floats]:
    """Return Pk and WindowDiff of each pair, either coder as reference; NaN without windows."""
    measures = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for prefix in ("", "peer_"):
            for name in ("pk", "window_diff"):
                errors = counts[f"{prefix}{name}_errors"]
                measures[f"{prefix}{name}"] = errors / counts[f"{prefix}windows"]
    return measures


def documents_table(
    block: Block,
    similar: dict[str, Floats],
    windows: dict[str, Floats],
    agreement: dict[CoefficientKey, Agreement],
) -> pa.Table:
    """Return the rows of `documents` (schemas/agreement.py)."""
    start, end = block.pairs.documents
    first, segments = block.rows - block.rows[0], block.boundaries + 1
    lists = pa.array(first, pa.int32())
    means: dict[str, Floats] = {}
    means["segments_mean"], means["segments_sd"] = mean_and_sd(first, segments.astype(np.float64))
    for name, values in similar.items():
        means[name] = mean_and_sd(block.pairs.first, values)[0]
    for name in ("pk", "window_diff"):
        both = np.stack([windows[name], windows[f"peer_{name}"]], axis=1).ravel()
        means[f"{name}_mean"], means[f"{name}_sd"] = mean_and_sd(2 * block.pairs.first, both)
    for coefficient, similarity in agreement:
        if coefficient != "bias":
            result = agreement[coefficient, similarity]
            means[f"{coefficient}_{similarity}"] = result.value
    return pa.table(
        {
            "document_id": block.ids,
            **block.attributes_of(np.arange(end - start)),
            "n_units": column(block.sums.size + 1),
            "collapsed_boundaries": column(block.collapsed),
            "window": column(block.codings.panel_window[start:end]),
            "codings": column(block.sums.coders),
            "coders": pa.ListArray.from_arrays(lists, block.coder),
            "segments": pa.ListArray.from_arrays(lists, pa.array(segments, pa.int32())),
            "pairs": column(np.diff(block.pairs.first)),
            **{name: column(values) for name, values in means.items()},
            "contested": column(contested_share(means["boundary_similarity"], block.sums.marks)),
        }
    )


@kernel
def _mean_and_sd(first: Ints, values: Floats, means: Floats, sds: Floats) -> None:
    for row in range(len(first) - 1):
        n = 0
        total = 0.0
        all_equal = True
        for i in range(first[row], first[row + 1]):
            if not np.isnan(values[i]):
                all_equal &= n == 0 or values[i] == means[row]
                means[row] = values[i]
                n += 1
                total += values[i]
        if n == 0:
            continue
        if all_equal:
            sds[row] = 0.0 if n > 1 else np.nan
            continue
        means[row] = total / n
        squares = 0.0
        for i in range(first[row], first[row + 1]):
            if not np.isnan(values[i]):
                apart = values[i] - means[row]
                squares += apart * apart  # NumPy's power of 2 may differ in the last bit
        sds[row] = np.sqrt(squares / (n - 1))


def mean_and_sd(first: Ints, values: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation (n - 1) of each row's defined values; NaN where undefined.

    Args:
        first: row r has the values first[r]..first[r+1]-1, shape (rows + 1,).
        values: NaN where undefined.
    """
    means, sds = np.full((2, len(first) - 1), np.nan)
    _mean_and_sd(first, values, means, sds)
    return means, sds


def prominence_table(block: Block) -> pa.Table:
    """Return the rows of `prominence` (schemas/agreement.py), one per marked position."""
    marked, coders = block.marked, block.sums.coders[block.marked.document]
    names = {
        "document_id": block.ids.take(pa.array(marked.document)),
        **block.attributes_of(marked.document),
        "position": column(marked.position),
        "window": column(block.codings.panel_window[block.pairs.documents[0] + marked.document]),
        "coders": column(coders),
    }
    columns: dict[str, pa.Array] = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for reach, within in zip(REACHES, marked.coders, strict=True):
            columns[f"coders_within_{reach}"] = column(within)
            columns[f"support_{reach}"] = column(within / coders)
            columns[f"peer_support_{reach}"] = column((within - 1) / (coders - 1))
    return pa.table({**names, **columns, "marked_by": _marked_by(block)})


def index_table(block: Block) -> pa.Table:
    """Return the rows of `agreement_index` (schemas/agreement.py), one per coding."""
    document = block.coding_document
    names = {
        "document_id": block.ids.take(pa.array(document)),
        "coder": block.coder,
        **block.attributes_of(document),
        "coders": column(block.sums.coders[document]),
    }
    return pa.table({**names, **index_columns(block.index)})


def _marked_by(block: Block) -> pa.ListArray:
    """Return the coders who have a boundary at each marked position, in the order of codings."""
    boundaries, rows = block.codings.side.boundaries, block.rows
    values = boundaries.values[boundaries.offsets[rows[0]] : boundaries.offsets[rows[-1]]]
    coding = np.repeat(np.arange(len(block.boundaries)), block.boundaries)
    order = np.lexsort((values, block.coding_document[coding]))
    first = np.append(0, np.cumsum(block.marked.coders[0]))
    names = block.coder.take(pa.array(coding[order]))
    return pa.ListArray.from_arrays(pa.array(first, pa.int32()), names)


def contested_share(similarity: Floats, boundaries: Ints | Floats) -> Floats:
    """Return the disagreement of which one can be sure, by document; NaN where undefined.

    That is the lower end of the 95 % interval (Wilson 1927) of a share of 1 - ``similarity`` among
    as many observations as the coders marked boundaries.  It is larger where more coders marked
    more boundaries, so that two coders who differ in one boundary do not come first.
    """
    n = np.asarray(boundaries, np.float64)
    share = 1 - similarity
    with np.errstate(divide="ignore", invalid="ignore"):
        half = _Z * np.sqrt(share * (1 - share) / n + (_Z / (2 * n)) ** 2)
        lower = (share + _Z**2 / (2 * n) - half) / (1 + _Z**2 / n)
    return np.where(n > 0, np.maximum(lower, 0), np.nan)


_Z = 1.96
"""Quantile of the normal distribution for a 95 % interval."""


def most_contested(documents: pa.Table, number: int) -> list[DocumentRow]:
    """Return the most contested rows of `documents`, without those whose codings are all the same.

    Documents that are equally contested are ordered by WindowDiff, the largest first, then by id.
    """
    similarity, codings, segments = (
        numbers(documents.column(name).combine_chunks().cast(pa.float64()).fill_null(np.nan))
        for name in ("boundary_similarity", "codings", "segments_mean")
    )
    shares = contested_share(similarity, np.round((segments - 1) * codings))
    differ = similarity < 1
    rows = documents.filter(pa.array(differ))
    rows = rows.append_column("contested", pa.array(shares[differ]))
    order = [
        ("contested", "descending"),
        ("window_diff_mean", "descending"),
        ("document_id", "ascending"),
    ]
    chosen: list[DocumentRow] = rows.sort_by(order).slice(0, number).to_pylist()
    return chosen


def _contested_order(row: DocumentRow) -> tuple[float, float, str]:
    contested, window_diff = (number_in(row, name) for name in ("contested", "window_diff_mean"))
    return (
        1.0 if contested is None else -contested,
        1.0 if window_diff is None else -window_diff,
        str(row["document_id"]),
    )


def contested_in(parts: Iterable[pa.Table], number: int) -> list[DocumentRow]:
    """Return the most contested rows of all parts of `documents`, as ``most_contested`` does."""
    rows = (row for part in parts for row in most_contested(part, number))
    return nsmallest(number, rows, key=_contested_order)


CONTESTED_COLUMNS = [
    "document_id",
    "codings",
    "boundary_similarity",
    "segments_mean",
    "window_diff_mean",
    "coders",
]
"""Columns of `documents` by which these are ranked, and who coded each."""

PAIR_COLUMNS = (
    "document_id",
    "coder",
    "peer",
    "boundaries",
    "peer_boundaries",
    "boundary_similarity",
    "window_diff",
    "peer_window_diff",
)
"""Columns of `pairs` from which documents are ranked without some coders."""


def contested_without(
    parts: Iterable[pa.Table], coders: Collection[str], number: int
) -> list[DocumentRow]:
    """Return the most contested documents if some coders had not coded any.

    Args:
        parts: ``PAIR_COLUMNS`` of `pairs`; all pairs of a document are in one part.
        coders: names of the coders.
        number: the most documents.
    """
    return contested_in((_documents_without(part, coders) for part in parts), number)


def _documents_without(pairs: pa.Table, coders: Collection[str]) -> pa.Table:
    """Return the columns of `documents` by which documents are ranked, without some coders."""
    left = pa.array([*coders], pa.string())
    out = [pc.is_in(pairs.column(side).cast(pa.string()), left) for side in ("coder", "peer")]
    kept = pairs.filter(pc.invert(pc.or_(*out)))
    # Each coding is in one pair fewer than its document has codings.
    marks = pc.add(kept.column("boundaries"), kept.column("peer_boundaries"))
    errors = pc.add(kept.column("window_diff"), kept.column("peer_window_diff"))
    summed = (
        kept.append_column("marks", marks)
        .append_column("errors", pc.divide(errors, 2))
        .group_by("document_id", use_threads=False)
        .aggregate(
            [
                ("boundary_similarity", "mean"),
                ("errors", "mean"),
                ("marks", "sum"),
                ([], "count_all"),
            ]
        )
    )
    of_pairs = numbers(summed.column("count_all").combine_chunks())
    codings = np.round((1 + np.sqrt(1 + 8 * of_pairs)) / 2).astype(np.int64)
    boundaries = numbers(summed.column("marks_sum").combine_chunks()) / (codings - 1)
    return pa.table(
        {
            "document_id": summed.column("document_id"),
            "codings": pa.array(codings),
            "boundary_similarity": summed.column("boundary_similarity_mean"),
            "segments_mean": pa.array(boundaries / codings + 1),
            "window_diff_mean": summed.column("errors_mean"),
        }
    )
