"""The output table `confusion`: which boundary type was taken for which."""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.schemas.columns import name


def _type(description: str) -> pap.Column:
    return pap.Column(pa.int64(), pap.Check.ge(1), nullable=True, description=description)


CONFUSION = pap.DataFrameSchema(
    {
        "hypothesis": name("coder of the hypotheses, without reference points"),
        "reference_type": _type(
            "type in the reference; null: the boundary is only in the hypothesis"
        ),
        "hypothesis_type": _type(
            "type in the hypothesis; null: the boundary is only in the reference"
        ),
        "amount": pap.Column(
            pa.float64(),
            pap.Check.ge(0),
            nullable=False,
            description="number of boundaries, with fractions: a match or a full miss counts 1, a "
            "near miss or a substitution counts 1 minus its weight",
        ),
    },
    name="confusion",
    description="hypothesis, type in the reference and type in the hypothesis",
    strict=False,  # has the level in runs by level
)
