"""What stands in the folder of a run."""

from pathlib import Path

from pipeline.storage import read_table


def files(run_folder: Path) -> dict[str, bytes]:
    """Every file of a run but its record, which tells times."""
    return {
        str(path.relative_to(run_folder)): path.read_bytes()
        for path in sorted(run_folder.rglob("*"))
        if path.is_file() and path.name != "run.json"
    }


def tables(run_folder: Path) -> dict[str, list[dict[str, object]]]:
    """The rows of every table, without the file a refused row was in."""
    found = {}
    for name in ("scores", "summary", "rejects", "unpaired"):
        table = read_table(str(run_folder / name))
        kept = [column for column in table.column_names if column not in ("source", "row")]
        found[name] = table.select(kept).to_pylist()
    return found
