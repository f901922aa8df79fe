"""The section on the verdict of a night's gate."""

from collections.abc import Iterator, Sequence

from segscore.pipeline.nightly.restatements import Restatement
from segscore.pipeline.nightly.verdict import ACCEPTED, WARNED, Verdict
from segscore.pipeline.reports.page import Cell, Figure, NumberCell, PageTable, Section
from segscore.pipeline.statistics.shown_numbers import or_none, shown_p

_HEADINGS = ("rule", "system", "result", "now", "before", "change", "p (Holm)", "against")


def gate_section(night: Verdict, restated: Sequence[Restatement] = ()) -> Section:
    """Make the section with the result of each rule of the gate; rows that failed are marked.

    Args:
        night: the verdict.
        restated: how this night, and others that the verdict rests on, were scored again.
    """
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
    figures += [*_levels(night), *_groups(night), *_boundaries(night), *_restated(restated)]
    sentences = [f"{night.date}: {night.outcome}."]
    if night.outcome == ACCEPTED:
        sentences.append(f"The reason to accept it: {night.accepted}.")
    sentences += [f"Warning: {warning}." for warning in night.warnings]
    return Section("gate", "Gate", " ".join(sentences), figures)


_PER = 100
"""Units of text for which a number of boundaries is said."""


def _levels(night: Verdict) -> Iterator[Figure]:
    """Yield the levels of all systems, over all documents and by group, if any is known."""
    checks = [each for each in (*night.checks, *night.group_checks) if each.is_level]
    checks = [each for each in checks if each.change is not None]
    if not checks:
        return
    rows: list[list[Cell]] = [
        [
            check.system,
            check.group or "all documents",
            check.measure,
            check.value,
            check.before,
            check.change,
            NumberCell(shown_p(check.p_adjusted), check.p_adjusted),
            check.nights,
            check.since if check.fails or check.result == WARNED else None,
            check.result_in_words,
        ]
        for check in checks
    ]
    headings = ("system", "group", "measure", "level", "baseline", "change", "p (Holm)", "nights")
    failed = [index for index, check in enumerate(checks) if check.fails]
    table = PageTable((*headings, "since", "result"), rows, failed=failed)
    caption = (
        "The moving average of what a system does against the other systems, and the mean of the "
        "baseline nights, which does not move. All systems together blame nobody."
    )
    yield Figure("Levels", caption, table, folded=not failed, wide=True)


def _groups(night: Verdict) -> Iterator[Figure]:
    """Yield the results of the other rules in groups."""
    checks = [each for each in night.group_checks if not each.is_level]
    if not checks:
        return
    rows: list[list[Cell]] = [
        [
            check.rule,
            check.system,
            check.group or "",
            check.result_in_words,
            check.value,
            check.before,
            check.change,
            NumberCell(shown_p(check.p_adjusted), check.p_adjusted),
        ]
        for check in checks
    ]
    headings = ("rule", "system", "group", "result", "now", "before", "change", "p (Holm)")
    failed = [index for index, check in enumerate(checks) if check.fails]
    table = PageTable(headings, rows, failed=failed)
    yield Figure("Rules by group", table=table, folded=not failed, wide=True)


def _boundaries(night: Verdict) -> Iterator[Figure]:
    """Yield how many boundaries the references and the systems have."""
    if not night.densities:
        return
    rows: list[list[Cell]] = [
        [
            density.system or "(references)",
            density.group or "all documents",
            density.boundaries,
            density.units,
            or_none(_PER * density.per_unit),
        ]
        for density in night.densities
    ]
    table = PageTable(("of", "group", "boundaries", "units", f"by {_PER} units"), rows)
    caption = (
        "If the references have more or fewer boundaries than on other nights, all systems change, "
        "and none is to blame."
    )
    yield Figure("Boundaries", caption, table, wide=True)


def _restated(restated: Sequence[Restatement]) -> Iterator[Figure]:
    """Yield how averages changed when nights were scored again."""
    rows: list[list[Cell]] = [
        [
            str(row["date"]),
            f"{row['restated_at']:%Y-%m-%d}",
            row["system"],
            f"{'macro ' * (row['average'] == 'macro')}{row['measure']}",
            row["before"],
            row["after"],
            row["reason"],
        ]
        for each in restated
        for row in each.rows
    ]
    if rows:
        headings = ("night", "restated on", "system", "average", "before", "after", "why")
        caption = (
            "Averages that changed when this night, or one that it rests on, was scored again."
        )
        table = PageTable(headings, rows)
        yield Figure("Restated nights", caption, table, folded=False, wide=True)
