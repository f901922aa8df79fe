"""The output tables `rejects` (refused rows) and `unpaired` (rows without a counterpart)."""

import pandera.pyarrow as pap

from segscore.schemas.columns import name, name_or_null, whole

BETWEEN_ROWS = {
    "exact_copy": "a row is given once; of several that are the same in every column, the first "
    "is used",
    "unique_document_coder": "a coder has one row per document; a system has one per trial of it",
    "unique_document": "a document has one row in the table documents",
    "n_units_agree": "all rows of a document have the same n_units, within --length-tolerance",
}
"""Rules that a row breaks together with others, in addition to the rules of the input tables."""

_ROW = {
    "table": name("input table: references, hypotheses, documents or codings"),
    "source": name("file that contains the row"),
    "row": whole(
        "number of the row in its file, from 0; in a JSONL file, number of the line, from 0"
    ),
}

REJECTS = pap.DataFrameSchema(
    {
        **_ROW,
        "rule": name("rule that the row breaks; the first if it breaks several"),
        "detail": name("what the rule requires and what the row contains"),
        "document_id": name_or_null("document of the row; null if it names none"),
        "coder": name_or_null("coder of the row; null if it names none"),
    },
    name="rejects",
    description="input row that was rejected",
    strict=True,
)

UNPAIRED = pap.DataFrameSchema(
    {
        **_ROW,
        "document_id": name("document of the row"),
        "coder": name_or_null("coder of the row; null for a row of documents"),
    },
    name="unpaired",
    description="valid input row without a counterpart",
    strict=True,
)
