"""Print what changed between two systems."""

from collections.abc import Sequence
from typing import Any

from segscore.jobs.cli.encoding import printable_command
from segscore.jobs.show.fitted import print_fitted, print_lines
from segscore.pipeline.statistics.shown_numbers import counted, shown_p
from segscore.pipeline.statistics.shown_tables import Column

_Row = dict[str, Any]

_LISTED = 5
"""Number of documents of each change whose commands are printed."""


def print_changes(counts: Sequence[_Row], changed: Sequence[_Row]) -> None:
    """Print the counts of what changed, their tests, and commands that show where."""
    if not counts:
        return
    before, after = counts[0]["system_before"], counts[0]["system_after"]
    print_fitted(
        [
            Column("", [row["what"] for row in counts], is_name=True),
            Column("", [row["change"] for row in counts], is_name=True),
            Column("number", [str(row["number"]) for row in counts]),
            Column("documents", [str(row["documents"]) for row in counts]),
        ],
        title=f"what changed from {before} to {after}",
    )
    for better, worse in (("fixed", "broken"), ("gone", "new")):
        found = {row["change"]: row for row in counts}
        if (p := found[better]["p"]) is not None:
            numbers = f"{found[better]['number']} {better}, {found[worse]['number']} {worse}"
            print_lines(
                f"{found[better]['what']}: {numbers}: p {shown_p(p)} (McNemar, by documents)"
            )
    for change in ("broken", "new", "fixed", "gone"):
        print_lines(*_listed(change, [row for row in changed if row["change"] == change]))


def _listed(change: str, rows: Sequence[_Row]) -> list[str]:
    """Return commands for the documents with the most changes of one kind."""
    documents: dict[str, list[_Row]] = {}
    for row in rows:
        documents.setdefault(row["document_id"], []).append(row)
    most = sorted(documents.items(), key=lambda item: (-len(item[1]), item[0]))[:_LISTED]
    if not most:
        return []
    lines = [f"{change}: {counted(len(rows), 'position')}; most of them in"]
    for _, of_document in most:
        places = sorted({row["position"] for row in of_document})
        first = ", ".join(map(str, places[:_LISTED])) + ", …" * (len(places) > _LISTED)
        lines.append(f"  {first}  {printable_command(of_document[0]['command'])}")
    return lines
