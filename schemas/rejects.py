"""The output tables `rejects` (refused rows) and `unpaired` (rows without a counterpart)."""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.schemas.columns import name, whole


def _name_or_null(description: str) -> pap.Column:
    return pap.Column(pa.string(), nullable=True, description=description)


BETWEEN_ROWS = {
    "unique_document_coder": "a coder has one row for a document",
    "unique_document": "a document has one row in the table documents",
    "n_units_agree": "rows of one document have the same n_units",
}
"""Rules that a row breaks together with others, in addition to the rules of the input tables."""

_ROW = {
    "table": name("input table: references, hypotheses, documents or codings"),
    "source": name("file the row is in"),
    "row": whole("number of the row within its file, from 0; of a JSONL file the line, from 0"),
}

REJECTS = pap.DataFrameSchema(
    {
        **_ROW,
        "rule": name("the rule it breaks, the first if there are several"),
        "detail": name("what the rule asks and what the row holds"),
        "document_id": _name_or_null("the row's document, null if it names none"),
        "coder": _name_or_null("the row's coder, null if it names none"),
    },
    name="rejects",
    description="input row that was refused",
    strict=True,
)

UNPAIRED = pap.DataFrameSchema(
    {
        **_ROW,
        "document_id": name("the row's document"),
        "coder": _name_or_null("the row's coder, null for a row of documents"),
    },
    name="unpaired",
    description="input row that is right but met no partner",
    strict=True,
)
