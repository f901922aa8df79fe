"""`segscore cite`: BibTeX of segscore and of the sources of measures, and a sentence of method."""

import re
from pathlib import Path

import pytest
import yaml

from segscore.pipeline.measures import ALL
from segscore.pipeline.measures.bibliography import ADJUSTMENT, INTERVAL_METHOD, PUBLICATIONS
from tests.support.command_line import Segscore
from tests.support.paths import DATA, ROOT
from tests.support.rows import write_rows


@pytest.fixture(scope="module")
def run(segscore_once: Segscore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    table, output = DATA / "tinyrec.jsonl", tmp_path_factory.mktemp("cited") / "run"
    assert segscore_once("score", table, table, "--n-t", "3", "--output", output).code == 0
    return output


def test_the_method_is_that_of_the_run(segscore: Segscore, run: Path) -> None:
    out = segscore("cite", run, "--measures", "pk,boundary_similarity").out
    sentence = out.partition("\n\n")[0]
    assert "boundaries at most 2 positions apart are near misses" in sentence
    assert "half the mean segment size of each reference, rounded half to even" in sentence
    assert r"with 95\,\% intervals by the jackknife~" in sentence
    keys = {key for keys in re.findall(r"cite\{(.*?)\}", sentence) for key in keys.split(",")}
    assert keys == {*re.findall(r"^@\w+\{(.*),$", out, re.M)}
    assert keys == {
        *("segscore", "beeferman1999statistical", "georgescul2006analysis"),
        *("fournier2013evaluating", INTERVAL_METHOD.key),
    }
    assert "% segscore|n_t:3|" in out


def test_choices_about_hypotheses_are_told(segscore: Segscore, tmp_path: Path) -> None:
    rows = [
        {"document_id": name, "coder": "a_1", "n_units": 9, "boundaries": [3, 6]} for name in "xyz"
    ]
    scored = [row | {"boundary_scores": [0.4, 0.8]} for row in rows[1:]]
    gold, table = (tmp_path / name for name in ("gold.jsonl", "scored.jsonl"))
    write_rows(gold, rows)
    write_rows(table, scored)
    told = []
    for threshold in ("0.5", "a_1=0.25"):
        options = ("--threshold", threshold, "--missing", "none", "--output", tmp_path / threshold)
        assert segscore("score", gold, table, *options).code == 0
        told.append(segscore("cite", tmp_path / threshold).out)
    assert "the candidates with a score of at least 0.5;" in told[0]
    assert r"the candidates with a score of at least 0.25 for a\_1;" in told[1]
    assert all("documents without a hypothesis count as" in out for out in told)
    both = segscore("compare", tmp_path / "0.5", tmp_path / "a_1=0.25", "--measure", "f1")
    assert both.code == 0, both.err
    assert "|threshold:0.5/a_1=0.25|" in both.out


def test_settings_that_do_not_affect_a_measure_are_not_told(segscore: Segscore, run: Path) -> None:
    assert "near misses" not in segscore("cite", run, "--measure", "pk").out
    assert "window is" not in segscore("cite", run, "--measure", "boundary_similarity").out


@pytest.mark.parametrize(("window", "told"), [("1", "1 unit;"), ("12", "12 units;")])
def test_a_window_of_a_fixed_size_is_told(
    segscore: Segscore, tmp_path: Path, window: str, told: str
) -> None:
    table = DATA / "tinyrec.jsonl"
    options = ("--window", window, "--replicates", "0", "--output", tmp_path / "run")
    assert segscore("score", table, table, *options).code == 0
    cited = segscore("cite", tmp_path / "run", "--measure", "pk")
    assert f"the window is {told}" in cited.out, cited.err


def test_the_measures_are_those_that_score_prints(segscore: Segscore, run: Path) -> None:
    sentence = segscore("cite", run).out.partition("\n\n")[0]
    names = re.findall(r"(?:We compute|,| and) ([^,~]+)~", sentence.partition(" with segscore")[0])
    assert names == [
        "boundary similarity (B)",
        "Pk",
        "WindowDiff",
        "B precision",
        "B recall",
        "B F",
    ]


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_the_average_is_told(segscore: Segscore, run: Path, average: str) -> None:
    assert f"averages are {average} averages" in segscore("cite", run, "--average", average).out
    assert "averages are micro averages" in segscore("cite", run).out
    wrong = segscore("cite", run, "--average", "mean")
    assert (wrong.code, wrong.err) == (
        2,
        "segscore: error: --average mean: must be one of micro, macro\n",
    )


def test_a_comparison_cites_its_tests(segscore: Segscore, run: Path, tmp_path: Path) -> None:
    compared = tmp_path / "compared"
    options = ("--measure", "pk,boundary_similarity", "--permutations", "0")
    assert segscore("compare", run, *options, "--output", compared).code == 0
    out = segscore("cite", compared, "--average", "macro").out
    sentence = out.partition("\n\n")[0]
    assert sentence.startswith(r"We compute Pk~\cite{beeferman")
    assert "boundaries at most 2 positions apart are near misses" in sentence
    assert "systems are compared by macro averages" in sentence
    assert "tested in pairs by the same method" in sentence
    assert "adjusted by Holm's method~" in sentence
    keys = {key for keys in re.findall(r"cite\{(.*?)\}", sentence) for key in keys.split(",")}
    assert keys == {*re.findall(r"^@\w+\{(.*),$", out, re.M)}
    assert keys >= {ADJUSTMENT.key, INTERVAL_METHOD.key}
    assert "near misses" not in segscore("cite", compared, "--measure", "pk").out
    missing = segscore("cite", compared, "--measure", "window_diff")
    assert missing.code == 2
    assert "does not compare window_diff; compare with --measure pk,b" in missing.err


def test_runs_that_differ_in_a_told_setting_are_refused(
    segscore: Segscore, run: Path, tmp_path: Path
) -> None:
    table, other = DATA / "tinyrec.jsonl", tmp_path / "other"
    compared = tmp_path / "compared"
    assert segscore("score", table, table, "--output", other).code == 0
    options = ("--may-differ", "n_t", "--permutations", "9")
    named = ("--measure", "boundary_similarity", "--output", compared)
    assert segscore("compare", run, other, *options, *named).code == 0
    result = segscore("cite", compared)
    assert (result.code, result.err) == (
        2,
        f"segscore: error: {compared}: the compared runs differ in n_t (3/2); name each of them "
        "instead\n",
    )


def test_styles_of_bibtex_know_the_entry_of_segscore(segscore: Segscore) -> None:
    entry = segscore("cite", "--measure", "pk").out.partition("\n\n")[0]
    assert entry.startswith("@misc{segscore,")
    fields = dict(re.findall(r"^  (\w+) += \{(.*)\},$", entry, re.M))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert fields["author"] == f"{{{citation['authors'][0]['name']}}}"
    assert fields["title"] == citation["title"]
    assert fields["note"] == f"Version {citation['version']}"
    assert f"Copyright {fields['year']} " in (ROOT / "NOTICE").read_text()


def test_all_publications_without_a_run(segscore: Segscore) -> None:
    out = segscore("cite").out
    assert all(work.key in out for work in (*PUBLICATIONS, INTERVAL_METHOD, ADJUSTMENT))
    assert out.count("{") == out.count("}")


def test_every_publication_is_the_source_of_a_measure() -> None:
    sources = [measure.source for measure in ALL.values()]
    assert all(any(work.named in source for source in sources) for work in PUBLICATIONS)
    assert [work.key for work in PUBLICATIONS] == sorted(work.key for work in PUBLICATIONS)


def test_a_wrong_measure_is_named(segscore: Segscore, run: Path) -> None:
    result = segscore("cite", run, "--measures", "pkk")
    assert (result.code, result.err) == (
        2,
        "segscore: error: --measures pkk: no such measure; the nearest is pk; `segscore measures` "
        "lists them all\n",
    )


def test_a_comparison_cites_the_average_that_it_showed(
    segscore: Segscore, run: Path, tmp_path: Path
) -> None:
    options = ("--measure", "pk", "--permutations", "0")
    for average in ("micro", "macro"):
        compared = tmp_path / average
        shown = segscore("compare", run, *options, "--average", average, "--output", compared)
        assert shown.code == 0
        assert f"compared by {average} averages" in segscore("cite", compared).out
    assert "by micro averages" in segscore("cite", compared, "--average", "micro").out


def test_an_audit_cites_its_coefficients(segscore: Segscore, tmp_path: Path) -> None:
    run = tmp_path / "audit"
    options = ("--n-t", "3", "--expected", "item", "--candidate", "7", "--output", run)
    assert segscore("agree", DATA / "stargazer.jsonl", *options).code == 0
    out = segscore("cite", run, "--measures", "pi,kappa,alpha").out
    sentence = out.partition("\n\n")[0]
    assert sentence.startswith(
        r"We measure the agreement of 6 coders over 1 document by $\pi$~\cite{fournier2013"
    )
    for told in (
        r"$\kappa$ of boundary similarity~\cite{",
        r"$\alpha$ of the categories boundary and none~\cite{krippendorff2004content}",
        "boundaries at most 2 positions apart are near misses",
        "the chance of a boundary is the mean of the documents' rates",
        "whether 7 may replace a coder is decided by the alternative annotator test",
        r"~\cite{calderon2025}",
        r"$\pi$ is 0.",
        "; as many boundaries at random places agree by 0.",
    ):
        assert told in sentence, told
    keys = {key for keys in re.findall(r"cite\{(.*?)\}", sentence) for key in keys.split(",")}
    assert keys == {*re.findall(r"^@\w+\{(.*),$", out, re.M)}
    assert "@inproceedings{calderon2025," in out
    alone = segscore("cite", run, "--measures", "alpha").out
    assert "near misses" not in alone and "gwet" not in alone
    for wrong in (("--measures", "alpa"), ("--average", "micro")):
        refused = segscore("cite", run, *wrong)
        assert (refused.code, wrong[0] in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ("--units", "words", "--window", "3"),
            ("counted in words", "adjacent boundaries", "is 3 words"),
        ),
        (("--unit", "sentence"), ("positions are counted in sentences", "adjacent boundaries")),
        (("--unit", "second"), ("boundaries less than 2 s apart are near misses",)),
        (("--n-t", "1"), ("measured on 2 documents", "there are no near misses")),
    ],
)
def test_documents_and_units_are_told(
    segscore: Segscore, tmp_path: Path, options: tuple[str, ...], told: tuple[str, ...]
) -> None:
    rows = [
        {"document_id": name, "coder": "a", "n_units": 9, "boundaries": [3, 6]}
        | {"unit_lengths": [2] * 9}
        for name in "xy"
    ]
    table = tmp_path / "rows.jsonl"
    write_rows(table, rows)
    documents = ("--documents", table, "--output", tmp_path / "run")
    scored = segscore("score", table, table, *documents, *options)
    assert scored.code == 0, scored.err
    sentence = segscore("cite", tmp_path / "run").out.partition("\n\n")[0]
    assert all(text in sentence for text in told), sentence


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "boundaries of the types 1 and 2 are distinguished"),
        (("--by-level",), "a level of its own, with its boundaries and those of all coarser"),
        (("--by-level", "only"), "a level of its own, with its boundaries alone"),
    ],
)
def test_types_and_levels_are_told(
    segscore: Segscore, tmp_path: Path, options: tuple[str, ...], told: str
) -> None:
    table = DATA / "lecture.jsonl"
    scored = segscore(
        "score", table, table, "--measures", "f1", *options, "--output", tmp_path / "r"
    )
    assert scored.code == 0, scored.err
    assert told in segscore("cite", tmp_path / "r").out
