"""Files in the folder of a run, on a disk or in a store."""

from pathlib import Path

from segscore.pipeline import storage
from segscore.pipeline.errors import Absent
from segscore.pipeline.storage import read_table

RECORD = "run.json"

Run = Path | str
"""A folder of a disk, or the URL of one."""


def everything(run: Run) -> dict[str, bytes]:
    """Return every file in the folder of a run, with its record and hidden ones."""
    if isinstance(run, Path):
        paths = (path for path in sorted(run.rglob("*")) if path.is_file())
        return {str(path.relative_to(run)): path.read_bytes() for path in paths}
    try:
        urls = [file.url for file in storage.find(f"{run}/**", any_kind=True)]
    except Absent:
        return {}
    return {url.removeprefix(f"{run}/"): storage.read_bytes(url) for url in urls}


def files(run: Run) -> dict[str, bytes]:
    """Return every file of a run but its record, which contains times."""
    contents = everything(run)
    return {name: content for name, content in contents.items() if Path(name).name != RECORD}


def entries(run: Run, folder: str = "") -> list[str]:
    """Return the names right in the folder of a run, or in one of its folders."""
    return storage.names(storage.join(str(run), folder) if folder else str(run))


def record(run: Run) -> str | None:
    """Return the text of run.json; None if there is none."""
    return storage.read_text(storage.join(str(run), RECORD))


def tables(run_folder: Path) -> dict[str, list[dict[str, object]]]:
    """Return the rows of every table in one order, without the file of a rejected row."""
    rows = {}
    for name in ("scores", "summary", "rejects", "unpaired"):
        table = read_table(str(run_folder / name))
        columns = [column for column in table.column_names if column not in ("source", "row")]
        rows[name] = sorted(table.select(columns).to_pylist(), key=repr)
    return rows
