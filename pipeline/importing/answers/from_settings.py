"""Check the options of an import of answers, and find the files with the units."""

from dataclasses import replace

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.breaks import require_break
from segscore.pipeline.importing.answers.cleaning import FENCE
from segscore.pipeline.importing.answers.forms import QUOTES_OPTION
from segscore.pipeline.importing.answers.numbers import how_numbered
from segscore.pipeline.importing.answers.options import ANSWER_FORMATS, STARTS, TIMES, AnswerOptions
from segscore.pipeline.importing.answers.patterns import require_pattern
from segscore.pipeline.importing.field_paths import field_path
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.storage import InputFile

_FIELDS = {
    name: name
    for name in (
        *("role", "document_field", "coder_field", "text_field", "source_units", "answer_field"),
        *("breaks", "answer", "labels", "numbers", "quotes", "first_number"),
        *("truncated", "max_edits", "max_unplaced", "failed", "tokens"),
    )
} | {"unit_times": "times_field"}
"""Field of the settings whose default is that of the answers -> field of the answers' options."""


def find_units(settings: ImportSettings) -> list[InputFile]:
    """Find the files with the units; none if the format needs no units.

    Raises:
        Refused: the format needs units, and they are not given, or do not exist.
    """
    if settings.format_name not in ANSWER_FORMATS:
        return []
    if settings.source is None:
        raise Refused(
            f"--format {settings.format_name}: needs the units that the system was given; name "
            "their file with --source"
        )
    return storage.find(settings.source, any_kind=True)


def answer_options(settings: ImportSettings) -> AnswerOptions:
    """Return the options of settings whose format is one of answers, with their defaults.

    Raises:
        Refused: a pattern or a path is malformed.
    """
    given = {
        field: value
        for name, field in _FIELDS.items()
        if (value := getattr(settings, name)) is not None
    }
    options = AnswerOptions(
        settings.format_name or "",
        document_id=settings.document_id,
        coder=settings.coder,
        drop_headings=settings.headings != "keep",
        strict=settings.strict,
        levels=settings.levels,
        encoding=settings.encoding,
        memory=settings.memory_limit,
        **given,
    )
    if options.numbers.partition(":")[0] == TIMES:
        starts = f"{STARTS}{options.numbers.removeprefix(TIMES)}"
        options = replace(options, numbers=starts, first_number=1, are_times=True)
    require_break(options.breaks)
    how_numbered(options.numbers)
    if options.labels is not None:
        require_pattern("--labels", options.labels)
    if options.answer not in (None, FENCE) and not str(options.answer).replace("-", "").isalnum():
        raise Refused(
            f"--answer {options.answer}: must be fence, or the name of a tag, such as answer for "
            "<answer>...</answer>"
        )
    for option, path in (
        ("--text-field", options.text_field),
        ("--answer-field", options.answer_field),
        ("--document-field", options.document_field),
        ("--coder-field", options.coder_field),
        (QUOTES_OPTION, options.quotes),
    ):
        if path is not None:
            field_path(option, path)
    return options
