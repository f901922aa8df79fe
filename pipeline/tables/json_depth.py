"""Find JSON that is nested too deeply, before a parser sees it: Arrow's would crash."""

import re

import numpy as np

DEEPEST = 100
"""The most lists and objects around a value in JSON that is read."""

_NOT_OPENING = bytes(set(range(256)) - {*b"[{"})
_NOT_OPENING_OR_END = bytes(set(range(256)) - {*b"[{\n"})
_NOT_BRACKETS = bytes(set(range(256)) - {*b"[]{}\n"})
_CROWDED = re.compile(rb"[\[{]{%d}" % (DEEPEST + 1))
"""More opening brackets than the depth allows; in what is left of a line without other bytes."""

_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_STEPS = np.zeros(256, np.int8)
_STEPS[[*b"[{"]], _STEPS[[*b"]}"]] = 1, -1


def has_deep_line(block: bytes) -> bool:
    """Return whether a block of JSON Lines has a line that is nested too deeply.

    This takes a twentieth of the time that Arrow takes to parse the block.
    """
    if _CROWDED.search(block.translate(None, _NOT_OPENING_OR_END)) is None:
        return False
    return any(deep_line(line) is not None for line in block.splitlines())


def deep_line(text: bytes) -> int | None:
    """Return the line, from 0, on which a JSON text becomes too deep; None if it does not."""
    if len(text.translate(None, _NOT_OPENING)) <= DEEPEST:
        return None
    outside = _STRING.sub(b"", text).translate(None, _NOT_BRACKETS)
    steps = _STEPS[np.frombuffer(outside, np.uint8)]
    deep = np.cumsum(steps, dtype=np.int64) > DEEPEST
    return outside.count(b"\n", 0, int(deep.argmax())) if deep.any() else None
