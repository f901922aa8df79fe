"""The output table `panel_scores`: scores against all references of a document at once."""

import pandera.pyarrow as pap

from segscore.pipeline.measures import PAIRS, PANELS
from segscore.schemas.columns import name, whole
from segscore.schemas.scores import measure

_COUNTS = dict(PANELS.counts)
_REFERENCES = _COUNTS.pop("references")

PANEL_SCORES = pap.DataFrameSchema(
    {
        "document_id": name("id of the document"),
        "hypothesis": name("coder of the hypothesis; `point:` and its name for a reference point"),
        "references": whole(_REFERENCES, 1),
        "window": whole("window size m of the document in the unit of the run", 1),
        **{count: whole(meaning, required=False) for count, meaning in _COUNTS.items()},
        **{column: measure(column) for column in PANELS.measures},
        **{
            f"mean_{column}": measure(column, f"{column} of scores, mean over the references")
            for column in PAIRS.measures
        },
    },
    name="panel_scores",
    description="document and hypothesis, where a document of the run has several references",
    strict=False,  # has the attributes and, in runs by level, `level`
)
