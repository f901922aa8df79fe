"""`segscore measures`: list the meaning of every measure."""

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
    from segscore.jobs.show.formats import plain_table, print_json, print_text, table_text
    from segscore.jobs.show.shown import print_result
    from segscore.pipeline.agreement.formulas_table import (
        formulas_table,
        list_coefficients,
        list_measures,
        measures_in_lines,
    )
    from segscore.pipeline.measures import ALL

    chosen = list(ALL.values()) if name is None else [_named(name)]
    listed = list_measures(chosen)
    if format_name == "text" and name is not None:
        _print_one(chosen[0])
    elif format_name == "text":
        print_result(measures_in_lines(chosen))
        print_result(formulas_table(list_coefficients()), last=True)
    elif format_name == "json":
        others = {"agreement": list_coefficients()} if name is None else {}
        print_json("measures", {"measures": listed} | others)
    else:
        # All texts are segscore's own: similar characters may replace them.
        print_text(table_text(plain_table([*listed[0]], listed, ""), format_name))


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
