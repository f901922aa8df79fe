"""Sentences about results, each in the tone of what is sure, unsure, failed, or a remark."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class Tone(StrEnum):
    """What a sentence says, which a terminal and a page show by a color."""

    SURE = "sure"
    UNSURE = "unsure"
    FAILED = "failed"
    NOTE = "note"


class Sentence(NamedTuple):
    """A sentence about results."""

    text: str
    tone: Tone = Tone.NOTE


_GRAVEST = (Tone.FAILED, Tone.UNSURE, Tone.SURE, Tone.NOTE)


def joined(sentences: Iterable[Sentence]) -> Sentence:
    """Join sentences to one text, in the gravest tone among them."""
    found = [*sentences]
    tone = min((sentence.tone for sentence in found), key=_GRAVEST.index)
    return Sentence(" ".join(sentence.text for sentence in found), tone)
