"""The table `alignment`, which an import of answers of language models writes, and a projection.

In a projection the answer is the transcript that segmentations are carried from, and the units are
those of the other one.
"""

import pandera.pyarrow as pap

from segscore.schemas.columns import name, name_or_null, whole, whole_or_null

ALIGNMENT = pap.DataFrameSchema(
    {
        "document_id": name("document"),
        "coder": name("system that answered"),
        "source_tokens": whole_or_null("tokens of the units; null if the answer was not aligned"),
        "output_tokens": whole_or_null("tokens of the answer; null if it was not aligned"),
        "matches": whole_or_null(
            "tokens that are equal, in the best alignment without regard to breaks; null, as the "
            "next three, if there are too many edits to count them quickly"
        ),
        "substitutions": whole_or_null("tokens of the units with another token in their place"),
        "deletions": whole_or_null("tokens that only the units have"),
        "insertions": whole_or_null("tokens that only the answer has"),
        "breaks": whole("breaks in the answer"),
        "break_cost": whole_or_null(
            "further edits because breaks are inside units; null if breaks were not placed"
        ),
        "uncertain_breaks": whole_or_null(
            "breaks that fit as well at another unit; null if breaks were not placed by words"
        ),
        "collapsed": whole_or_null(
            "breaks of a rewritten text at an end of the document, or where another break is"
        ),
        "missing_tail_units": whole_or_null("last units that the answer lacks; null if not known"),
        "problems": name_or_null("problems, with how often each occurs; null if there is none"),
        "status": name("`ok`, or `failed` if the answer cannot be used"),
        "failure": name_or_null("why the answer cannot be used; null if it can"),
        "read_as": name_or_null(
            "what the answer was read as, such as `starts in a list`; null if it was not read"
        ),
    },
    name="alignment",
    description="answer",
    strict=True,
)
