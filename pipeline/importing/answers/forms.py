"""Find the quotes in an answer."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.breaks import lines_of
from segscore.pipeline.importing.answers.cleaning import is_fence
from segscore.pipeline.importing.answers.json_numbers import values_in
from segscore.pipeline.importing.field_paths import FieldPath
from segscore.pipeline.tables.rows import RowPlace

QUOTES_OPTION = "--quotes"


@dataclass(frozen=True)
class NoQuotes:
    """Why no texts of an answer are its quotes."""

    reason: str


def quotes_in(answer: object) -> list[str] | NoQuotes:
    r"""Return the quotes of an answer.

    They are the only list of texts in its JSON, or the only texts of a list of objects. The JSON
    may be in an object, in a code fence or between words; without such a list, or with several,
    the quotes are the lines of a text. JSON with texts at several paths has none.

    Args:
        answer: a text, or what JSON has in its place.

    Examples:
        >>> quotes_in('Here you are: {"segments": ["Good evening", "In sport"]}')
        ['Good evening', 'In sport']
        >>> quotes_in([{"first_words": "Good evening"}, {"first_words": "In sport"}])
        ['Good evening', 'In sport']
        >>> quotes_in("Good evening\nIn sport")
        ['Good evening', 'In sport']
    """
    try:
        found = [[*_text_lists(value, "")] for value in _json_of(answer)]
    except RecursionError:
        found = []
    if len(lists := [texts for each in found for _, texts in each]) == 1:
        return lists[0]
    for each in found:
        if len(paths := sorted({path for path, _ in each})) > 1:
            return NoQuotes(
                f"several texts: name the quotes by {QUOTES_OPTION} {' or '.join(paths[:2])}"
            )
    if isinstance(answer, list):
        return [each for each in answer if isinstance(each, str)]
    if isinstance(answer, str):
        return [line for line in lines_of(answer) if not is_fence(line)]
    return []


def texts_in(answer: object) -> list[str] | None:
    r"""Return the segments of a text that was written again as JSON; None if it is no JSON.

    They are a list of texts, or the texts that objects in a list have, of which the longest are
    the text, not titles. The JSON may be in a code fence or after a remark.

    Args:
        answer: a text, or what JSON has in its place.

    Examples:
        >>> texts_in('Here it is: ["It rains. It snows.", "A draw. A win."]')
        ['It rains. It snows.', 'A draw. A win.']
        >>> texts_in([{"title": "Rain", "text": "It rains."}, {"title": "Art", "text": "A film."}])
        ['It rains.', 'A film.']
        >>> texts_in("It rains.\nA draw.")
    """
    if not isinstance(answer, str):
        found = [(answer, True)]
    else:
        found = [
            (value, 2 * (end - start) > len(answer)) for start, end, value in values_in(answer)
        ]
    try:
        lists = [
            texts for value, is_most in found if is_most for _, texts in _text_lists(value, "")
        ]
    except RecursionError:
        return None
    return max(lists, key=lambda texts: sum(map(len, texts)), default=None)


def quotes_at(answer: object, path: FieldPath, place: RowPlace) -> list[str] | NoQuotes:
    """Return the quotes at a path in the JSON of an answer: texts, or lists of them.

    Args:
        answer: a text, or what JSON has in its place.
        path: where the quotes are, such as segments[].first_words.
        place: where the answer was read.
    """
    found = [texts for value in _json_of(answer) if (texts := _texts_at(value, path, place))]
    if len(found) != 1:
        return NoQuotes(f"{'several lists' if found else 'no list'} of texts at {path}")
    return found[0]


def _json_of(answer: object) -> list[object]:
    """Return the JSON in a text, or the value that JSON has in its place."""
    return [value for *_, value in values_in(answer)] if isinstance(answer, str) else [answer]


def _texts_at(value: object, path: FieldPath, place: RowPlace) -> list[str]:
    """Return the texts at a path; none if something else is there, or nothing."""
    found: object = []
    with suppress(Refused):
        found = path.value(value, "the answer", place)
    items = found if isinstance(found, list) else [found]
    flat = [text for item in items for text in (item if isinstance(item, list) else [item])]
    texts = [text for text in flat if isinstance(text, str)]
    return texts if len(texts) == len(flat) else []


def _text_lists(value: object, path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the lists of texts in a value at any depth, and the path of each.

    The texts that all objects of a list have under one name are a list, too.
    """
    if not isinstance(value, dict | list):
        return
    inner = [*value.values()] if isinstance(value, dict) else value
    texts = [each for each in inner if isinstance(each, str)]
    if isinstance(value, list) and texts and not any(isinstance(e, dict | list) for e in inner):
        yield f"{path}[]", texts
        return
    if isinstance(value, list):
        yield from _texts_of_objects(value, path)
    for name, each in value.items() if isinstance(value, dict) else enumerate(value):
        below = f"{path}.{name}".lstrip(".") if isinstance(value, dict) else f"{path}[]"
        yield from _text_lists(each, below)


def _texts_of_objects(values: list[object], path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the texts that all objects of a list have under a name, for each such name."""
    objects = [value for value in values if isinstance(value, dict)]
    if not objects or len(objects) < len(values):
        return
    for name in objects[0]:
        found = (value.get(name) for value in objects)
        texts = [text for text in found if isinstance(text, str)]
        if len(texts) == len(objects):
            yield f"{path}[].{name}", texts
