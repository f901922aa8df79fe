"""Read the answers of systems from text files and JSON Lines."""

from collections.abc import Iterator
from dataclasses import dataclass

from segscore.pipeline.importing.answers.options import AnswerOptions
from segscore.pipeline.importing.answers.units import has_json_lines_name, name_at
from segscore.pipeline.importing.field_paths import field_path
from segscore.pipeline.importing.formats.values import line_objects
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.tables.rows import RowPlace


@dataclass(frozen=True)
class Reply:
    """The answer of one system for one document.

    Attributes:
        document_id: the document.
        coder: the system.
        answer: what the system wrote: a text, or any value of JSON.
        place: where it was read.
    """

    document_id: str
    coder: str
    answer: object
    place: RowPlace


def read_replies(file: OpenedFile, name: str, options: AnswerOptions) -> Iterator[Reply]:
    """Yield the answers in a file.

    Args:
        file: JSON Lines, or a text that is one answer.
        name: name of the document, if the file is one answer.
        options: the options.

    Raises:
        Refused: the file is malformed, or an answer has no coder.
    """
    if not has_json_lines_name(file.url):
        if options.coder is None:
            raise file.refusal("no coder is named in it; name the system with --coder")
        text = file.text()
        yield Reply(options.document_id or name, options.coder, text, file.place(1))
        return
    document = field_path("--document-field", options.document_field)
    coder = field_path("--coder-field", options.coder_field)
    answer = field_path("--answer-field", options.answer_field)
    for place, record in line_objects(file):
        own = options.document_id or name_at(document, record, place)
        if options.coder_field in record or options.coder is None:
            if options.coder_field == "coder" and "coder" not in record:
                raise place.refusal("no coder is named in it; name the system with --coder")
            system = name_at(coder, record, place)
        else:
            system = options.coder
        yield Reply(own, system, answer.value(record, "", place), place)
