"""The page of one coder: numbers beside those of the others, who have no names, and documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from segscore.pipeline.agreement.findings import habits_of_run
from segscore.pipeline.agreement.judging.step import AuditRows
from segscore.pipeline.agreement.judging.steps import OF_ONE_CODER
from segscore.pipeline.agreement.sentences import (
    OTHERS_SHOWN,
    PEER_SHOWN,
    SHOWN,
    a_minute,
    peer_ends,
)
from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.reports.contested import draw_codings, rows_of_documents
from segscore.pipeline.reports.page import Figure, Section, shown_figure
from segscore.pipeline.reports.strips import Drawing
from segscore.pipeline.runs.finished import FinishedRun, rows_over_all
from segscore.pipeline.statistics.finding import Finding
from segscore.pipeline.statistics.sentences import Sentence, Tone
from segscore.pipeline.statistics.shown_numbers import counted, shown_as, shown_change
from segscore.pipeline.statistics.shown_tables import Column, ShownTable
from segscore.schemas.rows import CoderRow, DocumentRow

OTHERS = "the others"


def coder_contents(run: FinishedRun, coder: str) -> tuple[Finding, Figure, list[Section]]:
    """Return what was found about a coder of an audit, the numbers, and the documents.

    Raises:
        Refused: the audit has no such coder.
    """
    rows: list[CoderRow] = rows_over_all(run.table("coders"), run.settings["group_by"])
    names = [row["coder"] for row in rows]
    if coder not in names:
        raise Refused(f"--coder {coder}: {run.url} has no such coder{nearest(coder, names)}")
    own = next(row for row in rows if row["coder"] == coder)
    habits = habits_of_run(run, [coder])
    audit = AuditRows([own], unit=run.unit, habits=habits)
    said = [step.sentence(own, audit) for step in OF_ONE_CODER if own.get(step.mark)]
    said += [sentence for each in habits.values() for sentence in each.sentences(coder, run.unit)]
    clearest = [document for each in habits.values() for document in each.clearest]
    finding = Finding(
        "stands out" if said else "does not stand out",
        Tone.UNSURE if said else Tone.NOTE,
        [*map(Sentence, said or [_not_named(own)])],
        [coder],
        about=f"Agreement of {coder} with the others",
    )
    numbers = shown_figure(_numbers(own, rows, run.unit), folded=False, wide=True)
    return finding, numbers, [replace(_documents(run, coder, clearest), open=True)]


def _not_named(row: CoderRow) -> str:
    effect, limit = row.get("agreement_effect"), row.get("agreement_limit")
    if effect is None or limit is None:
        return f"{row['coder']} is not judged: too few documents are shared with others."
    return (
        f"{row['coder']} does not stand out: the effect on agreement is {shown_change(effect)}, "
        f"and coders are named from {limit:.2f} below the median on."
    )


def _numbers(own: CoderRow, rows: Sequence[CoderRow], unit: str | None) -> ShownTable:
    """Show the numbers of a coder, and the medians of the others."""
    others = [row for row in rows if row is not own]
    minute = a_minute(unit)
    low, high = peer_ends(own)
    lines: list[tuple[str, str, str]] = []
    for name, column, form, scale in (
        ("documents", "documents", ",.0f", 1.0),
        (
            "boundaries a minute" if minute else "boundaries per position",
            "rate",
            ".4f",
            minute or 1,
        ),
        (f"{SHOWN} with the others", PEER_SHOWN, ".4f", 1.0),
        ("that of the others among themselves", OTHERS_SHOWN, ".4f", 1.0),
        ("effect on agreement", "agreement_effect", "+.4f", 1.0),
        ("its standard error", "agreement_error", ".4f", 1.0),
        ("boundaries / those of the others", "rate_ratio", ".2f", 1.0),
    ):
        values = [value for row in others if (value := row.get(column)) is not None]
        of_others = float(median(values)) * scale if values else None  # type: ignore[type-var]
        value = row_value(own, column)
        shown = shown_as(None if value is None else value * scale, form)
        if column == PEER_SHOWN and low is not None:
            shown += f" ({low:.4f} to {shown_as(high, '.4f')})"
        lines.append((name, shown, shown_as(of_others, form)))
    return ShownTable(
        [
            Column("", [line[0] for line in lines], is_name=True),
            Column(own["coder"], [line[1] for line in lines], is_name=True),
            Column(f"median of {OTHERS}", [line[2] for line in lines], is_name=True),
        ],
        title="Numbers beside those of the others",
        guide=f"With 95 % intervals, over all documents; {counted(len(others), 'other coder')}.",
    )


def row_value(row: CoderRow, column: str) -> float | None:
    """Return a number of a row; None if it is undefined."""
    value = row.get(column)
    return float(value) if isinstance(value, int | float) else None


def _documents(run: FinishedRun, coder: str, ids: Sequence[str]) -> Section:
    """Draw the documents in which the coder agrees least with the others."""
    title = "Documents to look at"
    if not ids:
        return Section("documents", title, "In no document is it clear who differs.", [])
    chosen: list[DocumentRow] = [{"document_id": document} for document in ids]
    rows = rows_of_documents(run, chosen)
    drawings, why = draw_codings(run, rows, lambda name: name if name == coder else OTHERS, coder)
    text = (
        f"Here {coder} agrees least with the others, compared with how they agree with each other; "
        f"the first line is {coder}'s. {why}"
    )
    figures = [*_figures(rows, drawings, coder)]
    return Section("documents", title, text.strip(), figures, missing=why)


def _figures(
    rows: Sequence[DocumentRow], drawings: Mapping[str, Sequence[Drawing]], coder: str
) -> Iterator[Figure]:
    """Yield each document with its drawing; the others have no names."""
    for row in rows:
        segments = sorted(
            zip(row["coders"], row["segments"], strict=True), key=lambda each: each[0] != coder
        )
        table = ShownTable(
            [
                Column("coder", [n if n == coder else OTHERS for n, _ in segments], is_name=True),
                Column("segments", [number for _, number in segments]),
            ],
            title=row["document_id"],
        )
        yield replace(shown_figure(table, wide=True), drawings=drawings.get(row["document_id"], ()))
