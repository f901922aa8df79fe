"""Formulas of the measures, and of what coefficients of agreement are computed from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import shorten

from segscore.pipeline.agreement.coefficients import ACTUAL, ALPHA, EXPECTED
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.measures.selection import DEFAULT, measures_named
from segscore.pipeline.statistics.result_table import Column, ResultTable

_Row = Mapping[str, str]

_SHORT = ("range", "better", "default")
"""Columns that a narrow terminal leaves out."""


def list_measures(measures: Iterable[Measure]) -> list[_Row]:
    """Return what is known about each of some measures, and whether it is a default."""
    default = measures_named((DEFAULT,))
    return [
        {
            "measure": measure.name,
            "formula": measure.formula,
            "source": measure.source,
            "range": measure.range,
            "better": measure.better,
            "default": "yes" if measure.name in default else "no",
        }
        for measure in measures
    ]


def list_coefficients() -> list[_Row]:
    """Return the parts of the coefficients of agreement, (actual - expected) / (1 - expected)."""
    return [
        {
            "agreement": part,
            "similarity": similarity,
            "formula": measure.formula,
            "source": measure.source,
        }
        for part, similarity, measure in _parts()
    ]


def _parts() -> Iterator[tuple[str, str, Measure]]:
    """Yield the name of each part of a coefficient, its similarity, and its formula."""
    for similarity, measure in ACTUAL.items():
        yield "actual", similarity, measure
    for (coefficient, similarity), measure in EXPECTED.items():
        yield f"expected, {coefficient}", similarity, measure
    for measure in ALPHA:
        yield f"{measure.name}, alpha", "two_category", measure


def formulas_table(rows: Sequence[_Row]) -> ResultTable:
    """Show listed measures or coefficients."""
    return ResultTable(
        [
            Column(heading, [row[heading] for row in rows], is_name=heading not in _SHORT)
            for heading in rows[0]
        ],
        sections=range(len(rows)),
        whole=False,
    )


_MEANING = 48
"""Characters of a meaning in a list, which leave room for the longest name on 80 columns."""


def measures_in_lines(measures: Sequence[Measure]) -> ResultTable:
    """Show a line for each measure: its name, its better direction, and what it means."""
    meanings = [measure.description or measure.formula for measure in measures]
    short = [shorten(text, _MEANING, placeholder=" …") for text in meanings]
    return ResultTable(
        [
            Column("measure", [measure.name + measure.arrow for measure in measures], is_name=True),
            Column("meaning", short, is_name=True),
        ],
        elsewhere="segscore measures NAME: the formula, range and source of one",
    )
