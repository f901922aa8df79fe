"""Tell from the words around a number what it is: a start, an end, a count, a unit or a segment."""

import re
from collections.abc import Sequence
from enum import StrEnum


class Role(StrEnum):
    """What a number of an answer is, as far as words say it."""

    NONE = ""
    UNIT = "unit"
    SEGMENT = "segment"
    START = "start"
    END = "end"
    COUNT = "count"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STARTS = _words(
    "start starts started starting begin begins began beginning first from open opens opening "
    "before anfang beginn beginnt beginnend erster erste erstes ab von vor début debut commence "
    "depuis avant inicio comienza empieza desde antes"
)
_ENDS = _words(
    "end ends ended ending last until till stop stops close closes closing after final ende endet "
    "endend letzter letzte letztes bis nach fin termine jusque après final hasta termina después"
)
HEADING = "final"
"""A word for ends that alone is a heading: `Final: 1, 21, 41`."""

_UNITS = _words(
    "sentence sentences sent sents unit units utterance utterances utt utts line lines turn turns "
    "paragraph paragraphs satz sätze sätzen zeile zeilen einheit einheiten äußerung äußerungen "
    "phrase phrases ligne lignes oración oraciones frase frases línea líneas"
)
_SEGMENTS = _words(
    "segment segments seg segs topic topics part parts section sections chapter chapters story "
    "stories block blocks group groups chunk chunks scene scenes theme themes subject step item "
    "entry id no nr total teil teile thema themen abschnitt abschnitte kapitel segmento segmentos "
    "tema temas parte partie sujet"
)
_SIZES = _words(
    "length lengths len size sizes count counts duration länge größe anzahl taille tamaño"
)
_SEVERAL_SIZES = _words("lengths sizes counts längen größen tailles tamaños")
_NUMBER_OF = _words("num number n nb numbers anzahl")
_MARKED_UNITS = _words("s u l sent utt")
_NEUTRAL = _words("no nr num number numbers nos at is are in with and range index idx")

_TITLES = _words(
    "title titles titel titre name label heading headline topic thema theme tema subject summary "
    "description reason reasoning explanation comment text"
)
_PLURALS = ("s", "themen", "teile", "abschnitte")

_KEY = re.compile(r"[^\W\d_a-z]?[^\W\d_A-Z]+|[A-Z]+")


def role_of_counted(word: str) -> Role:
    """Return what a number before a word is: a count of units, a number of segments, or nothing."""
    if word in _UNITS:
        return Role.COUNT
    return Role.SEGMENT if word in _SEGMENTS else Role.NONE


def is_plural(word: str) -> bool:
    """Return whether a word names several segments."""
    return word in _SEGMENTS and word.endswith(_PLURALS)


def name_sizes(words: Sequence[str]) -> bool:
    """Return whether the words before a number say that it is the first of several sizes."""
    told = [word for word in words if word not in _NEUTRAL]
    return bool(told) and told[-1] in _SEVERAL_SIZES


def is_unit(word: str) -> bool:
    """Return whether a word, or letters before a number, name units."""
    return word in _UNITS or word in _MARKED_UNITS


def is_label(word: str) -> bool:
    """Return whether a word says nothing but what a number is."""
    return any(
        word in words
        for words in (_STARTS, _ENDS, _UNITS, _SEGMENTS, _SIZES, _NEUTRAL, _MARKED_UNITS)
    )


def role_of_words(words: Sequence[str]) -> Role:
    """Return what the words before a number, in lower case, say that it is.

    Only labels count that no other word divides from the number: not `after the war 5`.
    """
    labels: list[str] = []
    for word in reversed(words):
        if not is_label(word):
            break
        labels.insert(0, word)
    if labels == [HEADING]:
        return Role.NONE
    told = [word for word in labels if word not in _NEUTRAL]
    if told and told[-1] in _SEGMENTS:
        return Role.SEGMENT
    return _bound_or_kind(labels)


def is_title(name: str) -> bool:
    """Return whether a field or column has titles by its name: their numbers say nothing."""
    return not _TITLES.isdisjoint(word.lower() for word in _KEY.findall(name))


def role_of_name(name: str) -> Role:
    """Return what the name of a field or column says that its numbers are: `startSentence`."""
    words = [word.lower() for word in _KEY.findall(name)]
    if len(words) > 1 and words[0] in _NUMBER_OF:
        return Role.COUNT
    if words == ["to"]:
        return Role.END
    found = _bound_or_kind(words)
    if any(char.isdecimal() for char in name) and found is not Role.COUNT:
        # What "segment 1" or "s4" has is another number.
        return found if found in (Role.START, Role.END) else Role.NONE
    if found is Role.NONE and ("#" in name or any(word in _SEGMENTS for word in words)):
        return Role.SEGMENT
    return found


def _bound_or_kind(words: Sequence[str]) -> Role:
    for word in reversed(words):
        if word in _STARTS:
            return Role.START
        if word in _ENDS:
            return Role.END
    if any(word in _SIZES for word in words):
        return Role.COUNT
    return Role.UNIT if any(is_unit(word) for word in words) else Role.NONE
