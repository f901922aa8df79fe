"""`segscore measures`: list the meaning of every measure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from segscore.jobs.show.formats import ResultFormat

if TYPE_CHECKING:
    from segscore.pipeline.measures.measure import Measure


def measures(
    name: Annotated[str | None, typer.Argument(help="Measure to show; default: all.")] = None,
    format_name: ResultFormat = "text",
) -> None:
    """List every measure, or one: formula, source, range, direction, whether it is a default."""
    from segscore.jobs.show.formats import plain_layout, print_json, print_text, table_text
    from segscore.pipeline.measures import ALL
    from segscore.pipeline.measures.selection import DEFAULT, measures_named

    names = ("measure", "formula", "source", "range", "better", "default")
    chosen = list(ALL.values()) if name is None else [_named(name)]
    default = measures_named((DEFAULT,))
    rows = [
        (m.name, m.formula, m.source, m.range, m.better, "yes" if m.name in default else "no")
        for m in chosen
    ]
    listed = [dict(zip(names, row, strict=True)) for row in rows]
    if format_name == "text" and name is not None:
        _print_one(chosen[0])
    elif format_name == "text":
        _print(names, rows)
        _print(_AGREEMENT, _agreement())
    elif format_name == "json":
        agreement = [dict(zip(_AGREEMENT, row, strict=True)) for row in _agreement()]
        others = {"agreement": agreement} if name is None else {}
        print_json("measures", {"measures": listed} | others)
    else:
        # All texts are segscore's own: similar characters may replace them.
        print_text(table_text(plain_layout(names, listed, ""), format_name))


def _named(name: str) -> "Measure":
    """Return a measure.

    Raises:
        Refused: there is none of this name; the message gives the most similar one.
    """
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.measures import ALL
    from segscore.pipeline.measures.published import nearest_measure

    if name not in ALL:
        raise Refused(
            f"{name}: no such measure{nearest_measure(name, ALL)}; `segscore measures` lists all"
        )
    return ALL[name]


def _print_one(measure: "Measure") -> None:
    """Print what is known about a measure, a line for each fact."""
    from segscore.jobs.show.fitted import print_lines

    facts = {
        "measure": measure.name,
        "meaning": measure.description,
        "formula": measure.formula,
        "range": measure.range,
        "better": measure.better,
        "source": measure.source,
    }
    for fact, text in facts.items():
        if text:
            print_lines(f"{fact:<9}{text}")


_AGREEMENT = ("agreement", "similarity", "formula", "source")


def _agreement() -> list[tuple[str, ...]]:
    """List the parts of the coefficients of agreement, (actual - expected) / (1 - expected)."""
    from segscore.pipeline.agreement.coefficients import ACTUAL, ALPHA, EXPECTED

    rows: list[tuple[str, ...]] = [
        ("actual", kind, measure.formula, measure.source) for kind, measure in ACTUAL.items()
    ]
    rows += [
        (f"expected, {coefficient}", kind, measure.formula, measure.source)
        for (coefficient, kind), measure in EXPECTED.items()
    ]
    return rows + [
        (f"{measure.name}, alpha", "two_category", measure.formula, measure.source)
        for measure in ALPHA
    ]


def _print(headings: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    from segscore.jobs.show.fitted import print_fitted
    from segscore.pipeline.statistics.shown_tables import Column

    print_fitted(
        [
            Column(heading, cells, is_name=heading not in ("range", "better", "default"))
            for heading, cells in zip(headings, zip(*rows, strict=True), strict=True)
        ],
        sections=range(len(rows)),
        whole=False,
    )
