"""Write the DuckDB file that dashboards open: views of nights and audits, and no data.

docs/dashboards.md explains how to use it.
"""

import tomllib
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.settings.variables import with_variables
from segscore.pipeline.storage.object_stores import resolve

HERE = Path(__file__).parent
VIEWS = {"archive": "views.sql", "audit_archive": "audits.sql"}
"""Macro with the location of the runs -> file of the views over them."""

FORMAT = "v1.4.0"
"""The oldest version of DuckDB that must be able to open the file."""


def write_views(path: Path, locations: dict[str, str]) -> None:
    """Write a new database with the views.

    Args:
        path: the file, which must not exist.
        locations: macro -> folder or URL of the runs.
    """
    with duckdb.connect() as database:
        database.execute(f"ATTACH '{path}' AS segscore (STORAGE_VERSION '{FORMAT}')")
        database.execute("USE segscore")
        for macro, location in locations.items():
            place = resolve(location)
            if not place.local:  # DuckDB lists its files by fsspec, with segscore's credentials
                database.register_filesystem(place.files)
            quoted = storage.absolute(location).replace("'", "''")
            database.execute(f"CREATE MACRO {macro}() AS '{quoted}'")
            database.execute((HERE / VIEWS[macro]).read_text("utf-8"))


def _runs_of(settings: str | None) -> str | None:
    """Return the folder of the nights that a settings file names; None without a file."""
    if settings is None:
        return None
    tables = with_variables(tomllib.loads(Path(settings).read_text("utf-8")), "")
    storage.configure(tables.get("storage", {}))
    runs = tables.get("nightly", {}).get("runs")
    return None if runs is None else str(runs)


def main() -> None:
    """Write the file of the command line, whole or not at all."""
    parser = ArgumentParser(description="Write a DuckDB file with views of runs.")
    parser.add_argument("file", help="The file to write or replace, a path or URL.")
    parser.add_argument("--runs", help="Folder or URL of nights, which has a history.")
    parser.add_argument("--audits", help="Folder or URL of runs of `segscore agree`.")
    parser.add_argument("--settings", help="Settings file; --runs is then runs in [nightly].")
    given = parser.parse_args()
    try:
        runs = given.runs or _runs_of(given.settings)
    except Refused as problem:
        parser.error(f"--settings {given.settings}: {problem}")
    chosen = {"archive": runs, "audit_archive": given.audits}
    locations = {macro: place for macro, place in chosen.items() if place}
    if not locations:
        parser.error("name --runs, --audits or both, or --settings with runs in [nightly]")
    with TemporaryDirectory() as folder:
        path = Path(folder, "views.duckdb")
        try:
            write_views(path, locations)
            target = storage.absolute(given.file)
            storage.make_folder(target.rpartition("/")[0])
            storage.write_bytes(target, path.read_bytes())
        except (duckdb.Error, Refused, Failed) as problem:
            raise SystemExit(f"{given.file}: not written: {problem}") from None


if __name__ == "__main__":
    main()
