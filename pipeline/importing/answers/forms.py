"""Find the quotes in an answer."""

from collections.abc import Iterator

from segscore.pipeline.importing.answers.breaks import lines_of
from segscore.pipeline.importing.answers.cleaning import is_fence
from segscore.pipeline.importing.answers.json_numbers import values_in


def quotes_in(answer: object) -> list[str]:
    r"""Return the quotes of an answer.

    They are the only list of texts in its JSON, which may be in an object, in a code fence or
    between words; without such a list, or with several, the lines of a text.

    Args:
        answer: a text, or what JSON has in its place.

    Examples:
        >>> quotes_in('Here you are: {"segments": ["Good evening", "In sport"]}')
        ['Good evening', 'In sport']
        >>> quotes_in("Good evening\nIn sport")
        ['Good evening', 'In sport']
    """
    try:
        values = [value for _, value in values_in(answer)] if isinstance(answer, str) else [answer]
        lists = [texts for value in values for texts in _text_lists(value)]
    except RecursionError:
        lists = []
    if len(lists) == 1:
        return lists[0]
    if isinstance(answer, list):
        return [each for each in answer if isinstance(each, str)]
    if isinstance(answer, str):
        return [line for line in lines_of(answer) if not is_fence(line)]
    return []


def _text_lists(value: object) -> Iterator[list[str]]:
    """Yield the lists of texts in a value, at any depth."""
    if not isinstance(value, dict | list):
        return
    inner = [*value.values()] if isinstance(value, dict) else value
    texts = [each for each in inner if isinstance(each, str)]
    if isinstance(value, list) and texts and not any(isinstance(e, dict | list) for e in inner):
        yield texts
        return
    for each in inner:
        yield from _text_lists(each)
