"""Tables of test sets: their splits, and scores that were published on them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from segscore.pipeline.statistics.formatted_numbers import format_value
from segscore.pipeline.statistics.result_table import Column, ResultTable

_Row = Mapping[str, Any]

_NUMBERS = ("documents", "boundaries")
_LEAST_SHOWN = 20
"""Number of published scores that a terminal shows, if so many are of single documents."""

_SCORES = ("split", "system", "document_id", "measure", "value", "convention", "evidence", "source")


def all_splits_table(rows: Sequence[_Row]) -> ResultTable:
    """Show the splits of several test sets, as ``list_splits`` returns them."""
    return _shown(rows, ("set", "split", *_NUMBERS, "fingerprint", "licence"))


def splits_table(rows: Sequence[_Row]) -> ResultTable:
    """Show the splits of one test set, as ``list_splits`` returns them."""
    return _shown(rows, ("split", *_NUMBERS, "fingerprint"))


def scores_as_printed(rows: Sequence[_Row]) -> ResultTable:
    """Show published scores on one test set, with the columns ``PUBLISHED_COLUMNS``.

    Those of single documents come last, and a terminal shows only a few of them.
    """
    scores = sorted(rows, key=lambda row: bool(row["document_id"]))
    overall = sum(not row["document_id"] for row in scores)
    names = _SCORES if overall < len(scores) else [n for n in _SCORES if n != "document_id"]
    return replace(
        _shown(scores, names),
        first=max(overall, _LEAST_SHOWN),
        rest=lambda number: f"{number:,} more, of single documents: --format csv",
    )


def _shown(rows: Sequence[_Row], names: Iterable[str]) -> ResultTable:
    """Show some columns of rows; a value that is not known is left empty."""
    return ResultTable(
        [
            Column(
                name,
                ["" if row[name] is None else format_value(row[name]) for row in rows],
                is_name=name not in _NUMBERS,
            )
            for name in names
        ]
    )
