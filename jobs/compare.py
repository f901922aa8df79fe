"""`segscore compare`: show which system is better, by how much, and where systems go wrong."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

import typer

from segscore.jobs.cli import startup
from segscore.jobs.cli.log import LOG
from segscore.jobs.cli.options import FigureFile
from segscore.jobs.show.audits import are_audits, compare_audits
from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.formats import (
    PaperFormat,
    as_rows,
    described,
    plain_table,
    print_json,
    print_table,
)
from segscore.jobs.show.gating import moved_lines, print_checks, print_verdict
from segscore.jobs.show.progress import Bar
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.errors import Done, Failed
from segscore.pipeline.settings.options import Panel

if TYPE_CHECKING:
    from segscore.pipeline.nightly.gate.rule import GateRule
    from segscore.pipeline.nightly.lacking import Lacking
    from segscore.pipeline.nightly.verdict import Check
    from segscore.pipeline.runs.finished import FinishedRun

_REFERENCE = "reference"


def compare(
    chosen: CompareSettings,
    average: Annotated[
        str, typer.Option(help="Average to show: micro or macro.", rich_help_panel=Panel.AVERAGES)
    ] = "micro",
    layout: Annotated[
        str | None,
        typer.Option(
            help="Table: pairs, systems, references or ranks. ROWS,COLUMNS,CELLS crosses two of "
            "systems, groups and measures, with cells of interval, value or rank.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = None,
    format_name: PaperFormat = "text",
    figure: FigureFile = None,
    gate: Annotated[
        str | None,
        typer.Option(
            help="Rules for a new and an old run: 'pk<=+0.01'. The first run is tested against the "
            "second; exit 1 if it breaks a rule.",
            rich_help_panel=Panel.GATE,
        ),
    ] = None,
) -> Done | None:
    """Compare systems on the documents they share: differences, intervals, tests, ranks."""
    from segscore.jobs.show.comparison import print_comparison
    from segscore.pipeline.comparison.run import run_comparison

    if are_audits(chosen.runs):
        compare_audits(chosen.runs, gate, format_name)
        return None
    _require_outputs(chosen, layout, format_name, average, figure)
    rules = _rules(gate, chosen.runs)
    chosen = _completed(chosen, layout)
    startup.work()
    with Bar("comparing", first=""):
        finished = run_comparison(chosen, average)
    if isinstance(finished, Done):
        return finished
    LOG.warn(finished.record["warnings"])
    LOG.warn(_not_shown(finished, chosen, layout, format_name))
    checks = _check(chosen.runs, rules, chosen.alpha) if rules else []
    lacking = _lacking(chosen.runs) if rules else []
    problems = _problems(chosen.runs, checks, lacking)
    print_verdict(problems, checks, format_name)
    if format_name == "json":
        verdict = {"passed": not problems, "problems": problems} if rules else None
        tables = (
            {"gate": verdict}
            | as_rows(finished.at_hand)
            | {
                "checks": [asdict(check) for check in checks],
                "lacking": [asdict(each) for each in lacking],
            }
        )
        print_json("compare", {**described(finished.record), **tables})
    elif layout is None and format_name == "text":
        print_comparison(finished, average)
    elif layout is None and chosen.changes and format_name != "latex":
        _print_changed(finished, format_name)
    else:
        _print_layout(layout or "pairs", finished, average, format_name)
    if (output := chosen.output) is not None:
        state = "written" if finished.is_published else "already contains this comparison"
        LOG.say("info", f"{output}: {state}", output=output)
    if figure is not None:
        _save_figure(figure, finished, average)
    if rules and format_name == "text":
        _print_checks(chosen.runs[0], checks, chosen.alpha)
    if problems:
        raise Failed(f"{chosen.runs[0]}: {'; '.join(problems)}")
    return None


def _require_outputs(
    chosen: CompareSettings, layout: str | None, format_name: str, average: str, figure: str | None
) -> None:
    """Refuse a layout, a format or a figure that cannot be made."""
    from segscore.jobs.show import layouts
    from segscore.pipeline.reports.figures import require_figure

    layouts.require(layout, format_name, average, chosen.group_by)
    layouts.require_average(chosen.measures, average)
    layouts.require_room(chosen, format_name)
    if figure is not None:
        require_figure("--figure", figure)


def _not_shown(
    finished: "FinishedRun", chosen: CompareSettings, layout: str | None, format_name: str
) -> Iterator[str]:
    """Yield a warning about each table that was asked for and is empty, or is not printed."""
    whole = layout is None and format_name in ("text", "json")
    if chosen.where and not finished.table("where").num_rows:
        yield "--where: no boundary of a system is left to show; reference points are not looked at"
    elif chosen.where and not whole and chosen.output is None:
        yield (
            "--where: a single table has no room for it; omit --layout and --format, or name a "
            "folder with --output, which gets the table where"
        )
    if chosen.ratings is not None and format_name in ("csv", "latex") and chosen.output is None:
        yield (
            f"--ratings: --format {format_name} has no room for it; print text, markdown or json, "
            "or name a folder with --output, which gets the table ratings"
        )
    if not whole and layout in (None, "pairs") and not finished.table("comparisons").num_rows:
        yield (
            "there is one system alone, and so no pair to show; --layout systems shows the system"
        )


def _completed(chosen: CompareSettings, layout: str | None) -> CompareSettings:
    """Add the measure that is compared by default, and the groups and tests of the layout."""
    from segscore.pipeline.comparison.runs import first_measure, open_runs

    if not chosen.measures:
        chosen = replace(chosen, measures=(first_measure(open_runs(chosen.runs)),))
    chosen = replace(chosen, ranks=layout == "ranks")
    return replace(chosen, group_by=(_REFERENCE,)) if layout == "references" else chosen


def _print_layout(layout: str, finished: "FinishedRun", average: str, format_name: str) -> None:
    """Print a layout and, below it, the published scores, if it was asked for them."""
    from segscore.jobs.show import layouts
    from segscore.jobs.show.comparison import print_published, print_ratings

    layouts.print_in_format(layouts.lay_out(layout, finished, average), format_name)
    if "published" in finished.at_hand and format_name != "csv":
        print_lines("")
        print_published(finished.rows("published"), format_name)
    if "ratings" in finished.at_hand and format_name in ("text", "markdown"):
        print_lines("")
        print_ratings(finished.rows("ratings"), format_name)


def _print_changed(finished: "FinishedRun", format_name: str) -> None:
    """Print each boundary that changed between two systems."""
    table = finished.table("changed")
    print_table(plain_table(table.column_names, table.to_pylist(), ""), format_name)


def _save_figure(path: str, finished: "FinishedRun", average: str) -> None:
    """Save a chart of the best system minus each other one, by each measure."""
    from segscore.jobs.show.figures import write_figure
    from segscore.pipeline.reports.comparison import difference_charts

    tables = {name: finished.table(name) for name in ("comparisons", "systems")}
    settings = finished.settings
    charts = difference_charts(tables, settings["measures"], settings["group_by"], average)
    write_figure(path, charts, "no pair has a difference to draw")


def _problems(runs: Sequence[str], checks: "list[Check]", lacking: "list[Lacking]") -> list[str]:
    """Say why the gate fails: a check of a run against another, or documents that systems lack."""
    from segscore.pipeline.nightly.lacking import lacking_in_words
    from segscore.pipeline.nightly.sentences import failures_in_words

    problems = []
    if worse := failures_in_words(check for check in checks if check.fails):
        problems.append(f"worse than {runs[1]}: {'; '.join(worse)}")
    if lacking:
        problems.append(
            f"lacks documents of {runs[1]}: {lacking_in_words(lacking)}; score these, or score "
            "with --missing none"
        )
    return problems


def _rules(gate: str | None, runs: tuple[str, ...]) -> "tuple[GateRule, ...]":
    """Read --gate; refuse it unless exactly two runs are compared."""
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.nightly.gate.rules import kind_of, parse_rule

    if gate is None:
        return ()
    if len(runs) != 2:
        raise Refused(f"--gate: needs exactly two runs, not {len(runs)}")
    rules = parse_rule(gate)
    for rule in rules:
        if kind_of(rule).needs_history:
            raise Refused(
                f"--gate {rule.text}: this kind of rule needs a history; use it in segscore nightly"
            )
    return rules


def _check(runs: Sequence[str], rules: "tuple[GateRule, ...]", alpha: float) -> "list[Check]":
    """Check a run against another by the rules of the gate."""
    from segscore.pipeline.nightly.gate.two_nights import check_runs

    run, other = runs
    return [*check_runs(run, other, rules, alpha)]


def _lacking(runs: Sequence[str]) -> "list[Lacking]":
    """Find the documents of the second run that systems lack in the first."""
    from segscore.pipeline.nightly.lacking import lacking_documents

    run, other = runs
    return lacking_documents(run, other)


def _print_checks(run: str, checks: "list[Check]", alpha: float) -> None:
    """Print the results of the rules, and the documents that worsened most."""
    print_checks(checks, alpha)
    print_lines(*(line for check in checks for line in moved_lines(run, check)))
