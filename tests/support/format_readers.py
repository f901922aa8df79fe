"""Readers of import formats: their notes, refusals and times."""

from collections.abc import Sequence
from typing import Any

from segscore.pipeline.importing.shapes import Intervals, Marks
from tests.support.reading import Reader, import_settings, input_file, refusal_of, shapes_of


def yielded(read: Reader, content: str | bytes, name: str = "f.x", **options: Any) -> list[Any]:
    """Return what a reader yields for a file, without its type."""
    return list(shapes_of(read, content, name, **options))


def notes_of(
    read: Reader, content: str | bytes, name: str = "f.x", **options: Any
) -> dict[str, int | list[str]]:
    """Return the notes of a reader about a whole file."""
    file = input_file(content, name)
    list(read(file, import_settings(**options)))
    return {**file.notes.numbers, **file.notes.names}


def spans_of(shape: Intervals) -> list[tuple[float, float | None]]:
    """Return start and end of each segment."""
    return [
        (float(s.start.exact), None if s.end is None else float(s.end.exact))
        for s in shape.segments
    ]


def starts_of(shape: Marks) -> list[float]:
    """Return the time of each mark."""
    return [float(mark.start.exact) for mark in shape.marks]


def refuses(read: Reader, content: str | bytes, *texts: str, **options: Any) -> None:
    """Assert that a reader refuses f.x with a message of one line that has these texts."""
    message = refusal_of(read, content, **options)
    assert message.startswith("f.x:"), message
    assert "\n" not in message
    for text in texts:
        assert text in message, message


def several(texts: Sequence[str]) -> str:
    """Lines of a file."""
    return "".join(f"{text}\n" for text in texts)
