"""Find the systems of which no document has a reference."""

from collections.abc import Collection, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.nightly.nights import Night
from segscore.pipeline.nightly.replicates import tables
from segscore.pipeline.nightly.verdict import UnpairedSystem


def unpaired_systems(night: Night, missing: Collection[str]) -> Iterator[UnpairedSystem]:
    """Yield each system that was not scored because all its rows are unpaired, by name.

    Args:
        night: the night.
        missing: systems that were expected but not scored.
    """
    if not missing:
        return
    parts = [*night.parts("unpaired", ["table", "document_id", "coder"])]
    rejects = night.parts("rejects", ["coder"])
    rejected = {name for part in rejects for name in pc.unique(part["coder"]).to_pylist()}
    unpaired = {name: _documents_of(parts, name) for name in sorted({*missing} - rejected)}
    unpaired = {name: documents for name, documents in unpaired.items() if len(documents)}
    if not unpaired:
        return
    scored = tables(night, "scores", ["document_id", "hypothesis"])
    example = min(pc.min(part["document_id"]).as_py() for part in scored if part.num_rows)
    for name, documents in unpaired.items():
        yield UnpairedSystem(name, len(documents), pc.min(documents).as_py(), example)


def _documents_of(parts: Collection[pa.Table], system: str) -> pa.ChunkedArray:
    """Return the documents of a system's rows in a table of unpaired rows."""
    columns = []
    for part in parts:
        is_hypothesis = pc.equal(part["table"], "hypotheses")
        mask = pc.and_(is_hypothesis, pc.equal(part["coder"], system))
        columns += part["document_id"].filter(mask).chunks
    return pa.chunked_array(columns, pa.string())
