"""The output tables `rejects` (refused rows) and `unpaired` (rows that met no partner)."""

import pandera.pyarrow as pap
import pyarrow as pa

from schemas.scores import name, whole


def _name_or_null(description: str) -> pap.Column:
    return pap.Column(pa.string(), nullable=True, description=description)


ROW = {
    "table": name("input table: references, hypotheses, documents or segmentations"),
    "source": name("file the row is in"),
    "row": whole("number of the row within its file, from 0; of a JSONL file the line, from 0"),
}

REJECTS = pap.DataFrameSchema(
    {
        **ROW,
        "rule": name("the rule it breaks, the first if there are several"),
        "detail": name("what the rule asks and what the row holds"),
        "document_id": _name_or_null("the row's document, null if it names none"),
        "coder": _name_or_null("the row's coder, null if it names none"),
    },
    name="rejects",
    strict=True,
)

UNPAIRED = pap.DataFrameSchema(
    {
        **ROW,
        "document_id": name("the row's document"),
        "coder": _name_or_null("the row's coder, null for a row of documents"),
    },
    name="unpaired",
    strict=True,
)
