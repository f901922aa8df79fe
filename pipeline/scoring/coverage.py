"""Find systems that were scored on fewer documents than others, so that averages do not compare."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from segscore.pipeline.runs.finished import rows_over_all
from segscore.pipeline.scoring.names import is_point
from segscore.pipeline.statistics.averages import summary_groups

_NAMED = 3
"""Maximum number of systems that a warning names."""


def fewer_documents(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Return the systems that were scored on fewer documents than another one, and on how many.

    Args:
        rows: system -> its row of a summary, of the same average and group.
    """
    documents = {name: row["documents"] for name, row in rows.items() if not is_point(name)}
    most = max(documents.values(), default=0)
    return {name: number for name, number in documents.items() if number < most}


def warn_of_fewer_documents(summary: pa.Table) -> list[str]:
    """Return a warning if systems were scored on fewer documents than others."""
    rows = rows_over_all(summary, summary_groups(summary.column_names))
    rows = [row for row in rows if row["measure"] == rows[0]["measure"]]
    fewer = fewer_documents({row["hypothesis"]: row for row in rows})
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
