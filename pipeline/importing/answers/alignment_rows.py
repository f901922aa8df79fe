"""The rows of the table alignment: whole numbers, so that their sums are rates of the corpus."""

from collections.abc import Sequence

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.importing.answers.placing import Placed, name_problems

ALIGNMENT_FOLDER = "alignment"
"""Name of the table, and of its folder."""

OK, UNUSABLE = "ok", "failed"
"""Values of its column status."""

_WHOLE = (
    *("source_tokens", "output_tokens", "matches", "substitutions", "deletions", "insertions"),
    *("breaks", "break_cost", "uncertain_breaks", "collapsed", "missing_tail_units"),
)
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("document_id", "coder")),
        *((name, pa.int64()) for name in _WHOLE),
        *((name, pa.string()) for name in ("problems", "status", "failure", "read_as")),
    ]
)
"""The columns; schemas/alignment.py says what they mean."""


def aligned_row(document: str, coder: str, placed: Placed) -> dict[str, object]:
    """Return the row of an answer."""
    edits = placed.edits
    return {
        "document_id": document,
        "coder": coder,
        "source_tokens": placed.source_tokens,
        "output_tokens": placed.output_tokens,
        "matches": None if edits is None else edits.matches,
        "substitutions": None if edits is None else edits.substitutions,
        "deletions": None if edits is None else edits.deletions,
        "insertions": None if edits is None else edits.insertions,
        "breaks": placed.breaks,
        "break_cost": placed.break_cost,
        "uncertain_breaks": placed.uncertain,
        "collapsed": placed.collapsed,
        "missing_tail_units": placed.missing_tail,
        "problems": name_problems(placed.problems) or None,
        "status": OK if placed.failure is None else UNUSABLE,
        "failure": placed.failure,
        "read_as": placed.read_as,
    }


def write_alignment(folder: str, name: str, rows: Sequence[dict[str, object]]) -> None:
    """Write rows to a file of the table; none for no rows."""
    if rows:
        url = storage.join(folder, ALIGNMENT_FOLDER, f"{name}.parquet")
        storage.write_table(url, pa.Table.from_pylist(rows, schema=SCHEMA))
