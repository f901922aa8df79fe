"""Tables of an audit for a paper: coefficients by group, coders, a data sheet of the corpus."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from segscore.pipeline.agreement.coders_tables import coders_for_papers
from segscore.pipeline.agreement.sentences import SHOWN, a_minute, meaningful
from segscore.pipeline.runs.finished import FinishedRun, grouped, rows_over_all
from segscore.pipeline.statistics.formatted_numbers import shown_as, shown_attribute
from segscore.pipeline.statistics.result_table import Column, ResultTable
from segscore.pipeline.tables.units import PER_SECOND
from segscore.schemas.rows import CoefficientRow

_IN_PAPERS = {("pi", SHOWN): "pi (B)", ("kappa", SHOWN): "kappa (B)"} | {
    ("alpha", "two_category"): "alpha"
}
"""Coefficient and similarity -> heading, of those that papers report."""


def _coefficients(run: FinishedRun) -> ResultTable:
    """Show a row for all documents and for each group: the coefficients that papers report."""
    by = run.settings["group_by"]
    every: list[CoefficientRow] = run.table("agreement").to_pylist()
    rows = meaningful(every, run.unit)
    names = dict.fromkeys((row["coefficient"], row["similarity"]) for row in rows)
    kept = [key for key in names if key in _IN_PAPERS] or [key for key in names if key[0] != "bias"]
    groups = grouped(rows, by)
    found = [
        {(row["coefficient"], row["similarity"]): row for row in group} for group in groups.values()
    ]
    firsts = [group[0] for group in groups.values()]
    b = "; B is boundary similarity" * any(similarity == SHOWN for _, similarity in kept)
    return ResultTable(
        [
            _groups(groups, by),
            Column("documents", [row["documents"] for row in firsts]),
            Column("coders", [row["coders"] for row in firsts]),
            *(
                Column(
                    _IN_PAPERS.get(key, " ".join(key)),
                    [of[key]["value"] for of in found],
                    ends=[(of[key]["ci_low"], of[key]["ci_high"]) for of in found],
                )
                for key in kept
            ),
        ],
        caption=f"Agreement between coders{b}; 95 % intervals in brackets.",
    )


def _groups(groups: Mapping[tuple[Any, ...], Sequence[object]], by: Sequence[str]) -> Column:
    """Return the names of groups."""
    known = ([shown_attribute(part) for part in group if part is not None] for group in groups)
    return Column(", ".join(by), [", ".join(parts) or "all" for parts in known], is_name=True)


def _coders(run: FinishedRun) -> ResultTable:
    return coders_for_papers(rows_over_all(run.table("coders"), run.settings["group_by"]))


def _corpus(run: FinishedRun) -> ResultTable:
    """Show a data sheet: a row for all documents and for each group."""
    by, unit = run.settings["group_by"], run.unit
    per_second, minute = PER_SECOND.get(unit or ""), a_minute(unit)
    groups = grouped(run.table("corpus").to_pylist(), by)
    rows = [group[0] for group in groups.values()]
    sizes = "segment size" if per_second is None else "segment, seconds"
    scale = 1 / (per_second or 1)
    rates = [
        shown_as((minute or 1.0) * row["boundaries"] / places if places else None, ".3f")
        for row in rows
        for places in [row["potential_boundaries"]]
    ]
    return ResultTable(
        [
            _groups(groups, by),
            *(
                Column(name, [row[name] for row in rows])
                for name in ("documents", "coders", "codings", "boundaries")
            ),
            Column("segments", [_mean(row, "segments", 1.0) for row in rows]),
            Column(sizes, [_mean(row, "segment_size", scale) for row in rows]),
            Column("boundary rate" if minute is None else "boundaries a minute", rates),
        ],
        caption="The corpus; segments and sizes are means with standard deviations.",
    )


def _mean(row: Mapping[str, Any], name: str, scale: float) -> str:
    """Write a mean with its standard deviation in brackets."""
    mean, sd = (row[f"{name}_{part}"] for part in ("mean", "sd"))
    shown = shown_as(None if mean is None else mean * scale, ".1f")
    return shown if sd is None else f"{shown} ({sd * scale:.1f})"


IN_PAPERS: Final[Mapping[str, Callable[[FinishedRun], ResultTable]]] = {
    "coefficients": _coefficients,
    "coders": _coders,
    "corpus": _corpus,
}
"""Layout -> the function that makes its table from a finished audit."""
