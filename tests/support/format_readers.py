"""Readers of import formats, called with a text: what they yield, note and refuse."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from segscore.pipeline.errors import Refused
from segscore.pipeline.tables.formats.asked import Asked, InputFile
from segscore.pipeline.tables.formats.shapes import Intervals, Marks, Shape

Reader = Callable[[InputFile, Asked], Iterable[Shape]]


def input_file(content: str | bytes, name: str = "show.x") -> InputFile:
    """A file with this content."""
    return InputFile(name, content.encode() if isinstance(content, str) else content)


def shapes_of(read: Reader, content: str | bytes, name: str = "show.x", **asked: Any) -> list[Any]:
    """What a reader yields for a file."""
    return list(read(input_file(content, name), Asked(**asked)))


def notes_of(
    read: Reader, content: str | bytes, name: str = "show.x", **asked: Any
) -> dict[str, int | list[str]]:
    """What a reader notes for a whole file."""
    file = input_file(content, name)
    list(read(file, Asked(**asked)))
    return {**file.notes.numbers, **file.notes.names}


def refusal_of(
    read: Callable[[InputFile, Asked], Iterable[object]],
    content: str | bytes,
    name: str = "show.x",
    **asked: Any,
) -> str:
    """What a reader says when it refuses a file."""
    file = input_file(content, name)
    with pytest.raises(Refused) as caught:
        list(read(file, Asked(**asked)))
    return str(caught.value)


def spans_of(shape: Intervals) -> list[tuple[float, float | None]]:
    """Start and end of each segment."""
    return [
        (float(s.start.exact), None if s.end is None else float(s.end.exact))
        for s in shape.segments
    ]


def starts_of(shape: Marks) -> list[float]:
    """The time of each mark."""
    return [float(mark.start.exact) for mark in shape.marks]


def refuses(read: Reader, content: str | bytes, *said: str, **asked: Any) -> None:
    """Assert that a reader refuses show.x with a message of one line that has these texts."""
    message = refusal_of(read, content, **asked)
    assert message.startswith("show.x:"), message
    assert "\n" not in message
    for text in said:
        assert text in message, message


def several(texts: Sequence[str]) -> str:
    """Lines of a file."""
    return "".join(f"{text}\n" for text in texts)
