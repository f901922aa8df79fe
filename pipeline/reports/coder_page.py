"""The page of one coder: their numbers beside the unnamed others', and documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from segscore.pipeline.agreement.coder_tables import (
    OTHERS,
    codings_beside_others,
    not_named,
    numbers_table,
)
from segscore.pipeline.agreement.findings import habits_of_run
from segscore.pipeline.agreement.judging.step import AuditRows
from segscore.pipeline.agreement.judging.steps import OF_ONE_CODER
from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.reports.contested import draw_codings, rows_of_documents
from segscore.pipeline.reports.page import Figure, Section, shown_figure
from segscore.pipeline.reports.strips import Drawing
from segscore.pipeline.runs.finished import FinishedRun, rows_over_all
from segscore.pipeline.statistics.finding import Finding
from segscore.pipeline.statistics.sentences import Sentence, Tone
from segscore.schemas.rows import CoderRow, DocumentRow


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
        [*map(Sentence, said or [not_named(own)])],
        [coder],
        about=f"Agreement of {coder} with the others",
    )
    numbers = shown_figure(numbers_table(own, rows, run.unit), folded=False, wide=True)
    return finding, numbers, [replace(_documents(run, coder, clearest), open=True)]


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
        table = codings_beside_others(row, coder)
        yield replace(shown_figure(table, wide=True), drawings=drawings.get(row["document_id"], ()))
