"""Print the boundaries of references that may be wrong."""

import shlex
from typing import TYPE_CHECKING, Any

from segscore.jobs.cli.encoding import printable_command
from segscore.jobs.show.fitted import print_fitted, print_lines
from segscore.pipeline.comparison.suspects import kind_in_words
from segscore.pipeline.reports.terminal import BOUNDARY, UNIT
from segscore.pipeline.statistics.shown_numbers import counted, shown_number
from segscore.pipeline.statistics.shown_tables import Column

if TYPE_CHECKING:
    from segscore.pipeline.comparison.suspects import Suspects

_Row = dict[str, Any]

_LISTED, _DRAWN = 10, 3
"""Numbers of suspects that are listed, and drawn."""

_SURE = 0.9

_AROUND, _NAME = 20, 20
"""Numbers of positions that are drawn on each side, and of characters of a name."""


def print_suspects(suspects: "Suspects", run: str, *, timed: bool) -> None:
    """Print the suspects that matter most, drawings of the first, and what to do with them.

    Args:
        suspects: the suspects.
        run: folder of the run.
        timed: whether positions are times, which Label Studio needs.
    """
    rows = suspects.rows
    likely = sum(row["posterior"] >= _SURE for row in rows)
    about = (
        f"{counted(suspects.documents, 'document')} with {suspects.boundaries:,} reference "
        f"boundaries, {len(suspects.systems)} systems that count as "
        f"{suspects.found.effective:.1f}, references of accuracy {suspects.accuracy:.2f}"
    )
    if not rows:
        print_lines(f"{about}: nothing is suspected")
        return
    first = rows[:_LISTED]
    number = len(suspects.systems)
    print_fitted(
        [
            Column("document", [row["document_id"] for row in first], is_name=True),
            Column("position", [str(row["position"]) for row in first]),
            Column("reference", [kind_in_words(row) for row in first]),
            Column("probability", [shown_number(row["posterior"]) for row in first]),
            Column("systems", [f"{len(row['systems_for'])} of {number}" for row in first]),
            Column("change of B", [_change(row["change"]) for row in first]),
        ],
        title="references that may be wrong, the largest product of change and probability first",
    )
    print_lines(f"{about}: {len(rows)} suspected, {likely} of them with probability 0.9 or more")
    _draw(first, suspects)
    if not timed:
        return
    documents = list(dict.fromkeys(row["document_id"] for row in first))
    words = ["segscore", "export", run, "--format", "label-studio", "--output", "queue"]
    export = shlex.join([*words, "--document", ",".join(documents)])
    print_lines(f"to decide them in Label Studio: {printable_command(export)}")


def _change(value: float | None) -> str:
    return "–" if value is None else f"{value:+.4f}"


def _draw(rows: list[_Row], suspects: "Suspects") -> None:
    """Draw the reference and all systems around each of the first suspects."""
    for row in rows[:_DRAWN]:
        place = row["document_id"], row["reference"]
        named = [row["reference"], *suspects.systems]
        every = [outcome[place] for outcome in suspects.outcomes]
        lists = [every[0].reference, *(each.hypothesis for each in every)]
        width = min(_NAME, max(map(len, named)))
        first = max(1, row["position"] - _AROUND)
        columns = range(first, row["position"] + _AROUND + 1)
        print_lines("", f"{row['document_id']}, {row['position']}: {kind_in_words(row)}")
        for name, positions in zip(named, lists, strict=True):
            line = "".join(BOUNDARY if p in {*positions} else UNIT for p in columns)
            print_lines(f"  {name[:width]:<{width}}  {line}")
        print_lines(f"  {'':{width}}  {'':{row['position'] - first}}^ {row['position']}")
        print_lines(f"  {printable_command(row['command'])}")
