"""`segscore compare`: show which system is better, by how much, and where systems go wrong."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from segscore.jobs.cli import startup
from segscore.jobs.cli.log import LOG
from segscore.jobs.show.gating import checks_table, describe_failure, moved_lines
from segscore.jobs.show.printing import GROUPS_SHOWN, chance, out, shown_number
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.errors import Done
from segscore.pipeline.runs.options import Panel

if TYPE_CHECKING:
    import pyarrow as pa

    from segscore.pipeline.comparison.run import FinishedComparison
    from segscore.pipeline.nightly.rules import GateRule

_Row = dict[str, Any]
_ALPHA = 0.05
_BETTER = "✓"
PAIRS_SHOWN = 20
WORST_SHOWN = 3
SYSTEMS_SHOWN = 10
NAME_WIDTH = 20
_REFERENCE = "reference"


def compare(
    chosen: CompareSettings,
    average: Annotated[
        str,
        typer.Option(help="Average to show: macro or micro.", rich_help_panel=Panel.AVERAGES),
    ] = "macro",
    layout: Annotated[
        str | None,
        typer.Option(
            help="Table to print, instead of all: pairs, systems or references.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = None,
    format_name: Annotated[
        str,
        typer.Option(
            "--format",
            help="Format of the table: text, markdown, latex or csv.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = "text",
    gate: Annotated[
        str | None,
        typer.Option(
            help="Rules that test the first of two runs against the second, such as "
            "boundary_similarity>=-0.01; exit 1 if it breaks one.",
            rich_help_panel=Panel.GATE,
        ),
    ] = None,
    alpha: Annotated[
        float,
        typer.Option(
            help="Probability that --gate fails by noise alone.", rich_help_panel=Panel.GATE
        ),
    ] = 0.05,
) -> Done | None:
    """Compare systems on the documents they share: differences, intervals, tests, ranks."""
    from segscore.jobs.show import layouts
    from segscore.pipeline.comparison.run import run_comparison

    layouts.require(layout, format_name, average, chosen.group_by)
    rules = _rules(gate, alpha, chosen.runs)
    if layout == "references":
        chosen = replace(chosen, group_by=(_REFERENCE,))
    startup.work()
    finished = run_comparison(chosen)
    if isinstance(finished, Done):
        return finished
    for warning in finished.record["warnings"]:
        LOG.say("warning", warning)
    if layout is None and format_name == "text":
        print_comparison(finished, average)
    else:
        table = layouts.lay_out(layout or "pairs", finished, average)
        out().print(layouts.render_layout(table, format_name), markup=False)
    if (output := chosen.output) is not None:
        state = "already contains this comparison" if finished.unchanged else "written"
        LOG.say("info", f"{output}: {state}", output=output)
    if rules:
        _check_gate(chosen.runs[0], chosen.runs[1], rules, alpha)
    return None


def _rules(gate: str | None, alpha: float, runs: tuple[str, ...]) -> "tuple[GateRule, ...]":
    """Read --gate; refuse it unless exactly two runs are compared."""
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.nightly.rules import parse_rule
    from segscore.pipeline.runs.settings import in_unit_interval

    in_unit_interval("--alpha", alpha)
    if gate is None:
        return ()
    if len(runs) != 2:
        raise Refused(f"--gate: needs exactly two runs, not {len(runs)}")
    return parse_rule(gate)


def _check_gate(run: str, other: str, rules: "tuple[GateRule, ...]", alpha: float) -> None:
    """Check a run against another by the rules of the gate; fail if it is worse."""
    from segscore.pipeline.errors import Failed
    from segscore.pipeline.nightly.gate import check_runs

    checks = check_runs(run, other, rules, alpha)
    out().print(checks_table(checks, alpha))
    for line in (line for check in checks for line in moved_lines(run, check)):
        out().print(line, markup=False)
    if problems := [describe_failure(check) for check in checks if check.fails]:
        raise Failed(f"{run}: worse than {other}: {'; '.join(problems)}")


def print_comparison(finished: "FinishedComparison", average: str) -> None:
    """Print systems, pairs and tests for all documents and the first groups, then documents."""
    by = finished.record["settings"]["group_by"]
    tables = {name: _by_group(table, by, average) for name, table in finished.tables.items()}
    groups = list(tables["systems"])
    for group in groups[: 1 + GROUPS_SHOWN]:
        for name in finished.record["settings"]["measures"]:
            systems, pairs, tests = (
                [row for row in tables[kind].get(group, []) if row["measure"] == name]
                for kind in ("systems", "comparisons", "omnibus")
            )
            if systems:
                out().print(_systems(_titled(by, group, name, average), systems, tests))
            if pairs:
                out().print(_pairs(pairs))
    if len(groups) > 1 + GROUPS_SHOWN:
        out().print(f"{len(groups) - 1 - GROUPS_SHOWN} more groups are in the tables of --output")
    for line in _worst(finished):
        out().print(line, markup=False)
    if "where" in finished.tables:
        for table in _where(finished.tables["where"].to_pylist()):
            out().print(table)
    for run, counts in finished.record["rows"].items():
        line = f"{run}: compared on {counts['scored']} of {counts['in']} documents"
        out().print(line, markup=False)
    out().print(finished.record["signature"], markup=False)


def _by_group(table: "pa.Table", by: list[str], average: str) -> dict[tuple[Any, ...], list[_Row]]:
    groups: dict[tuple[Any, ...], list[_Row]] = {}
    for row in table.to_pylist():
        if row.get("average", average) == average:
            groups.setdefault(tuple(row.get(name) for name in by), []).append(row)
    return groups


def _titled(by: list[str], group: tuple[Any, ...], measure: str, average: str) -> str:
    from segscore.pipeline.measures import ALL

    parts = [f"{name} {part}" for name, part in zip(by, group, strict=True) if part is not None]
    return f"{measure}{ALL[measure].arrow}, {average}, {', '.join(parts) or 'all documents'}"


def _interval(low: float | None, high: float | None) -> str:
    return f"{shown_number(low)} to {shown_number(high)}"


def _systems(title: str, rows: list[_Row], tests: list[_Row]) -> Table:
    caption = "; ".join(_test(row) for row in tests if row["p"] is not None)
    table = Table(title=escape(title), box=SIMPLE_HEAD, caption=escape(caption))
    table.add_column("system, best first", overflow="fold")
    for heading in ("value", "95 % interval", "rank", "95 % interval", "mean rank", "documents"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in sorted(rows, key=lambda row: (row["rank"] is None, row["rank"], row["system"])):
        table.add_row(
            escape(row["system"]),
            shown_number(row["value"]),
            _interval(row["ci_low"], row["ci_high"]),
            _short(row["rank"]),
            f"{_short(row['rank_low'])} to {_short(row['rank_high'])}",
            "–" if row["mean_rank"] is None else f"{row['mean_rank']:.2f}",
            str(row["defined"]),
        )
    return table


def _test(row: _Row) -> str:
    kind = "Friedman chi²" if row["test"] == "friedman" else "Kruskal-Wallis H"
    effect = "W" if row["test"] == "friedman" else "epsilon²"
    return (
        f"{kind}({row['degrees']}) = {row['statistic']:.2f}, p {chance(row['p'])}, {effect} = "
        f"{row['effect']:.2f}"
    )


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _pairs(rows: list[_Row]) -> Table:
    rows = sorted(rows, key=lambda row: (row["difference"] is None, -abs(row["difference"] or 0)))
    more = len(rows) - PAIRS_SHOWN
    omitted = [f"{more} more are in the table comparisons of --output"] if more > 0 else []
    better = [f"{_BETTER} better system"] if any(row["better"] for row in rows) else []
    starred = any("*" in _mark(row) for row in rows[:PAIRS_SHOWN])
    significant = [f"* p < {_ALPHA:g}".replace("0.", ".")] if starred else []
    table = Table(box=SIMPLE_HEAD, caption="; ".join(better + significant + omitted))
    longest = max(len(row[side]) for row in rows for side in ("system", "other"))
    for heading in ("system", "against"):
        table.add_column(heading, overflow="fold", min_width=min(NAME_WIDTH, longest) + 2)
    for heading in ("difference", "95 % interval", "p (Holm)", "Wilcoxon (Holm)", "d"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows[:PAIRS_SHOWN]:
        table.add_row(
            *(
                escape(row[side]) + (f" {_BETTER}" if row[side] == row["better"] else "")
                for side in ("system", "other")
            ),
            _signed(row["difference"]),
            f"{_signed(row['ci_low'])} to {_signed(row['ci_high'])}",
            chance(row["p_permutation_holm"]) + _mark(row) * starred,
            chance(row["p_wilcoxon_holm"]),
            "–" if row["effect_d"] is None else f"{row['effect_d']:+.2f}",
        )
    return table


def _mark(row: _Row) -> str:
    p = row["p_permutation_holm"]
    return " *" if p is not None and p < _ALPHA else "  "


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.4f}"


def _worst(finished: "FinishedComparison") -> list[str]:
    """List commands that show the worst documents; for two, where each is furthest behind."""
    first = finished.record["settings"]["measures"][0]
    rows: list[_Row] = [
        row
        for row in finished.tables["worst"].to_pylist()
        if row["measure"] == first and row["place"] <= WORST_SHOWN and row["command"]
    ]
    systems = list(dict.fromkeys(row["system"] for row in rows))
    two = len(systems) == 2 and any(row["other"] for row in rows)
    chosen = [row for row in rows if (row["other"] is not None) == two]
    lines = []
    for system in systems[:SYSTEMS_SHOWN]:
        for row in (worst for worst in chosen if worst["system"] == system):
            if row["place"] == 1:
                lines.append(f"{system}, {'furthest behind' if two else 'worst'} by {first}:")
            against = f" against {shown_number(row['other_value'])}" if two else ""
            lines.append(f"  {shown_number(row['value'])}{against}  {row['command']}")
    return lines


ANALYSES = {
    "story_length": "by length of the story that the boundary opens",
    "position": "by position in the document",
    "prominence": "by share of the coders who marked the position",
}


def _where(rows: list[_Row]) -> list[Table]:
    """Make one table per analysis, with the miss and false alarm rates of systems by class."""
    systems = list(dict.fromkeys(row["system"] for row in rows))[:SYSTEMS_SHOWN]
    tables = []
    for analysis, title in ANALYSES.items():
        chosen = [row for row in rows if row["analysis"] == analysis]
        if not chosen:
            continue
        table = Table(title=f"miss rate, false alarm rate, {title}", box=SIMPLE_HEAD)
        table.add_column("", no_wrap=True)
        table.add_column("boundaries", justify="right", no_wrap=True)
        for system in systems:
            table.add_column(escape(system), justify="right", overflow="fold")
        for ends in dict.fromkeys((row["low"], row["high"]) for row in chosen):
            cells = {r["system"]: r for r in chosen if (r["low"], r["high"]) == ends}
            most = max(row["reference_boundaries"] for row in cells.values())
            shown = [_rates(cells[s]) if s in cells else "–" for s in systems]
            table.add_row(_class(analysis, *ends), str(most), *shown)
        tables.append(table)
    return tables


def _rates(row: _Row) -> str:
    return f"{shown_number(row['miss_rate'])}, {shown_number(row['false_alarm_rate'])}"


def _class(analysis: str, low: float, high: float) -> str:
    if analysis == "story_length":
        return f"{low:.0f} to {high:.0f}" if low < high else f"{low:.0f}"
    if analysis == "prominence" and high == 0:
        return "none"
    return f"{low:.0%} to {high:.0%}"
