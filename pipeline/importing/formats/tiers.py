"""Choose the tiers that `--tier` names, and their coders, for ELAN and Praat."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from segscore.pipeline.errors import nearest
from segscore.pipeline.importing.formats.values import brief
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings


class ChosenTier(NamedTuple):
    """A tier to read.

    Attributes:
        place: its place among the tiers of the file.
        matched: the part of its name that the `*` of a pattern stands for; empty without a pattern.
    """

    place: int
    matched: str


def chosen_tiers(
    names: Sequence[str], file: OpenedFile, settings: ImportSettings
) -> list[ChosenTier]:
    """Return the tiers to read, in the order of `--tier`, those of a pattern as in the file.

    A name with `*`, such as `topics@*`, is a pattern.  A file need not have all tiers that are
    named, but one of them.

    Raises Refused if there is no tier, if there are several and `--tier` is not given, or if none
    that it names is there, or one is there twice.
    """
    listed = ", ".join(map(brief, dict.fromkeys(names)))
    wanted = tuple(dict.fromkeys(settings.tier)) or tuple(names)
    if not names:
        raise file.refusal("the file contains no tiers")
    if not settings.tier and len(names) > 1:
        raise file.refusal(f"there are several tiers: {listed}; choose with --tier")
    chosen: dict[int, str] = {}
    for name in wanted:
        for place, matched in _matching(name, names, is_pattern=bool(settings.tier)):
            chosen.setdefault(place, matched)
    if not chosen:
        missing = ", ".join(map(brief, wanted))
        similar = next(filter(None, (nearest(name, names) for name in wanted)), "")
        raise file.refusal(f"no tier is named {missing}; --tier names one of: {listed}{similar}")
    for place in chosen:
        if names.count(names[place]) > 1:
            raise file.refusal(
                f"more than one tier is named {brief(names[place])}; --tier names one of: {listed}"
            )
    for place, name in enumerate(names):
        if place not in chosen:
            file.notes.add("tiers_not_taken", name)
    return [ChosenTier(place, matched) for place, matched in chosen.items()]


def _matching(name: str, names: Sequence[str], *, is_pattern: bool) -> list[tuple[int, str]]:
    """Return the places of the tiers that a name or pattern means, and what its `*` stands for."""
    if "*" not in name or not is_pattern:
        return [(place, "") for place, each in enumerate(names) if each == name]
    pattern = re.compile("(.+)".join(map(re.escape, name.split("*"))))
    found = ((place, pattern.fullmatch(each)) for place, each in enumerate(names))
    return [(place, match[1]) for place, match in found if match]


def tier_coder(
    stated: str, name: str, chosen: Sequence[ChosenTier], matched: str, settings: ImportSettings
) -> str | None:
    """Return the coder of a tier: what the `*` of `--tier` stands for, else stated there.

    Without either, it is `--coder` if only one tier is read, else the name of the tier.  None is
    `--coder`, which is filled in for all formats alike.
    """
    if matched or stated:
        return matched or stated
    return None if settings.coder is not None and len(chosen) == 1 else name or None
