"""Warnings that every night would repeat are said once, and counted then."""

import re
from collections.abc import Sequence

from segscore.pipeline.nightly.verdict import Standing, Verdict
from segscore.pipeline.statistics.formatted_numbers import counted

_NUMBERS = re.compile(r"(?<![\w.-])[0-9][0-9.,:-]*(?!\w)")
"""Numbers and dates, but not those in names, such as `alta-2`."""


def said_once(
    warnings: Sequence[str], before: Verdict | None
) -> tuple[tuple[str, ...], tuple[Standing, ...]]:
    """Divide the warnings of a night into new ones, and those that stand since an earlier night.

    A warning that differs in its numbers alone is the same one.

    Args:
        warnings: all warnings of the night.
        before: the verdict on the night before; None if there is none.

    Returns:
        What is said: the new ones, and a sentence that counts the others; and the latter.
    """
    known: dict[str, str] = {}
    if before is not None:
        known = {_form(text): before.date for text in before.warnings}
        known |= {_form(one.text): one.since for one in before.standing}
    new = [text for text in warnings if _form(text) not in known]
    standing = tuple(
        Standing(text, known[_form(text)]) for text in warnings if _form(text) in known
    )
    said = [*new]
    if standing:
        first = min(one.since for one in standing)
        verb = "stands" if len(standing) == 1 else "stand"
        said.append(f"{counted(len(standing), 'warning')} {verb} unchanged since {first}")
    return tuple(said), standing


def _form(text: str) -> str:
    return _NUMBERS.sub("0", text)
