"""Regular expressions of users, matched in time that grows with the text and not exponentially.

Arrow's compute functions match with RE2, which never backtracks.  So it has neither lookaround nor
references back to a group.
"""

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.errors import Refused

MARK = "\0"
"""What stands in the place of a match; a text loses its own before."""


def require_pattern(option: str, pattern: str) -> None:
    """Refuse a regular expression that is malformed, or matches the empty text."""
    try:
        matches_nothing = pc.match_substring_regex(pa.scalar(""), pattern).as_py()
    except (pa.ArrowInvalid, UnicodeEncodeError) as problem:
        reason = str(problem).removeprefix("Invalid regular expression: ")
        raise Refused(
            f"{option} {pattern}: not a regular expression ({reason}); lookaround and "
            "back-references are not supported"
        ) from problem
    if matches_nothing:
        raise Refused(f"{option} {pattern}: matches the empty text; write what must be there")


def with_marks(text: str, pattern: str) -> str:
    """Return a text with ``MARK`` in the place of each match; ^ and $ match at lines."""
    return _replaced(text, f"(?m)(?:{pattern})", MARK)


def without_labels(text: str, pattern: str) -> str:
    """Return a text without what a pattern matches at the beginning of its lines."""
    return _replaced(text, rf"(?m)^[ \t]*(?:{pattern})", "")


def _replaced(text: str, pattern: str, replacement: str) -> str:
    plain = text.replace(MARK, "").encode("utf-8", "replace").decode("utf-8")
    return str(pc.replace_substring_regex(pa.scalar(plain), pattern, replacement).as_py())


def matches(text: str, pattern: str) -> list[str]:
    """Return what a pattern matches in a text, from left to right."""
    replaced = _replaced(text, f"(?m)({pattern})", f"{MARK}1\\1{MARK}0")
    parts = replaced.split(MARK)
    return [part[1:] for part in parts if part.startswith("1")]
