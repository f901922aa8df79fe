"""Choose the tiers that `--tier` names, and their coders, for ELAN and Praat."""

from collections.abc import Sequence

from segscore.pipeline.importing.formats.values import brief
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings


def chosen_tiers(names: Sequence[str], file: OpenedFile, settings: ImportSettings) -> list[int]:
    """Return the places of the tiers to read in `names`, in the order of `--tier`.

    Raises Refused if there is no tier, if there are several and `--tier` is not given, or if it
    names one that is not there or is there twice.
    """
    listed = ", ".join(map(brief, dict.fromkeys(names)))
    wanted = tuple(dict.fromkeys(settings.tier)) or tuple(names)
    if not names:
        raise file.refusal("the file contains no tiers")
    if not settings.tier and len(names) > 1:
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


def tier_coder(stated: str, name: str, number: int, settings: ImportSettings) -> str | None:
    """Return the coder of a tier: stated there, else `--coder` if `number` is 1, else its name.

    None is `--coder`, which is filled in for all formats alike.
    """
    if stated:
        return stated
    return None if settings.coder is not None and number == 1 else name or None
