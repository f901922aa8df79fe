"""The output table `summary`: averages of each hypothesis, with intervals."""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.schemas.columns import name, whole


def _number(description: str) -> pap.Column:
    return pap.Column(pa.float64(), nullable=True, description=description)


SUMMARY = pap.DataFrameSchema(
    {
        "hypothesis": name("coder of the hypotheses; `point:` and its name for a reference point"),
        "measure": name("column of scores or panel_scores that is averaged"),
        "average": pap.Column(
            pa.string(),
            pap.Check.isin(["micro", "macro"]),
            nullable=False,
            description="micro: the formula over summed counts; macro: mean over documents of "
            "each document's mean over its references",
        ),
        "value": _number("average, in the unit and range of the measure"),
        "ci_low": _number("lower end of the 95 % bootstrap interval; null without one"),
        "ci_high": _number("upper end of the 95 % bootstrap interval; null without one"),
        "sd": _number("standard deviation (n - 1) over documents; macro rows only"),
        "documents": whole("documents of the group on which the hypothesis was scored"),
        "defined": whole("number of those documents on which the measure is defined"),
        "skill": _number(
            "(value - chance) / (best - chance): 0 chance, 1 perfect, negative worse than chance; "
            "chance is `point:random-own` of the hypothesis; null without it"
        ),
        "skill_low": _number("lower end of the 95 % bootstrap interval of skill"),
        "skill_high": _number("upper end of the 95 % bootstrap interval of skill"),
        "document_set": pap.Column(
            pa.string(),
            nullable=True,
            description="16 hexadecimal digits that are equal for hypotheses that were scored on "
            "the same documents; with many more than 4,096 documents they may be equal for others, "
            "too; null in a history for runs of earlier versions",
        ),
    },
    name="summary",
    description="hypothesis, group, measure and average",
    strict=False,  # has the group-by columns; null in the rows over all documents
)
