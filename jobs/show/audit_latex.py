"""Write an audit as tables in LaTeX: coefficients, coders, or a data sheet of the corpus."""

from typing import TYPE_CHECKING, Any

from segscore.jobs.show.formats import Layout
from segscore.jobs.show.latex import latex_table
from segscore.pipeline.agreement.sentences import (
    PEER_SHOWN,
    WITHOUT_SHOWN,
    a_minute,
    meaningful,
    peer_ends,
)
from segscore.pipeline.runs.finished import grouped, measured_unit, rows_over_all
from segscore.pipeline.statistics.shown_numbers import (
    shown_as,
    shown_attribute,
    shown_number,
    with_interval,
)
from segscore.pipeline.tables.units import PER_SECOND
from segscore.schemas.rows import CoderRow, CoefficientRow

if TYPE_CHECKING:
    from segscore.pipeline.agreement.run import FinishedAudit


def audit_in_latex(finished: "FinishedAudit", layout: str) -> str:
    """Write the table of a layout: coefficients, coders or corpus."""
    writers = {"coefficients": _coefficients, "coders": _coders, "corpus": _corpus}
    return writers[layout](finished)


def _corpus(finished: "FinishedAudit") -> str:
    """Write a data sheet: a row for all documents and for each group."""
    by, unit = list(finished.record["settings"]["group_by"]), measured_unit(finished.record)
    per_second, minute = PER_SECOND.get(unit or ""), a_minute(unit)
    sizes = "segment size" if per_second is None else "segment, seconds"
    rate = "boundary rate" if minute is None else "boundaries a minute"
    counts = ("documents", "coders", "codings", "boundaries")
    headings = [", ".join(by), *counts, "segments", sizes, rate]
    rows = []
    for group, of_group in grouped(finished.by_group["corpus"].to_pylist(), by).items():
        row: dict[str, Any] = of_group[0]
        known = [shown_attribute(part) for part in group if part is not None]
        places, scale = row["potential_boundaries"], 1 / (per_second or 1)
        rows.append(
            [
                ", ".join(known) or "all",
                *(f"{row[name]:,}" for name in counts),
                _mean(row, "segments", 1.0),
                _mean(row, "segment_size", scale),
                shown_as((minute or 1.0) * row["boundaries"] / places if places else None, ".3f"),
            ]
        )
    layout = Layout(headings, rows, headings, [], 1, finished.record["signature"])
    return latex_table(layout, "The corpus; segments and sizes are means with standard deviations.")


def _mean(row: dict[str, Any], name: str, scale: float) -> str:
    """Write a mean with its standard deviation in brackets."""
    mean, sd = (row[f"{name}_{part}"] for part in ("mean", "sd"))
    shown = shown_as(None if mean is None else mean * scale, ".1f")
    return shown if sd is None else f"{shown} ({sd * scale:.1f})"


def _coefficients(finished: "FinishedAudit") -> str:
    """Write a row for all documents and for each group: the coefficients that papers report."""
    by, unit = list(finished.record["settings"]["group_by"]), measured_unit(finished.record)
    every: list[CoefficientRow] = finished.by_group["agreement"].to_pylist()
    kept_rows = meaningful(every, unit)
    names = dict.fromkeys((row["coefficient"], row["similarity"]) for row in kept_rows)
    kept = [key for key in names if key in _IN_PAPERS] or [key for key in names if key[0] != "bias"]
    similar = {similarity for _, similarity in kept}
    headings = [
        ", ".join(by) or "",
        "documents",
        "coders",
        *(_IN_PAPERS.get(key, " ".join(key)) for key in kept),
    ]
    rows = []
    for group, of_group in grouped(kept_rows, by).items():
        values = {(row["coefficient"], row["similarity"]): row for row in of_group}
        cells = [
            with_interval(row["value"], row["ci_low"], row["ci_high"])
            for row in (values[key] for key in kept)
        ]
        known = [shown_attribute(part) for part in group if part is not None]
        sizes = [f"{of_group[0]['documents']:,}", f"{of_group[0]['coders']:,}"]
        rows.append([", ".join(known) or "all", *sizes, *cells])
    signature = finished.record["signature"]
    layout = Layout(headings, rows, headings, [], 1, signature)
    by_b = "; B is boundary similarity" if "boundary_similarity" in similar else ""
    return latex_table(layout, f"Agreement between coders{by_b}; 95 % intervals in brackets.")


def _coders(finished: "FinishedAudit") -> str:
    """Write a row for each coder over all documents: rate and agreement with the others."""
    coders: list[CoderRow] = rows_over_all(
        finished.by_group["coders"], finished.record["settings"]["group_by"]
    )
    headings = ["coder", "documents", "boundaries", "B with the others", "pi (B) without"]
    rows = [
        [
            row["coder"],
            f"{row['documents']:,}",
            f"{row['boundaries']:,}",
            with_interval(row[PEER_SHOWN], *peer_ends(row)),
            shown_number(row[WITHOUT_SHOWN]),
        ]
        for row in coders
    ]
    layout = Layout(headings, rows, headings, [], 1, finished.record["signature"])
    return latex_table(layout, "Coders; B is boundary similarity, 95 % intervals in brackets.")


_IN_PAPERS = {
    ("pi", "boundary_similarity"): "pi (B)",
    ("kappa", "boundary_similarity"): "kappa (B)",
    ("alpha", "two_category"): "alpha",
}
"""Coefficient and similarity -> heading, of those that papers report."""
