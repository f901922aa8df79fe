"""Take the answer itself out of what a language model wrote, without reasoning, fence or tag."""

import re
from dataclasses import dataclass

FENCE = "fence"
"""`--answer fence`: what is inside the only code fence."""

_FENCE_LINE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_OPEN, _CLOSE = "<think>", "</think>"


@dataclass(frozen=True)
class Cleaned:
    """An answer or why there is none, and whether reasoning before it was dropped."""

    text: str
    reasoned: bool = False
    fault: str | None = None


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
    part, fault = _in_fence(text) if inside == FENCE else _in_tag(text, inside)
    return Cleaned(part, reasoned, fault if text.strip() else None)


def _without_reasoning(raw: str) -> tuple[str, bool]:
    text = raw.lstrip()
    begun = text.startswith(_OPEN)
    if not begun and (_CLOSE not in text or _OPEN in text.partition(_CLOSE)[0]):
        return raw, False
    return text.partition(_CLOSE)[2], True


def is_fence(line: str) -> bool:
    """Return whether a line begins or ends a code fence."""
    return _FENCE_LINE.fullmatch(line) is not None


def _in_fence(text: str) -> tuple[str, str | None]:
    fences = [*_FENCE_LINE.finditer(text)]
    if not fences:
        return "", "no code fence"
    if len(fences) > 2:
        return "", f"{(len(fences) + 1) // 2} code fences"
    end = fences[1].start() if len(fences) == 2 else len(text)  # a truncated answer has no end
    return text[fences[0].end() : end], None


def _in_tag(text: str, tag: str) -> tuple[str, str | None]:
    parts = text.split(f"<{tag}>")
    if len(parts) == 1:
        return "", f"no <{tag}>"
    if len(parts) > 2:
        return "", f"{len(parts) - 1} <{tag}>"
    return parts[1].partition(f"</{tag}>")[0], None
