"""The columns of the table alignment, which an import of answers writes: one row for each answer."""

import pyarrow as pa

ALIGNMENT = "alignment"
"""Name of the table."""

OK, FAILED = "ok", "failed"
"""Values of its column status."""

_WHOLE = pa.int64()

ALIGNMENT_COLUMNS: dict[str, tuple[pa.DataType, str]] = {
    "document_id": (pa.string(), "the document"),
    "coder": (pa.string(), "the system"),
    "source_tokens": (_WHOLE, "tokens of the units; null if no text was aligned"),
    "output_tokens": (_WHOLE, "tokens of the answer"),
    "matches": (_WHOLE, "tokens that are equal, in the best alignment without regard to breaks"),
    "substitutions": (_WHOLE, "tokens with another token in their place"),
    "deletions": (_WHOLE, "tokens that only the units have"),
    "insertions": (_WHOLE, "tokens that only the answer has"),
    "breaks": (_WHOLE, "breaks in the answer"),
    "break_cost": (_WHOLE, "further edits because breaks are inside units"),
    "uncertain_breaks": (_WHOLE, "breaks that fit elsewhere as well"),
    "collapsed": (_WHOLE, "breaks at an end of the document, or where another break is"),
    "missing_tail_units": (_WHOLE, "last units that the answer lacks; null if it is not known"),
    "problems": (pa.string(), "problems of the answer, and how often each occurs"),
    "status": (pa.string(), "ok, or failed if the answer cannot be used"),
    "failure": (pa.string(), "why the answer cannot be used"),
}
"""Column -> its type and meaning."""

ALIGNMENT_SCHEMA = pa.schema([(name, kind) for name, (kind, _) in ALIGNMENT_COLUMNS.items()])
