"""Settings of `segscore import`."""

import codecs
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Annotated

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.settings.options import Argument, MemoryLimitOption, Option, Panel
from segscore.pipeline.settings.ranges import in_unit_interval, one_of
from segscore.pipeline.settings.reading import COUNTED_UNITS, read_names, read_renames

if TYPE_CHECKING:
    from segscore.pipeline.importing.times import Clock

COLUMN_USES = ("document", "coder", "role", "start", "end", "duration", "level", "label")
"""What a column of a table can be for; the keys of `--columns`."""

_CHOICES = {
    "--role": ("reference", "hypothesis"),
    "--unit": COUNTED_UNITS,
    "--time-unit": ("s", "ms", "frames"),
    "--marks": ("end", "start", "between"),
    "--text-units": ("lines", "characters", "tokens"),
    "--same-label": ("keep", "merge"),
    "--gaps": ("join", "own"),
    "--source-units": ("texts", "tokens"),
    "--headings": ("drop", "keep"),
    "--failed": ("refuse", "none", "leave-out"),
    "--truncated": ("fail", "keep"),
    "--tokens": ("words", "characters"),
}


def _read_columns(option: str, text: str) -> dict[str, str]:
    """Read `start=Von,end=Bis`; an empty name sets the column of that use aside.

    Raises:
        Refused: a part has no `=` or an unknown use, or a use or a name is repeated.
    """
    columns: dict[str, str] = {}
    for part in text.split(","):
        use, equals, name = part.partition("=")
        use = use.strip().removesuffix("_id")
        if not equals or use not in COLUMN_USES:
            raise Refused(
                f"{option} {text}: {part or 'nothing'} is not USE=COLUMN; expected for USE one of "
                f"{', '.join(COLUMN_USES)}{nearest(use, COLUMN_USES)}"
            )
        if use in columns or (name and name in columns.values()):
            raise Refused(f"{option} {text}: {part} repeats a use or a column; name each once")
        columns[use] = name
    return columns


@dataclass(frozen=True)
class ImportSettings:
    """Everything that `segscore import` is asked for; the help of each option says what it is."""

    files: Annotated[tuple[str, ...], Argument("Files or globs, of any known format.")]
    output: Annotated[
        str,
        Option(
            "Folder for the tables. They are references/, hypotheses/ and documents/.", Panel.OUTPUT
        ),
    ]
    format_name: Annotated[
        str | None,
        Option(
            "Format of the files; default: by name and content.", Panel.INPUTS, flags="--format"
        ),
    ] = None
    role: Annotated[
        str | None,
        Option(
            "reference or hypothesis, where the file does not say. "
            "The default is reference, but hypothesis for answers of language "
            "models.",
            Panel.INPUTS,
        ),
    ] = None
    references: Annotated[
        str | None, Option("Pattern of files of references: 'ref/*'.", Panel.INPUTS)
    ] = None
    hypotheses: Annotated[
        str | None, Option("Pattern of files of hypotheses: 'systems/*'.", Panel.INPUTS)
    ] = None
    coder: Annotated[
        str | None, Option("Coder or system, where the file names none.", Panel.INPUTS)
    ] = None
    system: Annotated[
        str | None,
        Option(
            "Coder of hypotheses in files that have references, too (chunkseg).",
            Panel.INPUTS,
            rare=True,
        ),
    ] = None
    rename_coders: Annotated[
        dict[str, str] | None,
        Option("CSV file of coders and the names they get.", Panel.INPUTS, read_renames),
    ] = None
    document_id: Annotated[
        str | None, Option("Document, where the file names none.", Panel.INPUTS)
    ] = None
    documents: Annotated[
        str | None,
        Option(
            "Lengths of documents: a table or a UEM file. "
            "The table has document_id and duration (seconds) or n_units, or is one "
            "of an earlier import.",
            Panel.INPUTS,
        ),
    ] = None
    regions: Annotated[
        str | None,
        Option(
            "Regions that are scored: a table or a UEM file. "
            "The table has document_id, start and end, in units, or in times as start_s and end_s.",
            Panel.INPUTS,
        ),
    ] = None
    encoding: Annotated[
        str | None, Option("Encoding of text files, such as cp1252; default: UTF-8.", Panel.INPUTS)
    ] = None
    unit: Annotated[
        str | None,
        Option(
            "What files count that do not say: second, word. "
            "One of millisecond, second, sentence, utterance, turn, line, word, "
            "token, character.",
            Panel.INPUTS,
        ),
    ] = None
    time_unit: Annotated[
        str | None, Option("Unit of plain numbers: s, ms or frames.", Panel.TIMES)
    ] = None
    frame_rate: Annotated[
        str | None,
        Option("Frames in a second: 25, 29.97 or 30000/1001. 29.97 means 30000/1001.", Panel.TIMES),
    ] = None
    unit_times: Annotated[
        str | None,
        Option(
            "Start times of units: a path in the record, or files. "
            "They make boundaries times. The path is of a list in the record, or in "
            "that of --source (utterances[].start); the files are subtitles, STM, "
            "CTM or SegLST.",
            Panel.TIMES,
        ),
    ] = None
    start_timecode: Annotated[
        str | None,
        Option("Time at which the recording starts, such as 10:00:00:00.", Panel.TIMES, rare=True),
    ] = None
    gaps: Annotated[
        str, Option("Gaps: join them to the segment before, or own segments.", Panel.SEGMENTS)
    ] = "join"
    smallest_gap: Annotated[
        int, Option("Milliseconds; a shorter gap is not counted as one.", Panel.SEGMENTS, rare=True)
    ] = 0
    same_label: Annotated[
        str | None,
        Option(
            "Neighbours with the same label: keep or merge; default: merge speakers' turns.",
            Panel.SEGMENTS,
            rare=True,
        ),
    ] = None
    levels: Annotated[
        bool,
        Option(
            "Make a segment's level the type of its boundary.", Panel.SEGMENTS, flags="--levels"
        ),
    ] = False
    max_level: Annotated[
        int | None, Option("Deepest level to read; 1 is the outermost.", Panel.SEGMENTS, rare=True)
    ] = None
    strict: Annotated[
        bool, Option("Refuse gaps, overlaps and the like.", Panel.SEGMENTS, flags="--strict")
    ] = False
    columns: Annotated[
        dict[str, str] | None,
        Option(
            "Columns of a table, such as start=Von,end=Bis,label=Thema. "
            "There are document, coder, role, start, end, duration, level and label; "
            "end= sets a column aside.",
            Panel.TABLES,
            _read_columns,
        ),
    ] = None
    skip_lines: Annotated[
        int, Option("Number of lines before the header of a table.", Panel.TABLES, rare=True)
    ] = 0
    flags: Annotated[
        str | None, Option("Path of a list with 0 or 1 for each unit.", Panel.TABLES, rare=True)
    ] = None
    marks: Annotated[
        str | None,
        Option(
            "Where a flag stands: at the end or start of a segment, or between units.",
            Panel.TABLES,
            rare=True,
        ),
    ] = None
    ids: Annotated[
        str | None, Option("Path of a list with the segment of each unit.", Panel.TABLES, rare=True)
    ] = None
    sizes: Annotated[
        str | None, Option("Path of a list with the size of each segment.", Panel.TABLES, rare=True)
    ] = None
    records: Annotated[
        str | None, Option("Path of the list of documents in a JSON file.", Panel.TABLES, rare=True)
    ] = None
    document_field: Annotated[
        str | None, Option("Path of the document's name in a record.", Panel.TABLES, rare=True)
    ] = None
    coder_field: Annotated[
        str | None, Option("Path of the coder's name in a record.", Panel.TABLES, rare=True)
    ] = None
    units: Annotated[
        str | None,
        Option(
            "Path of the list of units, whose number must fit the flags.", Panel.TABLES, rare=True
        ),
    ] = None
    text_units: Annotated[
        str | None,
        Option(
            "Units of annotated texts: lines, characters or tokens.", Panel.ANNOTATIONS, rare=True
        ),
    ] = None
    tier: Annotated[
        tuple[str, ...],
        Option("Tiers to read; in topics@*, * is the coder.", Panel.ANNOTATIONS, read_names),
    ] = ()
    namespace: Annotated[
        str | None, Option("Namespace of JAMS annotations to read.", Panel.ANNOTATIONS, rare=True)
    ] = None
    max_rejects: Annotated[
        float, Option("Largest share of bad rows to leave out, 0 to 1.", Panel.OUTPUT)
    ] = 0.0
    from_name: Annotated[
        str | None,
        Option("Control of Label Studio whose regions to read.", Panel.ANNOTATIONS, rare=True),
    ] = None

    source: Annotated[
        str | None,
        Option(
            "The units that the system was given: files of texts. "
            "They are JSON Lines, text with a unit in a line, subtitles, STM, CTM or "
            "SegLST; a file, folder or glob.",
            Panel.ANSWERS,
        ),
    ] = None
    text_field: Annotated[
        str | None,
        Option(
            "Path of the units in a record of --source; default: units.", Panel.ANSWERS, rare=True
        ),
    ] = None
    source_units: Annotated[
        str | None,
        Option(
            "Units: the texts of --source, or their tokens; default: texts.",
            Panel.ANSWERS,
            rare=True,
        ),
    ] = None
    answer_field: Annotated[
        str | None,
        Option("Path of the answer in a record; default: output.", Panel.ANSWERS, rare=True),
    ] = None
    breaks: Annotated[
        str | None,
        Option(
            "Marks of breaks in a rewritten text; default: auto. "
            "They are rule, heading, blank, newline, several of them (blank,rule), "
            "pattern:REGEX, or texts with types (<eob>=1,<eol>=2); auto is the first "
            "of the four that any answer contains.",
            Panel.ANSWERS,
            flags="--break",
        ),
    ] = None
    headings: Annotated[
        str | None,
        Option(
            "Words of headings: drop (they become titles) or keep; default: drop.",
            Panel.ANSWERS,
            rare=True,
        ),
    ] = None
    answer: Annotated[
        str | None,
        Option("Where it is: fence (a code fence) or TAG (<TAG>...</TAG>).", Panel.ANSWERS),
    ] = None
    labels: Annotated[
        str | None,
        Option(r"Labels to drop at the beginning of lines, such as U\d+:.", Panel.ANSWERS),
    ] = None
    numbers: Annotated[
        str | None,
        Option(
            "What numbers are: auto, starts, ends, ranges, sizes or times. "
            "With auto, an answer that does not show it fails. With a path in JSON "
            "(starts:segments[].start) or a pattern (starts:pattern:REGEX) it is not "
            "asked. times are of starts, with --unit-times.",
            Panel.ANSWERS,
        ),
    ] = None
    quotes: Annotated[
        str | None,
        Option(
            "Path of the quotes in the JSON of an answer. "
            "It is such as segments[].first_words; without it, they are the only "
            "texts there.",
            Panel.ANSWERS,
        ),
    ] = None
    first_number: Annotated[
        int | None,
        Option("Number of the first unit, 0 or 1; default: inferred.", Panel.ANSWERS, rare=True),
    ] = None
    truncated: Annotated[
        str | None,
        Option(
            "Answers without their end: fail (default), or keep the rest. "
            "They end inside a list, a text or a number; keep uses what is complete.",
            Panel.ANSWERS,
        ),
    ] = None
    max_edits: Annotated[
        float | None,
        Option("Largest edit rate of a rewritten text; default: 0.5.", Panel.ANSWERS, rare=True),
    ] = None
    max_unplaced: Annotated[
        int | None,
        Option(
            "Most quotes of an answer that are not in the text; default: 0.",
            Panel.ANSWERS,
            rare=True,
        ),
    ] = None
    failed: Annotated[
        str | None,
        Option(
            "Unusable answers: refuse (default), none or leave-out. "
            "The import is refused, they have no boundaries, or they are left out, "
            "to rejects/.",
            Panel.ANSWERS,
        ),
    ] = None
    tokens: Annotated[
        str | None,
        Option("What is aligned: words or characters; default: words.", Panel.ANSWERS, rare=True),
    ] = None
    testset: Annotated[
        str | None, Option("Test set that the files are; other content is refused.", Panel.INPUTS)
    ] = None
    memory_limit: MemoryLimitOption = None
    fresh: Annotated[
        bool,
        Option(
            "Start over; or resume an interrupted import.", Panel.OUTPUT, flags="--fresh/--resume"
        ),
    ] = False

    @property
    def default_role(self) -> str:
        """Role of segmentations whose file does not say, unless they are answers."""
        return self.role or "reference"

    @property
    def inputs(self) -> dict[str, tuple[str, ...]]:
        """The files to import; the output may be the folder of `--documents`."""
        return {"FILE": self.files}

    @property
    def column_names(self) -> dict[str, str]:
        """Use of a column -> its name, or "" if no column has this use (`--columns`)."""
        return self.columns or {}

    @cached_property
    def clock(self) -> "Clock":
        """The clock that `--time-unit`, `--frame-rate` and `--start-timecode` describe.

        Raises:
            Refused: --frame-rate or --start-timecode cannot be read.
        """
        from segscore.pipeline.importing.times import Clock, frame_rate
        from segscore.pipeline.tables.rows import RowPlace

        rate = None if self.frame_rate is None else frame_rate(self.frame_rate)
        if self.start_timecode is not None:
            Clock(self.time_unit, rate).time(self.start_timecode, RowPlace("--start-timecode", 1))
        return Clock(self.time_unit, rate, self.start_timecode)

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        for option, choices in _CHOICES.items():
            value = getattr(self, option.removeprefix("--").replace("-", "_"))
            if value is not None:
                one_of(option, value, choices)
        for option, number, least in (
            ("--smallest-gap", self.smallest_gap, 0),
            ("--skip-lines", self.skip_lines, 0),
            ("--max-level", self.max_level, 1),
            ("--max-unplaced", self.max_unplaced, 0),
        ):
            if number is not None and number < least:
                raise Refused(f"{option} {number}: must be at least {least}")
        given = [name for name in ("flags", "ids", "sizes") if getattr(self, name) is not None]
        if len(given) > 1:
            raise Refused(f"--{' and --'.join(given)}: say the same in two ways; give one of them")
        for name in ("coder", "system", "document_id"):
            if getattr(self, name) == "":
                raise Refused(f"--{name.replace('_', '-')}: is empty; give a name")
        in_unit_interval("--max-rejects", self.max_rejects)
        self._check_answers()
        if not self.output.strip():
            raise Refused("--output: is empty; name a folder")
        if self.encoding is not None:
            _check_encoding(self.encoding)

    def _check_answers(self) -> None:
        if self.first_number not in (None, 0, 1):
            raise Refused(f"--first-number {self.first_number}: must be 0 or 1")
        if self.max_edits is not None and not 0 <= self.max_edits < inf:
            raise Refused(f"--max-edits {self.max_edits:g}: must be a number of at least 0")


def _check_encoding(name: str) -> None:
    try:
        codecs.lookup(name)
    except (LookupError, ValueError) as problem:
        raise Refused(f"--encoding {name}: is not known; such as cp1252 or utf-16") from problem
    try:
        "".encode(name)
    except LookupError as problem:
        raise Refused(
            f"--encoding {name}: is not an encoding of text; such as cp1252 or utf-16"
        ) from problem
