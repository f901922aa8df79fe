"""The tables of formats on the pages of import and export have every format."""

import re

from segscore.pipeline.importing.formats.known import FORMATS
from segscore.pipeline.reports.export.settings import EXPORT_FORMATS
from tests.support.pages import DOCS


def cells(page: str, column: int) -> set[str]:
    """Names in code in a column of the tables of a page; columns count as in lists."""
    text = (DOCS / "jobs" / page).read_text("utf-8").partition("## Options")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {name for row in rows for name in re.findall("`([a-z0-9-]+)`", row[column])} - {
        "--format"
    }


def test_every_format_that_is_read_is_in_the_table() -> None:
    assert cells("import.md", -1) == {*FORMATS}


def test_every_format_that_is_written_is_in_the_table() -> None:
    assert cells("export.md", 0) == {*EXPORT_FORMATS}
