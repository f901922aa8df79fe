"""Take the answer itself out of what a language model wrote, without reasoning, fence or tag."""

import re
from dataclasses import dataclass, replace

FENCE = "fence"
"""`--answer fence`: what is inside the only code fence."""

_FENCE_LINE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_OPEN, _CLOSE = "<think>", "</think>"


@dataclass(frozen=True)
class Cleaned:
    """An answer or why there is none.

    Attributes:
        text: the answer.
        reasoned: whether reasoning before it was dropped.
        fault: why there is no answer; None if there is one.
        is_open: whether the code fence or the tag around it is not closed.
    """

    text: str
    reasoned: bool = False
    fault: str | None = None
    is_open: bool = False


def clean(raw: str, inside: str | None) -> Cleaned:
    """Return the answer in a text.

    Reasoning between `<think>` and `</think>` before an answer is dropped.  The first tag may be
    missing, as some servers remove it; if the second is, the model never began to answer.

    Args:
        raw: what the model wrote.
        inside: `fence`, or the name of a tag around the answer; None for all text.
    """
    text, reasoned = _without_reasoning(raw)
    if inside is None:
        return Cleaned(text, reasoned)
    found = _in_fence(text) if inside == FENCE else _in_tag(text, inside)
    return replace(found, reasoned=reasoned, fault=found.fault if text.strip() else None)


def _without_reasoning(raw: str) -> tuple[str, bool]:
    text = raw.lstrip()
    begun = text.startswith(_OPEN)
    if not begun and (_CLOSE not in text or _OPEN in text.partition(_CLOSE)[0]):
        return raw, False
    return text.partition(_CLOSE)[2], True


def is_fence(line: str) -> bool:
    """Return whether a line begins or ends a code fence."""
    return _FENCE_LINE.fullmatch(line) is not None


def _in_fence(text: str) -> Cleaned:
    fences = [*_FENCE_LINE.finditer(text)]
    if not fences:
        return Cleaned("", fault="no code fence")
    if len(fences) > 2:
        return Cleaned("", fault=f"{(len(fences) + 1) // 2} code fences")
    is_open = len(fences) == 1
    end = len(text) if is_open else fences[1].start()
    return Cleaned(text[fences[0].end() : end], is_open=is_open)


def _in_tag(text: str, tag: str) -> Cleaned:
    parts = text.split(f"<{tag}>")
    if len(parts) == 1:
        return Cleaned("", fault=f"no <{tag}>")
    if len(parts) > 2:
        return Cleaned("", fault=f"{len(parts) - 1} <{tag}>")
    part, closed, _ = parts[1].partition(f"</{tag}>")
    return Cleaned(part, is_open=not closed)
