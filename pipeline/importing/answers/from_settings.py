"""Check the options of an import of answers, and find the files with the units."""

from dataclasses import fields, replace

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
    given = {field.name: getattr(settings, field.name, None) for field in fields(AnswerOptions)}
    stated = {name: value for name, value in given.items() if value is not None}
    options = AnswerOptions(**{"format_name": "", **stated})
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
