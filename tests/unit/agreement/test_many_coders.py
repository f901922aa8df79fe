"""Who is accused among many coders, of whom few read in another way, or two are careless."""

import pytest

import segscore
from segscore.pipeline.agreement.findings import describe_audit
from segscore.pipeline.agreement.judging.drift import day_of
from segscore.pipeline.agreement.judging.step import AuditRows
from tests.support.projects import Project, Said, audit, names, table

MARKS = ("low_agreement", "shifted", "outlying_rate")


def accused(said: Said) -> set[str]:
    """Return who is marked for anything but a drift."""
    return {name for name, row in said.coders.items() if any(row[mark] for mark in MARKS)}


def reading(said: Said) -> set[str]:
    """Return who is said to read in another way."""
    return {name for name, row in said.coders.items() if row["reading"] == "other"}


@pytest.mark.first
@pytest.mark.parametrize(
    ("coders", "others", "design"),
    [(20, 3, "fewer"), (20, 4, "later"), (30, 3, "later"), (30, 5, "fewer"), (30, 6, "readings")],
)
def test_a_few_of_many_who_read_in_another_way_are_not_accused(
    coders: int, others: int, design: str
) -> None:
    project = Project(coders, 25 * coders, (), design=design, otherwise=others)
    for seed in (1, 2):
        said = audit(project, seed)
        assert not accused(said)
        assert reading(said) <= set(names(coders)[-others:])


@pytest.mark.parametrize(("documents", "seed", "unsure"), [(750, 48, 29), (200, 46, 26)])
def test_who_may_read_in_either_way_is_not_accused(documents: int, seed: int, unsure: int) -> None:
    """Five of 30 mark half as many; one of them shares too few documents with the other four."""
    said = audit(Project(30, documents, (), design="fewer"), seed)
    assert reading(said)
    assert names(30)[unsure] not in reading(said)
    assert not accused(said)


def test_of_four_coders_a_careless_one_is_found() -> None:
    assert accused(audit(Project(4, 100, ("careless",)), 1)) == {"coder-00"}


@pytest.mark.first
@pytest.mark.parametrize("coders", [10, 20])
def test_two_careless_coders_do_not_hide_each_other(coders: int) -> None:
    for seed in range(3):
        said = audit(Project(coders, 25 * coders, ("careless", "careless")), seed)
        assert accused(said) == set(names(coders)[:2])


def test_who_is_named_does_not_depend_on_the_groups() -> None:
    """Many documents have two coders, whose effect would otherwise be that of their group."""
    rows = table(Project(8, 300, ("careless",)), 3)
    alone, grouped = (
        {
            row["coder"]: (row["agreement_effect"], row["agreement_limit"], row["low_agreement"])
            for row in segscore.agree(rows, group_by=by).coders.to_pylist()
            if row.get("month") is None
        }
        for by in ((), ("month",))
    )
    assert alone == grouped
    assert [name for name, (_, _, less) in alone.items() if less] == ["coder-00"]


def test_pairs_with_the_same_boundaries_are_told_three_causes() -> None:
    found = segscore.agree(table(Project(6, 150, ("copies",)), 1))
    audit_rows = AuditRows(found.coders.to_pylist(), found.table("peers").to_pylist())
    sentence = next(text for text in describe_audit([], audit_rows) if "to the unit" in text)
    assert "The same tool or pre-annotation, joint work, or a copy looks like this" in sentence


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-W12", "2026-03-16"),
        ("2026-Q2", "2026-04-01"),
        ("Mar 2026", "2026-03-01"),
        ("march-2026", "2026-03-01"),
        ("2026", "2026-01-01"),
    ],
)
def test_weeks_quarters_and_months_are_dates(text: str, day: str) -> None:
    assert day_of(text) == day_of(day) is not None


@pytest.mark.parametrize("text", ["2026-W60", "Foo 2026", "2026-Q5", "news"])
def test_other_texts_are_no_dates(text: str) -> None:
    assert day_of(text) is None
