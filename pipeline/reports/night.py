"""The section on the verdict of a night's gate."""

from collections.abc import Iterator

from segscore.pipeline.nightly import nights
from segscore.pipeline.nightly.verdict import ACCEPTED
from segscore.pipeline.reports.page import Cell, Figure, PageTable, Section
from segscore.pipeline.runs.finished import FinishedRun

_HEADINGS = ("rule", "system", "now", "before", "change", "p (Holm)", "against", "result")


def verdict(run: FinishedRun) -> Iterator[Section]:
    """Yield a section with the result of each rule of the gate, if the run is a judged night."""
    night = nights.find_verdict(run)
    if night is None:
        return
    checks: list[list[Cell]] = [
        [
            check.rule,
            check.system,
            check.value,
            check.before,
            check.change,
            check.p_adjusted,
            check.compared_with,
            check.result,
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
    figures = [Figure("Rules", table=PageTable(_HEADINGS, checks), folded=False, wide=True)]
    if moved:
        heads = ("document", "system", "measure", "now", "before")
        figures.append(
            Figure("Documents that worsened most", table=PageTable(heads, moved), folded=False)
        )
    sentences = [
        f"{what}: {', '.join(names)}."
        for what, names in (("Missing tonight", night.missing), ("New tonight", night.new))
        if names
    ]
    if night.outcome == ACCEPTED:
        sentences.append(f"The reason to accept it: {night.accepted}.")
    sentences += [f"Warning: {warning}." for warning in night.warnings]
    yield Section(
        "gate", "Gate", " ".join([f"{night.date}: {night.outcome}.", *sentences]), figures
    )
