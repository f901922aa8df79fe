"""Print the scores that were published on the references of a comparison."""

from typing import Any

from segscore.jobs.show.fitted import print_fitted, print_lines
from segscore.jobs.show.formats import plain_layout, print_table, print_text
from segscore.pipeline.statistics.shown_tables import Column
from segscore.pipeline.testsets.published import group_published, heading_of

_SHOWN = 20
_COLUMNS = ("system", "document", "measure", "printed", "evidence", "convention")
_YOURS = "yours by the same convention"


def print_published(rows: list[dict[str, Any]], format_name: str = "text") -> None:
    """Print a block of its own: published scores, and the systems by the same conventions.

    Args:
        rows: rows of the table `published`.
        format_name: text, which shows the first 20 scores; or markdown, which has all.
    """
    if not rows:
        nothing = "published on these references: nothing that segscore knows"
        print_lines(nothing)
    elif format_name == "text":
        _print_as_text(rows)
    else:
        print_text(f"{heading_of(rows)}\n")
        shown = [row | {_YOURS: row["yours"]} for row in group_published(rows)]
        names = [name for name in _COLUMNS if name != "document" or any(r[name] for r in shown)]
        print_table(plain_layout([*names, _YOURS], shown, ""), format_name)


def _print_as_text(rows: list[dict[str, Any]]) -> None:
    groups = group_published(rows)
    cells = [[row[name] for row in groups[:_SHOWN]] for name in (*_COLUMNS, "yours")]
    headings = (*_COLUMNS, _YOURS)
    print_fitted(
        [
            Column(heading, column, is_name=heading not in ("printed",))
            for heading, column in zip(headings, cells, strict=True)
            if heading != "document" or any(column)
        ],
        title=heading_of(rows),
    )
    if len(groups) > _SHOWN:
        print_lines(
            f"{len(groups) - _SHOWN} more are in the table published of --output and in JSON"
        )
