"""Every file that is written from the code, and what writes it."""

from collections.abc import Callable, Mapping
from pathlib import Path

from docs.tools import bibliography, measures
from segscore.api import write_tables
from segscore.api.write_types import python_types
from segscore.jobs.cli import options_page, settings_schema

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

FILES: Mapping[Path, Callable[[], str]] = {
    ROOT / "segscore" / "api" / "typed.py": python_types,
    DOCS / "tables.md": write_tables.page,
    DOCS / "options.md": options_page.page,
    DOCS / "settings.schema.json": settings_schema.page,
    DOCS / "measures.md": measures.page,
    DOCS / "bibliography.md": bibliography.page,
}
"""File -> the function that returns its text."""
