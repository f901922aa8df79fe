"""`segscore agree`: measure how well the coders of a corpus agree."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from segscore.jobs.cli import startup
from segscore.jobs.cli.log import LOG
from segscore.jobs.cli.options import Cluster, ExplainPlan, FigureFile, Workers
from segscore.jobs.show.audit import CHOICES, AuditWork, print_audit
from segscore.jobs.show.figures import write_figure
from segscore.jobs.show.formats import (
    PaperFormat,
    as_rows,
    described,
    plain_table,
    print_json,
    print_table,
    print_text,
)
from segscore.jobs.show.latex import latex_table
from segscore.jobs.show.printing import (
    chosen_n_t,
    log_finished,
    print_plan,
    say_done,
)
from segscore.jobs.show.progress import Bar
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.settings.options import Panel
from segscore.pipeline.settings.ranges import one_of
from segscore.pipeline.statistics.formatted_numbers import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from segscore.pipeline.runs.finished import FinishedRun

_LAYOUTS = ("coefficients", "coders", "corpus", *CHOICES)
_TABLES = {"coefficients": "agreement"}
"""Layout -> the table, where the names differ."""

_AUDITED_GROUPS = 3
"""Number of groups that Markdown shows."""


def agree(
    chosen: AgreeSettings,
    cluster: Cluster = "local",
    workers: Workers = None,
    explain_plan: ExplainPlan = False,
    layout: Annotated[
        str,
        typer.Option(
            help="Table: coefficients, coders, corpus, next, adjudicate. It is that of --format "
            "csv, markdown or latex.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = "coefficients",
    number: Annotated[
        int | None,
        typer.Option(
            "--next",
            help="Say which documents to code next: so many.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = None,
    adjudicate: Annotated[
        int | None,
        typer.Option(
            help="Say which documents to adjudicate: so many.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = None,
    available: Annotated[
        str | None,
        typer.Option(
            help="Coders for --next, such as ann,ben; default: all.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = None,
    format_name: PaperFormat = "text",
    figure: FigureFile = None,
) -> None:
    """Audit coders: coefficients of agreement, outlying coders, contested documents."""
    from segscore.pipeline.agreement.run import (
        agreement_plan,
        find_tables,
        run_agreement,
    )
    from segscore.pipeline.reports.figures import require_figure
    from segscore.pipeline.runs import executors
    from segscore.pipeline.runs.finished import FinishedRun
    from segscore.pipeline.runs.planning import LIMITS

    people = None if available is None else tuple(available.split(","))
    work = AuditWork(number, adjudicate, people)
    _require_layout(layout, format_name, work)
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
    finished = FinishedRun.open(chosen.output) if isinstance(outcome, Done) else outcome
    if figure is not None:
        _save_figure(figure, finished)
    if format_name == "text":
        print_audit(chosen.output, finished, work, written=finished is outcome)
        if chosen.n_t is None and (said := chosen_n_t(finished.record)):
            LOG.say("info", said)
        return
    log_finished(chosen.output, finished.record)
    _print_data(finished, layout, work, format_name)


def _save_figure(path: str, finished: "FinishedRun") -> None:
    """Save a chart of the coefficients and one of the coders, with intervals."""
    from segscore.pipeline.reports.agreement import audit_charts

    write_figure(path, audit_charts(finished), "no coefficient is defined")


def _require_layout(layout: str, format_name: PaperFormat, work: AuditWork) -> None:
    """Refuse a layout that a format does not have, or that lacks its number of rows."""
    one_of("--layout", layout, _LAYOUTS)
    formats = ("csv", "markdown") if layout in CHOICES else ("csv", "markdown", "latex")
    if layout != "coefficients" and format_name not in formats:
        raise Refused(
            f"--layout {layout} --format {format_name}: must be one of {', '.join(formats)}"
        )
    work.require(layout)


def _print_data(
    finished: "FinishedRun", layout: str, work: AuditWork, format_name: PaperFormat
) -> None:
    """Print the results for other programs or for a paper."""
    signature = finished.record["signature"]
    if format_name == "json":
        from segscore.pipeline.agreement.contested import contested_documents
        from segscore.pipeline.agreement.findings import findings_of
        from segscore.pipeline.agreement.run import TABLES_BY_GROUP

        by_group = {name: finished.table(name) for name in TABLES_BY_GROUP}
        tables: dict[str, Any] = {**as_rows(by_group)}
        tables["contested"] = contested_documents(finished)[0]
        tables["findings"] = findings_of(finished)
        tables |= {name: chosen.rows for name, chosen in work.choose(finished).items()}
        output = finished.record["settings"]["output"]
        print_json("agree", {"output": output, **described(finished.record), **tables})
    elif format_name == "latex":
        from segscore.pipeline.agreement.agreement_in_papers import IN_PAPERS

        table = IN_PAPERS[layout](finished)
        print_text(latex_table(table, signature))
    elif layout in CHOICES:
        from segscore.pipeline.agreement.work_tables import WORK_COLUMNS

        rows = [*map(_in_cells, work.choose(finished)[layout].rows)]
        print_table(plain_table(WORK_COLUMNS[layout], rows, signature), format_name)
    else:
        _print_table(finished, layout, format_name)


def _in_cells(row: dict[str, Any]) -> dict[str, Any]:
    """Write the lists of a row as words."""
    return {
        name: " ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in row.items()
    }


def _print_table(finished: "FinishedRun", layout: str, format_name: PaperFormat) -> None:
    """Print the coefficients or the coders as CSV, or a part that can be read as Markdown."""
    table = finished.table(_TABLES.get(layout, layout))
    if format_name == "markdown":
        _print_markdown(finished, layout, table)
        return
    rows, signature = table.to_pylist(), finished.record["signature"]
    print_table(plain_table(table.column_names, rows, signature), format_name)


def _print_markdown(finished: "FinishedRun", layout: str, table: "pa.Table") -> None:
    """Print the rows of the groups that the terminal shows; say how many more there are."""
    from segscore.pipeline.agreement.coders_tables import CODER_COLUMNS
    from segscore.pipeline.runs.finished import grouped

    by = list(finished.record["settings"]["group_by"])
    whole, *parts = grouped(table.to_pylist(), by).items()
    shown = [whole, *parts[:_AUDITED_GROUPS]]
    rows = [
        row | {name: "all" if row[name] is None else row[name] for name in by}
        for _, group in shown
        for row in group
    ]
    columns = [*by, *CODER_COLUMNS] if layout == "coders" else table.column_names
    names = [name for name in columns if any(row.get(name) is not None for row in rows)]
    print_table(plain_table(names, rows, finished.record["signature"]), "markdown")
    if more := parts[_AUDITED_GROUPS:]:
        number = sum(len(group) for _, group in more)
        print_text(
            f"\n{counted(number, 'more row')} of {counted(len(more), 'more group')} are in the "
            f"table `{finished.url}/{_TABLES.get(layout, layout)}`; "
            "`--format csv` has all.\n"
        )
