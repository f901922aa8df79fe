"""`segscore testsets`: list the known test sets, and the scores that were published on them."""

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.formats import ResultFormat
from segscore.jobs.show.shown import print_result

if TYPE_CHECKING:
    from segscore.pipeline.testsets.registry import KnownSet, Registry


def testsets(
    name: Annotated[str | None, typer.Argument(help="Test set to show; default: all.")] = None,
    write: Annotated[
        str | None,
        typer.Option(help="Write the test set to this folder."),
    ] = None,
    format_name: ResultFormat = "text",
) -> None:
    """List the test sets that are recognised by their content, or show one and its scores."""
    from segscore.pipeline.testsets.registry import own_registry

    known = own_registry()
    if write is not None:
        _write(known, name, write)
    elif name is None:
        _print_all(known, format_name)
    else:
        _print_one(known.find(name), format_name)


def _write(known: "Registry", name: str | None, folder: str) -> None:
    """Write the tables of a test set, and print what they are and what to do with them."""
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.statistics.formatted_numbers import counted
    from segscore.pipeline.storage import join
    from segscore.pipeline.testsets.shipped import write_shipped

    if name is None:
        raise Refused("--write: name the test set that is to be written")
    tables = write_shipped(known.find(name), folder)
    for table, rows in tables.items():
        systems = counted(len(rows.column("coder").unique()), "system")
        of_systems = f", {systems}" if table == "hypotheses" else ""
        print_lines(f"{join(folder, table)}: {counted(len(rows), 'row')}{of_systems}")
    sides = " ".join(quote(join(folder, table)) for table in tables)
    print_lines(f"to compare a system: segscore score {sides} YOURS --output RUN")


def _print_all(known: "Registry", format_name: str) -> None:
    from segscore.jobs.show.formats import plain_table, print_json, print_table
    from segscore.pipeline.testsets.describe import list_splits
    from segscore.pipeline.testsets.testsets_table import all_splits_table

    rows = list_splits(known)
    if format_name == "json":
        print_json("testsets", {"testsets": rows})
    elif format_name == "text":
        print_result(all_splits_table(rows))
    else:
        print_table(plain_table([*rows[0]], rows, ""), format_name)


def _how_to_write(shown: "KnownSet") -> str:
    return f"segscore testsets {quote(shown.name)} --write DIR" if shown.data else ""


def _print_one(shown: "KnownSet", format_name: str) -> None:
    from dataclasses import asdict

    from segscore.jobs.show.formats import plain_table, print_json, print_table
    from segscore.pipeline.importing.recipe import recipe_of
    from segscore.pipeline.testsets.describe import list_splits
    from segscore.pipeline.testsets.published import PUBLISHED_COLUMNS, scores_on
    from segscore.pipeline.testsets.registry import Registry
    from segscore.pipeline.testsets.testsets_table import scores_as_printed, splits_table

    splits = list_splits(Registry((shown,)))
    scores = [asdict(score) for score in scores_on(shown)]
    lines = {
        "years": shown.years,
        "citation": shown.citation,
        "licence": shown.licence,
        "source": shown.source,
        "import": recipe_of(shown),
        "ships": _how_to_write(shown),
        "note": shown.note,
    }
    if format_name == "json":
        print_json("testsets", {"name": shown.name, **lines, "splits": splits, "published": scores})
    elif format_name == "text":
        print_lines(shown.title)
        for label, text in lines.items():
            if text:
                print_lines(f"{label}: {text}")
        print_result(splits_table(splits))
        if scores:
            print_lines("published, as printed:")
            print_result(scores_as_printed(scores))
        else:
            print_lines("published: no score that segscore knows")
    else:
        print_table(plain_table(PUBLISHED_COLUMNS, scores, ""), format_name)
