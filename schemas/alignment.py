"""The table `alignment`, which an import of answers of language models writes, and a projection.

In a projection the answer is the transcript that segmentations are carried from, and the units are
those of the other one.
"""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.schemas.columns import name, whole


def _whole_or_null(description: str) -> pap.Column:
    return pap.Column(pa.int64(), pap.Check.ge(0), nullable=True, description=description)


def _text_or_null(description: str) -> pap.Column:
    return pap.Column(pa.string(), nullable=True, description=description)


ALIGNMENT = pap.DataFrameSchema(
    {
        "document_id": name("document"),
        "coder": name("system that answered"),
        "source_tokens": _whole_or_null("tokens of the units; null if the answer was not aligned"),
        "output_tokens": _whole_or_null("tokens of the answer; null if it was not aligned"),
        "matches": _whole_or_null(
            "tokens that are equal, in the best alignment without regard to breaks; null, as the "
            "next three, if there are too many edits to count them quickly"
        ),
        "substitutions": _whole_or_null("tokens of the units with another token in their place"),
        "deletions": _whole_or_null("tokens that only the units have"),
        "insertions": _whole_or_null("tokens that only the answer has"),
        "breaks": whole("breaks in the answer"),
        "break_cost": _whole_or_null(
            "further edits because breaks are inside units; null if breaks were not placed"
        ),
        "uncertain_breaks": _whole_or_null(
            "breaks that fit as well at another unit; null if breaks were not placed by words"
        ),
        "collapsed": _whole_or_null(
            "breaks of a rewritten text at an end of the document, or where another break is"
        ),
        "missing_tail_units": _whole_or_null("last units that the answer lacks; null if not known"),
        "problems": _text_or_null("problems, with how often each occurs; null if there is none"),
        "status": name("`ok`, or `failed` if the answer cannot be used"),
        "failure": _text_or_null("why the answer cannot be used; null if it can"),
    },
    name="alignment",
    description="answer",
    strict=True,
)
