"""The output table `scores`: scores of each hypothesis against each reference of a document."""

import pandera.pyarrow as pap

from segscore.pipeline.measures import ALL, PAIRS
from segscore.schemas.columns import digest, name, value, whole


def measure(name: str, description: str | None = None, *, required: bool = False) -> pap.Column:
    """Return a column of a measure's values; its description defaults to that in scores."""
    described = ALL[name]
    return value(
        description or described.description, described.upper, described.lower, required=required
    )


SCORES = pap.DataFrameSchema(
    {
        "document_id": name("id of the document"),
        "reference": name(
            "coder of the reference; `consensus:` and its share for a consensus reference"
        ),
        "hypothesis": name("coder of the hypothesis; `point:` and its name for a reference point"),
        "n_units": whole("length of the document in the unit of the run", 1),
        "window": whole("window size k in the unit of the run", 1),
        "collapsed_boundaries": whole(
            "boundaries of either side that were dropped: by the import, at the end of the "
            "document, or in the conversion to words, because several fell on one position"
        ),
        "reference_digest": digest(
            "content of the reference as a number: references with equal lengths, boundaries and "
            "types have equal values"
        ),
        **{count: whole(meaning, required=False) for count, meaning in PAIRS.counts.items()},
        **{column: measure(column) for column in PAIRS.measures},
    },
    name="scores",
    description="document, reference and hypothesis",
    strict=False,  # has the attributes and, in runs by level, the number of the level in `level`
)
