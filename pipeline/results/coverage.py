"""Decide on which documents the systems of a group can be ranked.

Where all systems have the same documents, on these. Else on those that all of them share, if these
are enough; else on none: averages over other documents do not compare. Reference points, which a
run makes itself, do not count as systems.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from segscore.pipeline.plain_text import first_named
from segscore.pipeline.results.names import is_point
from segscore.pipeline.runs.finished import rows_over_all
from segscore.pipeline.statistics.averages import summary_groups
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.schemas.rows import AverageRow

LEAST_SHARED = 10
"""Systems with other documents are ranked on those that all share, if these are so many..."""

LEAST_SHARE = 0.5
"""... and at least this share of the documents of the system with the fewest."""


@dataclass(frozen=True)
class Coverage:
    """The documents of the systems of a group.

    Attributes:
        documents: number of documents of each system.
        same: whether all systems have the same documents.
        shared: number of documents that all systems have; None if it is not known.
    """

    documents: Sequence[int] = ()
    same: bool = True
    shared: int | None = None

    @property
    def ranks(self) -> bool:
        """Whether the systems can be ranked."""
        return self.same or self.ranks_on_shared

    @property
    def ranks_on_shared(self) -> bool:
        """Whether the systems can be ranked on the documents that all share, and on no others."""
        if self.same or self.shared is None:
            return False
        return self.shared >= max(LEAST_SHARED, LEAST_SHARE * min(self.documents))

    @property
    def shared_in_words(self) -> str:
        """The documents that the systems are ranked on; empty if all have the same."""
        if not self.ranks_on_shared:
            return ""
        many = len(self.documents)
        systems = "both systems" if many == 2 else f"all {many:,} systems"
        return f"the {self.shared:,} documents that {systems} share"

    @property
    def in_words(self) -> str:
        """On what the systems are ranked, or why they are not; empty if all have the same."""
        if self.same:
            return ""
        if self.ranks_on_shared:
            return f"ranked on {self.shared_in_words}"
        systems = f"the {len(self.documents):,} systems"
        if self.shared is None:
            return f"not ranked: {systems} were scored on different documents"
        few = "no document" if not self.shared else f"only {self.shared:,} documents"
        few = "only 1 document" if self.shared == 1 else few
        why = f"fewer than the {LEAST_SHARED} that a ranking needs"
        if self.shared >= LEAST_SHARED:
            why = f"fewer than half of the {min(self.documents):,} of the system with the fewest"
        return f"not ranked: {systems} share {few}" + (f", {why}" if self.shared else "")

    @property
    def advice(self) -> str:
        """The same, and what to do about systems that are not ranked."""
        if self.ranks or len(self.documents) == 2:
            return self.in_words
        return f"{self.in_words}; compare two of them: segscore compare RUN --systems A,B"


def coverage_of(rows: Mapping[str, AverageRow]) -> Coverage:
    """Return the coverage of a group, from the row of each system and point for one measure."""
    systems = [row for name, row in rows.items() if not is_point(name)]
    sets = {(row["documents"], row.get("document_set")) for row in systems}
    shared = [n for row in systems if (n := row.get("shared_documents")) is not None]
    return Coverage(
        documents=[row["documents"] for row in systems],
        same=len(sets) <= 1,
        shared=max(shared, default=None),
    )


def warn_of_fewer_documents(summary: pa.Table) -> list[str]:
    """Return a warning if systems were scored on fewer or other documents than others."""
    rows: list[AverageRow] = rows_over_all(summary, summary_groups(summary.column_names))
    of_measure = {
        row["hypothesis"]: row
        for row in rows
        if row["measure"] == rows[0]["measure"] and not is_point(row["hypothesis"])
    }
    coverage = coverage_of(of_measure)
    if coverage.same:
        return []
    most = max(coverage.documents)
    fewer = {name: row["documents"] for name, row in of_measure.items() if row["documents"] < most}
    if not fewer:
        named = first_named(sorted(of_measure), "systems")
        text = f"{named}: scored on {counted(most, 'document')} each, but not on the same"
    else:
        named = first_named([f"{name} ({fewer[name]:,})" for name in sorted(fewer)], "systems")
        was = "was" if len(fewer) == 1 else "were"
        text = f"{named} {was} scored on fewer documents than other systems ({most:,})"
    return [f"{text}; {coverage.advice}"]
