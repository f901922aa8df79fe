"""The tables `conventions`, `applied` and `calibration`: what published numbers and values mean."""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.schemas.columns import name, name_or_null, value, whole


def _flag(description: str) -> pap.Column:
    return pap.Column(pa.bool_(), nullable=False, description=description)


CONVENTIONS = pap.DataFrameSchema(
    {
        "measure": name("measure that the paper names"),
        "system": name_or_null("system that the number is about"),
        "document_id": name_or_null("document that the number is about; null for all"),
        "printed": name("number as printed"),
        "published": value("number as printed, as a number", None, None),
        "value": value("value by the convention; null if undefined", None, None),
        "explained": _flag("whether the value would be printed as the number"),
        "fits": _flag("whether the convention explains all numbers of its family of measures"),
        "changes": whole("answers in which it differs from that of a published program"),
        "convention": name("published programs that compute so, or the nearest, and what differs"),
        "answers": name("answer to each question"),
        "command": name("command of segscore, and what to do besides"),
    },
    name="conventions",
    description="convention and published number; conventions that fit come first",
    strict=True,
)

APPLIED = pap.DataFrameSchema(
    {
        "system": name("the system"),
        "measure": name("the measure"),
        "value": value("value by the convention; null if undefined", None, None),
        "convention": name("name of the convention"),
        "document_id": name_or_null("document of the value; null for the average over all"),
    },
    name="applied",
    description="system, measure and document, with `--apply`",
    strict=True,
)

CALIBRATION = pap.DataFrameSchema(
    {
        "measure": name("the measure"),
        "fault": name(
            "missed, added, missed-or-added, mixed (near and full misses), moved, or random: as "
            "many boundaries as the reference, anywhere"
        ),
        "level": value(
            "probability of the fault for each boundary; of moved, the largest distance"
        ),
        "size": value("level; of moved, the mean distance, in the unit of the run"),
        "micro": value("value over all versions of all references", None, None),
        "macro": value("mean over documents of their values", None, None),
        "documents": whole("documents whose references were simulated", 1),
        "all_documents": whole("documents with an accepted reference", 1),
    },
    name="calibration",
    description="fault and level",
    strict=True,
)
