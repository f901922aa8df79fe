"""The part of a method sentence about the material: documents, units, levels, types."""

from collections import defaultdict
from collections.abc import Iterator

from segscore.pipeline.plain_text import latex_name, named_list
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.settings.signature import PROJECTED, REGIONS, fields
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.tables.units import PER_SECOND

_LEVELS = {
    "cumulative": "its boundaries and those of all coarser levels",
    "only": "its boundaries alone",
}
"""Value of the field `by_level` -> the boundaries of a level."""


def describe_material(run: FinishedRun) -> Iterator[str]:
    """Yield what is to be said of documents, units, levels, types and other transcripts."""
    stated = fields(run.signature)
    documents = _documents(run)
    if documents:
        low, high = min(documents), max(documents)
        number = counted(high, "document") if low == high else f"{low:,} to {high:,} documents"
        yield f"each system is measured on {number}"
    if (unit := counted_in(run)) is not None:
        yield f"positions are counted in {latex_name(unit)}s"
    if level := stated.get("by_level"):
        level = named_list([_LEVELS.get(one, latex_name(one)) for one in level.split("/")])
        yield f"each boundary type is a level of its own, with {level}"
    elif types := stated.get("types"):
        distinguished = latex_name(named_list(types.split(",")))
        yield f"boundaries of the types {distinguished} are distinguished"
    if stated.get(REGIONS):
        yield "only what lies in the scored regions of each document is measured"
    if projected := stated.get(PROJECTED):
        yield from _projections(projected)


def counted_in(run: FinishedRun) -> str | None:
    """Return what positions are counted in, such as word; None if the run does not know it."""
    return "word" if fields(run.signature).get("units") == "words" else run.unit


def describe_near_misses(run: FinishedRun, n_t: int) -> str:
    """Say which boundaries are near misses."""
    unit = counted_in(run)
    if n_t == 1:
        return "there are no near misses"
    if unit in PER_SECOND:
        return f"boundaries less than {n_t / PER_SECOND[unit]:g} s apart are near misses"
    if n_t == 2:
        return "adjacent boundaries are near misses, which count one half ($n_t = 2$)"
    apart = counted(n_t - 1, latex_name(unit or "position"))
    return f"boundaries at most {apart} apart are near misses ($n_t = {n_t}$)"


def _documents(run: FinishedRun) -> set[int]:
    """Return how many documents systems have, over all groups."""
    name, system = ("systems", "system") if run.command == "compare" else ("summary", "hypothesis")
    most: dict[str, int] = defaultdict(int)
    for row in run.rows(name):
        if row["documents"] is not None:
            most[row[system]] = max(most[row[system]], row["documents"])
    return {*most.values()}


def _projections(stated: str) -> Iterator[str]:
    """Say which tables were projected, and how, as a signature states it."""
    of_runs = ", in some of the runs" if "/" in stated else ""
    parts = [part.split(",") for run in stated.split("/") for part in run.split("+")]
    for side in ("references", "hypotheses"):
        tokens = sorted({tokens for name, *rest in parts if name == side for tokens in rest[:1]})
        if tokens:
            yield (
                f"the {side} are projected from another transcript by the fewest edits of "
                f"{latex_name(named_list(tokens))}{of_runs}"
            )
