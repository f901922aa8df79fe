"""Boundary densities of references and systems, night by night.

A desk that marks fewer boundaries lowers the scores of all systems, and no average tells it from
harder nights.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.nightly.gate.past import Past
from segscore.pipeline.nightly.gate.tallies import tables
from segscore.pipeline.nightly.nights import Night
from segscore.pipeline.nightly.verdict import Density
from segscore.pipeline.statistics.formatted_numbers import percent, shown_attribute
from segscore.pipeline.statistics.night_levels import FEWEST_OF_BASELINE

_MATCHED = ("matches", "near_misses", "substitutions")
_REFERENCE, _SYSTEM = (*_MATCHED, "misses"), (*_MATCHED, "false_alarms")
"""Counts that add up to the boundaries of a reference, and of a hypothesis."""

_CHANGED = 0.1
"""Smallest change of a density that is said, as a share of it."""

_FEWEST_EARLIER = 3
"""Fewest earlier nights that a density is compared with."""

_CLEARLY = 4.0
"""Standard deviations between nights by which a density differs clearly."""


def count_densities(night: Night, by: Sequence[str]) -> tuple[Density, ...]:
    """Count the boundaries of a night, over all documents and by group; none if it has no edits.

    Raises:
        Refused: a file of the night cannot be read.
        Failed: the server does not answer.
    """
    counts = [*dict.fromkeys((*_REFERENCE, *_SYSTEM))]
    pieces = night.table_files("scores")
    if not all({*counts, *by} <= {*piece.columns} for piece in pieces):
        return ()
    keys = ["document_id", "hypothesis", "reference", *by]
    parts = [*tables(night, "scores", [*dict.fromkeys([*keys, "n_units", *counts])])]
    if not parts:
        return ()
    table = pa.concat_tables(parts)
    for name, added in (("reference_boundaries", _REFERENCE), ("boundaries", _SYSTEM)):
        total = table.column(added[0])
        for count in added[1:]:
            total = pc.add(total, table.column(count))
        table = table.append_column(name, total)
    # A reference that several systems are scored against counts once.
    references = table.group_by(["document_id", "reference", *by]).aggregate(
        [("n_units", "max"), ("reference_boundaries", "max")]
    )
    references = references.rename_columns(
        ["document_id", "reference", *by, "n_units", "boundaries"]
    )
    return (
        *_densities(references, by),
        *(
            density
            for system in sorted(pc.unique(table.column("hypothesis")).to_pylist())
            for density in _densities(
                table.filter(pc.equal(table.column("hypothesis"), system)), by, system
            )
        ),
    )


def _densities(table: pa.Table, by: Sequence[str], system: str | None = None) -> Iterator[Density]:
    """Add up the boundaries and units of a table, over all rows and by group."""
    sums: list[tuple[str, str]] = [("boundaries", "sum"), ("n_units", "sum")]
    for names in ([], [*by]) if by else ([],):
        for row in (
            table.group_by(names)
            .aggregate(sums)
            .sort_by([(name, "ascending") for name in names] or [("n_units_sum", "ascending")])
            .to_pylist()
        ):
            group = ", ".join(shown_attribute(row[name]) for name in names) or None
            yield Density(system, group, row["boundaries_sum"], row["n_units_sum"])


def changed_densities(past: Past, densities: Sequence[Density]) -> Mapping[tuple[Any, Any], float]:
    """Return what differs clearly from the good nights before: (system, group) -> share."""
    found = {}
    for density in densities:
        key = density.system, density.group
        values = np.array([night.densities.get(key, np.nan) for night in past.usual()])
        share = change_of_density(density.per_unit, values[~np.isnan(values)])
        if share is not None:
            found[key] = share
    return found


def change_of_density(now: float, before: Floats) -> float | None:
    """Return by what share a density differs from those of nights before; None if not clearly."""
    if len(before) < _FEWEST_EARLIER or not before.mean() > 0:
        return None
    share = now / float(before.mean()) - 1
    spread = float(before.std(ddof=1)) / float(before.mean())
    few = len(before) < FEWEST_OF_BASELINE
    clearly = max(_CHANGED, _CLEARLY * (1.5 if few else 1.0) * spread)
    return share if abs(share) >= clearly else None


def densities_in_words(
    changed: Mapping[tuple[Any, Any], float],
) -> Iterator[tuple[str | None, str]]:
    """Yield who has another density over all documents, None for the references, and a sentence."""
    for (system, group), share in changed.items():
        if group is None:
            who = "the references have" if system is None else f"{system} has"
            size = f"{percent(abs(share))} {'more' if share > 0 else 'fewer'}"
            advice = ": look at the references" if system is None else ""
            yield system, f"{who} {size} boundaries than on the nights before{advice}"
