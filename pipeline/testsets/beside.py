"""Lay out published scores beside those of the systems, for the terminal and the report."""

from collections.abc import Mapping, Sequence
from typing import Any

_NOT_COMPARABLE = "not comparable"
"""In place of one's own values if the convention of a published score is not known."""

_NOT_KNOWN = "not known"


def heading_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the heading of the rows of the table `published`."""
    name = rows[0]["set"] if rows[0]["split"] == "all" else f"{rows[0]['set']} {rows[0]['split']}"
    return f"published on these references ({name}; as printed; no test is possible)"


def group_published(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return a row for each published score, with the values of all systems in one cell."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for row in rows:
        document = row["document_id"] or ""
        convention = row["convention"] or _NOT_KNOWN
        key = (row["published_system"], document, row["measure"], row["printed"], row["evidence"])
        own = groups.setdefault((*key, convention), [])
        if row["system"] is not None and row["convention"] is not None:
            value = "undefined" if row["value"] is None else f"{row['value']:.4f}"
            own.append(f"{row['system']} {value}")
    names = ("system", "document", "measure", "printed", "evidence", "convention")
    return [
        dict(zip(names, key, strict=True)) | {"yours": ", ".join(own) or _NOT_COMPARABLE}
        for key, own in groups.items()
    ]
