"""Lay out a table of a comparison for a paper, and write it as text, Markdown, LaTeX or CSV."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from segscore.jobs.show.printing import chance, shown_number

if TYPE_CHECKING:
    from segscore.pipeline.comparison.run import FinishedComparison

LAYOUTS = ("pairs", "systems", "references")
_FORMATS = ("text", "markdown", "latex", "csv")
_AVERAGES = ("macro", "micro")
_SIGNATURE = "signature"


@dataclass(frozen=True)
class Layout:
    """A table for people, and the same table for programs.

    Attributes:
        headings: headings of the columns.
        rows: cells as they are shown.
        names: names of the columns of ``numbers``.
        numbers: values, None where undefined.
        texts: number of leading columns that contain text.
        signature: signature of the comparison.
    """

    headings: list[str]
    rows: list[list[str]]
    names: list[str]
    numbers: list[list[Any]]
    texts: int
    signature: str


def require(layout: str | None, format_name: str, average: str, group_by: tuple[str, ...]) -> None:
    """Check the options before work starts.

    Raises:
        Refused: an option is invalid; the message names it, its value and what is allowed.
    """
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.runs.settings import one_of

    if layout is not None:
        one_of("--layout", layout, LAYOUTS)
    one_of("--format", format_name, _FORMATS)
    one_of("--average", average, _AVERAGES)
    if layout == "references" and group_by not in ((), ("reference",)):
        raise Refused(
            f"--group-by {','.join(group_by)}: --layout references already groups by "
            "reference; leave --group-by out"
        )


def lay_out(layout: str, finished: "FinishedComparison", average: str) -> Layout:
    """Choose and arrange the rows of a comparison.

    Args:
        layout: one of ``LAYOUTS``.
        finished: the comparison.
        average: micro or macro.
    """
    builders = {"pairs": _pairs, "systems": _systems, "references": _references}
    return builders[layout](finished, average)


def _rows(finished: "FinishedComparison", table: str, average: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = finished.tables[table].to_pylist()
    return [row for row in rows if row["average"] == average]


def _cell(value: float | None, low: float | None, high: float | None) -> str:
    return (
        shown_number(value)
        if low is None
        else f"{shown_number(value)} [{shown_number(low)}, {shown_number(high)}]"
    )


def _group(row: dict[str, Any], by: Sequence[str]) -> list[str]:
    return ["all" if row[name] is None else str(row[name]) for name in by]


def _pairs(finished: "FinishedComparison", average: str) -> Layout:
    """Make one row per pair and measure: the difference, its interval, its tests."""
    by = finished.record["settings"]["group_by"]
    rows = _rows(finished, "comparisons", average)
    shown = [
        [
            *_group(row, by),
            row["measure"],
            row["system"],
            row["other"],
            _cell(row["difference"], row["ci_low"], row["ci_high"]),
            chance(row["p_permutation"]),
            chance(row["p_permutation_holm"]),
            chance(row["p_wilcoxon_holm"]),
            chance(row["p_nemenyi"]),
            shown_number(row["effect_d"]),
            row["better"] or "–",
        ]
        for row in rows
    ]
    titles = ["difference [95 %]", "p", "p (Holm)", "Wilcoxon (Holm)", "Nemenyi", "d", "better"]
    headings = [*by, "measure", "system", "against", *titles]
    columns = finished.tables["comparisons"].column_names
    numbers = [[row[name] for name in columns] for row in rows]
    return Layout(headings, shown, columns, numbers, len(by) + 3, finished.record["signature"])


def _systems(finished: "FinishedComparison", average: str) -> Layout:
    """Make one row per system: the value and interval of each measure."""
    by = finished.record["settings"]["group_by"]
    measures = finished.record["settings"]["measures"]
    parts = ("value", "ci_low", "ci_high")
    cells: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in _rows(finished, "systems", average):
        key = (*(row[name] for name in by), row["system"])
        values = cells.setdefault(key, {"documents": row["documents"]})
        values[row["measure"]] = [row[part] for part in parts]
    undefined = [None] * len(parts)
    suffixes = ("", "_low", "_high")
    names = [*by, "system", "documents", *(m + suffix for m in measures for suffix in suffixes)]
    numbers = [
        [*key, values["documents"], *(x for m in measures for x in values.get(m, undefined))]
        for key, values in cells.items()
    ]
    shown = [
        [
            *("all" if part is None else str(part) for part in key),
            str(values["documents"]),
            *(_cell(*values.get(m, undefined)) for m in measures),
        ]
        for key, values in cells.items()
    ]
    headings = [*by, "system", "documents", *measures]
    return Layout(headings, shown, names, numbers, len(by) + 1, finished.record["signature"])


def _references(finished: "FinishedComparison", average: str) -> Layout:
    """Make one row per reference, one column per system (Kazantseva & Szpakowicz 2012, Table 2).

    Consensus references come first, then coders, then the mean over coders.  Measures that use all
    references at once, such as multWinDiff, have one row.
    """
    from segscore.pipeline.measures import PANELS

    rows = _rows(finished, "systems", average)
    systems = list(dict.fromkeys(row["system"] for row in rows))
    measures = finished.record["settings"]["measures"]
    values = {(row["measure"], row["reference"], row["system"]): row["value"] for row in rows}
    keys = {(row["measure"], row["reference"]): None for row in rows}
    order = sorted(keys, key=lambda key: (measures.index(key[0]), *_reference_order(key[1])))
    at_once = "all at once"
    names = [
        (m, reference or (at_once if m in PANELS.measures else "all coders"))
        for m, reference in order
    ]
    numbers = [
        [*name, *(values.get((*key, system)) for system in systems)]
        for name, key in zip(names, order, strict=True)
    ]
    shown = [[*row[:2], *(shown_number(value) for value in row[2:])] for row in numbers]
    headings = ["measure", "reference", *systems]
    return Layout(headings, shown, headings, numbers, 2, finished.record["signature"])


def _reference_order(reference: str | None) -> tuple[int, float]:
    """Return a sort key: consensus references first, the strictest first; then coders; then all."""
    from segscore.pipeline.scoring.consensus import LABEL, parse_share

    if reference is None:
        return 2, 0.0
    if not reference.startswith(LABEL):
        return 1, 0.0
    return 0, -float(parse_share(reference.removeprefix(LABEL))[1])


def render_layout(layout: Layout, format_name: str) -> str:
    """Write a table in a format, with the signature below; in CSV it is the last column.

    Args:
        layout: the table.
        format_name: one of ``_FORMATS``.
    """
    if format_name == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*layout.names, _SIGNATURE])
        writer.writerows([*row, layout.signature] for row in layout.numbers)
        return text.getvalue().rstrip("\n")
    from tabulate import tabulate

    kinds = {"text": "simple", "markdown": "github", "latex": "latex_booktabs"}
    pipes = format_name == "markdown"
    rows, headings = (
        [[cell.replace("|", "\\|") if pipes else cell for cell in row] for row in part]
        for part in (layout.rows, [layout.headings])
    )
    sides = ["left"] * layout.texts + ["right"] * (len(layout.headings) - layout.texts)
    table = tabulate(
        rows, headings[0], kinds[format_name], disable_numparse=True, colalign=sides if rows else ()
    )
    return f"{table}\n{_beneath(layout.signature, format_name)}"


def _beneath(signature: str, format_name: str) -> str:
    if format_name == "markdown":
        return f"\n`{signature}`"
    if format_name == "latex":
        escaped = signature.replace("_", r"\_").replace("|", r"|\allowbreak ")
        return rf"\par\noindent{{\footnotesize\ttfamily {escaped}}}"
    return f"\n{signature}"
