"""Find systems that were scored on fewer or other documents, so that averages do not compare."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from segscore.pipeline.plain_text import first_named
from segscore.pipeline.runs.finished import rows_over_all
from segscore.pipeline.scoring.names import is_point
from segscore.pipeline.statistics.averages import summary_groups


def fewer_documents(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Return the systems whose averages do not compare with those of the others, and documents.

    These were scored on fewer documents than another system, or on as many others. Where no set of
    documents is that of more systems than each other set, no system compares.

    Returns:
        System -> number of its documents.
    """
    systems = {name: row for name, row in rows.items() if not is_point(name)}
    documents = {name: row["documents"] for name, row in systems.items()}
    most = max(documents.values(), default=0)
    sets = {name: row.get("document_set") for name, row in systems.items()}
    users = Counter(sets[name] for name, number in documents.items() if number == most)
    (first, of_first), *others = users.most_common() or [(None, 0)]
    compares = not others or of_first > others[0][1]
    return {
        name: number
        for name, number in documents.items()
        if number < most or not compares or sets[name] != first
    }


def warn_of_fewer_documents(summary: pa.Table) -> list[str]:
    """Return a warning if systems were scored on fewer or other documents than others."""
    rows = rows_over_all(summary, summary_groups(summary.column_names))
    rows = [row for row in rows if row["measure"] == rows[0]["measure"]]
    fewer = fewer_documents({row["hypothesis"]: row for row in rows})
    if not fewer:
        return []
    most = max(row["documents"] for row in rows if not is_point(row["hypothesis"]))
    if min(fewer.values()) == most:
        return [
            f"{first_named(sorted(fewer))}: scored on as many documents as other systems ({most}), "
            "but not on the same, so that averages do not compare and nobody is called best; "
            "`segscore compare` uses the documents that systems share"
        ]
    named = first_named([f"{name} ({fewer[name]})" for name in sorted(fewer)], "systems")
    was, its = ("was", "its") if len(fewer) == 1 else ("were", "their")
    return [
        f"{named} {was} scored on fewer documents than other systems ({most}), so "
        f"that {its} averages do not compare; `segscore compare` uses the documents that systems "
        "share"
    ]
