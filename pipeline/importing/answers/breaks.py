"""Divide a rewritten text at its breaks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.options import AUTO
from segscore.pipeline.importing.answers.patterns import MARK, require_pattern, with_marks
from segscore.pipeline.settings.ranges import one_of

RULE, HEADING, BLANK, NEWLINE = "rule", "heading", "blank", "newline"
BREAK_KINDS = (RULE, HEADING, BLANK, NEWLINE)
"""Kinds of breaks in the order in which `auto` prefers them."""

PATTERN = "pattern:"
_OPTION = "--break"

_RULE_MARKS = {*"=*_-"}
_RULE_LINE = re.compile(r"[ \t]*(?:[=*_-][ \t]*){3,}")
_HEADING_LINE = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")


@dataclass(slots=True)
class TextPart:
    """The lines between two breaks, without dropped headings; types of the breaks before."""

    lines: list[str] = field(default_factory=list)
    types: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Divided:
    """A text that is divided at its breaks; the first segment begins with the text."""

    segments: list[TextPart]
    titles: list[str]


def require_break(text: str) -> None:
    """Check a value of `--break`.

    Raises:
        Refused: it is neither kinds, nor a pattern, nor texts with types, or names a kind twice.
    """
    if text.startswith(PATTERN):
        require_pattern(_OPTION, text.removeprefix(PATTERN))
    elif "=" in text:
        typed_texts(text)
    else:
        also = (
            ", several kinds such as blank,rule, pattern:REGEX, or texts with types, such as "
            "<eob>=1,<eol>=2"
        )
        kinds = text.split(",")
        for kind in kinds:
            one_of(_OPTION, kind, BREAK_KINDS if len(kinds) > 1 else (AUTO, *BREAK_KINDS), also)
        if len({*kinds}) < len(kinds):
            raise Refused(f"{_OPTION} {text}: names a kind twice; name each once")


@cache
def typed_texts(text: str) -> dict[str, int]:
    """Read texts with types, such as `<eob>=1,<eol>=2`.

    Raises:
        Refused: a text is empty, occurs twice, or has no type of at least 1.
    """
    found: dict[str, int] = {}
    for part in text.split(","):
        name, _, kind = part.rpartition("=")
        if not name or name in found or not re.fullmatch("[1-9][0-9]{0,8}", kind):
            raise Refused(
                f"{_OPTION} {text}: {part or 'nothing'} is not TEXT=TYPE with its own text and "
                "a type from 1, such as <eob>=1"
            )
        found[name] = int(kind)
    return found


def _is_rule(line: str) -> bool:
    return line.lstrip(" \t")[:1] in _RULE_MARKS and _RULE_LINE.fullmatch(line) is not None


def _heading(line: str) -> re.Match[str] | None:
    return _HEADING_LINE.fullmatch(line) if "#" in line else None


def kinds_in(text: str) -> dict[str, int]:
    """Return the kinds of breaks that a text contains, and how many breaks of each."""
    lines = lines_of(text.strip())
    counts = {
        RULE: sum(_is_rule(line) for line in lines),
        HEADING: sum(_heading(line) is not None for line in lines),
        BLANK: sum(not b.strip() and bool(a.strip()) for a, b in pairwise(lines)),
        NEWLINE: max(0, sum(bool(line.strip()) for line in lines) - 1),
    }
    return {kind: number for kind, number in counts.items() if number}


def divide(text: str, how: str, *, drop_headings: bool, levels: bool) -> Divided:
    """Divide a text at its breaks.

    Args:
        text: the text.
        how: a kind, several with commas, a pattern or texts with types.
        drop_headings: whether the words of headings are not part of segments.
        levels: whether breaks at headings have the level of the heading as their type.
    """
    at_headings = HEADING in how.split(",") and not how.startswith(PATTERN)
    titles: list[str] = []
    segments = [TextPart()]
    for line, types in _broken_lines(text, how):
        if types is not None:
            segments.append(TextPart(types=types))
        heading = _heading(line)
        if heading is None:
            segments[-1].lines.append(line)
            continue
        if at_headings:
            segments.append(TextPart(types={len(heading[1])} if levels else set()))
        if drop_headings:
            titles.append(_title(heading[2] or ""))
        else:
            segments[-1].lines.append(line)
    return Divided(segments, titles)


def _title(text: str) -> str:
    """Return the words of a heading, without the hashes that may close it."""
    title = text.strip()
    bare = title.rstrip("#")
    return title if bare and not bare.endswith((" ", "\t")) else bare.strip()


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, which end with LF, CRLF or CR and nothing else."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _broken_lines(text: str, how: str) -> Iterator[tuple[str, set[int] | None]]:
    """Yield lines; with each the types of the break before it, None if there is no break."""
    if how.startswith(PATTERN):
        yield from _pieces(with_marks(text, how.removeprefix(PATTERN)).split(MARK))
    elif "=" in how:
        yield from _typed_pieces(text, typed_texts(how))
    else:
        kinds = {*how.split(",")}
        blank = False
        for number, line in enumerate(lines_of(text)):
            is_break = (
                (RULE in kinds and _is_rule(line))
                or (BLANK in kinds and blank)
                or (NEWLINE in kinds and number > 0)
            )
            yield line, set() if is_break else None
            blank = not line.strip()


def _pieces(pieces: Sequence[str]) -> Iterator[tuple[str, set[int] | None]]:
    for number, piece in enumerate(pieces):
        for at, line in enumerate(lines_of(piece)):
            yield line, set() if number and not at else None


def _typed_pieces(text: str, types: dict[str, int]) -> Iterator[tuple[str, set[int] | None]]:
    longest_first = sorted(types, key=len, reverse=True)
    parts = re.split("(" + "|".join(map(re.escape, longest_first)) + ")", text)
    before: set[int] | None = None
    for number, part in enumerate(parts):
        if number % 2:
            before = {types[part]}
            continue
        for at, line in enumerate(lines_of(part)):
            yield line, None if at else before
