"""Pseudo-coders: codings made of a corpus's segment sizes, with known chances of each error.

Fournier 2013, section 5 and figure 9: from the sizes of the segments that the coders of a corpus
made, a random segmentation like theirs is drawn; each pseudo-coder repeats it, with one chance of
placing a boundary beside its place (a near miss) and one of placing an extra boundary or omitting
one (a full miss). Or each coder draws a random segmentation of the same text for itself. Agreement
should fall as full misses become likelier, whatever the number of coders, and be low among random
coders.

Where the paper is silent:

- Sizes are those of all segments, the first and last of a text too; each draw takes any of them.
- A text has as many segments as a coding has on average, so that no size is cut; or as many as fill
  a given number of units, the last one cut. A random coder's last segment is cut likewise.
- Chances are of each true boundary: it is nearly missed, fully missed or kept, each for itself.
- A near miss moves to any position 1..n_t-1 away, all as likely, that lies between the true
  boundaries before and after and behind the coder's own before. Where there is none, as between
  segments of one unit, the boundary is kept.
- A full miss omits the boundary; or, with the chance ``added``, keeps it and adds one at any
  position, all as likely, where neither the truth nor the coder has one. Where there is none,
  nothing is added. What is added may happen to lie beside what is omitted.
- With both chances 0 every coding is the true segmentation.

Random numbers are a function of (seed, document, coder), those of the truth of (seed, document).
"""

import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.agreement import pseudo_coders
from segscore.pipeline.agreement.pseudo_coders import Errors
from segscore.pipeline.agreement.settings import CODINGS_PER_PART, SimulateSettings
from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, column, numbers, ragged
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.runs.settings import MOST_UNITS, check_locations
from segscore.pipeline.storage.placement import require_apart
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.find import find_table
from segscore.pipeline.tables.preparation import preparing, require_free
from segscore.pipeline.tables.read import read_valid

TABLE, _RECORD, _UNFINISHED = "codings", "simulation.json", "_codings"
BOUNDARIES_PER_PART = 2**24
"""About; so that long documents make small parts."""


@dataclass(frozen=True)
class SegmentSizes:
    """What a simulation takes from a corpus.

    Attributes:
        sizes: in units, of every segment of every coding, ascending, each at least 1.
        segments: of a coding on average, rounded half to even, at least 1.
    """

    sizes: Ints
    segments: int


def segment_sizes(n_units: Positions, boundaries: Ragged) -> SegmentSizes:
    """Pool the segment sizes of codings.

    Args:
        n_units: N of each coding's document, at least one, shape (codings,).
        boundaries: valid positions, one row a coding; those of several types may repeat.
    """
    offsets = boundaries.offsets - boundaries.offsets[0]
    inside = boundaries.values[boundaries.offsets[0] : boundaries.offsets[-1]].astype(np.int64)
    sizes = np.insert(inside, offsets[1:], n_units) - np.insert(inside, offsets[:-1], 0)
    sizes = np.sort(sizes[sizes > 0])
    return SegmentSizes(sizes, round(Fraction(len(sizes), len(n_units))))


def simulate_codings(
    corpus: SegmentSizes, settings: SimulateSettings, first_document: int, documents: int
) -> pa.Table:
    """Make the codings of some documents of a simulation.

    Args:
        corpus: what segmentations are drawn from.
        settings: of the simulation; how many documents it has does not matter here.
        first_document: number of the first one, at least 0.
        documents: how many, at least 1.

    Returns:
        Segmentations (schemas/segmentations.py), by document, then by coder: documents
        ``simulated-000000`` and on, coders ``coder-00`` and on.

    Raises:
        Refused: a document could have more than 2^31-1 units, or its coders 2^28 boundaries.
    """
    document = np.arange(first_document, first_document + documents, dtype=np.uint64)
    coder = np.arange(settings.coders + 1, dtype=np.uint64)
    segments = corpus.segments if settings.units is None else MOST_UNITS
    if settings.units is None and segments * int(corpus.sizes[-1]) > MOST_UNITS:
        raise Refused("documents could have more than 2^31-1 units; say how many with --units")
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
        "document_id": _named("simulated", document, 6).take(column(of_document)),
        "coder": _named("coder", coder, 2).take(
            column(np.tile(np.arange(len(coder)), len(document)))
        ),
        "n_units": column(n_units[of_document]),
        "boundaries": pa.ListArray.from_arrays(offsets, column(boundaries.values)),
    }
    return pa.table(columns)


def _named(kind: str, number: Hashes, digits: int) -> pa.StringArray:
    padded = pc.utf8_lpad(column(number).cast(pa.string()), digits, "0")
    return pc.binary_join_element_wise(kind, padded, "-")


def run(codings: str, output: str, settings: SimulateSettings) -> dict[str, Any]:
    """Read a corpus, simulate, and write ``codings/`` and then ``simulation.json``.

    Args:
        codings: table of segmentations: a file, a folder or a glob.
        output: folder to write to; must not hold a simulation yet.
        settings: what to simulate.

    Returns:
        What simulation.json says: settings, files and rows read, warnings.

    Raises:
        Refused: unreadable input, no valid row in it, or a simulation that is there already.
    """
    check_locations({"CODINGS": codings, "--output": output})
    require_apart(output, {"CODINGS": codings})
    require_free(output, (TABLE, _RECORD))
    table = find_table("references", codings, SEGMENTATIONS)
    rows, rejects = read_valid(table, SEGMENTATIONS)
    warnings = [_rejected(rejects, len(rows))] if rejects.num_rows else []
    if not len(rows):
        raise Refused(f"{codings}: {warnings[0]}")
    n_units, boundaries = (rows.table.column(name).chunk(0) for name in ("n_units", "boundaries"))
    corpus = segment_sizes(numbers(n_units), ragged(boundaries))
    record = {
        "settings": asdict(settings),
        "inputs": {"codings": [asdict(file) for file in table.files]},
        "rows": {"in": len(rows) + rejects.num_rows, "rejected": rejects.num_rows},
        "warnings": warnings,
        "versions": {"segscore": version("segscore")},
    }
    _write(output, corpus, settings, json.dumps(record, indent=2) + "\n")
    return record


def _rejected(rejects: pa.Table, good: int) -> str:
    first = rejects.slice(0, 1).to_pylist()[0]
    return (
        f"{rejects.num_rows} of {good + rejects.num_rows} rows rejected, the first: "
        f"{first['source']} row {first['row']} ({first['document_id']}, {first['coder']}): "
        f"{first['rule']}: {first['detail']}"
    )


def _write(output: str, corpus: SegmentSizes, settings: SimulateSettings, record: str) -> None:
    """Write the parts out of sight, show them when all are there, and then write the record."""
    step = _documents_per_part(corpus, settings)
    with preparing(output, _UNFINISHED, (TABLE, _RECORD)) as preparation:
        for part, first in enumerate(range(0, settings.documents, step)):
            table = simulate_codings(corpus, settings, first, min(step, settings.documents - first))
            preparation.write(TABLE, f"part-{part:05d}.parquet", table)
        preparation.show()
        try:
            storage.write_new_text(storage.join(output, _RECORD), record)
        except FileExistsError as problem:
            raise Failed(f"{output}: somebody else wrote {_RECORD} meanwhile") from problem


def _documents_per_part(corpus: SegmentSizes, settings: SimulateSettings) -> int:
    segments = corpus.segments
    if settings.units is not None:
        # At most twice this on average: segments drawn, each as long as fits, never reach twice N.
        segments = 1 + int(settings.units / np.minimum(corpus.sizes, settings.units).mean())
    rows = min(CODINGS_PER_PART, BOUNDARIES_PER_PART // segments)
    return max(1, rows // settings.coders)
