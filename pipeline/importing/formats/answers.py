"""Answers of language models, which are placed in the units of `--source` (`importing/answers`)."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from segscore.pipeline.importing.formats.format import (
    JSON_LINES_ENDINGS,
    TEXT_ENDINGS,
    Format,
    Head,
)
from segscore.pipeline.tables.rows import shown

_ALL = (
    *("source", "text_field", "source_units", "answer_field", "answer", "labels", "failed"),
    *("document_field", "coder_field", "unit_times", "truncated"),
)

FORMATS = (
    Format("rewritten", options=(*_ALL, "breaks", "headings", "max_edits", "tokens")),
    Format("numbered", options=(*_ALL, "numbers", "first_number")),
    Format("quoted", options=(*_ALL, "quotes", "max_unplaced", "tokens")),
)

_MARKDOWN_ENDINGS = (".md", ".markdown")
_JSON = ".json"
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE)
_ANSWER_FIELD = "output"
_CHARACTERS = 2**22
"""Longest JSON text in which an answer is looked for."""

_SEGMENTATION = ("n_units", "boundaries", "boundary")
"""Fields of records that are segmentations, or were meant to be."""

_HOW = (
    "such as language models answer with; `segscore answers` reads them, with --format rewritten "
    "(the text again with breaks), numbered (numbers of units) or quoted (the first words of each "
    "segment), and with --source UNITS and --coder NAME"
)


def describe_answer(head: Head) -> str | None:
    """Say how a file that seems to have answers is imported; None if it does not seem to.

    It seems to if the text has headings, or if its JSON, or each of its first two lines, is a list
    of texts or numbers, or an object with an answer that is no segmentation.
    """
    if head.ending in (*TEXT_ENDINGS, *_MARKDOWN_ENDINGS):
        headings = _HEADING.search(head.text[:_CHARACTERS]) is not None
        return f"a text with headings, {_HOW}" if headings else None
    in_lines = head.ending in JSON_LINES_ENDINGS
    if head.ending != _JSON and not in_lines:
        return None
    field = head.settings.answer_field or _ANSWER_FIELD
    values = [*_values(head.lines, head.ending)]
    found = [_kind(value) or _described_field(value, field) for value in values]
    if not found or None in found:
        return None
    hint = ""
    if in_lines and isinstance(values[0], list):
        hint = f'; write it as {{"document_id": NAME, "{field}": [...]}}'
    elif not in_lines and isinstance(values[0], Mapping):
        hint = "; write it in one line of a file named .jsonl"
    named, _, options = str(found[0]).partition(" --")
    return f"{named}, {_HOW}{options and f', and --{options}'}{hint}"


def _values(lines: Sequence[str], ending: str) -> Iterator[object]:
    """Yield the JSON value of a text, or those of its first two lines; None for a malformed one."""
    written = (line for line in lines if line.strip())
    for text in ["\n".join(lines)] if ending == _JSON else islice(written, 2):
        try:
            yield json.loads(text) if len(text) <= _CHARACTERS else None
        except (ValueError, RecursionError):
            yield None


def _described_field(record: object, answer_field: str) -> str | None:
    """Return which field of a record is an answer, and of what kind, with the option it needs."""
    if not isinstance(record, Mapping) or any(name in record for name in _SEGMENTATION):
        return None
    answer = record.get(answer_field)
    if isinstance(answer, str) or _kind(answer) is not None:
        return f"{shown(answer_field)} is {_kind(answer) or 'a text'}"
    for name, value in record.items():
        if isinstance(value, str) and _HEADING.search(value) is not None:
            return f"{shown(name)} is a text with headings --answer-field {name}"
        if (kind := _kind(value)) is not None and not _are_flags(value):
            return (
                f"{shown(name)} is {kind} --answer-field {name}; lists of labels are named with "
                "--flags, --ids or --sizes"
            )
    return None


def _kind(value: object) -> str | None:
    """Return the name of a list of texts or of numbers; None for other values."""
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(item, str) for item in value):
        return "a list of texts"
    numbers = all(isinstance(item, int) and not isinstance(item, bool) for item in value)
    return "a list of numbers" if numbers else None


def _are_flags(value: object) -> bool:
    return isinstance(value, list) and {*value} <= {0, 1}
