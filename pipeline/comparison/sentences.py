"""Sentences about pairs of systems: chance, margins, what documents can show; tests over all."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from segscore.pipeline.comparison.pair_rows import (
    PAIRS_SHOWN,
    better_first,
    by_difference,
    has_point,
    is_directed,
    is_significant,
)
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.results.names import is_artificial, is_point
from segscore.pipeline.settings.signature import resampled_attribute
from segscore.pipeline.statistics.formatted_numbers import (
    counted,
    format_p,
    percent,
    shown_as,
    shown_number,
)
from segscore.pipeline.statistics.jackknife import FEWEST
from segscore.pipeline.statistics.power import LEAST_DOCUMENTS
from segscore.schemas.rows import OmnibusRow, PairRow

_NAMED = 3
"""Most pairs of a sentence that are named."""

_MOST_DOCUMENTS = 1_000_000
"""Number of documents above which a need for more is not told."""


def against_chance(rows: Sequence[PairRow]) -> str | None:
    """Say which systems are not significantly better than a point, or worse.

    None without a pair of a system and a reference point, or where neither direction is better.
    """
    pairs = [
        better_first(row)
        for row in rows
        if is_artificial(row["system"]) != is_artificial(row["other"]) and is_directed(row)
    ]
    if not pairs:
        return None
    pairs.sort(key=lambda row: (row["system"], row["other"]))
    is_sure = [row["better"] is not None and is_significant(row) for row in pairs]
    unsure = [row for row, sure in zip(pairs, is_sure, strict=True) if not sure]
    worse = [
        row
        for row, sure in zip(pairs, is_sure, strict=True)
        if sure and is_artificial(row["system"])
    ]
    many = counted(len(pairs), "pair")
    if not unsure and not worse:
        most = format_p(max(row["p_holm"] or 0.0 for row in pairs))
        at_most = most if most.startswith("<") else f"at most {most}"
        return (
            "all systems are significantly better than all reference points, "
            f"p (Holm) {at_most} ({many})"
        )
    said = [("not significant", unsure), ("the point is better", worse)]
    parts = [f"{what}: {_first_pairs(rows)}" for what, rows in said if rows]
    return f"of {many} of a system and a reference point, {'; '.join(parts)}"


def _first_pairs(rows: Sequence[PairRow]) -> str:
    """Name pairs if they are few, and count them otherwise."""
    if len(rows) > _NAMED:
        return f"{len(rows):,}"
    return first_named([f"{row['system']} and {row['other']}" for row in rows])


def within_margin(row: PairRow) -> str:
    """Say whether a pair is equal within the margin, differs, or neither is known."""
    if row["equal"]:
        return "equal"
    return "differ" if is_significant(row) else "undecided"


def power_in_words(
    rows: Sequence[PairRow], settings: Mapping[str, Any], signature: str
) -> Iterator[str]:
    """Say what difference the documents of each pair can show where they do not show one.

    Pairs that differ significantly have no need for it, unless a difference between systems was
    asked for.

    Args:
        rows: pairs of one group, measure and average.
        settings: the settings of the comparison.
        signature: its signature.
    """
    attribute = resampled_attribute(signature)
    asked = settings["difference"]
    known = [
        row
        for row in sorted(rows, key=by_difference)
        if row["smallest_difference_low"]
        and not (is_point(row["system"]) and is_point(row["other"]))
    ]
    of_systems = [row for row in known if not has_point(row)]
    unsure = [row for row in of_systems or known if not is_significant(row)]
    listed = of_systems if asked is not None and of_systems else unsure
    for row in map(better_first, listed[:PAIRS_SHOWN]):
        units = counted(row["defined"], "document")
        if attribute is not None:
            units = f"{counted(row['units'], 'value')} of {attribute}"
        least, most = row["smallest_difference_low"], row["smallest_difference_high"]
        line = (
            f"{row['system']} and {row['other']}: with {units}, the test finds a difference of "
            f"{shown_number(least)} to {shown_number(most)} with a probability of "
            f"{percent(settings['power'], '.4g')}"
        )
        if asked is not None:
            line += f"; {abs(asked):g} needs {_needed(row)}"
        yield line
    units = "documents" if attribute is None else f"values of {attribute}"
    if unsure and asked is None:
        yield f"--difference says how many {units} another difference needs"
    directed = any(row["better"] is not None for row in rows)
    most = max(row["defined"] if attribute is None else row["units"] for row in rows)
    if directed and not known and FEWEST <= most < LEAST_DOCUMENTS:
        yield (
            f"fewer than {LEAST_DOCUMENTS} {units}: too few to estimate what difference they "
            "can show"
        )


def _needed(row: PairRow) -> str:
    """Write how many documents a difference needs, which is known for this pair."""
    low, high = row["documents_for_difference_low"] or 0, row["documents_for_difference_high"] or 0
    if high > _MOST_DOCUMENTS:
        return "more than a million" if low > _MOST_DOCUMENTS else f"{low} or more"
    return str(low) if low == high else f"{low} to {high}"


def omnibus_in_words(row: OmnibusRow) -> str:
    """Write the result of Friedman's test as a paper does."""
    return (
        f"Friedman chi²({row['degrees']}) = {shown_as(row['statistic'], '.2f')}, "
        f"p {format_p(row['p'])}, W = {shown_as(row['effect'], '.2f')}"
    )
