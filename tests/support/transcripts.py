"""Pairs of transcripts of one recording: other words, other lines, the same segments."""

from dataclasses import dataclass
from itertools import accumulate
from random import Random

WORDS = [a + b for a in ("ba", "de", "fi", "go", "ku", "la", "me", "no") for b in "bdfgklmnprst"]


@dataclass(frozen=True)
class Pair:
    """Two transcripts of one recording.

    Attributes:
        source: units by hand.
        target: units as recognised.
        boundaries: boundaries of the source.
        expected: the same boundaries in the target.
    """

    source: list[str]
    target: list[str]
    boundaries: list[int]
    expected: list[int]


def make_pair(random: Random, *, segments: int, words: int, changed: float) -> Pair:
    """Make a recording of segments, and transcribe it twice.

    Args:
        random: where random numbers come from.
        segments: number of segments.
        words: mean number of words of a segment.
        changed: share of the words that are changed, left out, or have another word after them.
    """
    texts = [
        [random.choice(WORDS) for _ in range(random.randint(words // 2, 3 * words // 2))]
        for _ in range(segments)
    ]
    source = [_lines(random, text, 12) for text in texts]
    target = [_lines(random, _misheard(random, text, changed), 7) for text in texts]
    return Pair(
        [line for lines in source for line in lines],
        [line for lines in target for line in lines],
        [*accumulate(map(len, source))][:-1],
        [*accumulate(map(len, target))][:-1],
    )


def _misheard(random: Random, words: list[str], changed: float) -> list[str]:
    heard: list[str] = []
    for word in words:
        kind = random.choice("sdi") if random.random() < changed else ""
        if kind != "d":
            heard.append(random.choice(WORDS) if kind == "s" else word)
        if kind == "i":
            heard.append(random.choice(WORDS))
    return heard or words


def _lines(random: Random, words: list[str], most: int) -> list[str]:
    lines = []
    while words:
        size = random.randint(2, most)
        lines.append(" ".join(words[:size]))
        words = words[size:]
    return lines
