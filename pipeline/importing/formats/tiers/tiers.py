"""Choose the tiers that `--tier` names, and their coders, for ELAN and Praat."""

from collections.abc import Sequence

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.json_fields import brief


def chosen_tiers(names: Sequence[str], file: OpenedFile, asked: Asked) -> list[int]:
    """Return the places of the tiers to read in `names`, in the order of `--tier`.

    Raises Refused if there is no tier, if there are several and `--tier` is not given, or if it
    names one that is not there or is there twice.
    """
    listed = ", ".join(map(brief, dict.fromkeys(names)))
    wanted = tuple(dict.fromkeys(asked.tiers)) or tuple(names)
    if not names:
        raise file.refusal("there is no tier in it; expected at least one")
    if not asked.tiers and len(names) > 1:
        raise file.refusal(f"there are several tiers: {listed}; choose with --tier")
    for name in wanted:
        if names.count(name) != 1:
            number = "no" if name not in names else "more than one"
            raise file.refusal(
                f"{number} tier is named {brief(name)}; --tier names one of: {listed}"
            )
    for name in names:
        if name not in wanted:
            file.notes.add("tiers_not_taken", name)
    return [names.index(name) for name in wanted]


def tier_coder(stated: str, name: str, number: int, asked: Asked) -> str | None:
    """Return the coder of a tier: stated there, else `--coder` if `number` is 1, else its name.

    None is `--coder`, which is filled in for all formats alike.
    """
    if stated:
        return stated
    return None if asked.coder is not None and number == 1 else name or None
