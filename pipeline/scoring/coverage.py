"""Find systems that were scored on fewer documents than others, so that averages do not compare."""

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from segscore.pipeline.runs.finished import rows_over_all
from segscore.pipeline.scoring.names import is_point
from segscore.pipeline.statistics.averages import best_first, summary_groups

_NAMED = 3
"""Maximum number of systems that a warning names."""


def fewer_documents(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the systems that were scored on fewer documents than another one, and on how many.

    Args:
        rows: rows of a summary with the same measure, average and group.
    """
    documents = {
        row["hypothesis"]: row["documents"] for row in rows if not is_point(row["hypothesis"])
    }
    most = max(documents.values(), default=0)
    return {name: number for name, number in documents.items() if number < most}


def ranked(rows: Iterable[dict[str, Any]], *, higher: bool) -> list[dict[str, Any]]:
    """Sort rows of a summary, best first; those of systems with fewer documents come last.

    Args:
        rows: rows with the same measure, average and group.
        higher: whether higher values are better.
    """
    in_order = best_first(rows, higher=higher)
    fewer = fewer_documents(in_order)
    return sorted(in_order, key=lambda row: row["hypothesis"] in fewer)


def warn_of_fewer_documents(summary: pa.Table) -> list[str]:
    """Return a warning if systems were scored on fewer documents than others."""
    rows = rows_over_all(summary, summary_groups(summary.column_names))
    rows = [row for row in rows if row["measure"] == rows[0]["measure"]]
    fewer = fewer_documents(rows)
    if not fewer:
        return []
    most = max(row["documents"] for row in rows if not is_point(row["hypothesis"]))
    named = [f"{name} ({number})" for name, number in sorted(fewer.items())[:_NAMED]]
    more = f" and {len(fewer) - _NAMED} more systems" if len(fewer) > _NAMED else ""
    was, its = ("was", "its") if len(fewer) == 1 else ("were", "their")
    return [
        f"{', '.join(named)}{more} {was} scored on fewer documents than other systems ({most}), so "
        f"that {its} averages do not compare; `segscore compare` uses the documents that systems "
        "share"
    ]
