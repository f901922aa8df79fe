"""The columns of the input tables: names, types, meanings and roles, defined once.

All code that reads, checks, writes or documents an input table takes its columns from here.  This
module does not import Pandera, which takes a third of a second.
"""

from dataclasses import dataclass

import pyarrow as pa

_INTEGERS = pa.list_(pa.int32())
_NUMBERS = pa.list_(pa.float64())
_TEXTS = pa.list_(pa.string())


@dataclass(frozen=True)
class InputColumn:
    """A column of an input table.

    Its description is for docs/tables.md. If it is required, every file must have it.
    """

    name: str
    type: pa.DataType
    description: str
    required: bool = True


SEGMENTATION_COLUMNS = (
    InputColumn("document_id", pa.string(), "name of the document, not empty"),
    InputColumn("coder", pa.string(), "annotator or system, not empty"),
    InputColumn(
        "n_units",
        pa.int32(),
        "units in the document, >= 1; may be null only with --length-tolerance",
    ),
    InputColumn(
        "boundaries",
        _INTEGERS,
        "positions in units, strictly ascending in 1..n_units-1; "
        "p lies between unit p and unit p+1; [] is one segment",
    ),
    InputColumn(
        "boundary_types",
        _INTEGERS,
        "type of each boundary, >= 1, parallel to boundaries; with types a position may "
        "repeat, and (position, type) is strictly ascending",
        required=False,
    ),
    InputColumn(
        "boundary_scores",
        _NUMBERS,
        "probability of each candidate boundary in [0, 1], parallel to boundaries",
        required=False,
    ),
    InputColumn(
        "segment_labels",
        _TEXTS,
        "label of each segment, such as ad, one more than there are different boundaries; null for "
        "a segment without label",
        required=False,
    ),
    InputColumn(
        "collapsed_boundaries",
        pa.int32(),
        "boundaries that an import dropped because times rounded to the start, to the end or to "
        "one position, or that a projection dropped because they came to be there, >= 0",
        required=False,
    ),
    InputColumn(
        "trial",
        pa.int32(),
        "number of the answer, where a system answered several times for one document, such as a "
        "seed; read in hypotheses only",
        required=False,
    ),
)
"""Columns of references, hypotheses and codings."""

DOCUMENT_COLUMNS = (
    InputColumn("document_id", pa.string(), "name of the document, not empty, unique"),
    InputColumn("n_units", pa.int32(), "units in the document, >= 1"),
    InputColumn(
        "unit_lengths",
        _INTEGERS,
        "words (or milliseconds) in each unit, >= 0, one per unit, total >= 1",
        required=False,
    ),
    InputColumn(
        "unit_weights",
        _INTEGERS,
        "weight of each unit's content, such as its information; whole numbers >= 0, one per unit",
        required=False,
    ),
)
"""Columns of documents.  A file to import may have the optional ones next to segmentations."""

INPUT_TYPES = {column.name: column.type for column in (*SEGMENTATION_COLUMNS, *DOCUMENT_COLUMNS)}
"""Column -> its Arrow type, for all input tables.  Any other column is an attribute."""

BY_BOUNDARY = tuple(
    column.name
    for column in SEGMENTATION_COLUMNS
    if not column.required and pa.types.is_list(column.type) and column.type != _TEXTS
)
"""Optional lists of a segmentation, with one element per boundary."""

BY_SEGMENT = "segment_labels"
"""Optional list of a segmentation, with one element per segment."""

BOUNDARY_KINDS = "boundary_kinds"
"""Attribute of references: a text for each boundary, such as the kind of its transition."""

CUT_FROM = "cut_from"
"""Attribute of a document that is a region of another: the document_id of the other."""

MOST_WORDS = 2**31 - 1
"""Largest sum of the unit lengths of a document."""

BY_UNIT = tuple(column.name for column in DOCUMENT_COLUMNS if not column.required)
"""Optional lists of a document, with one element per unit."""

ROLE = "role"
"""Column of files with both references and hypotheses; no table that a run writes has it."""

ROLES = ("reference", "hypothesis")
"""The values of ``ROLE``."""

TABLE_ROLES = {"references": "reference", "codings": "reference", "hypotheses": "hypothesis"}
"""Input table -> the role of the rows it takes from a file that has both."""
