"""Options of an import of answers, in the form in which tasks get them."""

from dataclasses import dataclass

from segscore.pipeline.alignment.tokens import WORDS

REWRITTEN, NUMBERED, QUOTED = "rewritten", "numbered", "quoted"
ANSWER_FORMATS = (REWRITTEN, NUMBERED, QUOTED)
"""Formats of answers, which need the units that the system was given."""

REFUSE, NONE, LEAVE_OUT = "refuse", "none", "leave-out"
"""What becomes of an answer that cannot be used."""

STARTS, ENDS, RANGES, SIZES = "starts", "ends", "ranges", "sizes"
TIMES = "times"
"""Numbers are times of starts, alone or before a path, as `times:segments[].start`."""

NUMBERS = (STARTS, ENDS, RANGES, SIZES)
"""What the numbers of an answer are."""

AUTO = "auto"

FAIL, KEEP = "fail", "keep"
"""What becomes of an answer whose end is missing."""

DROP = "drop"
"""What becomes of the words of headings, which are then not aligned."""


@dataclass(frozen=True)
class AnswerOptions:
    """The options of an import of answers, as `segscore answers --help` explains them.

    They have the names of the fields of ``ImportSettings``, and the defaults of answers.
    ``unit_times`` is the path of the start times of the units in a record of the source, and
    ``quotes`` the path of the quotes in the JSON of an answer.  ``are_times``, which is no setting,
    says that numbers are first made of times.
    """

    format_name: str
    role: str = "hypothesis"
    document_id: str | None = None
    coder: str | None = None
    document_field: str = "document_id"
    coder_field: str = "coder"
    text_field: str = "units"
    unit_times: str | None = None
    source_units: str = "texts"
    answer_field: str = "output"
    breaks: str = AUTO
    headings: str = DROP
    answer: str | None = None
    labels: str | None = None
    numbers: str = AUTO
    are_times: bool = False
    quotes: str | None = None
    first_number: int | None = None
    strict: bool = False
    truncated: str = FAIL
    max_edits: float = 0.5
    max_unplaced: int = 0
    failed: str = REFUSE
    tokens: str = WORDS
    levels: bool = False
    encoding: str | None = None

    @property
    def signature(self) -> str:
        """What the field `answers` of a signature says: format, how it was read, failures."""
        read = {
            REWRITTEN: self.tokens,
            NUMBERED: TIMES if self.are_times else self.numbers.partition(":")[0],
            QUOTED: self.tokens,
        }
        kept = f",truncated:{KEEP}" if self.truncated == KEEP else ""
        return f"{self.format_name},{read[self.format_name]}{kept},failed:{self.failed}"
