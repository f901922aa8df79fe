"""`segscore agree`: measure how well the coders of a corpus agree."""

from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from segscore.jobs.cli import startup
from segscore.jobs.cli.options import Cluster, ExplainPlan, Workers
from segscore.jobs.show.printing import (
    GROUPS_SHOWN,
    Bar,
    out,
    print_plan,
    print_record,
    shown_number,
)
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.errors import Done

if TYPE_CHECKING:
    from segscore.pipeline.agreement.run import FinishedAudit

CODERS_SHOWN = 20


def agree(
    chosen: AgreeSettings,
    cluster: Cluster = "local",
    workers: Workers = None,
    explain_plan: ExplainPlan = False,
) -> Done | None:
    """Audit coders: coefficients of agreement, outlying coders, contested documents."""
    from segscore.pipeline.agreement.run import agreement_plan, find_tables, run_agreement
    from segscore.pipeline.runs import executors
    from segscore.pipeline.runs.planning import LIMITS

    if explain_plan:
        print_plan(agreement_plan(chosen, find_tables(chosen), LIMITS))
        return None
    startup.work(cluster)
    with executors.connect(cluster, workers, chosen.memory_limit) as executor, Bar() as bar:
        finished = run_agreement(chosen, executor, bar.advance)
    if isinstance(finished, Done):
        return finished
    print_audit(finished)
    print_record(chosen.output, finished.record)
    return None


def print_audit(finished: "FinishedAudit") -> None:
    """Print coefficients by group, coders over all documents, and the most contested documents."""
    from segscore.pipeline.runs.finished import rows_over_all

    by = list(finished.record["settings"]["group_by"])
    groups = _by_group(finished.tables["agreement"].to_pylist(), by)
    for group, rows in list(groups.items())[: 1 + GROUPS_SHOWN]:
        out().print(_coefficients(_group_title(by, group), rows))
    if len(groups) > 1 + GROUPS_SHOWN:
        out().print(f"{len(groups) - 1 - GROUPS_SHOWN} more groups are in the table agreement")
    out().print(_coders(rows_over_all(finished.tables["coders"], by)))
    out().print(_contested(finished.contested))


def _by_group(
    rows: list[dict[str, Any]], by: list[str]
) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    return groups


def _group_title(by: list[str], group: tuple[Any, ...]) -> str:
    if all(part is None for part in group):
        return "all documents"
    return ", ".join(f"{name} {part}" for name, part in zip(by, group, strict=True))


def _coefficients(title: str, rows: list[dict[str, Any]]) -> Table:
    first = rows[0]
    table = Table(
        title=escape(title),
        box=SIMPLE_HEAD,
        caption=f"{first['codings']} codings by {first['coders']} coders of "
        f"{first['documents']} documents, {first['pairs']} pairs",
    )
    table.add_column("similarity", no_wrap=True)
    table.add_column("coefficient", no_wrap=True)
    for heading in ("value", "95 % interval", "actual", "expected"):
        table.add_column(heading, justify="right", no_wrap=True)
    previous = None
    for row in rows:
        table.add_row(
            "" if row["similarity"] == previous else row["similarity"],
            row["coefficient"],
            shown_number(row["value"]),
            f"{shown_number(row['ci_low'])} to {shown_number(row['ci_high'])}",
            shown_number(row["actual"]),
            shown_number(row["expected"]),
        )
        previous = row["similarity"]
    return table


def _coders(rows: list[dict[str, Any]]) -> Table:
    """List coders, those whose rates are furthest from the mean first."""
    rows = sorted(rows, key=lambda row: (-abs(row["deviation"] or 0), row["coder"]))
    more = len(rows) - CODERS_SHOWN
    table = Table(
        title="coders",
        box=SIMPLE_HEAD,
        caption="; ".join(
            ["* more than 2 standard deviations from the mean"]
            * any(row["flagged"] for row in rows)
            + [f"{more} more are in the table coders"] * (more > 0)
        ),
    )
    table.add_column("coder, furthest from the mean rate first", overflow="fold")
    headings = ("documents", "boundary rate", "deviation", "B with peers", "pi (B) without")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows[:CODERS_SHOWN]:
        deviation = "–" if row["deviation"] is None else f"{row['deviation']:+.2f}"
        table.add_row(
            escape(row["coder"]) + (" *" if row["flagged"] else ""),
            str(row["documents"]),
            shown_number(row["rate"]),
            deviation,
            shown_number(row["peer_boundary_similarity"]),
            shown_number(row["without_pi_boundary_similarity"]),
        )
    return table


def _contested(rows: list[dict[str, Any]]) -> Table:
    table = Table(title="documents", box=SIMPLE_HEAD)
    table.add_column("document, most contested first", overflow="fold")
    for heading in ("coders", "mean B", "mean WindowDiff", "mean segments"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            escape(row["document_id"]),
            str(row["codings"]),
            shown_number(row["boundary_similarity"]),
            shown_number(row["window_diff_mean"]),
            f"{row['segments_mean']:.1f}",
        )
    return table
