"""Read the files of an import of answers: the units that systems were given, and their answers."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from segscore.pipeline.alignment.tokens import tokenize
from segscore.pipeline.importing.answers.options import AnswerOptions
from segscore.pipeline.importing.field_paths import FieldPath, field_path
from segscore.pipeline.importing.formats.format import JSON_LINES_ENDINGS
from segscore.pipeline.importing.formats.texts import CHOI_SEPARATOR
from segscore.pipeline.importing.formats.values import line_objects
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.unit_times import OPTION
from segscore.pipeline.storage.compression import without_compression
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import RowPlace

_WIKI_SEPARATOR = re.compile("={8},[0-9]+,.*")
_CUE_TIMES = re.compile(r"[0-9:.,]+[ \t]*-->[ \t]*[0-9:.,]+.*")
_NO_CUE = ("WEBVTT", "NOTE", "STYLE", "REGION")
_TAG = re.compile(r"<[^<>]*>")
_NOBODY = "inter_segment_gap"


@dataclass(frozen=True)
class Source:
    """The units of one document, and a JSON list of their start times if the source has one."""

    document_id: str
    units: Sequence[str]
    place: RowPlace
    times: str | None = None


def has_json_lines_name(url: str) -> bool:
    """Return whether a file is JSON Lines by its name."""
    return without_compression(url).lower().endswith(JSON_LINES_ENDINGS)


def read_units(file: OpenedFile, name: str, options: AnswerOptions) -> Iterator[Source]:
    """Yield the units of each document in a file.

    Args:
        file: JSON Lines, SubRip, WebVTT, STM, CTM, SegLST, or text with a unit in a line.
        name: name of the document, if the file does not name any.
        options: the options.

    Raises:
        Refused: the file is malformed, or a document has no unit.
    """
    if file.is_parquet:
        raise file.refusal(
            "is a Parquet file; units are read from JSON Lines with lists of texts, text with a "
            "unit in a line, subtitles, STM, CTM or SegLST"
        )
    ending = PurePosixPath(without_compression(file.url).lower()).suffix
    if has_json_lines_name(file.url):
        found = _of_records(file, options)
    elif file.name.lower().endswith(".seglst.json"):
        found = _of_turns(file)
    elif ending in _BY_RECORDING:
        found = _of_recordings(file, _BY_RECORDING[ending])
    else:
        texts = _cues(file) if ending in (".srt", ".vtt") else _lines(file)
        found = iter([Source(options.document_id or name, [*texts], file.place(1))])
    for source in found:
        if not source.units:
            raise source.place.refusal(f"the document {source.document_id} has no unit")
        if options.source_units == "tokens":
            words = [token for unit in source.units for token in tokenize(unit, options.tokens)]
            if not words:
                raise source.place.refusal(f"the document {source.document_id} has no token")
            source = Source(source.document_id, words, source.place, source.times)
        yield source


def name_at(path: FieldPath, record: object, place: RowPlace) -> str:
    """Return the name at a path: a text that is not empty, or a whole number.

    Raises:
        Refused: it is another value.
    """
    value = path.value(record, "", place)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise place.wrong(str(path), value, "a text of at least one character")
    return value


def _of_records(file: OpenedFile, options: AnswerOptions) -> Iterator[Source]:
    document = field_path("--document-field", options.document_field)
    texts = field_path("--text-field", options.text_field)
    starts = None if options.unit_times is None else field_path(OPTION, options.unit_times)
    for place, record in line_objects(file):
        value = texts.value(record, "", place)
        if isinstance(value, str) and options.source_units != "texts":
            value = [value]
        if not isinstance(value, list):
            raise place.wrong(options.text_field, value, "a list of texts, one for each unit")
        for number, unit in enumerate(value):
            if not isinstance(unit, str):
                raise place.wrong(f"{options.text_field}[{number}]", unit, "a text")
        name = options.document_id or name_at(document, record, place)
        times = None if starts is None else json.dumps(starts.value(record, "", place))
        yield Source(name, value, place, times)


def _lines(file: OpenedFile) -> Iterator[str]:
    for line in file.lines():
        text = line.strip()
        if text and text != CHOI_SEPARATOR and not _WIKI_SEPARATOR.fullmatch(text):
            yield text


def _cues(file: OpenedFile) -> Iterator[str]:
    """Yield the text of each cue: the lines below its times, up to a blank line."""
    cue: list[str] | None = None
    before = ""
    for line in file.lines():
        text = line.strip()
        if _CUE_TIMES.fullmatch(text):
            if cue is not None:
                yield " ".join(cue)
            cue = []
        elif not text:
            if cue is not None:
                yield " ".join(cue)
            cue = None
        elif cue is not None:
            cue.append(_TAG.sub("", text))
        elif not before and not text.startswith(_NO_CUE) and "-->" in text:
            raise file.refusal(f"malformed times: {text[:40]}; expected START --> END")
        before = text
    if cue is not None:
        yield " ".join(cue)


def _stm(fields: list[str], place: RowPlace) -> tuple[str, str] | None:
    if len(fields) < 5:
        raise place.refusal("expected recording, channel, speaker, start, end and words")
    recording, _, speaker, *_ = fields
    words = fields[5:]
    if words and words[0].startswith("<") and words[0].endswith(">"):
        words = words[1:]
    return None if speaker == _NOBODY else (recording, " ".join(words))


def _ctm(fields: list[str], place: RowPlace) -> tuple[str, str]:
    if len(fields) < 5:
        raise place.refusal("expected recording, channel, start, duration and word")
    return fields[0], fields[4]


_ReadLine = Callable[[list[str], RowPlace], tuple[str, str] | None]
_BY_RECORDING: dict[str, _ReadLine] = {".stm": _stm, ".ctm": _ctm}
"""Ending -> the recording and the text of a line, from its fields."""


def _of_recordings(file: OpenedFile, read: _ReadLine) -> Iterator[Source]:
    found: dict[str, list[str]] = {}
    first: dict[str, RowPlace] = {}
    for place, line in file.lines_with_text():
        fields = line.split()
        if fields[0].startswith(";;"):
            continue
        if (unit := read(fields, place)) is not None:
            found.setdefault(unit[0], []).append(unit[1])
            first.setdefault(unit[0], place)
    if not found:
        raise file.refusal("there is no unit in it")
    for recording, units in found.items():
        yield Source(recording, units, first[recording])


def _of_turns(file: OpenedFile) -> Iterator[Source]:
    place = file.place(1)
    value = strict_json.loads(file.text(), place)
    if not isinstance(value, list):
        raise place.wrong("the file", value, "a list of turns")
    session = field_path("session_id", "session_id")
    words = field_path("words", "words")
    found: dict[str, list[str]] = {}
    for turn in value:
        text = words.value(turn, "a turn", place)
        if not isinstance(text, str):
            raise place.wrong("words", text, "a text")
        found.setdefault(name_at(session, turn, place), []).append(text)
    if not found:
        raise file.refusal("there is no turn in it")
    for name, units in found.items():
        yield Source(name, units, place)


@dataclass(frozen=True)
class Reply:
    """The answer of one system for one document: a text, or any value of JSON."""

    document_id: str
    coder: str
    answer: object
    place: RowPlace


def read_replies(file: OpenedFile, name: str, options: AnswerOptions) -> Iterator[Reply]:
    """Yield the answers in JSON Lines, or the one that a text is, for the document `name`.

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
