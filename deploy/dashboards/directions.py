"""Write the view `directions` in views.sql from the measures; `make columns` runs this."""

import re
from pathlib import Path
from textwrap import fill

from segscore.pipeline.measures import ALL

VIEWS = Path(__file__).parent / "views.sql"
BETTER = {"higher": 1, "lower": -1, "neither": 0}
MAP = re.compile(r"(?<=SELECT MAP \{\n).*?(?=\n\} AS known)", re.DOTALL)


def views(text: str) -> str:
    """Replace the directions in the text of views.sql with those of the measures."""
    listed = ", ".join(f"'{name}': {BETTER[measure.better]}" for name, measure in ALL.items())
    indent = " " * 4
    wrapped = fill(
        listed, 100, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )
    text, replaced = MAP.subn(lambda _: wrapped, text)
    if replaced != 1:
        raise SystemExit(f"{VIEWS}: must have exactly one list of directions, not {replaced}")
    return text


if __name__ == "__main__":
    VIEWS.write_text(views(VIEWS.read_text("utf-8")), "utf-8")
