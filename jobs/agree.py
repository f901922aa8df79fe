"""`segscore agree`: measure how well the coders of a corpus agree."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from segscore.jobs.cli import startup
from segscore.jobs.cli.options import Cluster, ExplainPlan, Workers
from segscore.jobs.show.audit import AUDITED_GROUPS, print_audit
from segscore.jobs.show.figures import write_figure
from segscore.jobs.show.fitted import print_lines
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
from segscore.pipeline.agreement.sentences import PEER_SHOWN, WITHOUT_SHOWN, peer_ends
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.settings.options import Panel
from segscore.pipeline.settings.ranges import one_of, within
from segscore.pipeline.statistics.shown_numbers import (
    counted,
    shown_attribute,
    shown_number,
    with_interval,
)
from segscore.schemas.rows import CoderRow, CoefficientRow

if TYPE_CHECKING:
    import pyarrow as pa

    from segscore.pipeline.agreement.run import FinishedAudit

_LAYOUTS = ("coefficients", "coders", "next")
_MOST_NEXT = 10_000
_OF_CODERS = (
    "coder",
    "documents",
    "peers",
    "rate",
    PEER_SHOWN,
    f"{PEER_SHOWN}_low",
    f"{PEER_SHOWN}_high",
    WITHOUT_SHOWN,
    "self_boundary_similarity",
    "self_boundary_similarity_low",
    "self_boundary_similarity_high",
    "candidate_share",
    "coder_share",
    "candidate_p",
    "candidate_wins",
)
"""Columns of `coders` in Markdown, after those of groups."""


def agree(
    chosen: AgreeSettings,
    cluster: Cluster = "local",
    workers: Workers = None,
    explain_plan: ExplainPlan = False,
    layout: Annotated[
        str,
        typer.Option(
            help="Table of --format csv, markdown or latex: coefficients, coders or next.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = "coefficients",
    number: Annotated[
        int | None,
        typer.Option(
            "--next",
            help="Say which documents to code next, and by whom: so many codings.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = None,
    format_name: PaperFormat = "text",
    figure: Annotated[
        str | None,
        typer.Option(
            help="File for a figure of coefficients and coders, ending in .svg, .pdf or .png.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = None,
) -> None:
    """Audit coders: coefficients of agreement, outlying coders, contested documents."""
    from segscore.pipeline.agreement.run import (
        agreement_plan,
        find_tables,
        read_audit,
        run_agreement,
    )
    from segscore.pipeline.reports.figures import require_figure
    from segscore.pipeline.runs import executors
    from segscore.pipeline.runs.planning import LIMITS

    _require_layout(layout, format_name, number)
    if figure is not None:
        require_figure("--figure", figure)
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
    if figure is not None:
        _save_figure(figure, finished)
    if format_name == "text":
        if chosen.n_t is None and (said := chosen_n_t(finished.record)):
            print_lines(f"{said}\n")
        print_audit(finished, number)
        print_record(chosen.output, finished.record)
        if finished is outcome:
            print_written(chosen.output)
        return
    log_finished(chosen.output, finished.record)
    _print_data(finished, layout, number, format_name)


def _save_figure(path: str, finished: "FinishedAudit") -> None:
    """Save a chart of the coefficients and one of the coders, with intervals."""
    from segscore.pipeline.reports.agreement import audit_charts

    write_figure(path, audit_charts(finished), "no coefficient is defined")


def _require_layout(layout: str, format_name: PaperFormat, number: int | None) -> None:
    """Refuse a layout that a format does not have, or that lacks the number of codings."""
    one_of("--layout", layout, _LAYOUTS)
    formats = ("csv", "markdown", "latex") if layout == "coders" else ("csv", "markdown")
    if layout != "coefficients" and format_name not in formats:
        raise Refused(
            f"--layout {layout} --format {format_name}: must be one of {', '.join(formats)}"
        )
    if layout == "next" and number is None:
        raise Refused("--layout next: needs the number of codings, such as --next 100")
    if number is not None:
        within("--next", number, 1, _MOST_NEXT)


def _print_data(
    finished: "FinishedAudit", layout: str, number: int | None, format_name: PaperFormat
) -> None:
    """Print the results for other programs or for a paper."""
    if format_name == "json":
        tables: dict[str, Any] = {**as_rows(finished.by_group), "contested": finished.contested}
        tables["findings"] = _findings(finished)
        if number is not None:
            tables["next"] = _next_rows(finished, number)
        output = finished.record["settings"]["output"]
        print_json("agree", {"output": output, **described(finished.record), **tables})
    elif format_name == "latex":
        print_text(_latex(finished) if layout == "coefficients" else _coders_in_latex(finished))
    elif layout == "next" and number is not None:
        rows, signature = _next_rows(finished, number), finished.record["signature"]
        rows = [row | {"others": " ".join(row["others"])} for row in rows]
        names = ["document_id", "coder", "others"]
        print_table(plain_layout(names, rows, signature), format_name)
    else:
        _print_table(finished, layout, format_name)


def _next_rows(finished: "FinishedAudit", number: int) -> list[dict[str, Any]]:
    from segscore.pipeline.agreement.next_codings import next_codings

    return [
        {"document_id": each.document, "coder": each.coder, "others": list(each.others)}
        for each in next_codings(finished, number).codings
    ]


def _findings(finished: "FinishedAudit") -> list[str]:
    from segscore.pipeline.agreement.findings import findings_of

    return findings_of(finished, finished.contested)


def _print_table(finished: "FinishedAudit", layout: str, format_name: PaperFormat) -> None:
    """Print the coefficients or the coders as CSV, or a part that can be read as Markdown."""
    table = finished.by_group["agreement" if layout == "coefficients" else "coders"]
    if format_name == "markdown":
        _print_markdown(finished, layout, table)
        return
    rows, signature = table.to_pylist(), finished.record["signature"]
    print_table(plain_layout(table.column_names, rows, signature), format_name)


def _print_markdown(finished: "FinishedAudit", layout: str, table: "pa.Table") -> None:
    """Print the rows of the groups that the terminal shows; say how many more there are."""
    from segscore.pipeline.runs.finished import grouped

    by = list(finished.record["settings"]["group_by"])
    whole, *parts = grouped(table.to_pylist(), by).items()
    shown = [whole, *parts[:AUDITED_GROUPS]]
    rows = [
        row | {name: "all" if row[name] is None else row[name] for name in by}
        for _, group in shown
        for row in group
    ]
    columns = table.column_names if layout == "coefficients" else [*by, *_OF_CODERS]
    names = [name for name in columns if any(row.get(name) is not None for row in rows)]
    print_table(plain_layout(names, rows, finished.record["signature"]), "markdown")
    if more := parts[AUDITED_GROUPS:]:
        number = sum(len(group) for _, group in more)
        print_text(
            f"\n{counted(number, 'more row')} of {counted(len(more), 'more group')} are in the "
            f"table `{finished.url}/{'agreement' if layout == 'coefficients' else layout}`; "
            "`--format csv` has all.\n"
        )


def _latex(finished: "FinishedAudit") -> str:
    """Write a row for all documents and for each group: the coefficients that papers report."""
    from segscore.jobs.show.latex import latex_table
    from segscore.pipeline.agreement.sentences import meaningful
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


def _coders_in_latex(finished: "FinishedAudit") -> str:
    """Write a row for each coder over all documents: rate and agreement with the others."""
    from segscore.jobs.show.latex import latex_table
    from segscore.pipeline.runs.finished import rows_over_all

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
