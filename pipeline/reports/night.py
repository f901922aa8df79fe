"""The section on the verdict of a night's gate."""

from collections.abc import Iterator

from segscore.pipeline.nightly import nights
from segscore.pipeline.reports.page import Cell, Figure, PageTable, Section
from segscore.pipeline.runs.finished import FinishedRun

_HEADINGS = ("rule", "system", "now", "before", "change", "p (Holm)", "against", "result")


def verdict(run: FinishedRun) -> Iterator[Section]:
    """Yield a section with the result of each rule of the gate, if the run is a judged night."""
    found = nights.judged(run)
    if found is None:
        return
    checks: list[list[Cell]] = [
        [
            each.rule,
            each.system,
            each.value,
            each.before,
            each.change,
            each.p_adjusted,
            each.against,
            each.result,
        ]
        for each in found.checks
    ]
    moved: list[list[Cell]] = [
        [
            each.document_id,
            check.system,
            check.measure,
            each.value,
            each.before if each.shared else f"{each.before:.4f} on average",
        ]
        for check in found.checks
        for each in check.moved
    ]
    figures = [Figure("Rules", table=PageTable(_HEADINGS, checks), folded=False, wide=True)]
    if moved:
        heads = ("document", "system", "measure", "now", "before")
        figures.append(
            Figure("Documents that got worst", table=PageTable(heads, moved), folded=False)
        )
    named = [
        f"{what}: {', '.join(names)}."
        for what, names in (("Missing tonight", found.missing), ("New", found.new))
        if names
    ]
    yield Section(
        "gate", "The night", " ".join([f"{found.date}: {found.outcome}.", *named]), figures
    )
