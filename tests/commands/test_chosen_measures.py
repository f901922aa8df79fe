"""`--measures`: a run has the columns of the measures that it was asked for, and nothing else."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from segscore.pipeline.measures import ALL, FAMILIES, PAIRS
from segscore.pipeline.measures.selection import normal_form, select
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.storage import read_table
from tests.support.command_line import CommandResult, Segscore
from tests.support.comparisons import refusal_line
from tests.support.corpora import corpus, run
from tests.support.nights import DAYS, GOOD, Archive
from tests.support.paths import ROOT

OPTIONS = ("--consensus", "0.5", "--group-by", "genre")
ALWAYS = {
    "scores": {"document_id", "reference", "hypothesis", "genre", "year"}
    | {"n_units", "window", "collapsed_boundaries", "reference_digest"},
    "panel_scores": {"document_id", "hypothesis", "genre", "year", "references", "window"},
}
draw = Random(18)  # noqa: S311
CHOICES = [
    ("pk", "window_diff", "boundary_similarity"),
    ("c_seg_normalised",),
    ("panel",),
    ("mult_window_diff", "b_f1", "content"),
    *(tuple(draw.sample([*FAMILIES, *ALL], draw.randint(1, 5))) for _ in range(6)),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus whose documents have one to three references."""
    made = tmp_path_factory.mktemp("corpus")
    corpus(seed=18, documents=60).write(made)
    return made


def score(segscore: Segscore, folder: Path, output: Path, *options: object) -> dict[str, Any]:
    """Run a score; return its record."""
    return run(segscore, folder, output, *OPTIONS, *options)


@pytest.fixture
def whole(segscore: Segscore, folder: Path) -> Path:
    """A run of everything."""
    output = folder / "whole"
    if not output.exists():
        score(segscore, folder, output, "--measures", "all")
    return output


def table(run: Path, name: str) -> pa.Table:
    """A table of a run."""
    return read_table(str(run / name))


@pytest.mark.first
@pytest.mark.parametrize("names", CHOICES, ids=",".join)
def test_columns_equal_those_of_a_run_of_everything(
    segscore: Segscore, folder: Path, whole: Path, tmp_path: Path, names: tuple[str, ...]
) -> None:
    record = score(segscore, folder, tmp_path / "run", "--measures", ",".join(names))
    selection = select(normal_form(names))
    chosen = {
        "scores": {*selection.pairs.counts, *selection.pairs.measures},
        "panel_scores": {*selection.panels.counts, *selection.panels.measures}
        | {f"{over}_{name}" for name in selection.pairs.measures for over in ("mean", "best")},
    }
    for name, columns in chosen.items():
        everything, some = table(whole, name), table(tmp_path / "run", name)
        wanted = [each for each in everything.column_names if each in ALWAYS[name] | columns]
        assert some.equals(everything.select(wanted)), name
        assert some.schema.names == wanted
    summary = table(whole, "summary")
    named = pc.is_in(summary.column("measure"), pa.array(selection.names))
    assert table(tmp_path / "run", "summary").equals(summary.filter(named))
    assert record["settings"]["measures"] == list(normal_form(names))
    assert f"|measures:{','.join(normal_form(names))}|" in record["signature"]
    for other in ("rejects", "unpaired"):
        assert (tmp_path / "run" / other).exists() == (whole / other).exists()


@pytest.mark.long
def test_the_default_is_a_run_without_the_option(
    segscore: Segscore, folder: Path, tmp_path: Path
) -> None:
    plain = score(segscore, folder, tmp_path / "plain")
    singly = "recall,precision,f1,panel,b_f1,b_recall,b_precision,segmentation_similarity"
    every = f"{singly},boundary_similarity,window_diff,pk"
    for names in ("default", "default,pk", every):
        named = score(segscore, folder, tmp_path / names, "--measures", names)
        assert named["signature"] == plain["signature"]
        assert named["fingerprint"] == plain["fingerprint"]
    assert "measures" not in plain["signature"]


def test_another_choice_is_another_run(segscore: Segscore, folder: Path, tmp_path: Path) -> None:
    def again(names: str) -> CommandResult:
        return segscore(
            "score", folder / "references", folder / "hypotheses", "--output", tmp_path / "run",
            "--measures", names,
        )  # fmt: skip

    assert again("pk,window_diff").code == 0
    assert "already" in again("window_diff,pk").out
    assert "measures was pk,window_diff, is pk" in refusal_line(again("pk"))


WITHOUT_EFFECT = [
    ("pk,window_diff", ("--n-t", 4, "--pairing", "optimal", "--beta", 2, "--p-seg", 0.5)),
    ("boundary_similarity,panel", ("--content-weights", "1,2,3,4", "--cost-miss", 0.9)),
    ("b_f1", ("--window", 7, "--rounding", "half-up", "--c-seg-costs", "1,1")),
    ("content", ("--window", 7, "--edit-constants", "0.1,0.1", "--n-t", 5)),
]


@pytest.mark.first
@pytest.mark.parametrize(("names", "options"), WITHOUT_EFFECT)
def test_settings_without_effect_are_not_in_the_signature(
    segscore: Segscore, folder: Path, tmp_path: Path, names: str, options: tuple[object, ...]
) -> None:
    chosen = ("--measures", names)
    plain = score(segscore, folder, tmp_path / "plain", *chosen)
    other = score(segscore, folder, tmp_path / "other", *chosen, *options)
    assert plain["signature"] == other["signature"]
    assert plain["fingerprint"] != other["fingerprint"]
    assert table(tmp_path / "plain", "summary").equals(table(tmp_path / "other", "summary"))
    scores = [table(tmp_path / name, "scores") for name in ("plain", "other")]
    own = {*PAIRS.counts, *PAIRS.measures, "document_id"} & {*scores[0].column_names}
    assert scores[0].select(sorted(own)).equals(scores[1].select(sorted(own)))


WITH_EFFECT = [
    ("pk_prior", ("--p-seg", 0.5), "p_seg:0.5"),
    ("b_f1", ("--beta", 2), "beta:2"),
    ("boundary_similarity", ("--n-t", 4), "n_t:4"),
    ("panel", ("--window", 7), "window:fixed,7"),
    ("r_miss", ("--content-weights", "1,2,3,4"), "content_weights:1,2,3,4"),
]


@pytest.mark.first
@pytest.mark.parametrize(("names", "options", "field"), WITH_EFFECT)
def test_settings_with_an_effect_are_in_the_signature(
    segscore: Segscore,
    folder: Path,
    tmp_path: Path,
    names: str,
    options: tuple[object, ...],
    field: str,
) -> None:
    made = score(segscore, folder, tmp_path / "run", "--measures", names, *options)
    assert f"|{field}|" in made["signature"]


def test_runs_are_compared_by_what_both_have(
    segscore: Segscore, folder: Path, whole: Path, tmp_path: Path
) -> None:
    score(segscore, folder, tmp_path / "some", "--measures", "pk,window_diff", "--n-t", 3)
    few = ("--permutations", 0)
    output = tmp_path / "compared"
    result = segscore(
        "compare", whole, tmp_path / "some", "--measure", "pk", *few, "--output", output
    )
    assert result.code == 0, result.err
    record = json.loads((output / "run.json").read_text())
    assert "n_t" not in record["signature"] and "measures" not in record["signature"]
    assert record["warnings"] == []  # the references are the same files
    values = table(output, "comparisons").select(["value", "other_value"])
    same = pc.equal(table(output, "comparisons").column("difference"), 0.0)
    assert values.num_rows and pc.any(same).as_py()
    line = refusal_line(segscore("compare", whole, tmp_path / "some", "--measure", "b_f1,pk", *few))
    assert line == (
        f"segscore: error: {tmp_path / 'some'}: has no b_f1; run score again with --measures "
        "pk,window_diff,b_f1"
    )
    gate = ("--measure", "pk", "--gate", "b_f1>=-0.01", *few)
    assert "has no b_f1; run score" in refusal_line(
        segscore("compare", tmp_path / "some", whole, *gate)
    )


@pytest.mark.long
def test_copies_of_the_references_are_the_same_whatever_was_measured(
    segscore: Segscore, folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    corpus(seed=18, documents=60).write(copy)
    score(segscore, folder, tmp_path / "first", "--measures", "pk")
    score(segscore, copy, tmp_path / "second", "--measures", "pk")
    output = tmp_path / "compared"
    runs = tmp_path / "first", tmp_path / "second"
    result = segscore("compare", *runs, "--measure", "pk", "--output", output, "--permutations", 0)
    assert result.code == 0, result.err
    assert json.loads((output / "run.json").read_text())["warnings"] == []


def test_reports_show_what_there_is(segscore: Segscore, folder: Path, tmp_path: Path) -> None:
    score(segscore, folder, tmp_path / "some", "--measures", "pr_miss,pr_false_alarm,c_seg")
    page = tmp_path / "page.html"
    result = segscore("report", tmp_path / "some", "--output", page)
    assert result.code == 0, result.err
    text = page.read_text()
    assert "pr_miss ↓" in text and "pr_miss against pr_false_alarm" in text
    assert "b_precision" not in text
    line = refusal_line(
        segscore("report", tmp_path / "some", "--output", page, "--measure", "b_f1")
    )
    assert line.endswith(
        f"{tmp_path / 'some'}: has no b_f1; run score again with --measures "
        "pr_miss,pr_false_alarm,c_seg,b_f1"
    )


def test_all_chosen_measures_are_printed(segscore: Segscore, folder: Path, tmp_path: Path) -> None:
    result = segscore(
        "score", folder / "references", folder / "hypotheses", "--output", tmp_path / "run",
        "--measures", "c_seg,ghd_is_no_measure",
    )  # fmt: skip
    assert "--measures ghd_is_no_measure: no such measure or family" in refusal_line(result)
    result = segscore(
        "score", folder / "references", folder / "hypotheses", "--output", tmp_path / "run",
        "--measures", "c_seg,pk",
    )  # fmt: skip
    assert "c_seg ↓" in result.out and "pk ↓" in result.out and "window_diff" not in result.out


@pytest.mark.long
def test_nights_are_judged_by_what_both_have(segscore: Segscore, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    for night in DAYS[:4]:
        archive.deliver(night, GOOD)
    gate = "pk<=+0.3"
    archive.settle(score='measures = ["pk", "f1"]', gate=gate)
    assert archive.run(DAYS[0]).code == 0
    archive.settle(gate=gate)
    assert archive.run(DAYS[1]).code == 0
    assert [check["result"] for check in archive.read(DAYS[1], "night.json")["checks"]] == [
        "passed",
        "passed",
    ]
    archive.settle(score='measures = "f1"', gate="f1>=-0.3")
    assert archive.run(DAYS[2]).code == 0
    archive.settle(gate=gate)
    result = archive.run(DAYS[3])
    assert result.code == 1
    assert f"not comparable with {DAYS[2]}: it has no pk" in result.err
    archive.settle(score='measures = "f1"', gate=gate)
    line = refusal_line(archive.run(DAYS[3]))
    assert "--gate pk<=+0.3: nights are scored without pk; add it to measures in [score]" in line
    assert segscore("trend", "--table", archive.runs).code == 0
    history = table(Path(archive.runs), "history")
    rows = history.filter(pc.equal(history.column("date").cast(pa.string()), DAYS[2]))
    assert set(rows.column("measure").to_pylist()) == {"f1"}


def test_views_of_dashboards_show_what_nights_have(segscore: Segscore, tmp_path: Path) -> None:
    import duckdb  # what a module keeps of it is told as leaked when Python ends

    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    for night, names in ((DAYS[0], '["pk", "f1"]'), (DAYS[1], '["pk", "b_f1"]')):
        archive.deliver(night, GOOD)
        archive.settle(score=f"measures = {names}", gate="pk<=+0.5")
        assert archive.run(night).code == 0
    assert segscore("trend", "--table", archive.runs).code == 0
    with duckdb.connect() as database:
        database.execute(f"CREATE MACRO archive() AS '{archive.runs}'")
        database.execute((ROOT / "deploy" / "dashboards" / "views.sql").read_text("utf-8"))

        def number(query: str) -> int:
            found = database.execute(f"SELECT count(*) FROM {query}").fetchone()  # noqa: S608
            assert found is not None
            return int(found[0])

        scored = number(f"scores_of('{DAYS[0]}')")
        assert scored == number(f"worst_documents('{DAYS[0]}', 'pk')") > 0
        assert number(f"worst_documents('{DAYS[0]}', 'b_f1')") == 0
        assert number("trend WHERE measure = 'f1'") == number("trend WHERE measure = 'b_f1'") > 0
        assert number("trend WHERE measure NOT IN ('pk', 'f1', 'b_f1')") == 0
        assert number("gate WHERE measure = 'pk'") > 0


@pytest.mark.long
def test_the_first_measure_named_ranks_wherever_systems_are_ranked(
    segscore: Segscore, folder: Path, tmp_path: Path
) -> None:
    orders = (("boundary_similarity", "window_diff"), ("window_diff", "boundary_similarity"))
    tables = []
    for first, second in orders:
        output = tmp_path / first
        names = f"{first},{second}"
        record = score(segscore, folder, output, "--measures", names)
        assert record["settings"]["measures_in_order"] == [first, second]
        assert record["settings"]["measures"] == ["window_diff", "boundary_similarity"]
        tables.append(table(output, "summary"))
        again = (
            "score", folder / "references", folder / "hypotheses", "--output", output,
            "--documents", folder / "documents.parquet", *OPTIONS, "--measures", names,
        )  # fmt: skip
        for form in ("csv", "markdown"):
            heading = segscore(*again, "--format", form).out.splitlines()[0]
            assert heading.index(first) < heading.index(second), form
        latex = segscore(*again, "--format", "latex").out
        assert (latex.index(" B ") < latex.index(" WindowDiff ")) == (first != "window_diff")
        # `compare` takes the first measure of the run, so another first one is named.
        assert f"compare {output}; " in segscore(*again).out
        other_order = segscore(*again[:-1], f"{second},{first}").out
        assert f"compare {output} --measure {second}; " in other_order
        report = tmp_path / f"{first}.html"
        assert segscore("report", output, "--output", report).code == 0
        page = report.read_text().replace("<wbr>", "")
        assert page.index(f">{first}") < page.index(f">{second}")
    assert tables[0].equals(tables[1])


ADDED = [
    ({"tolerance": 2}, {"tolerant_f1", "reach_recall", "r_value", "panel_tolerant_f1"}),
    ({"edges": 1}, {"tolerant_f1", "r_value"}),
    ({"cost_miss": 0.7}, {"pr_error"}),
    ({"p_seg": 0.2}, {"pk_prime", "c_seg"}),
    ({"select": ("ad",)}, {"selected_f1", "start_bias"}),
    ({"tiou": "0.7"}, {"tiou_f1", "selected_f1"}),
    ({"unit_weights": True, "documents": "d"}, {"r_miss", "story_miss"}),
    ({"n_t": 5, "window": 7, "beta": 2.0, "boundary_types": (1, 2)}, set()),
]


@pytest.mark.parametrize(("options", "about"), ADDED)
def test_options_add_the_measures_that_they_are_about(
    options: dict[str, Any], about: set[str]
) -> None:
    """The default has them where an option would have no effect, and a choice has only itself."""
    tables: dict[str, Any] = {"references": "r", "hypotheses": "h", "output": "o"}
    names = {*ScoreSettings(**tables, **options).selection.names}
    default = {*select(()).names}
    assert names >= default | about and (names == default) == (not about)
    chosen = ScoreSettings(**tables, **options, measures=("pk",))
    assert chosen.selection.names == ("pk",)


def test_a_gate_adds_the_measures_of_its_rules(segscore: Segscore, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    for day in DAYS[:2]:
        archive.deliver(day)
    archive.settle(gate="r_miss<=+9")
    for day in DAYS[:2]:
        assert archive.run(day).code == 0
        summary = read_table(str(Path(archive.runs) / f"date={day}" / "summary"))
        assert {*summary.column("measure").to_pylist()} == {*select(()).pairs.measures, "r_miss"}
