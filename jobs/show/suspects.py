"""Print the boundaries of references that may be wrong."""

import shlex
from typing import TYPE_CHECKING, Any

from segscore.jobs.cli.encoding import printable_command
from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.sentences import print_sentences
from segscore.jobs.show.shown import print_result
from segscore.pipeline.comparison.suspects import kind_in_words, suspects_finding
from segscore.pipeline.comparison.suspects_table import LISTED, suspects_table
from segscore.pipeline.reports.terminal import BOUNDARY, UNIT
from segscore.pipeline.statistics.formatted_numbers import shown_position
from segscore.pipeline.tables.units import PER_SECOND

if TYPE_CHECKING:
    from segscore.pipeline.comparison.suspects import Suspects

_Row = dict[str, Any]

_DRAWN = 1
"""Number of suspects that are drawn."""

_AROUND, _NAME = 20, 20
"""Numbers of positions that are drawn on each side, and of characters of a name."""


def print_suspects(suspects: "Suspects", run: str, unit: str | None) -> None:
    """Print the suspects that matter most, drawings of the first, and what to do with them.

    Args:
        suspects: the suspects.
        run: folder of the run.
        unit: what positions are counted in; Label Studio needs a time. None if it is not known.
    """
    rows = suspects.rows
    print_sentences(suspects_finding(suspects).lines)
    if not rows:
        return
    print_result(suspects_table(rows, unit))
    _draw(rows[:_DRAWN], suspects, unit)
    if unit not in PER_SECOND:
        return
    documents = list(dict.fromkeys(row["document_id"] for row in rows[:LISTED]))
    words = ["segscore", "export", run, "--format", "label-studio", "--output", "queue"]
    export = shlex.join([*words, "--document", ",".join(documents)])
    print_lines(f"to decide them in Label Studio: {printable_command(export)}")


def _draw(rows: list[_Row], suspects: "Suspects", unit: str | None) -> None:
    """Draw the reference and all systems around each suspect."""
    for row in rows:
        place = row["document_id"], row["reference"]
        named = [row["reference"], *suspects.systems]
        every = [outcome[place] for outcome in suspects.outcomes]
        lists = [every[0].reference, *(each.hypothesis for each in every)]
        width = min(_NAME, max(map(len, named)))
        first = max(1, row["position"] - _AROUND)
        columns = range(first, row["position"] + _AROUND + 1)
        position = shown_position(row["position"], unit)
        print_lines("", f"{row['document_id']}, {position}: {kind_in_words(row)}")
        for name, positions in zip(named, lists, strict=True):
            line = "".join(BOUNDARY if p in {*positions} else UNIT for p in columns)
            print_lines(f"  {name[:width]:<{width}}  {line}")
        print_lines(f"  {'':{width}}  {'':{row['position'] - first}}^ {position}")
        print_lines(f"  {printable_command(row['command'])}")
