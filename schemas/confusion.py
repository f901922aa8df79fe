"""The output table `confusion`: hypothesis x type in the reference x type in the hypothesis."""

import pandera.pyarrow as pap
import pyarrow as pa

from schemas.scores import name


def _type(description: str) -> pap.Column:
    return pap.Column(pa.int64(), pap.Check.ge(1), nullable=True, description=description)


CONFUSION = pap.DataFrameSchema(
    {
        "hypothesis": name("coder of the hypotheses"),
        "reference_type": _type("boundary type in the reference; null: no boundary"),
        "hypothesis_type": _type("boundary type in the hypothesis; null: no boundary"),
        "amount": pap.Column(
            pa.float64(),
            pap.Check.ge(0),
            nullable=False,
            description="decisions, each pair credited 1 - its weight, >= 0",
        ),
    },
    name="confusion",
    strict=True,
)
