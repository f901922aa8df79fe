"""`segscore measures`: list the meaning of every measure."""

from collections.abc import Sequence

from segscore.jobs.show.formats import ResultFormat


def measures(format_name: ResultFormat = "text") -> None:
    """List every measure: name, formula, range, better direction, source."""
    from segscore.jobs.show.formats import plain_layout, print_json, print_text, table_text
    from segscore.pipeline.measures import ALL

    names = ("measure", "formula", "source", "range", "better")
    rows = [(m.name, m.formula, m.source, m.range, m.better) for m in ALL.values()]
    listed = [dict(zip(names, row, strict=True)) for row in rows]
    if format_name == "text":
        _print(names, rows)
        _print(_AGREEMENT, _agreement())
    elif format_name == "json":
        agreement = [dict(zip(_AGREEMENT, row, strict=True)) for row in _agreement()]
        print_json("measures", {"measures": listed, "agreement": agreement})
    else:
        # All texts are segscore's own: similar characters may replace them.
        print_text(table_text(plain_layout(names, listed, ""), format_name))


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
    from segscore.jobs.show.fitted import Column, print_fitted

    print_fitted(
        [
            Column(heading, cells, is_name=heading not in ("range", "better"))
            for heading, cells in zip(headings, zip(*rows, strict=True), strict=True)
        ],
        sections=range(len(rows)),
        whole=False,
    )
