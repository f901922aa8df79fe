"""Pseudo-coders: codings with known chances of each error, based on a corpus's segment sizes.

Fournier 2013, section 5 and figure 9: draw a random segmentation from the sizes of the segments
that the coders of a corpus made. Each pseudo-coder repeats it, with one chance of placing a
boundary beside its position (a near miss) and one of placing an extra boundary or omitting one (a
full miss). Alternatively, each coder draws a random segmentation of the same text independently.
Agreement should fall as full misses become more likely, whatever the number of coders, and be low
among random coders.

Where the paper leaves details open:

- Sizes are those of all segments, including the first and last of a text, and are drawn uniformly.
- A text has as many segments as a coding has on average, so that no size is cut; or as many as fill
  a given number of units, with the last one cut. A random coder's last segment is also cut.
- Chances apply to each true boundary independently: it is nearly missed, fully missed or preserved.
- A near miss moves to a position 1..n_t-1 away, chosen uniformly from those that lie between the
  true boundaries before and after and behind the coder's own previous boundary. If there is none,
  as between segments of one unit, the boundary does not move.
- A full miss omits the boundary; or, with the chance ``added``, preserves it and adds one at a
  position chosen uniformly from those where neither the truth nor the coder has one. If there is
  none, nothing is added. An added boundary may happen to lie beside an omitted one.
- With both chances 0 every coding is the true segmentation.

Random numbers are a function of (seed, document, coder); those of the truth, of (seed, document).
"""

import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.agreement import pseudo_coders
from segscore.pipeline.agreement.preparation import Preparation, preparing
from segscore.pipeline.agreement.pseudo_coders import Errors
from segscore.pipeline.agreement.settings import CODINGS_PER_PART, SimulateSettings
from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, column, numbers, ragged
from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.ranges import MOST_UNITS
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.read import read_valid
from segscore.pipeline.tables.validate import owner_of, place_of

TABLE, _RECORD = "codings", "simulation.json"
BOUNDARIES_PER_PART = 2**24
"""About how many boundaries a part has, so that long documents make small parts."""


@dataclass(frozen=True)
class SegmentSizes:
    """What a simulation takes from a corpus.

    Attributes:
        sizes: sizes of all segments of all codings, in units, ascending, each at least 1.
        segments: mean number of segments of a coding, rounded half to even, at least 1.
    """

    sizes: Ints
    segments: int


def segment_sizes(n_units: Positions, boundaries: Ragged) -> SegmentSizes:
    """Pool the segment sizes of codings.

    Args:
        n_units: N of each coding's document, at least one, shape (codings,).
        boundaries: valid positions, one row per coding; a position with several types may repeat.
    """
    offsets = boundaries.offsets - boundaries.offsets[0]
    positions = boundaries.values[boundaries.offsets[0] : boundaries.offsets[-1]].astype(np.int64)
    sizes = np.insert(positions, offsets[1:], n_units) - np.insert(positions, offsets[:-1], 0)
    sizes = np.sort(sizes[sizes > 0])
    return SegmentSizes(sizes, round(Fraction(len(sizes), len(n_units))))


def simulate_codings(
    corpus: SegmentSizes, settings: SimulateSettings, first_document: int, documents: int
) -> pa.Table:
    """Make the codings of some documents of a simulation.

    Args:
        corpus: segment sizes to draw from.
        settings: settings of the simulation; the number of documents is ignored.
        first_document: number of the first document, at least 0.
        documents: number of documents to make, at least 1.

    Returns:
        Segmentations (schemas/segmentations.py), by document, then by coder; documents are named
        ``simulated-000000`` and so on, coders ``coder-00`` and so on.

    Raises:
        Refused: a document could have more than 2^31-1 units, or its coders 2^28 boundaries.
    """
    document = np.arange(first_document, first_document + documents, dtype=np.uint64)
    coder = np.arange(settings.coders + 1, dtype=np.uint64)
    segments = corpus.segments if settings.units is None else MOST_UNITS
    if settings.units is None and segments * int(corpus.sizes[-1]) > MOST_UNITS:
        raise Refused("documents could have more than 2^31-1 units; limit them with --units")
    longest = np.full(documents, settings.units or MOST_UNITS, np.int32)
    # Coder 0 is the truth.
    starts = pseudo_coders.streams(settings.seed, document, coder[:1])
    n_units, truth = pseudo_coders.segment(starts, corpus.sizes, segments, longest)
    starts = pseudo_coders.streams(settings.seed, document, coder[1:])
    if settings.random:
        longest = np.repeat(n_units, settings.coders)
        _, boundaries = pseudo_coders.segment(starts, corpus.sizes, MOST_UNITS, longest)
    else:
        errors = Errors(settings.near_miss, settings.full_miss, settings.added, settings.n_t - 1)
        boundaries = pseudo_coders.code(starts, n_units, truth, errors)
    return _table(document, coder[:-1], n_units, boundaries)


def _table(document: Hashes, coder: Hashes, n_units: Positions, boundaries: Ragged) -> pa.Table:
    of_document = np.repeat(np.arange(len(document)), len(coder))
    offsets = column(boundaries.offsets.astype(np.int32))
    columns = {
        "document_id": _numbered_names("simulated", document, 6).take(column(of_document)),
        "coder": _numbered_names("coder", coder, 2).take(
            column(np.tile(np.arange(len(coder)), len(document)))
        ),
        "n_units": column(n_units[of_document]),
        "boundaries": pa.ListArray.from_arrays(offsets, column(boundaries.values)),
    }
    return pa.table(columns)


def _numbered_names(kind: str, number: Hashes, digits: int) -> pa.StringArray:
    padded = pc.utf8_lpad(column(number).cast(pa.string()), digits, "0")
    return pc.binary_join_element_wise(kind, padded, "-")


def run(codings: str, output: str, settings: SimulateSettings) -> dict[str, Any]:
    """Read a corpus, simulate, and write ``codings/`` and then ``simulation.json``.

    Returns:
        The contents of simulation.json: settings, input files, numbers of rows, warnings.

    Raises:
        Refused: the input cannot be read or has no valid row, or the folder already contains a
            simulation.
    """
    with preparing("simulate", codings, output, settings, (TABLE, _RECORD)) as preparation:
        return _simulate(codings, settings, preparation)


def _simulate(codings: str, settings: SimulateSettings, preparation: Preparation) -> dict[str, Any]:
    """Read a corpus, simulate, and return the record; raise Refused if no row is valid."""
    table = preparation.table
    rows, rejects = read_valid(table, SEGMENTATIONS)
    warnings = [_rejects_warning(rejects, len(rows))] if rejects.num_rows else []
    if not len(rows):
        raise Refused(f"{codings}: {warnings[0]}")
    warnings += table.warnings
    n_units, boundaries = (rows.table.column(name).chunk(0) for name in ("n_units", "boundaries"))
    corpus = segment_sizes(numbers(n_units), ragged(boundaries))
    record = {
        "settings": asdict(settings),
        "inputs": {"codings": [asdict(file) for file in table.files]},
        "rows": {"in": len(rows) + rejects.num_rows, "rejected": rejects.num_rows},
        "warnings": warnings,
        "versions": {"segscore": version("segscore")},
    }
    _write(preparation, corpus, settings, json.dumps(record, indent=2) + "\n")
    return record


def _rejects_warning(rejects: pa.Table, valid: int) -> str:
    first = rejects.slice(0, 1).to_pylist()[0]
    return (
        f"{rejects.num_rows:,} of {valid + rejects.num_rows:,} rows rejected, the first: "
        f"{place_of(first)} {owner_of(first)}: "
        f"{first['rule']}: {first['detail']}"
    )


def _write(
    preparation: Preparation, corpus: SegmentSizes, settings: SimulateSettings, record: str
) -> None:
    """Write all parts where they are prepared, then make them visible, then write the record."""
    step = _documents_per_part(corpus, settings)
    for part, first in enumerate(range(0, settings.documents, step)):
        table = simulate_codings(corpus, settings, first, min(step, settings.documents - first))
        preparation.write(TABLE, f"part-{part:05d}.parquet", table)
    preparation.show(_RECORD, record)


def _documents_per_part(corpus: SegmentSizes, settings: SimulateSettings) -> int:
    segments = corpus.segments
    if settings.units is not None:
        # At most twice this on average: segments drawn, each cut to fit, never reach twice N.
        segments = 1 + int(settings.units / np.minimum(corpus.sizes, settings.units).mean())
    rows = min(CODINGS_PER_PART, BOUNDARIES_PER_PART // segments)
    return max(1, rows // settings.coders)
