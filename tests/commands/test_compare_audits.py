"""`segscore compare AUDIT AUDIT`: this month beside the last, and a gate; whom to ask next."""

import json
from pathlib import Path

import pytest

from segscore.pipeline.agreement.compared_audits import ComparedAudits
from segscore.pipeline.runs.finished import FinishedRun
from tests.support.command_line import Segscore
from tests.support.projects import Project, codings
from tests.support.rows import write_rows


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the codings of two months; in the second, one of six coders is careless."""
    folder = tmp_path_factory.mktemp("months")
    for number, faults in enumerate(((), ("careless",))):
        rows = codings(Project(6, 100, faults), 3 + number)
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{number}.jsonl").write_text(text)
    return folder / "0.jsonl", folder / "1.jsonl"


@pytest.mark.long
def test_a_month_is_compared_with_the_last(
    segscore: Segscore, tmp_path: Path, months: tuple[Path, Path]
) -> None:
    before, now = tmp_path / "before", tmp_path / "now"
    for path, run in zip(months, (before, now), strict=True):
        assert segscore("agree", path, "--output", run).code == 0
    shown = segscore("compare", now, before)
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    assert [line.split()[0] for line in lines[3:5]] == [str(now), str(before)]
    assert " -0." in lines[3] and "the first two share 100 documents" in lines
    worst = next(line for line in lines if line.startswith("coder-00"))
    assert "low_agreement" in worst
    audits = ComparedAudits([FinishedRun.open(str(run)) for run in (now, before)])
    for audit, estimate in zip(audits.runs, audits.estimates, strict=True):
        row = next(row for row in audit.rows("agreement") if row["coefficient"] == "pi")
        assert estimate.value == pytest.approx(row["value"], abs=1e-12)
        assert estimate.interval() == pytest.approx((row["ci_low"], row["ci_high"]), abs=1e-9)
    same = ComparedAudits([audits.runs[0], audits.runs[0]]).value("pi", change=True)
    assert same is not None and (same.value, same.low, same.high) == (0, None, None)
    history = segscore("compare", now, before, now)
    assert history.code == 0, history.err
    assert ["coder", "now", "before", "now"] in [line.split() for line in history.out.splitlines()]
    broken = segscore("compare", now, before, "--gate", "pi>=-0.01,named<=0")
    assert broken.code == 1
    assert "pi>=-0.01: pi changed by -0." in broken.err and "named<=0: named is 1" in broken.err
    kept = segscore("compare", now, "--gate", "pi>=0.1,named<=1")
    assert (kept.code, "no rule is broken" in kept.out) == (0, True)
    for rule, runs in (("pi>=-0.1", (now,)), ("kappa>=1", (now, before)), ("pi>1", (now,))):
        refused = segscore("compare", *runs, "--gate", rule)
        assert (refused.code, f"--gate {rule}" in refused.err) == (2, True)


def test_codings_are_planned_for_who_is_available(
    segscore: Segscore, tmp_path: Path, months: tuple[Path, Path]
) -> None:
    rows = [json.loads(line) for line in months[0].read_text().splitlines()]
    sizes = {row["document_id"]: row["n_units"] for row in rows} | {"new-1": 60, "new-2": 70}
    documents = tmp_path / "documents.jsonl"
    listed = [{"document_id": name, "n_units": size} for name, size in sizes.items()]
    write_rows(documents, listed)
    plan = ("agree", months[0], "--documents", documents, "--output", tmp_path / "run")
    people = ("--next", 300, "--available", "coder-01,coder-04")
    result = segscore(*plan, *people, "--layout", "next", "--format", "csv")
    assert result.code == 0, result.err
    chosen = [line.split(",") for line in result.out.splitlines()[1:]]
    assert {row[1] for row in chosen} == {"coder-01", "coder-04"}
    new = [row for row in chosen if row[0].startswith("new-")]
    # Each new document is coded by both, after what others have coded.
    assert sorted((row[0], row[1]) for row in new) == [
        (f"new-{n}", coder) for n in (1, 2) for coder in ("coder-01", "coder-04")
    ]
    assert chosen[0] not in new
    for wrong in (("--available", "coder-01"), ("--next", 3, "--available", "nobody")):
        refused = segscore(*plan, *wrong)
        assert (refused.code, "--available" in refused.err) == (2, True)
