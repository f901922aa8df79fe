"""What an import of answers is asked for, in the form in which tasks get it."""

from dataclasses import dataclass

from segscore.pipeline.alignment.tokens import WORDS

REWRITTEN, NUMBERED, QUOTED = "rewritten", "numbered", "quoted"
ANSWER_FORMATS = (REWRITTEN, NUMBERED, QUOTED)
"""Formats of answers, which need the units that the system was given."""

REFUSE, NONE, LEAVE_OUT = "refuse", "none", "leave-out"
FAILED_ANSWERS = (REFUSE, NONE, LEAVE_OUT)
"""What becomes of an answer that cannot be used."""

STARTS, ENDS, RANGES, SIZES = "starts", "ends", "ranges", "sizes"
NUMBERS = (STARTS, ENDS, RANGES, SIZES)
"""What the numbers of an answer are."""

AUTO = "auto"


@dataclass(frozen=True)
class AnswerOptions:
    """The options of an import of answers.

    Attributes:
        format_name: one of ``ANSWER_FORMATS``.
        role: role of the segmentations.
        document_id: `--document-id`; None if it is not given, as with all options below.
        coder: `--coder`.
        document_field: `--document-field`, path of the document's name.
        coder_field: `--coder-field`, path of the coder's name.
        text_field: `--text-field`, path of the units in a record of the source.
        times_field: path of the start times of the units in a record of the source; None if there
            is none.
        source_units: whether the units are `texts` or `tokens`.
        answer_field: `--answer-field`, path of the answer in a record.
        breaks: `--break`.
        drop_headings: whether the words of headings are not aligned.
        answer: `--answer`: `fence`, or the name of a tag; None for the whole answer.
        labels: `--labels`, a regular expression.
        numbers: `--numbers`.
        first_number: `--first-number`.
        strict: `--strict`.
        max_edits: largest edit rate.
        max_unplaced: largest number of quotes without a unit.
        failed: one of ``FAILED_ANSWERS``.
        tokens: `words` or `characters`.
        levels: `--levels`.
        encoding: `--encoding`.
        memory: bytes of a worker's memory; None for the default.
    """

    format_name: str
    role: str = "hypothesis"
    document_id: str | None = None
    coder: str | None = None
    document_field: str = "document_id"
    coder_field: str = "coder"
    text_field: str = "units"
    times_field: str | None = None
    source_units: str = "texts"
    answer_field: str = "output"
    breaks: str = AUTO
    drop_headings: bool = True
    answer: str | None = None
    labels: str | None = None
    numbers: str = STARTS
    first_number: int | None = None
    strict: bool = False
    max_edits: float = 0.5
    max_unplaced: int = 0
    failed: str = REFUSE
    tokens: str = WORDS
    levels: bool = False
    encoding: str | None = None
    memory: int | None = None

    @property
    def signature(self) -> str:
        """What the field `answers` of a signature says: format, how it was read, failures."""
        read = {
            REWRITTEN: self.tokens,
            NUMBERED: self.numbers.partition(":")[0],
            QUOTED: self.tokens,
        }
        return f"{self.format_name},{read[self.format_name]},failed:{self.failed}"
