"""Parse JSON strictly: refuse what the standard parser would silently drop or change.

JSON that is nested too deeply is found before a parser sees it: Arrow's would crash.
"""

import json
import math
import re
from decimal import Decimal, DecimalException

import numpy as np

from segscore.pipeline.errors import Refused
from segscore.pipeline.tables.rows import RowPlace, repeated, shown

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


def loads(text: str, place: RowPlace, *, decimals: bool = False) -> object:
    """Parse a JSON text; with `decimals`, numbers that are not whole become Decimal, not float.

    Raises Refused, with the line of the fault, for text that is not JSON or is nested more than
    ``DEEPEST`` deep, a key that occurs twice in one object, NaN, Infinity, or a number beyond the
    range of a float (left open by RFC 8259, 4, 6 and 9).
    """
    if (line := deep_line(text.encode("utf-8", "replace"))) is not None:
        at = RowPlace(place.source, place.line + line)
        raise at.refusal(f"lists and objects are nested more than {DEEPEST} deep")

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = repeated(name for name, _ in pairs)
            raise place.refusal(f"duplicate key {shown(twice)} in a JSON object; remove one")
        return found

    def finite(digits: str) -> float | Decimal:
        if not math.isfinite(number := float(digits)):
            raise place.refusal(f"{digits[:40]} is not a finite number; leave it out or write null")
        return Decimal(digits) if decimals else number

    try:
        return json.loads(text, object_pairs_hook=unique, parse_float=finite, parse_constant=finite)
    except Refused:
        raise
    except json.JSONDecodeError as error:
        raise _not_json(error, place) from error
    except (ValueError, RecursionError, DecimalException) as error:
        raise place.refusal(f"not JSON that can be read: {error}") from error


def _not_json(error: json.JSONDecodeError, place: RowPlace) -> Refused:
    at = RowPlace(place.source, place.line + error.lineno - 1)
    rest = error.doc[error.pos :].strip()
    cut = not rest or error.msg.startswith("Unterminated")
    hint = "the text is cut short" if cut else f"found {shown(rest)}"
    return at.refusal(f"not JSON at column {error.colno}: {error.msg}; {hint}")


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
