"""Folders of the repository."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"


def linked_package(folder: Path) -> Path:
    """Link the parts of the package as they are installed, for programs that know folders alone."""
    package = folder / "segscore"
    package.mkdir(parents=True)
    for part in (
        *(ROOT / "segscore").iterdir(),
        *(ROOT / n for n in ("pipeline", "schemas", "jobs")),
    ):
        (package / part.name).symlink_to(part)
    return folder
