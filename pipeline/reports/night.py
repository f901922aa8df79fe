"""The section on the verdict of a night's gate."""

from segscore.pipeline.nightly.verdict import ACCEPTED, Verdict
from segscore.pipeline.reports.page import Cell, Figure, NumberCell, PageTable, Section
from segscore.pipeline.statistics.shown_numbers import shown_p

_HEADINGS = ("rule", "system", "result", "now", "before", "change", "p (Holm)", "against")


def gate_section(night: Verdict) -> Section:
    """Make the section with the result of each rule of the gate; rows that failed are marked."""
    checks: list[list[Cell]] = [
        [
            check.rule,
            check.system,
            check.result_in_words,
            check.value,
            check.before,
            check.change,
            NumberCell(shown_p(check.p_adjusted), check.p_adjusted),
            check.compared_with,
        ]
        for check in night.checks
    ]
    moved: list[list[Cell]] = [
        [
            document.document_id,
            check.system,
            check.measure,
            document.value,
            document.before if document.shared else f"{document.before:.4f} on average",
        ]
        for check in night.checks
        for document in check.moved
    ]
    failed = [index for index, check in enumerate(night.checks) if check.fails]
    table = PageTable(_HEADINGS, checks, failed=failed)
    figures = [Figure("Rules", table=table, folded=False, wide=True)]
    if moved:
        heads = ("document", "system", "measure", "now", "before")
        worsened = PageTable(heads, moved)
        figures.append(
            Figure("Documents that worsened most", table=worsened, folded=False, wide=True)
        )
    sentences = [f"{night.date}: {night.outcome}."]
    if night.outcome == ACCEPTED:
        sentences.append(f"The reason to accept it: {night.accepted}.")
    sentences += [f"Warning: {warning}." for warning in night.warnings]
    return Section("gate", "Gate", " ".join(sentences), figures)
