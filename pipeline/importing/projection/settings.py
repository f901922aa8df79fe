"""Settings of `segscore project`."""

from dataclasses import dataclass
from math import inf
from typing import Annotated

from segscore.pipeline.alignment.tokens import TOKENS
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.options import REWRITTEN, AnswerOptions
from segscore.pipeline.importing.field_paths import field_path
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.settings.options import (
    Argument,
    MemoryLimitOption,
    Option,
    Panel,
    check_options,
)
from segscore.pipeline.settings.ranges import among
from segscore.schemas.input_columns import ROLES

LISTS_OR_TEXT = "lists or a text"
"""What a record of units has: the text is of segmentations in characters."""

LATEST, EARLIEST = "latest", "earliest"
FROM, TO = "from", "to"
"""Names of the units of the two transcripts: options, stages of tasks and folders."""


def _check_max_edits(option: str, most: float) -> None:
    if not 0 <= most < inf:
        raise Refused(f"{option} {most:g}: must be a number of at least 0")


@dataclass(frozen=True)
class ProjectSettings:
    """Everything that `segscore project` is asked for; the help of each option says what it is."""

    segmentations: Annotated[str, Argument("Segmentations: a file, folder or glob.")]
    source: Annotated[
        str,
        Option(
            "Units of the transcript of the segmentations: files of texts. "
            "They are JSON Lines, text with a unit in a line, subtitles, STM, CTM or "
            "SegLST; a file, folder or glob. Where segmentations count characters, a record "
            "has one text.",
            Panel.INPUTS,
            flags="--from",
        ),
    ]
    target: Annotated[str, Option("Units of the other transcript.", Panel.INPUTS, flags="--to")]
    output: Annotated[
        str,
        Option(
            "Folder for the tables. They are references/, hypotheses/, documents/ and alignment/.",
            Panel.OUTPUT,
        ),
    ]
    role: Annotated[
        str | None,
        Option(
            "reference or hypothesis, where rows do not say. "
            "The default is reference, but hypothesis in a folder hypotheses/.",
            Panel.INPUTS,
            check=among(ROLES),
        ),
    ] = None
    text_field: Annotated[
        str,
        Option(
            "Path of the units in JSON Lines, such as utterances[].text.", Panel.INPUTS, rare=True
        ),
    ] = "units"
    encoding: Annotated[
        str | None, Option("Encoding of text files, such as cp1252; default: UTF-8.", Panel.INPUTS)
    ] = None
    ties: Annotated[
        str,
        Option(
            "Which of equally good places a boundary gets: latest or earliest.",
            Panel.SEGMENTS,
            check=among((LATEST, EARLIEST)),
            rare=True,
        ),
    ] = LATEST
    max_edits: Annotated[
        float,
        Option(
            "Largest edit rate between the two transcripts of a document.",
            Panel.SEGMENTS,
            check=_check_max_edits,
            rare=True,
        ),
    ] = 0.5
    tokens: Annotated[
        str,
        Option(
            "What is aligned: words or characters.", Panel.SEGMENTS, check=among(TOKENS), rare=True
        ),
    ] = "words"
    memory_limit: MemoryLimitOption = None
    fresh: Annotated[
        bool,
        Option(
            "Start over; or resume an interrupted projection.",
            Panel.OUTPUT,
            flags="--fresh/--resume",
        ),
    ] = False

    @property
    def inputs(self) -> dict[str, str]:
        """The files that are read, by the argument or option that names them."""
        return {"SEGMENTATIONS": self.segmentations, "--from": self.source, "--to": self.target}

    @property
    def importing(self) -> ImportSettings:
        """The settings with which an import reads the same files."""
        return ImportSettings(
            (self.segmentations,),
            self.output,
            role=self.role,
            encoding=self.encoding,
            memory_limit=self.memory_limit,
            fresh=self.fresh,
        )

    @property
    def units(self) -> AnswerOptions:
        """The options with which units are read."""
        return AnswerOptions(
            REWRITTEN,
            text_field=self.text_field,
            source_units=LISTS_OR_TEXT,
            tokens=self.tokens,
            encoding=self.encoding,
        )

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        check_options(self)
        _ = self.importing  # checks the output folder and the encoding
        field_path("--text-field", self.text_field)
