"""Sections of an audit's report: agreement, coders, boundary types, prominence."""

from collections.abc import Iterator
from dataclasses import replace

from segscore.pipeline.agreement.audit_result import AuditResult
from segscore.pipeline.agreement.audit_tables import SIZE
from segscore.pipeline.agreement.coders_tables import (
    NAMED,
    peers_table,
    rates_table,
    themselves_table,
)
from segscore.pipeline.agreement.sentences import SHOWN
from segscore.pipeline.reports import charts
from segscore.pipeline.reports.chart_parts import Chart, MarkValues, interval_marks
from segscore.pipeline.reports.contested import contested
from segscore.pipeline.reports.line_charts import line_chart
from segscore.pipeline.reports.matrices import matrix
from segscore.pipeline.reports.page import Figure, Section, isolated, shown_figure
from segscore.pipeline.reports.run_tables import as_dates
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.statistics.result_table import ResultTable

FAR = "far from the others"
"""Kind of the coders who mark far more or far fewer boundaries."""

_GROUPS, _LINES = 30, 20
"""Maximum numbers of groups in a chart, and of lines of coders over time."""


def audit_picture(result: AuditResult) -> Figure | None:
    """Draw how similar each coder is to the others, from 0 to 1; those who stand out are marked."""
    table = peers_table(result.coders)
    marks = _peers(result)
    marks.sort(key=lambda mark: mark["value"])
    chart = charts.intervals(
        marks, f"{SHOWN} to the others", domain=(0.0, 1.0), flagged=result.outstanding
    )
    if chart is None:
        return None
    title = "How each coder agrees with the others, lowest first"
    note = "Red: stands out." if result.outstanding else ""
    return shown_figure(replace(table, guide=note), chart, title=title, wide=True)


def agreement_sections(result: AuditResult) -> Iterator[Section]:
    """Yield all sections of an audit."""
    yield Section("agreement", "Agreement", "", [_coefficients(result), *_groups(result)])
    yield Section("coders", "Coders", "", [*_coders(result)])
    if (types := result.types) is not None:
        yield Section("types", "Boundary types", "", [shown_figure(types)])
    yield Section("pairs", "Agreement between coders", "", [_pairs(result.pairs)])
    yield Section("prominence", "Prominence", "", [_prominence(result.prominence)])
    yield contested(result.run)


def audit_charts(run: FinishedRun) -> list[Chart | None]:
    """Draw an audit for a paper: coefficients, and coders with the others, with intervals."""
    result = AuditResult(run)
    drawn = result.above_chance
    return [
        charts.intervals(interval_marks(drawn), drawn.title, legend=False),
        charts.intervals(_peers(result), f"{SHOWN} to the others", legend=False),
    ]


def _peers(result: AuditResult) -> list[MarkValues]:
    """Return the similarity of each coder to the others, with its interval, if it is known."""
    marks = interval_marks(peers_table(result.coders))
    return [mark for mark in marks if mark["value"] is not None]


def _coefficients(result: AuditResult) -> Figure:
    drawn = result.above_chance
    marks = [mark for mark in interval_marks(drawn) if mark["kind"] == "pi"]
    marks = [{**mark, "name": mark["name"].partition(", ")[2] or mark["name"]} for mark in marks]
    chart = charts.intervals(marks, "pi", legend=False, domain=(0.0, 1.0))
    title = "Coefficients, with 95 % intervals"
    return shown_figure(drawn, chart, title=title, wide=True)


def _groups(result: AuditResult) -> Iterator[Figure]:
    """Draw the coefficient of each group over time, or else those of the largest groups."""
    table = result.groups
    if table is None:
        return
    marks, by = interval_marks(table), result.by
    if dates := as_dates(by, (mark["name"] for mark in marks)):
        points = [
            {"name": mark["kind"], "x": dates[mark["name"]], "y": mark["value"]} for mark in marks
        ]
        chart = line_chart(points, by[0], marks[0]["kind"], dates=True)
    else:
        (codings,) = (column.values for column in table.columns if column.name == SIZE)
        by_size = sorted(range(table.rows), key=lambda place: -codings[place])
        chart = charts.intervals([marks[i] for i in by_size[:_GROUPS]], marks[0]["kind"])
        if table.rows > _GROUPS:
            table = replace(table, guide=f"The chart has the {_GROUPS} groups with most codings.")
    yield shown_figure(table, chart, wide=True)


def _coders(result: AuditResult) -> Iterator[Figure]:
    """Draw rates, similarity to peers, and what else is known of coders."""
    if (rates := rates_table(result.coders, result.run.unit, isolated)) is None:
        return
    (named,) = (column.values for column in rates.columns if column.name == NAMED)
    marks = interval_marks(rates)
    flagged = {mark["name"] for mark, flag in zip(marks, named, strict=True) if flag == "yes"}
    marks = [{**mark, "kind": FAR if mark["name"] in flagged else "coder"} for mark in marks]
    chart = charts.intervals(marks, rates.columns[1].name, ("coder", FAR), flagged=flagged)
    yield shown_figure(rates, chart)
    found = (themselves_table(result.coders), result.candidate(isolated))
    yield from (shown_figure(each) for each in found if each is not None)
    yield from _by_date(result)


def _by_date(result: AuditResult) -> Iterator[Figure]:
    """Draw each coder's similarity to peers over time, if the groups are dates."""
    if (table := result.by_group) is None:
        return
    coders, groups, similar, *_ = (column.values for column in table.columns)
    if not (dates := as_dates(result.by, {*groups})):
        return
    drawn = result.most_documents(_LINES)
    points: list[MarkValues] = [
        {"name": coder, "x": dates[group], "y": value}
        for coder, group, value in zip(coders, groups, similar, strict=True)
        if coder in drawn
    ]
    chart = line_chart(points, result.by[0], SHOWN, dates=True)
    if left := len({*coders}) - len(drawn):
        more = f"The {_LINES} coders with most documents; {left} more are in the table."
        table = replace(table, guide=f"{table.guide} {more}")
    yield shown_figure(table, chart, wide=True)


def _pairs(table: ResultTable) -> Figure:
    """Draw the similarity of each pair of coders as a matrix."""
    one, other, similar, *_ = (column.values for column in table.columns)
    known = [
        pair
        for coder, peer, value in zip(one, other, similar, strict=True)
        if value is not None
        for pair in ((coder, peer, value), (peer, coder, value))
    ]
    of = {coder: [value for one, _, value in known if one == coder] for coder, _, _ in known}
    mean = {coder: sum(values) / len(values) for coder, values in of.items()}
    cells = [
        {"row": coder, "column": peer, "value": value, "text": f"{value:.2f}", "mark": ""}
        for coder, peer, value in sorted(known, key=lambda pair: (-mean[pair[0]], *pair))
    ]
    return shown_figure(table, matrix(cells, SHOWN), wide=True)


def _prominence(table: ResultTable) -> Figure:
    """Draw the share of coders that support each position."""
    names, positions = table.columns
    classes = [
        {"name": name, "value": count}
        for name, count in zip(names.values, positions.values, strict=True)
    ]
    most = max(positions.values, default=0)
    return shown_figure(table, charts.columns(classes, "share of the coders", positions.name, most))
