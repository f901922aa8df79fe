"""`segscore testsets`: list the known test sets, and the scores that were published on them."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.formats import ResultFormat, print_text

if TYPE_CHECKING:
    from segscore.pipeline.testsets.registry import KnownSet, Registry

_NUMBERS = ("documents", "boundaries")
_LISTED = ("set", "split", "documents", "boundaries", "fingerprint", "licence")
_SCORES = ("split", "system", "document_id", "measure", "value", "convention", "evidence", "source")


def testsets(
    name: Annotated[str | None, typer.Argument(help="Test set to show; default: all.")] = None,
    describe: Annotated[
        str | None,
        typer.Option(help="Print an entry of a registry for the references in this table."),
    ] = None,
    registry: Annotated[
        str | None, typer.Option(help="JSON file of your own test sets, to list them too.")
    ] = None,
    format_name: ResultFormat = "text",
) -> None:
    """List the test sets that are recognised by their content, or show one and its scores."""
    from segscore.pipeline.testsets.describe import describe_references
    from segscore.pipeline.testsets.registry import read_registry

    if describe is not None:
        entry = describe_references(name or "unnamed", describe)
        print_text(json.dumps(entry, ensure_ascii=False, indent=1))
        return
    known = read_registry(registry)
    if name is None:
        _print_all(known, format_name)
    else:
        _print_one(known.find(name), format_name)


def _print_all(known: "Registry", format_name: str) -> None:
    from segscore.jobs.show.formats import plain_layout, print_json, print_table
    from segscore.pipeline.testsets.describe import list_splits

    rows = list_splits(known)
    if format_name == "json":
        print_json("testsets", {"testsets": rows})
    elif format_name == "text":
        _print_rows(_LISTED, rows)
    else:
        print_table(plain_layout([*rows[0]], rows, ""), format_name)


def _print_one(shown: "KnownSet", format_name: str) -> None:
    from dataclasses import asdict

    from segscore.jobs.show.formats import plain_layout, print_json, print_table
    from segscore.pipeline.importing.recipe import recipe_of
    from segscore.pipeline.testsets.describe import list_splits
    from segscore.pipeline.testsets.published import PUBLISHED_COLUMNS, scores_of
    from segscore.pipeline.testsets.registry import Registry

    splits = list_splits(Registry((shown,)))
    scores = [asdict(score) for score in scores_of(shown.name)]
    lines = {
        "years": shown.years,
        "citation": shown.citation,
        "licence": shown.licence,
        "source": shown.source,
        "import": recipe_of(shown),
        "note": shown.note,
    }
    if format_name == "json":
        print_json("testsets", {"name": shown.name, **lines, "splits": splits, "published": scores})
    elif format_name == "text":
        print_lines(shown.name)
        for label, text in lines.items():
            if text:
                print_lines(f"{label}: {text}")
        _print_rows(_LISTED[1:-1], splits)
        if scores:
            print_lines("published, as printed:")
            _print_rows(_SCORES, scores)
        else:
            print_lines("published: no score that segscore knows")
    else:
        print_table(plain_layout(PUBLISHED_COLUMNS, scores, ""), format_name)


def _print_rows(names: tuple[str, ...], rows: "list[dict[str, object]]") -> None:
    """Print some columns of rows; a value that is not known is left empty."""
    from segscore.jobs.show.fitted import print_fitted
    from segscore.pipeline.statistics.shown_tables import Column

    columns = [
        Column(
            name,
            ["" if row[name] is None else _shown(row[name]) for row in rows],
            is_name=name not in _NUMBERS,
        )
        for name in names
    ]
    print_fitted(columns)


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
