"""The output table `conventions`: what each convention gives for published numbers."""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.schemas.columns import name, value, whole


def _flag(description: str) -> pap.Column:
    return pap.Column(pa.bool_(), nullable=False, description=description)


def _optional_name(description: str) -> pap.Column:
    return pap.Column(pa.string(), nullable=True, description=description)


CONVENTIONS = pap.DataFrameSchema(
    {
        "measure": name("measure that the paper names"),
        "system": _optional_name("system that the number is about; null with --codings"),
        "document_id": _optional_name("document that the number is about; null for all"),
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
