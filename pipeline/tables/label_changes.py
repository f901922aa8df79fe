"""Boundaries in a label for each unit: where the label changes, or where tags such as B-SEG say."""

import re
from collections.abc import Hashable, Sequence
from itertools import pairwise

_TAG = re.compile(r"([BIELSU])-(\S+)")
_OUTSIDE = "O"
_BEGINS, _GOES_ON = {"B", "S", "U"}, {"I", "E", "L"}


def changes_of(labels: Sequence[Hashable]) -> list[int]:
    """Return the positions of the boundaries in a sequence of labels, in ascending order.

    Tags of the schemes BIO, BIOES and BILOU say themselves where a segment begins: B-SEG after
    I-SEG is a boundary, and I-SEG after B-SEG is none.  Units outside, O, belong to the segment
    before them.  All other labels have a boundary wherever they change.
    """
    pairs = enumerate(pairwise(labels), start=1)
    if (tags := _tags(labels)) is None:
        return [place for place, (before, after) in pairs if before != after]
    return [p for p, (before, after) in enumerate(pairwise(tags), 1) if _begins(before, after)]


def are_letters(labels: Sequence[Hashable]) -> bool:
    """Return whether labels are read as tags though they are letters alone, such as B, I, B."""
    return all(len(str(label)) == 1 for label in labels) and _tags(labels) is not None


def _begins(before: tuple[str, str], after: tuple[str, str]) -> bool:
    if after[0] in _BEGINS:
        return True
    return after[0] != _OUTSIDE and (before[0] not in {"B", "I"} or before[1] != after[1])


def _tags(labels: Sequence[Hashable]) -> list[tuple[str, str]] | None:
    """Return the letter and the kind of each tag; None for labels that are no tags."""
    tags = []
    for label in labels:
        match = _TAG.fullmatch(label) if isinstance(label, str) else None
        if match is None and (not isinstance(label, str) or len(label) != 1):
            return None
        tags.append((match[1], match[2]) if match else (str(label), ""))
    return tags if _are_tags(tags) else None


def _are_tags(tags: Sequence[tuple[str, str]]) -> bool:
    """Return whether letters and kinds are tags: B-SEG and I-SEG, or B, I, I, B, I alone."""
    letters = {letter for letter, _ in tags}
    if "B" not in letters or letters - _BEGINS - _GOES_ON - {_OUTSIDE}:
        return False
    kinds = {kind for letter, kind in tags if letter != _OUTSIDE}
    if "" not in kinds:
        return bool(letters & _GOES_ON) or len(kinds) == 1
    if kinds != {""} or not letters & _GOES_ON:
        return False
    # Parts of music are called I and B, too; letters alone are tags where their order is that of
    # tags: nothing goes on that has not begun.
    return tags[0][0] not in _GOES_ON and not any(
        after[0] in _GOES_ON and before[0] not in {"B", "I"} for before, after in pairwise(tags)
    )
