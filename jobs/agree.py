"""`segscore agree`: measure how well the coders of a corpus agree."""

import textwrap
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from segscore.jobs.cli import startup
from segscore.jobs.cli.options import Cluster, ExplainPlan, Workers
from segscore.jobs.show.fitted import Column, print_fitted, print_lines
from segscore.jobs.show.formats import (
    Layout,
    PaperFormat,
    as_rows,
    described,
    plain_layout,
    print_json,
    print_table,
    print_text,
)
from segscore.jobs.show.printing import (
    chosen_n_t,
    log_finished,
    print_plan,
    print_record,
    print_written,
    say_done,
)
from segscore.jobs.show.progress import Bar
from segscore.pipeline.agreement.left_out import describe_left_out
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.errors import Done
from segscore.pipeline.statistics.shown_numbers import (
    counted,
    shown_as,
    shown_attribute,
    shown_group,
    shown_interval,
    shown_number,
    with_interval,
)
from segscore.schemas.rows import CoderRow, CoefficientRow, DocumentRow, group_of

if TYPE_CHECKING:
    from segscore.pipeline.agreement.run import FinishedAudit

_Group = tuple[tuple[Any, ...], list[CoefficientRow]]
CODERS_SHOWN = 20
_GROUPS_SHOWN = 3
_DATES_SHOWN = 24
_LONGEST_HEADING = 16


def agree(
    chosen: AgreeSettings,
    cluster: Cluster = "local",
    workers: Workers = None,
    explain_plan: ExplainPlan = False,
    format_name: PaperFormat = "text",
) -> None:
    """Audit coders: coefficients of agreement, outlying coders, contested documents."""
    from segscore.pipeline.agreement.run import (
        agreement_plan,
        find_tables,
        read_audit,
        run_agreement,
    )
    from segscore.pipeline.runs import executors
    from segscore.pipeline.runs.planning import LIMITS

    if explain_plan:
        print_plan(agreement_plan(chosen, find_tables(chosen), LIMITS), "agree", format_name)
        return
    startup.work()
    with (
        executors.connect(cluster, workers, chosen.memory_limit) as executor,
        Bar("comparing coders") as bar,
    ):
        outcome = run_agreement(chosen, executor, bar.advance)
    if isinstance(outcome, Done):
        say_done(outcome, format_name)
    finished = read_audit(chosen.output) if isinstance(outcome, Done) else outcome
    if format_name == "text":
        if chosen.n_t is None and (said := chosen_n_t(finished.record)):
            print_lines(f"{said}\n")
        print_audit(finished)
        print_record(chosen.output, finished.record)
        if finished is outcome:
            print_written(chosen.output)
        return
    log_finished(chosen.output, finished.record)
    if format_name == "json":
        tables: dict[str, Any] = {**as_rows(finished.by_group), "contested": finished.contested}
        tables["findings"] = _findings(finished)
        print_json("agree", {"output": chosen.output, **described(finished.record), **tables})
    elif format_name == "latex":
        print_text(_latex(finished))
    elif format_name == "markdown":
        _print_markdown(finished, chosen.output)
    else:
        coefficients = finished.by_group["agreement"]
        rows, signature = coefficients.to_pylist(), finished.record["signature"]
        print_table(plain_layout(coefficients.column_names, rows, signature), format_name)


def print_audit(finished: "FinishedAudit") -> None:
    """Print coefficients, coders, contested documents and some groups, then what they show."""
    from segscore.pipeline.runs.finished import grouped, measured_unit

    by, unit = list(finished.record["settings"]["group_by"]), measured_unit(finished.record)
    coefficients: list[CoefficientRow] = finished.by_group["agreement"].to_pylist()
    coders: list[CoderRow] = finished.by_group["coders"].to_pylist()
    whole, *parts = grouped(coefficients, by).items()
    left_out = describe_left_out(finished.record.get("left_out", {}))
    _print_coefficients(by, whole, unit, left_out)
    _print_coders([row for row in coders if group_of(row, by) == whole[0]], unit)
    _print_contested(finished.contested)
    _print_by_date(coders, by)
    for group in parts[:_GROUPS_SHOWN]:
        _print_coefficients(by, group, unit)
    if (more := len(parts) - _GROUPS_SHOWN) > 0:
        print_lines(f"{more} more group{'s are' if more > 1 else ' is'} in the table agreement\n")
    print_lines(*_findings(finished))


def _findings(finished: "FinishedAudit") -> list[str]:
    from segscore.pipeline.agreement.findings import findings_of

    return findings_of(finished, finished.contested)


def _print_markdown(finished: "FinishedAudit", output: str) -> None:
    """Print the coefficients of the groups that the terminal shows; say how many more there are."""
    from segscore.pipeline.runs.finished import grouped

    by = list(finished.record["settings"]["group_by"])
    coefficients = finished.by_group["agreement"]
    whole, *parts = grouped(coefficients.to_pylist(), by).items()
    shown = [whole, *parts[:_GROUPS_SHOWN]]
    rows = [
        row | {name: "all" if row[name] is None else row[name] for name in by}
        for _, group in shown
        for row in group
    ]
    names = [
        name for name in coefficients.column_names if any(row[name] is not None for row in rows)
    ]
    print_table(plain_layout(names, rows, finished.record["signature"]), "markdown")
    if more := parts[_GROUPS_SHOWN:]:
        number = sum(len(group) for _, group in more)
        print_text(
            f"\n{counted(number, 'more row')} of {counted(len(more), 'more group')} are in the "
            f"table `{output}/agreement`; `--format csv` has all.\n"
        )


def _latex(finished: "FinishedAudit") -> str:
    """Write a row for all documents and for each group: the coefficients that papers report."""
    from segscore.jobs.show.latex import latex_table
    from segscore.pipeline.agreement.findings import meaningful
    from segscore.pipeline.runs.finished import grouped, measured_unit

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


_IN_PAPERS = {
    ("pi", "boundary_similarity"): "pi (B)",
    ("kappa", "boundary_similarity"): "kappa (B)",
    ("alpha", "two_category"): "alpha",
}
"""Coefficient and similarity -> heading, of those that papers report."""


def _print_coefficients(
    by: list[str], rows_of_group: _Group, unit: str | None, left_out: str = ""
) -> None:
    """Print the coefficients of a group, without those that mean nothing where units are times."""
    from segscore.pipeline.agreement.findings import meaningful

    group, of_group = rows_of_group
    first, rows = of_group[0], meaningful(of_group, unit)
    is_time = len(rows) < len(of_group)
    similarities = [row["similarity"] for row in rows]
    repeated = [one == before for one, before in pairwise([None, *similarities])]
    without = f", {left_out}" if left_out else ""
    more = f"; coefficients that count every {unit} are in the table agreement" * is_time
    print_fitted(
        [
            Column(
                "similarity",
                ["" if again else name for name, again in zip(similarities, repeated, strict=True)],
                is_name=True,
            ),
            Column("coefficient", [row["coefficient"] for row in rows], is_name=True),
            Column("value", [shown_number(row["value"]) for row in rows]),
            Column(
                "95 % interval", [shown_interval(row["ci_low"], row["ci_high"]) for row in rows]
            ),
            Column("actual", [shown_number(row["actual"]) for row in rows]),
            Column("expected", [shown_number(row["expected"]) for row in rows]),
        ],
        title=shown_group(by, group) or "all documents",
        caption=f"{counted(first['codings'], 'coding')} by {counted(first['coders'], 'coder')} of "
        f"{counted(first['documents'], 'document')}, {counted(first['pairs'], 'pair')}{without}"
        f"{more}",
    )


def _print_coders(rows: list[CoderRow], unit: str | None) -> None:
    """Print coders, those whose rates are furthest from the mean first."""
    from segscore.pipeline.agreement.findings import stands_out
    from segscore.pipeline.agreement.sentences import a_minute

    rows = sorted(rows, key=lambda row: (-abs(row["deviation"] or 0), row["coder"]))
    more = len(rows) - CODERS_SHOWN
    marked = {row["coder"] for row in rows if stands_out(row)}
    remarks = ["* stands out, as described below"] * bool(marked)
    remarks += [f"{more} more {'are' if more > 1 else 'is'} in the table coders"] * (more > 0)
    rows = rows[:CODERS_SHOWN]
    names = [row["coder"] + " *" * (row["coder"] in marked) for row in rows]
    deviations = [shown_as(row["deviation"], "+.2f") for row in rows]
    if (minute := a_minute(unit)) is None:
        rates = Column("boundary rate", [shown_number(row["rate"]) for row in rows])
    else:
        per_minute = [None if row["rate"] is None else minute * row["rate"] for row in rows]
        rates = Column("boundaries a minute", [shown_as(rate, ".2f") for rate in per_minute])
    print_fitted(
        [
            Column("coder", names, is_name=True),
            rates,
            Column("deviation", deviations),
            Column("B with peers", [shown_number(row["peer_boundary_similarity"]) for row in rows]),
            Column(
                "pi (B) without",
                [shown_number(row["without_pi_boundary_similarity"]) for row in rows],
            ),
            Column("documents", [str(row["documents"]) for row in rows]),
        ],
        title="coders, furthest from the mean rate first",
        caption="; ".join(remarks),
    )


def _print_contested(rows: list[DocumentRow]) -> None:
    print_fitted(
        [
            Column("document", [row["document_id"] for row in rows], is_name=True),
            Column("contested", [shown_number(row["contested"]) for row in rows]),
            Column("mean B", [shown_number(row["boundary_similarity"]) for row in rows]),
            Column("mean WindowDiff", [shown_number(row["window_diff_mean"]) for row in rows]),
            Column("coders", [str(row["codings"]) for row in rows]),
            Column("mean segments", [shown_as(row["segments_mean"], ".1f") for row in rows]),
        ],
        title="documents, most contested first",
    )


def _print_by_date(coders: list[CoderRow], by: list[str]) -> None:
    """Print how coders agree with their peers on each of the last dates, if groups are dates."""
    from segscore.pipeline.agreement.findings import by_date

    series = by_date(coders, by)
    if series is None:
        return
    last = slice(-_DATES_SHOWN, None)
    earlier = len(series.dates) - _DATES_SHOWN
    values = {"median\nof all": series.median} | {
        textwrap.fill(name, _LONGEST_HEADING): column for name, column in series.coders.items()
    }
    print_fitted(
        [
            Column(by[0], series.dates[last], is_name=True),
            *(Column(name, [*map(shown_number, column[last])]) for name, column in values.items()),
        ],
        title="B with peers by date, coders who stand out first",
        caption=f"{earlier} earlier dates are in the table coders" if earlier > 0 else "",
        whole=False,
    )
