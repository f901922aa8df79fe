"""Sections of an audit's report: agreement, outlying coders, prominence of marked positions."""

from collections.abc import Iterator, Sequence

import numpy as np

from segscore.pipeline.agreement.documents import contested_in
from segscore.pipeline.agreement.findings import findings_of
from segscore.pipeline.agreement.left_out import describe_without
from segscore.pipeline.agreement.part import CONTESTED, CONTESTED_COLUMNS
from segscore.pipeline.agreement.sentences import (
    PEER_SHOWN,
    SHOWN,
    WITHOUT_SHOWN,
    a_minute,
    meaningful,
    peer_ends,
)
from segscore.pipeline.reports import charts
from segscore.pipeline.reports.audit_tables import agreement_with_themselves, types, with_candidate
from segscore.pipeline.reports.chart_parts import Chart, MarkValues
from segscore.pipeline.reports.contested import contested
from segscore.pipeline.reports.line_charts import line_chart
from segscore.pipeline.reports.matrices import heat
from segscore.pipeline.reports.page import Cell, Figure, PageTable, Section, isolated
from segscore.pipeline.reports.run_tables import as_dates, group_name
from segscore.pipeline.runs.finished import FinishedRun, RunRow, rows_by_group, rows_over_all
from segscore.schemas.rows import CoderRow, CoefficientRow, PeerRow

_CODERS, _GROUPS, _LINES = 60, 30, 20
"""Maximum numbers of coders in a matrix and of lines of coders over time (those with most
documents), and of groups (the largest)."""

CLASSES = 10
"""Number of classes of shares in a chart of prominence."""

_PROMINENCE = {"0": "exactly", "half_window": "half a window", "window": "a window"}


def agreement_sections(run: FinishedRun) -> Iterator[Section]:
    """Yield all sections of an audit."""
    by = run.settings["group_by"]
    yield _agreement(run, by)
    table = run.table("coders")
    coders: list[CoderRow] = rows_over_all(table, by)
    of_groups: list[CoderRow] = rows_by_group(table, by)
    figures = [*_coders(coders, run.unit), *_coders_by_date(of_groups, by)]
    figures += with_candidate(coders, run.settings.get("candidate"))
    yield Section("coders", "Coders", "", figures)
    yield from types(run)
    yield Section("pairs", "Agreement between coders", "", [_matrix(run, by, coders)])
    yield Section("prominence", "Prominence", "", [*_prominence(run, by)])
    yield contested(run)


def _agreement(run: FinishedRun, by: Sequence[str]) -> Section:
    table = run.table("agreement")
    every: list[CoefficientRow] = rows_over_all(table, by)
    of_groups: list[CoefficientRow] = rows_by_group(table, by)
    whole = meaningful(every, run.unit)
    cells: list[list[Cell]] = [_coefficient(row) for row in whole]
    first = whole[0]
    without = describe_without(run.record.get("left_out", {}))
    caption = (
        f"{first['codings']:,} codings by {first['coders']:,} coders of {first['documents']:,} "
        f"documents; {first['pairs']:,} pairs{', ' * bool(without)}{without}. 1 is full agreement, "
        "0 is chance."
    )
    figures = [
        Figure(
            "Coefficients, with 95 % intervals",
            caption,
            PageTable(COEFFICIENT, cells),
            charts.intervals(_coefficient_spans(whole), "agreement above chance"),
            wide=True,
        )
    ]
    return Section("agreement", "Agreement", "", [*figures, *_groups(of_groups, by)])


def _coefficient_spans(rows: Sequence[CoefficientRow]) -> list[MarkValues]:
    return [
        _span(row, f"{row['coefficient']}, {row['similarity']}")
        for row in rows
        if row["coefficient"] != "bias"
    ]


def findings(run: FinishedRun) -> list[str]:
    """Say who stands out, whether groups differ, and who coded the contested documents."""
    contested = contested_in(run.parts("documents", CONTESTED_COLUMNS), CONTESTED)
    return findings_of(run, contested)[1:]


COEFFICIENT = ("coefficient", "similarity", "value", "95 % from", "to", "actual", "expected")


def _coefficient(row: CoefficientRow) -> list[Cell]:
    return [
        row["coefficient"],
        row["similarity"],
        row["value"],
        row["ci_low"],
        row["ci_high"],
        row["actual"],
        row["expected"],
    ]


def _groups(rows: Sequence[CoefficientRow], by: Sequence[str]) -> Iterator[Figure]:
    """Draw the coefficient of each group, the largest groups first."""
    groups: list[CoefficientRow] = [
        {**row, "name": group_name(row, by)}
        for row in rows
        if (row["coefficient"], row["similarity"]) == ("pi", SHOWN)
    ]
    if not groups:
        return
    dates = as_dates(by, (row["name"] for row in groups))
    groups.sort(key=lambda row: (0 if dates else -row["codings"], row["name"]))
    cells: list[list[Cell]] = [
        [row["name"], row["value"], row["ci_low"], row["ci_high"], row["codings"]] for row in groups
    ]
    title = f"pi of {SHOWN} by {', '.join(by)}"
    table = PageTable(["group", "pi", "95 % from", "to", "codings"], cells)
    if dates:
        points = [{"name": "pi", "x": dates[row["name"]], "y": row["value"]} for row in groups]
        chart = line_chart(points, by[0], "pi", dates=True)
        yield Figure(title, "The table has intervals.", table, chart, wide=True)
        return
    chart = charts.intervals([_span(row, row["name"]) for row in groups[:_GROUPS]], "pi")
    caption = f"The {_GROUPS} groups with the most codings." if len(groups) > _GROUPS else ""
    yield Figure(title, caption, table, chart, wide=True)


def _span(row: CoefficientRow, name: str) -> MarkValues:
    ends = {"value": row["value"], "low": row["ci_low"], "high": row["ci_high"]}
    return {"name": name, "kind": row["coefficient"], **ends}


def _coders(rows: Sequence[CoderRow], unit: str | None) -> Iterator[Figure]:
    """Draw boundary rates and similarity to peers, and list agreement without each coder."""
    minute = a_minute(unit)
    heading = "boundary rate" if minute is None else "boundaries a minute"
    scale = minute or 1.0
    with_rate = [(scale * rate, row) for row in rows if (rate := row["rate"]) is not None]
    known = sorted(with_rate, key=lambda each: -each[0])
    mean = known[0][1]["rate_mean"] if known else None
    if mean is None:
        return
    mean, sd = scale * mean, known[0][1]["rate_sd"]
    sd = None if sd is None else scale * sd
    low, high = (mean, mean) if sd is None else (max(0.0, mean - 2 * sd), mean + 2 * sd)
    points = [
        {"name": row["coder"], "value": rate, "flagged": bool(row["flagged"])}
        for rate, row in known
    ]
    rates: list[list[Cell]] = [
        [
            row["coder"],
            row["documents"],
            row["boundaries"],
            rate,
            row["deviation"],
            "yes" if row["flagged"] else "no",
        ]
        for rate, row in known
    ]
    flagged = [row["coder"] for _, row in known if row["flagged"]]
    yield Figure(
        f"{heading.capitalize()}, with the usual range",
        f"{'Boundaries a minute' if minute else 'Boundaries per potential boundary'}. Grey: the "
        "usual range, the mean plus and minus two standard deviations. Outside it: "
        f"{', '.join(map(isolated, flagged)) or 'no coder'}.",
        PageTable(["coder", "documents", "boundaries", heading, "deviation", "outside"], rates),
        charts.band(points, low, mean, high, heading),
    )
    yield _similarity_to_peers(rows)
    yield from agreement_with_themselves(rows)


def _most_similar_first(rows: Sequence[CoderRow]) -> list[CoderRow]:
    return sorted(rows, key=lambda row: (row[PEER_SHOWN] is None, -(row[PEER_SHOWN] or 0)))


def _spans_of(rows: Sequence[CoderRow]) -> list[MarkValues]:
    """Return the similarity of each coder to the others, with its interval."""
    return [
        {
            "name": row["coder"],
            "value": value,
            "low": peer_ends(row)[0],
            "high": peer_ends(row)[1],
            "kind": "coder",
        }
        for row in rows
        if (value := row[PEER_SHOWN]) is not None
    ]


def audit_charts(run: FinishedRun) -> list[Chart | None]:
    """Draw an audit for a paper: coefficients, and coders with the others, with intervals."""
    by = run.settings["group_by"]
    every: list[CoefficientRow] = rows_over_all(run.table("agreement"), by)
    coders: list[CoderRow] = rows_over_all(run.table("coders"), by)
    return [
        charts.intervals(
            _coefficient_spans(meaningful(every, run.unit)), "agreement above chance", legend=False
        ),
        charts.intervals(
            _spans_of(_most_similar_first(coders)), f"{SHOWN} to the others", legend=False
        ),
    ]


def _similarity_to_peers(rows: Sequence[CoderRow]) -> Figure:
    """Draw similarity to peers, and list agreement without each coder."""
    similar = _most_similar_first(rows)
    similarities: list[list[Cell]] = [
        [
            row["coder"],
            row["peers"],
            row[PEER_SHOWN],
            *peer_ends(row),
            row[WITHOUT_SHOWN],
        ]
        for row in similar
    ]
    return Figure(
        f"{SHOWN} to peers",
        "Pooled over all pairs that include the coder, with 95 % intervals. The table lists pi "
        "without the coder.",
        PageTable(["coder", "peers", SHOWN, "95 % from", "to", "pi without"], similarities),
        charts.intervals(_spans_of(similar), SHOWN),
    )


def _coders_by_date(of_groups: Sequence[CoderRow], by: Sequence[str]) -> Iterator[Figure]:
    """Draw each coder's similarity to peers over time, if the groups are dates."""
    rows: list[CoderRow] = [{**row, "name": group_name(row, by)} for row in of_groups]
    dates = as_dates(by, {row["name"] for row in rows})
    if not dates:
        return
    documents: dict[str, int] = {}
    for row in rows:
        documents[row["coder"]] = documents.get(row["coder"], 0) + row["documents"]
    drawn = sorted(documents, key=lambda name: (-documents[name], name))[:_LINES]
    rows.sort(key=lambda row: (row["coder"], row["name"]))
    points = [
        {"name": row["coder"], "x": dates[row["name"]], "y": row[PEER_SHOWN]}
        for row in rows
        if row["coder"] in drawn
    ]
    cells: list[list[Cell]] = [
        [row["coder"], row["name"], row[PEER_SHOWN], row["rate"], row["documents"]] for row in rows
    ]
    left = len(documents) - len(drawn)
    more = f" The {_LINES} coders with most documents; {left} more are in the table." * (left > 0)
    yield Figure(
        f"{SHOWN} to peers by {by[0]}",
        f"Each line is a coder. A line that falls shows a coder who drifts away from others.{more}",
        PageTable(["coder", by[0], SHOWN, "boundary rate", "documents"], cells),
        line_chart(points, by[0], SHOWN, dates=True),
        wide=True,
    )


def _matrix(run: FinishedRun, by: Sequence[str], coders: Sequence[CoderRow]) -> Figure:
    pairs: list[PeerRow] = rows_over_all(run.table("peers"), by)
    shown = sorted(coders, key=lambda row: (-row["documents"], row["coder"]))[:_CODERS]
    names = sorted(row["coder"] for row in shown)
    by_pair = {(row["coder"], row["peer"]): row for row in pairs}
    cells: list[MarkValues] = []
    for name in names:
        for other in (peer for peer in names if peer != name):
            row = by_pair.get((name, other)) or by_pair.get((other, name))
            similarity = None if row is None else row[SHOWN]
            if similarity is not None:
                cell = {"value": similarity, "text": f"{similarity:.2f}", "mark": ""}
                cells.append({"row": name, "column": other, **cell})
    table: list[list[Cell]] = [
        [row["coder"], row["peer"], row["documents"], row[SHOWN], row["segmentation_similarity"]]
        for row in pairs
        if {row["coder"], row["peer"]} <= set(names)
    ]
    omitted = len(coders) - len(names)
    more = f"{omitted} coders with fewer documents are only in the table peers." if omitted else ""
    return Figure(
        f"{SHOWN} of each pair of coders",
        "Pooled over the documents that both coded; empty if there are none.",
        PageTable(["coder", "peer", "documents", SHOWN, "segmentation_similarity"], table, more),
        heat(cells, SHOWN),
        wide=True,
    )


def _prominence(run: FinishedRun, by: Sequence[str]) -> Iterator[Figure]:
    """Draw the share of coders that support each position marked by some coder."""
    counts = {reach: np.zeros(CLASSES, np.int64) for reach in _PROMINENCE}
    columns = ["coders", *(f"support_{reach}" for reach in _PROMINENCE)]
    for part in run.parts("prominence", columns):
        several = part.column("coders").to_numpy() > 1
        for reach, classes in counts.items():
            share = part.column(f"support_{reach}").to_numpy()[several]
            index = np.ceil(np.round(share * CLASSES, 9)).astype(np.int64) - 1
            classes += np.bincount(np.maximum(index, 0), minlength=CLASSES)
    names = [f"{100 * (i + 1) // CLASSES} %" for i in range(CLASSES)]
    for reach, classes in counts.items():
        rows = [
            {"name": name, "value": int(count)} for name, count in zip(names, classes, strict=True)
        ]
        cells: list[list[Cell]] = [
            [name, int(count)] for name, count in zip(names, classes, strict=True)
        ]
        where = "at the position" if reach == "0" else f"within {_PROMINENCE[reach]}"
        yield Figure(
            f"Supported {where}",
            "Positions that at least one coder marked, in documents with several coders, by the "
            f"share of coders with a boundary {where}.",
            PageTable(["share up to", "positions"], cells),
            charts.columns(rows, "share of the coders", "positions"),
        )
    yield Figure("Quartiles", table=_quartiles(run, by))


def _quartiles(run: FinishedRun, by: Sequence[str]) -> PageTable:
    whole: RunRow
    (whole,) = rows_over_all(run.table("corpus"), by)
    rows: list[list[Cell]] = [
        [f"{kind}, {where}", *(whole[f"{kind}_{reach}_{name}"] for name in ("q1", "median", "q3"))]
        for kind in ("support", "peer_support")
        for reach, where in _PROMINENCE.items()
    ]
    return PageTable(["share of coders", "lower quartile", "median", "upper quartile"], rows)
