"""Every file that is written from the code, and what writes it."""

from collections.abc import Callable, Mapping
from pathlib import Path

from docs.tools import bibliography, measures, options, settings_schema, tables, views
from docs.tools.python_types import python_types

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

FILES: Mapping[Path, Callable[[], str]] = {
    ROOT / "segscore" / "api" / "typed.py": python_types,
    DOCS / "tables.md": tables.page,
    DOCS / "options.md": options.page,
    DOCS / "settings.schema.json": settings_schema.page,
    DOCS / "measures.md": measures.page,
    DOCS / "bibliography.md": bibliography.page,
    views.VIEWS: views.script,
}
"""File -> the function that returns its text."""
