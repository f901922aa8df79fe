"""Print the scores that were published on the references of a comparison."""

from typing import Any

from segscore.jobs.show.fitted import Column, out, print_fitted
from segscore.pipeline.testsets.beside import group_published, heading_of

_SHOWN = 20


def print_published(rows: list[dict[str, Any]]) -> None:
    """Print a block of its own: published scores, and the systems by the same conventions."""
    if not rows:
        out().print("published on these references: nothing that segscore knows", markup=False)
        return
    groups = group_published(rows)
    columns = ("system", "document", "measure", "printed", "evidence", "convention")
    cells = [[row[name] for row in groups[:_SHOWN]] for name in (*columns, "yours")]
    headings = (*columns, "yours by the same convention")
    print_fitted(
        [
            Column(heading, column, is_name=heading not in ("printed",))
            for heading, column in zip(headings, cells, strict=True)
            if heading != "document" or any(column)
        ],
        title=heading_of(rows),
    )
    if len(groups) > _SHOWN:
        out().print(
            f"{len(groups) - _SHOWN} more are in the table published of --output and in JSON"
        )
