"""Find the numbers that a line of an answer names: alone, as ranges, and as lists.

No pattern here can backtrack far: quantifiers are bounded or possessive, and none begins inside a
run of digits or letters, so that time grows with the length of the line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from segscore.pipeline.importing.answers.roles import (
    Role,
    is_label,
    is_plural,
    is_unit,
    name_sizes,
    role_of_counted,
    role_of_words,
)

_MOST_DIGITS = 15
TOO_LARGE = 10**_MOST_DIGITS
"""What stands for a number of very many digits, which is certainly no unit."""

_MOST_WORDS = 4
"""Number of words before a number that say what it is."""

_NEAR = 80
"""Number of characters before a number in which these words are looked for."""

_NUMBERED = re.compile(
    r"第[ ]?([0-9]++)(?:[句行]?[ ]?[-–—~〜到至][ ]?第?[ ]?([0-9]++))?[ ]?(?:([句行])话?|[段节章])"
)
"""Numbered units and segments in Chinese: 第4句, 第1-4句, 第5句到第9句, 第2段."""

_EMPHASIS = str.maketrans({"*": None, "`": None, "_": " ", "\0": None})
_OTHER = "\0"
"""What takes the place of digits that are no whole number: 3.5, 10:30, 2024-05-01, 5th, $5."""

_NOT_WHOLE = re.compile(
    r"(?<![0-9])[0-9]++(?:[.:/][0-9]++)++|(?<![0-9])[0-9]++(?:[-–][0-9]++){2,}+"
    r"|(?<![0-9])[0-9]++(?:[^\W\d_]++|[%°€])|[$€£’\0][0-9]++"
)
_DIGIT = re.compile("[0-9]")
_GLUED_WORD = re.compile(r"(?<![^\W\d_])([^\W\d_]{5,}+)(?=[0-9])")
_WORD = re.compile(r"[^\W\d_]+")
_CLAUSES = re.compile(r"[:(|.;!?–—-]")

_PREFIX = r"(?:(?<![^\W\d_])[^\W\d_]{1,4}-?|#)"
_LOW = (
    rf"(?P<open>[\[(<{{][ ]?)?(?P<prefix>{_PREFIX})?(?<![0-9])(?P<low>[0-9]++)"
    r"(?P<close>[ ]?[\])>}])?"
)
_BY = (
    r"(?P<by>-?-?>|--?|[‐‑‒–—―−→~…]|\.\.\.?"
    r"|(?<=[\s\])>}])(?:to|through|thru|until|till|bis|à|hasta)\b)"
)
_HIGH = (
    r"(?P<bracket>[\[(<{])?(?P<word>[^\W\d_]{2,12}[ \t]{1,2})?"
    rf"(?P<label>{_PREFIX})?(?P<high>[0-9]++)"
    r"(?!(?:[-–—…]|\.\.\.?|[ \t](?:to|through)[ \t])[0-9])[\])>}]?"
)
_ITEM = re.compile(rf"{_LOW}(?P<upper>[ \t]{{0,3}}{_BY}[ \t]{{0,3}}{_HIGH})?")
_COUNTED = re.compile(
    r"[ \t]{1,2}([^\W\d_]{2,15}(?:s(?![^\W\d_])|[^\W\d_](?=[ \t]{0,3}(?:[^\w \t]|\Z))))"
)
"""A word in the plural, or at the end of a clause: not `4 - Sentence structure`."""

_GOES_ON = re.compile(
    r"[ \t]{0,2}(?:[-–—…]|\.\.\.?|(?:to|through)[ \t])[ \t]{0,2}[\[(]?[^\W\d_]?[0-9]"
)
"""What makes the first of three numbers one of a list: 1 - 5-9."""

_AND = r"(?:and|und|et|y)"
_LIST_GAP = re.compile(rf"[ \t]{{0,3}}(?:[,;&/]|{_AND}\b)(?:[ \t]{{1,3}}{_AND}\b)?[ \t]{{0,3}}")
_THOUSAND = 3


def whole_number(digits: str) -> int:
    """Return the number that digits are, or ``TOO_LARGE`` if they are very many."""
    return int(digits) if len(digits) <= _MOST_DIGITS else TOO_LARGE


@dataclass(frozen=True)
class NumberMention:
    """A number, a range, or a list of numbers.

    Attributes:
        values: the number; the first and last number of a range; the numbers of a list.
        is_range: whether it is a range.
        role: what the words around say that it is.
        label: what stands with the number itself and says that it names a unit, such as s in S4, or
            [ in [4]; the name of a field or column.
        leads: whether nothing stands before it but marks, words that are labels, and numbers.
        loose: whether it is a range by a dash between spaces, and nothing names its units: 1 - 9
            may be the first of a list, and a 9.
        glued: whether it has a comma without a space, so that 1,050 may be one number.
    """

    values: tuple[int, ...]
    is_range: bool = False
    role: Role = Role.NONE
    label: str = ""
    leads: bool = False
    loose: bool = False
    glued: bool = False

    @property
    def is_list(self) -> bool:
        """Whether there are several numbers, and no range."""
        return len(self.values) > 1 and not self.is_range

    @property
    def names_units(self) -> bool:
        """Whether something says that it names units."""
        return self.role in (Role.UNIT, Role.START, Role.END) or bool(self.label)


@dataclass(frozen=True)
class AnswerLine:
    """A line of an answer, or what JSON has in its place.

    Attributes:
        mentions: the numbers that it names.
        bare: whether it has no words but labels of numbers.
        ends: whether no words follow its last number.
    """

    mentions: tuple[NumberMention, ...] = ()
    bare: bool = True
    ends: bool = True

    @property
    def leads(self) -> bool:
        """Whether it begins with a number, perhaps after a label."""
        return bool(self.mentions) and self.mentions[0].leads


@dataclass(frozen=True)
class _Found:
    """A mention, where it is in its line, and whether it closes a bracket before it."""

    start: int
    end: int
    mention: NumberMention
    closes: bool = False


def read_line(text: str) -> AnswerLine:
    """Find the numbers in a line."""
    if _DIGIT.search(text) is None:
        return AnswerLine(bare=not text.strip())
    text = _NUMBERED.sub(_in_english, text)
    plain = _GLUED_WORD.sub(_divided, text.translate(_EMPHASIS))
    plain = _NOT_WHOLE.sub(_OTHER, plain)
    found = [*_in_lists(plain, [*_found(plain)])]
    gaps = _gaps(plain, found)
    words = ([word.lower() for word in _WORD.findall(gap)] for gap in gaps)
    labels = [_OTHER not in g and all(map(is_label, w)) for g, w in zip(gaps, words, strict=True)]
    mentions = []
    leads = True
    for each, label in zip(found, labels, strict=False):
        leads = leads and label
        mentions.append(replace(each.mention, leads=leads))
        leads = leads and len(each.mention.values) == 1
    return AnswerLine(tuple(mentions), all(labels), labels[-1])


def _in_english(found: re.Match[str]) -> str:
    """Return a numbered unit or segment in Chinese as `sentence 4`, `sentence 1-4`, `segment 2`."""
    numbers = "-".join(filter(None, found.groups()[:2]))
    return f" {'sentence' if found[3] else 'segment'} {numbers} "


def _divided(found: re.Match[str]) -> str:
    """Divide a label from the number behind it; other words make the number a part of them."""
    return f"{found[1]} " if is_label(found[1].lower()) else f"{found[1]}{_OTHER}"


def _gaps(plain: str, found: Sequence[_Found]) -> list[str]:
    """Return what is before, between and after mentions."""
    starts = [0, *(each.end for each in found)]
    ends = [*(each.start for each in found), len(plain)]
    return [plain[start:end] for start, end in zip(starts, ends, strict=True)]


def _found(plain: str) -> Iterator[_Found]:
    """Yield numbers and ranges from left to right."""
    at = 0
    while (item := _ITEM.search(plain, at)) is not None:
        found = _mentioned(plain, item, role_before(plain[at : item.start("low")]))
        yield found
        at = found.end


def _mentioned(plain: str, item: re.Match[str], role: Role) -> _Found:
    """Return the number or range that was found."""
    prefix = (item["prefix"] or "").rstrip("-").lower()
    if role is Role.NONE and (prefix == "#" or is_unit(prefix)):
        role = Role.SEGMENT if prefix == "#" else Role.UNIT
    named = is_unit(prefix)
    label = "[" * bool(item["open"] and item["close"]) + prefix * named
    start = item.start() if named or not prefix or prefix == "#" else item.start("low")
    low = whole_number(item["low"])
    loose = not role and not label and _is_spaced(item)
    if item["upper"] and _is_range(plain, item, role) and not (loose and _counts(plain, item)):
        mention = NumberMention((low, whole_number(item["high"])), True, role, label, loose=loose)
        return _Found(start, item.end(), mention)
    end = item.end("close") if item["close"] else item.end("low")
    counted = None if item["close"] or role else _COUNTED.match(plain, end)
    if counted is not None and (of_word := role_of_counted(counted[1].lower())):
        return _Found(start, counted.end(), NumberMention((low,), role=of_word))
    closes = bool(item["close"]) and not item["open"]
    return _Found(start, end, NumberMention((low,), role=role, label=label), closes)


def _is_spaced(item: re.Match[str]) -> bool:
    """Return whether spaces surround the dash between two numbers."""
    if not item["upper"] or item["by"].isalpha():
        return False
    return item["upper"][0] != item["by"][0] or item["upper"][len(item["by"])] in " \t"


def _counts(plain: str, item: re.Match[str]) -> bool:
    """Return whether the second of two numbers is a count: `1 - 17 sentences`."""
    counted = _COUNTED.match(plain, item.end())
    return counted is not None and role_of_counted(counted[1].lower()) is Role.COUNT


def _is_range(plain: str, item: re.Match[str], role: Role) -> bool:
    """Return whether two numbers are one range: not `Segment 1 - 12`, and not `1 - sentence 4`."""
    word = (item["word"] or "").strip().lower()
    if (item["close"] and not (item["open"] and item["bracket"])) or (word and not is_unit(word)):
        return False
    label = (item["label"] or "").rstrip("-").lower()
    if label not in ("", "#") and not is_unit(label):
        return False
    named = bool(word or label.strip("#"))
    if _is_spaced(item):
        falls = whole_number(item["high"]) < whole_number(item["low"])
        lacks = item["prefix"] and not named
        told = role in (Role.SEGMENT, Role.START, Role.END)
        if falls or lacks or told or _GOES_ON.match(plain, item.end()):
            return False
    if role is Role.SEGMENT and named:
        return False
    lacks = named and not item["prefix"] and role is Role.NONE
    return not lacks or item["by"].isalpha()


def role_before(text: str) -> Role:
    """Return what the last words of a text say that a number after it is."""
    near = _DIGIT.split(text[-_NEAR:])[-1]
    clauses = _CLAUSES.split(near.translate(_EMPHASIS))
    words = [word.lower() for word in _WORD.findall(clauses[-1])]
    if not words and len(clauses) > 1:
        words = [word.lower() for word in _WORD.findall(clauses[-2])]
        if words and (is_plural(words[-1]) or not is_label(words[-1])):
            return Role.NONE
    return role_of_words(words[-_MOST_WORDS:])


def _in_lists(plain: str, found: Sequence[_Found]) -> Iterator[_Found]:
    """Yield mentions, with numbers that are only separated by commas and the like as lists."""
    only_numbers = _WORD.search(plain) is None and _OTHER not in plain
    waiting: list[_Found] = []
    for each in found:
        if waiting and _continues(plain, waiting, each, by_space=only_numbers):
            waiting.append(each)
            continue
        if waiting:
            yield _joined(plain, waiting)
        waiting = [each]
    if waiting:
        yield _joined(plain, waiting)


def _continues(plain: str, before: Sequence[_Found], each: _Found, *, by_space: bool) -> bool:
    first, last = before[0].mention, before[-1]
    if each.mention.is_range or first.is_range or last.closes:
        return False
    if Role.COUNT in (first.role, each.mention.role) and not _begins_sizes(plain, before[0]):
        return False
    if each.mention.label not in (first.label, "" if len(before) == 1 else last.mention.label):
        return False
    gap = plain[last.end : each.start]
    words = [word for word in _WORD.findall(gap) if word != "and"]
    repeats = is_label if first.role in (Role.START, Role.END) else is_unit
    if by_space and gap.isspace():
        return not first.label
    for word in words:
        if repeats(word.lower()) and each.mention.role is first.role:
            gap = gap.replace(word, "").rstrip() + " "
    return len(gap) < _NEAR and _LIST_GAP.fullmatch(gap) is not None


def _begins_sizes(plain: str, first: _Found) -> bool:
    """Return whether a number is the first of several sizes: `Segment sizes: 4, 5, 3`."""
    clause = _DIGIT.split(plain[max(0, first.start - _NEAR) : first.start])[-1]
    return first.mention.role is Role.COUNT and name_sizes(
        [word.lower() for word in _WORD.findall(clause)]
    )


def _joined(plain: str, found: Sequence[_Found]) -> _Found:
    if len(found) == 1:
        return found[0]
    first = found[0].mention
    values = tuple(each.mention.values[0] for each in found)
    commas = (plain[a.end : b.start] == "," for a, b in pairwise(found))
    glued = any(
        comma and each.end - each.start == _THOUSAND
        for comma, each in zip(commas, found[1:], strict=True)
    )
    return _Found(found[0].start, found[-1].end, replace(first, values=values, glued=glued))
