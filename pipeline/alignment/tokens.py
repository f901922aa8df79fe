"""Divide texts into the words, or characters, that an alignment compares."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import count
from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.ragged import Ints, Positions

WORDS, CHARACTERS = "words", "characters"
TOKENS = (WORDS, CHARACTERS)
"""What a token is: a word, or each letter, mark or number."""

_COUNTING = "LMN"
"""First letters of the categories of letters, marks and numbers."""

_WITHOUT_SPACES = (
    # Han
    (0x2E80, 0x2FDF),
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3038, 0x303B),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x16FE2, 0x16FE3),
    (0x16FF0, 0x16FF1),
    (0x20000, 0x3347F),
    # Hiragana and Katakana
    (0x3041, 0x30FF),
    (0x31F0, 0x31FF),
    (0xFF66, 0xFF9F),
    (0x1AFF0, 0x1B16F),
    # Thai, and Lao
    (0x0E00, 0x0EFF),
    # Khmer
    (0x1780, 0x17FF),
    # Myanmar
    (0x1000, 0x109F),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0x116D0, 0x116FF),
)
"""First and last code point of blocks of scripts that are written without spaces."""

_ASSIGNED = (range(0x33480), range(0xE0000, 0xE0200))
"""Code points among which all letters, marks and numbers are; the second range has marks only."""

_ASCII_WORD = re.compile("[0-9a-z]+")
_ASCII_CHARACTER = re.compile("[0-9a-z]")


class Tokens(NamedTuple):
    """The tokens of several texts end to end, as numbers: equal tokens have equal numbers.

    Attributes:
        ids: numbers of the tokens, shape (tokens,).
        ends: number of tokens up to the end of each text, ascending, shape (texts,).
    """

    ids: Positions
    ends: Ints

    def __len__(self) -> int:
        return len(self.ids)


class Vocabulary:
    """The numbers of all tokens seen so far; what is compared must be numbered by the same one."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._next = count()

    def number(self, texts: Iterable[Sequence[str]]) -> Tokens:
        """Return the tokens of texts, each of which is a sequence of tokens, as numbers."""
        ids: list[int] = []
        ends: list[int] = []
        for tokens in texts:
            ids += map(self._ids.setdefault, tokens, self._next)
            ends.append(len(ids))
        return Tokens(np.array(ids, np.int32), np.array(ends, np.int64))


def tokenize(text: str, kind: str = WORDS) -> list[str]:
    """Divide a text into tokens, without regard to case, punctuation or white space.

    The text is normalised (NFKC) and casefolded.  A word is a maximal run of letters, marks and
    numbers; each character of a script that is written without spaces (Han, Hiragana, Katakana,
    Thai, Lao, Khmer, Myanmar) is a word of its own.

    >>> tokenize("Don't PANIC: it's 東京!")
    ['don', 't', 'panic', 'it', 's', '東', '京']

    Args:
        text: the text.
        kind: `words`, or `characters`, by which every letter, mark or number is a token.
    """
    if text.isascii():
        pattern = _ASCII_WORD if kind == WORDS else _ASCII_CHARACTER
        return pattern.findall(text.lower())
    return _pattern(kind).findall(unicodedata.normalize("NFKC", text).casefold())


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """Return the pattern of a token, made from the categories of this Python's Unicode."""
    counting = [
        code
        for part in _ASSIGNED
        for code in part
        if unicodedata.category(chr(code))[0] in _COUNTING
    ]
    if kind == CHARACTERS:
        return re.compile(_character_class(counting))
    alone = {code for first, last in _WITHOUT_SPACES for code in range(first, last + 1)}
    single = _character_class([code for code in counting if code in alone])
    joined = _character_class([code for code in counting if code not in alone])
    return re.compile(f"{joined}+|{single}")


def _character_class(codes: Sequence[int]) -> str:
    """Write ascending code points as a class of a regular expression."""
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges) + "]"
