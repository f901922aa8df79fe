"""What views.sql repeats of the code: the directions of measures, the columns of the history."""

import re
from collections.abc import Iterable
from pathlib import Path
from textwrap import fill

from segscore.pipeline.measures import ALL
from segscore.pipeline.nightly.summaries import RUN_COLUMNS
from segscore.pipeline.statistics.averages import SUMMARY_COLUMNS

VIEWS = Path(__file__).parents[2] / "deploy" / "dashboards" / "views.sql"
BETTER = {"higher": 1, "lower": -1, "neither": 0}
DIRECTIONS = re.compile(r"(?<=SELECT MAP \{\n).*?(?=\n\} AS known)", re.DOTALL)
SELECTED = re.compile(
    r"(?<=CREATE OR REPLACE VIEW history AS\n)SELECT .*?(?=\n    groups_of\()", re.DOTALL
)
OWN = re.compile(r"    groups_of\(to_json\(average_row\), .*?(?= AS groups)", re.DOTALL)
NOT_SHOWN = {"test_set"}


def wrapped(parts: Iterable[str], first: str = "    ", others: str = "    ") -> str:
    """Return a list in lines of 100 characters; the arguments are how lines begin."""
    return fill(
        ", ".join(parts),
        100,
        initial_indent=first,
        subsequent_indent=others,
        break_on_hyphens=False,
    )


def views(text: str) -> str:
    """Replace what the text of views.sql repeats of the code."""
    columns = [*RUN_COLUMNS, *SUMMARY_COLUMNS]
    selected = [name for name in columns if name not in NOT_SHOWN]
    own = wrapped(map(repr, columns), "    groups_of(to_json(average_row), [", "        ")
    written = {
        DIRECTIONS: wrapped(f"'{name}': {BETTER[each.better]}" for name, each in ALL.items()),
        SELECTED: wrapped(selected, "SELECT ") + ",",
        OWN: own + "])",
    }
    for place, content in written.items():
        text, replaced = place.subn(content.replace("\\", r"\\"), text)
        if replaced != 1:
            raise SystemExit(f"{VIEWS}: must have {place.pattern} exactly once, not {replaced}")
    return text


def script() -> str:
    """Return the text of views.sql as it should be."""
    return views(VIEWS.read_text("utf-8"))
