"""`segscore compare`: every table against a slow twin, and faulty runs."""

import json
import shlex
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.oracles import naive_comparison as naive
from tests.oracles import naive_jackknife
from tests.oracles.naive_denominators import DENOMINATORS
from tests.support.command_line import Segscore
from tests.support.comparisons import Row, compare, line, refusal_line, scored, tables
from tests.support.corpora import corpus, run
from tests.support.paths import DATA
from tests.support.rows import read_rows
from tests.support.written import write

Held = Mapping[str, Sequence[naive.Row]]
FORMULAS: dict[str, tuple[list[str], naive.Formula]] = {
    "window_diff": (
        ["wd_misses", "wd_false_alarms", "windows"],
        lambda n: (n["wd_misses"] + n["wd_false_alarms"]) / n["windows"] if n["windows"] else None,
    ),
    "recall": (
        ["matches", "near_misses", "misses"],
        lambda n: n["matches"] / all_marked if (all_marked := sum(n.values())) else None,
    ),
}


def scores(run_folder: Path) -> list[Row]:
    return read_rows(run_folder, "scores")


@pytest.fixture(scope="module")
def kept_runs(segscore_once: Segscore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs with the same references: three systems each, by genre and year."""
    folder = tmp_path_factory.mktemp("runs")
    for seed, name in ((21, "old"), (21, "new")):
        generated = corpus(seed, documents=25)
        if name == "new":
            for row in generated.hypotheses:
                row["boundaries"] = row["boundaries"][::2]
        generated.write(folder / f"{name}-tables")
        names = ("--measures", "default,window_diff_miss,b_tp")
        run(segscore_once, folder / f"{name}-tables", folder / name, *names)
    return folder


@pytest.fixture
def runs(kept_runs: Path, tmp_path: Path) -> Path:
    """A copy of them, which a test may change."""
    return shutil.copytree(kept_runs, tmp_path, dirs_exist_ok=True)


def average_of(kind: str, measure: str, rows: Held) -> naive_jackknife.Average:
    """The average over some of a system's documents."""
    counts, formula = FORMULAS[measure]

    def average(units: Collection[str]) -> naive_jackknife.Number:
        kept = {document: rows[document] for document in units}
        if kind == "macro":
            return naive.macro(kept, measure)
        return naive.micro(kept, counts, formula)

    return average


def weights(kind: str, measure: str, rows: Held) -> naive_jackknife.Weights:
    """What each document of a system weighs."""
    if kind == "macro":
        return dict.fromkeys(naive.both_defined(rows, rows, measure), 1)
    (divided,) = DENOMINATORS[measure]
    return {document: sum(map(divided, listed)) for document, listed in rows.items()}


def difference_of(kind: str, measure: str, pair: Sequence[Held]) -> naive_jackknife.Estimate:
    """The difference of two systems."""
    one, other = (average_of(kind, measure, rows) for rows in pair)

    def difference(units: Collection[str]) -> naive_jackknife.Number:
        first, second = one(units), other(units)
        return None if first is None or second is None else float(first) - float(second)

    of_each = [weights(kind, measure, rows) for rows in pair]
    return naive_jackknife.jackknife(difference, naive_jackknife.fewest_effective(*of_each))


@pytest.mark.parametrize("measure", ["window_diff", "recall"])
def test_systems_equal_the_twin(segscore: Segscore, runs: Path, measure: str) -> None:
    tables = compare(segscore, runs, runs / "new", "--measure", measure)
    cells = naive.shared(scores(runs / "new"), lambda row: str(row["hypothesis"]))
    assert 5 < len(cells["h0"]) < 25
    for row in tables["systems"]:
        kind, rows = row["average"], cells[row["system"]]
        twin = naive_jackknife.jackknife(
            average_of(kind, measure, rows), weights(kind, measure, rows)
        )
        assert row["value"] == pytest.approx(float(twin.value or 0))
        expected = naive_jackknife.interval(twin, 0, 1)
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(expected)
        assert row["effective"] == pytest.approx(twin.effective)
        assert row["documents"] == len(cells["h0"])
        assert row["defined"] == len(naive.both_defined(rows, rows, measure))


@pytest.mark.parametrize("measure", ["window_diff", "recall"])
@pytest.mark.parametrize("kind", ["micro", "macro"])
def test_pairs_equal_the_twin(segscore: Segscore, runs: Path, measure: str, kind: str) -> None:
    """Differences, p values, and intervals at the level that Holm's order leaves for each."""
    tables = compare(segscore, runs, runs / "new", "--measure", measure)
    cells = naive.shared(scores(runs / "new"), lambda row: str(row["hypothesis"]))
    chosen = [row for row in tables["comparisons"] if row["average"] == kind]
    twins = []
    for row in chosen:
        pair = [cells[row[side]] for side in ("system", "other")]
        both = naive.both_defined(pair[0], pair[1], measure)
        assert row["defined"] == len(both)
        if kind == "macro":
            pair = [{document: rows[document] for document in both} for rows in pair]
        for name, rows in zip(("value", "other_value"), pair, strict=True):
            assert row[name] == pytest.approx(average_of(kind, measure, rows)(rows))
        twin = difference_of(kind, measure, pair)
        if kind == "micro":
            held = [{d: rows[d] for d in both} for rows in pair]
            twin = naive_jackknife.cautious(twin, difference_of("macro", measure, held))
        twins.append(twin)
        assert row["difference"] == pytest.approx(twins[-1].value, abs=1e-12)
        assert row["effective"] == pytest.approx(twins[-1].effective)
    p = [naive_jackknife.p_value(twin) for twin in twins]
    known = [each for each in p if each is not None]
    assert [row["p"] for row in chosen] == pytest.approx(known)
    assert [row["p_holm"] for row in chosen] == pytest.approx(naive.holm(known))
    levels = naive_jackknife.holm_levels(known)
    for row, twin, level in zip(chosen, twins, levels, strict=True):
        assert row["confidence"] == pytest.approx(1 - level)
        expected = naive_jackknife.interval(twin, None, None, 1 - level)
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(expected, abs=1e-9)
        assert (row["p_holm"] < 0.05) == (row["ci_low"] * row["ci_high"] > 0)


@pytest.mark.long
def test_reference_points_leave_the_tests_of_systems_unchanged(
    segscore: Segscore, tmp_path: Path
) -> None:
    """Pairs with a reference point are a family of tests of their own."""
    corpus(21, documents=25).write(tmp_path / "tables")
    chosen = ("--measure", "window_diff", "--layout", "ranks", "--permutations", 99)
    found, ranks = [], []
    for name, options in (
        ("without", ()),
        ("with", ("--reference-points", "none,random-own,random-known")),
    ):
        run(segscore, tmp_path / "tables", tmp_path / name, *options)
        folder = tmp_path / f"of-{name}"
        tables = compare(segscore, folder, tmp_path / name, *chosen)
        found.append(tables["comparisons"])
        ranks.append(tables["rank_tests"])
    columns = ("p", "p_holm", "ci_low")
    without, with_points = (
        {
            (row["average"], row["system"], row["other"]): [row[name] for name in columns]
            for row in rows
            if not any(row[side].startswith("point:") for side in ("system", "other"))
        }
        for rows in found
    )
    assert without == with_points
    assert len(found[1]) > 2 * len(found[0]) > 4
    micro, macro = (
        [row for row in found[1] if row["average"] == kind] for kind in ("micro", "macro")
    )
    for rows, column in (
        (micro, "p"), (macro, "p"), (ranks[1], "p_permutation"), (ranks[1], "p_wilcoxon"),
    ):  # fmt: skip
        known = [row for row in rows if row[column] is not None]
        expected = naive.holm_of_pairs(known, column)
        assert [row[f"{column}_holm"] for row in known] == pytest.approx(expected)
    own = [row for row in ranks[1] if not row["other"].startswith("point:")]
    own = [row for row in own if not row["system"].startswith("point:")]
    same = ("p_wilcoxon_holm", "p_permutation_holm")
    assert [[row[n] for n in same] for row in own] == [[row[n] for n in same] for row in ranks[0]]


@pytest.mark.long
def test_averages_and_intervals_equal_the_runs_summary(segscore: Segscore, tmp_path: Path) -> None:
    """Where all systems have all documents, both commands give the same averages."""
    table = DATA / "tinyrec.jsonl"
    points = ("--reference-points", "none,all,random-known", "--seed", 3, "--group-by", "level")
    names = ("--measures", "default,r_miss")
    assert segscore("score", table, table, "--output", tmp_path / "run", *points, *names).code == 0
    chosen = ("window_diff", "boundary_similarity", "r_miss")
    tables = compare(
        segscore, tmp_path, tmp_path / "run", "--measure", ",".join(chosen), "--seed", 3,
        "--group-by", "level",
    )  # fmt: skip
    expected = {
        (row["hypothesis"], row["level"], row["measure"], row["average"]): row
        for row in read_rows(tmp_path / "run", "summary")
    }
    assert len(tables["systems"]) == 4 * 3 * 3 * 2
    for row in tables["systems"]:
        same = expected[row["hypothesis"], row["level"], row["measure"], row["average"]]
        # A run takes macro averages without a document from values to 2^-24.
        for name, apart in (("value", 1e-12), ("ci_low", 1e-6), ("ci_high", 1e-6)):
            assert row[name] == pytest.approx(same[name], abs=apart), name
        for name in ("documents", "defined"):
            assert row[name] == same[name], name


@pytest.mark.long
def test_bytes_are_the_same_again_and_for_any_files(segscore: Segscore, tmp_path: Path) -> None:
    generated = corpus(seed=8, documents=20)
    contents = []
    for files in (1, 3):
        folder = tmp_path / str(files)
        generated.write(folder, files=files)
        run(segscore, folder, folder / "run")
        compare(segscore, folder, folder / "run", "--measure", "pk,recall", "--where")
        contents.append(
            {
                path.parent.name: path.read_bytes()
                for path in (folder / "comparison").rglob("*.parquet")
                if path.parent.name != "worst"  # which names the run's folder
            }
        )
    assert len(contents[0]) == 3
    assert contents[0] == contents[1]


def test_an_existing_comparison_is_kept_and_reported(segscore: Segscore, runs: Path) -> None:
    command = ("compare", runs / "old", "--measure", "pk", "--output", runs / "comparison")
    first = segscore(*command)
    assert "written" in first.err
    before = (runs / "comparison" / "run.json").read_bytes()
    again = segscore(*command)
    assert again.code == 0 and "already contains this comparison" in again.err
    assert again.out == first.out
    assert (runs / "comparison" / "run.json").read_bytes() == before
    assert "seed was 0, is 1" in refusal_line(segscore(*command, "--seed", 1))
    assert segscore(*command, "--seed", 1, "--fresh").code == 0
    status = segscore("show", runs / "comparison")
    assert status.code == 0 and "p:jackknife-t,holm" in status.out


def test_equal_system_names_of_two_runs_are_distinguished(segscore: Segscore, runs: Path) -> None:
    tables = compare(
        segscore, runs, runs / "old", runs / "new", "--measure", "recall", "--systems", "h1"
    )
    assert {row["system"] for row in tables["systems"]} == {"h1@old", "h1@new"}
    (row,) = (row for row in tables["comparisons"] if row["average"] == "macro")
    assert (row["system"], row["other"], row["better"]) == ("h1@old", "h1@new", "h1@old")
    assert row["difference"] > 0
    same = segscore("compare", runs / "old", runs / "new", "--measure", "recall", "--systems",
                    "h1@old,h2@new", "--layout", "systems", "--format", "csv")  # fmt: skip
    assert {line.split(",")[0] for line in same.out.splitlines()[1:]} == {"h1@old", "h2@new"}


def test_runs_with_equal_path_ends_are_distinguished(segscore: Segscore, runs: Path) -> None:
    for name in ("old", "new"):
        (runs / name / "run").mkdir()
        (runs / name).rename(runs / f"{name}-run")
        (runs / name).mkdir()
        (runs / f"{name}-run" / "run").rmdir()
        (runs / f"{name}-run").rename(runs / name / "run")
    tables = compare(segscore, runs, runs / "old" / "run", f"{runs / 'new' / 'run'}/",
                    "--measure", "recall", "--systems", "h1")  # fmt: skip
    assert {row["run"] for row in tables["systems"]} == {"old/run", "new/run"}


def test_the_better_direction_depends_on_the_measure(segscore: Segscore, runs: Path) -> None:
    """With half of the boundaries, recall is lower and worse, window misses higher and worse."""
    tables = compare(
        segscore, runs, runs / "old", runs / "new", "--systems", "h0", "--measure",
        "recall,window_diff_miss,b_tp",
    )  # fmt: skip
    for row in tables["comparisons"]:
        if row["measure"] == "b_tp":
            assert row["better"] is None and row["difference"] > 0
            continue
        assert row["better"] == "h0@old"
        assert (row["difference"] > 0) == (row["measure"] == "recall")
    best = {(row["measure"], row["system"]): row["rank"] for row in tables["systems"]}
    assert best["recall", "h0@old"] == best["window_diff_miss", "h0@old"] == 1
    assert best["b_tp", "h0@old"] is None
    assert "b_tp" not in {row["measure"] for row in tables["worst"]}


@pytest.mark.parametrize(("measure", "sign"), [("window_diff", 1), ("recall", -1)])
def test_the_worst_documents_have_an_explain_command(
    segscore: Segscore, runs: Path, measure: str, sign: int
) -> None:
    tables = compare(
        segscore, runs, runs / "old", runs / "new", "--systems", "h2", "--measure", measure
    )
    values = {}
    for name in ("old", "new"):
        rows = [row for row in scores(runs / name) if row["hypothesis"] == "h2"]
        for document, cells in naive.shared(rows, lambda _: "h2")["h2"].items():
            values[f"h2@{name}", document] = naive.value_of(cells, measure)
    for system, other in (("h2@old", "h2@new"), ("h2@new", "h2@old")):
        listed = [row for row in tables["worst"] if row["system"] == system and not row["other"]]
        bad = [sign * v for (name, _), v in values.items() if name == system and v is not None]
        assert [sign * row["value"] for row in listed] == pytest.approx(sorted(bad)[::-1][:10])
        behind = [
            row for row in tables["worst"] if (row["system"], row["other"]) == (system, other)
        ]
        gaps = [sign * (row["value"] - row["other_value"]) for row in behind]
        assert gaps == sorted(gaps, reverse=True) and all(gap > 0 for gap in gaps)
        assert [row["place"] for row in behind] == list(range(1, len(behind) + 1))
    for row in tables["worst"][:3]:
        assert values[row["system"], row["document_id"]] == pytest.approx(row["value"])
        command, *arguments = shlex.split(row["command"])
        assert command == "segscore"
        result = segscore(*arguments)
        assert result.code == 0 and f"{row['document_id']}: h2 against" in result.out


def test_groups_are_compared_separately(segscore: Segscore, runs: Path) -> None:
    tables = compare(
        segscore, runs, runs / "old", "--measure", "window_diff", "--group-by", "genre"
    )
    assert {row["genre"] for row in tables["comparisons"]} == {None, "news", "novel"}
    rows = [row for row in scores(runs / "old") if row["genre"] == "news"]
    # The systems share too few documents of the group: each is averaged over its own.
    assert {row["rank"] for row in tables["systems"] if row["genre"] == "news"} == {None}
    for row in tables["systems"]:
        if (row["genre"], row["average"]) == ("news", "macro"):
            own = [each for each in rows if each["hypothesis"] == row["system"]]
            cells = naive.shared(own, lambda each: str(each["hypothesis"]))
            expected = naive.macro(cells[row["system"]], "window_diff")
            assert row["value"] == pytest.approx(expected)
            assert row["documents"] == len(cells[row["system"]])


@pytest.mark.long
def test_panels_and_single_references_are_compared(segscore: Segscore, tmp_path: Path) -> None:
    """A panel uses all references at once; each reference and each consensus is a group."""
    table = DATA / "stargazer.jsonl"
    options = ("--consensus", "0.5,any", "--reference-points", "random-mean,human")
    assert segscore("score", table, table, "--output", tmp_path / "run", *options).code == 0
    tables = compare(
        segscore, tmp_path, tmp_path / "run", "--measure", "mult_window_diff,window_diff",
        "--group-by", "reference",
    )  # fmt: skip
    value = {
        (row["measure"], row["reference"], row["hypothesis"]): row["value"]
        for row in tables["systems"]
        if row["average"] == "macro"
    }
    for row in read_rows(tmp_path / "run", "panel_scores"):
        key = "mult_window_diff", None, row["hypothesis"]
        assert value[key] == pytest.approx(row["mult_window_diff"])
    for row in scores(tmp_path / "run"):
        if not row["hypothesis"].startswith("point:human"):
            key = "window_diff", row["reference"], row["hypothesis"]
            assert value[key] == pytest.approx(row["window_diff"])
    # The averages over all references exclude the consensus references.
    originals = [
        row["window_diff"]
        for row in scores(tmp_path / "run")
        if row["hypothesis"] == "textseg_bseg" and not row["reference"].startswith("consensus")
    ]
    assert value["window_diff", None, "textseg_bseg"] == pytest.approx(
        sum(originals) / len(originals)
    )
    humans = [
        row["window_diff"]
        for row in scores(tmp_path / "run")
        if row["hypothesis"].startswith("point:human")
    ]
    assert value["window_diff", None, "point:human"] == pytest.approx(sum(humans) / len(humans))
    # A single document gives neither a p-value nor an interval.
    for row in tables["comparisons"]:
        assert row["p"] is row["p_holm"] is row["ci_low"] is None


def test_an_always_undefined_system_has_null_values(segscore: Segscore, tmp_path: Path) -> None:
    """Precision of a system without boundaries is null, and so is everything derived from it."""
    rows = [line(f"d{i}", "desk", "reference", [5, 10]) for i in range(6)]
    rows += [line(f"d{i}", "silent", "hypothesis", []) for i in range(6)]
    rows += [line(f"d{i}", "a", "hypothesis", [5, 9 + i]) for i in range(6)]
    rows += [line(f"d{i}", "b", "hypothesis", [4 + i, 10]) for i in range(6)]
    run = scored(segscore, tmp_path / "x", rows)
    tables = compare(segscore, tmp_path, run, "--measure", "precision", "--layout", "ranks")
    for row in tables["comparisons"]:
        known = "silent" not in (row["system"], row["other"])
        assert row["defined"] == (6 if known else 0)
        for name in ("difference", "p", "p_holm"):
            assert (row[name] is None) != known, name
        if not known:
            assert row["better"] is row["ci_low"] is None
    for row in tables["rank_tests"]:
        known = "silent" not in (row["system"], row["other"])
        assert (row["p_permutation"] is None) != known
        assert (row["p_wilcoxon"] is None) >= (not known) and row["p_nemenyi"] is None
    ranked = {row["system"]: row["rank"] for row in tables["systems"] if row["average"] == "macro"}
    assert ranked["silent"] is None
    assert {ranked["a"], ranked["b"]} in ({1, 2}, {1})
    assert all(row["p"] is None for row in tables["omnibus"])
    result = segscore("compare", run, "--measure", "precision")
    assert result.code == 0 and "nan" not in result.out


def test_one_system_alone_has_no_differences(segscore: Segscore, tmp_path: Path) -> None:
    rows = [line("d", "desk", "reference", [5]), line("d", "a", "hypothesis", [6])]
    run = scored(segscore, tmp_path / "x", rows)
    tables = compare(segscore, tmp_path, run, "--measure", "pk")
    assert tables["comparisons"] == []
    assert [row["rank"] for row in tables["systems"]] == [1, 1]


def test_documents_with_different_references_are_left_out(
    segscore: Segscore, tmp_path: Path
) -> None:
    rows = [line(f"d{i}", "desk", "reference", [5, 10]) for i in range(4)]
    systems = [line(f"d{i}", "a", "hypothesis", [5 + i]) for i in range(4)]
    one = scored(segscore, tmp_path / "one", rows + systems)
    corrected = [line("d0", "desk", "reference", [5]), *rows[1:]]
    corrected += [line("d1", "second", "reference", [10])]
    two = scored(segscore, tmp_path / "two", corrected + systems)
    output = tmp_path / "comparison"
    result = segscore("compare", one, two, "--measure", "pk", "--output", output)
    assert result.code == 0
    assert "2 documents have other references in one run than in another: d0 and d1" in result.err
    assert {row["documents"] for row in tables(output)["comparisons"]} == {2}
    elsewhere = [line("e", "desk", "reference", [5]), line("e", "a", "hypothesis", [6])]
    other = scored(segscore, tmp_path / "three", elsewhere)
    assert "share no document" in refusal_line(segscore("compare", one, other, "--measure", "pk"))


def test_runs_with_different_settings_are_not_compared(segscore: Segscore, tmp_path: Path) -> None:
    rows = [line(f"d{i}", "desk", "reference", [5, 10]) for i in range(3)]
    systems = [line(f"d{i}", "a", "hypothesis", [6, 13]) for i in range(3)]
    one = scored(segscore, tmp_path / "one", rows + systems)
    two = scored(segscore, tmp_path / "two", rows + systems, "--n-t", 3)
    command = ("compare", one, two, "--measure", "boundary_similarity")
    message = refusal_line(segscore(*command))
    assert "n_t 2 / 3;" in message and "--may-differ n_t" in message and "ci" not in message
    result = segscore(*command, "--may-differ", "n_t")
    assert result.code == 0 and "|n_t:2/3|" in result.out


def test_runs_of_different_versions_are_refused_without_may_differ(
    segscore: Segscore, tmp_path: Path
) -> None:
    rows = [line("d", "desk", "reference", [5]), line("d", "a", "hypothesis", [6])]
    one, two = (scored(segscore, tmp_path / name, rows) for name in ("one", "two"))
    record = two / "run.json"
    record.write_text(record.read_text().replace("|v:0.3.0.dev0", "|v:0.0.9"))
    command = ("compare", one, two, "--measure", "pk")
    assert "v 0.3.0.dev0 / 0.0.9" in refusal_line(segscore(*command))
    result = segscore(*command, "--may-differ", "v")
    assert result.code == 0 and "|v:0.3.0.dev0/0.0.9\n" in result.out


def test_different_p_seg_is_refused_only_where_it_is_used(
    segscore: Segscore, tmp_path: Path
) -> None:
    """Each run computes it from its own references, so it differs though both say `run`."""
    rows = [
        line(document, coder, role, [position])
        for document in ("c", "d")
        for coder, role, position in (("desk", "reference", 5), ("a", "hypothesis", 6))
    ]
    names = ("--measures", "pk,c_seg_normalised")
    one = scored(segscore, tmp_path / "one", rows, *names)
    more = [line("e", "desk", "reference", []), line("e", "a", "hypothesis", [6])]
    two = scored(segscore, tmp_path / "two", rows + more, *names)
    assert segscore("compare", one, two, "--measure", "pk").code == 0
    message = refusal_line(segscore("compare", one, two, "--measure", "c_seg_normalised"))
    assert "p_seg 0.3333333333333333 / 0.25;" in message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--measure", "window_dif"), "no such measure; the nearest is window_diff"),
        (("--measure", "mean_pk"), "--measure mean_pk: has no micro average, because it is no"),
        (("--measure", "best_pk"), "formula over counts; add --average macro"),
        (("--measure", "best_b_tp"), "no such measure; the nearest is"),
        (("--measure", "mean_mult_window_diff"), "no such measure; the nearest is"),
        (("--measure", "pk,pk"), "--measure pk,pk: names one twice"),
        (("--measure", "pk,"), "--measure: is empty"),
        (("--measure", "pk", "--systems", "nobody"), "--systems nobody: no such system; there are"),
        (("--measure", "pk", "--systems", "H1"), "no such system; the nearest is h1; there are"),
        (("--measure", "pk", "--group-by", "color"), "there are: reference, genre, year"),
        (("--measure", "pk", "--layout", "rows"), "--layout rows: must be one of pairs"),
        (("--measure", "pk", "--format", "html"), "--format html: must be one of text"),
        (("--measure", "pk", "--average", "mean"), "--average mean: must be one of micro, macro"),
        (("--measure", "pk", "--permutations", -1), "--permutations -1: must be at least 0"),
        (("--measure", "pk", "--layout", "references", "--group-by", "genre"), "groups by ref"),
    ],
)
def test_wrong_options_are_refused(
    segscore: Segscore, runs: Path, options: tuple[object, ...], message: str
) -> None:
    assert message in refusal_line(segscore("compare", runs / "old", *options))


def test_a_folder_without_a_scoring_run_is_refused_by_name(
    segscore: Segscore, tmp_path: Path
) -> None:
    rows = [line("d", coder, "reference", [5]) for coder in ("x", "y")]
    table = write(tmp_path / "codings.jsonl", [*rows, line("d", "a", "hypothesis", [6])])
    audit, compared, scored_run = (tmp_path / name for name in ("audit", "compared", "run"))
    assert segscore("agree", table, "--output", audit).code == 0
    assert segscore("score", table, table, "--output", scored_run).code == 0
    assert segscore("compare", scored_run, "--measure", "pk", "--output", compared).code == 0
    for folder, command in ((audit, "agree"), (compared, "compare")):
        message = refusal_line(segscore("compare", scored_run, folder, "--measure", "pk"))
        assert str(folder) in message and f"is a run of `segscore {command}`" in message
    message = refusal_line(segscore("compare", scored_run, f"{scored_run}/", "--measure", "pk"))
    assert "named twice" in message
    assert "contains no run" in refusal_line(segscore("compare", tmp_path, "--measure", "pk"))
    (scored_run / "_unfinished").mkdir()
    plan: dict[str, Any] = {"fingerprint": {}, "stages": {}}
    (scored_run / "_unfinished" / "plan.json").write_text(json.dumps(plan))
    (scored_run / "run.json").unlink()
    assert "is not finished" in refusal_line(segscore("compare", scored_run, "--measure", "pk"))


def test_a_run_without_panels_has_no_mult_window_diff(segscore: Segscore, tmp_path: Path) -> None:
    rows = [line("d", "desk", "reference", [5]), line("d", "a", "hypothesis", [6])]
    run = scored(segscore, tmp_path / "x", rows)
    message = refusal_line(segscore("compare", run, "--measure", "pk,mult_window_diff"))
    assert "has no panel_scores" in message


def test_no_table_is_written_if_nothing_is_compared(segscore: Segscore, runs: Path) -> None:
    output = runs / "comparison"
    result = segscore(
        "compare", runs / "old", "--measure", "pk", "--systems", "x", "--output", output
    )
    assert result.code == 2 and not output.exists()


def test_options_come_from_a_settings_file(segscore: Segscore, runs: Path) -> None:
    file = runs / "segscore.toml"
    settings_text = (
        f'runs = ["{runs}/old", "{runs}/new"]\nmeasure = ["pk", "recall"]\nwhere = false\n'
    )
    file.write_text(f"[compare]\n{settings_text}permutations = 50\n")
    result = segscore("compare", "--settings", file, "--output", runs / "comparison")
    assert result.code == 0, result.err
    chosen = json.loads((runs / "comparison" / "run.json").read_text())["settings"]
    assert chosen["measures"] == ["pk", "recall"] and chosen["permutations"] == 50
    assert chosen["runs"] == [f"{runs}/old", f"{runs}/new"]


def test_a_broken_table_is_refused(segscore: Segscore, runs: Path) -> None:
    (part,) = (runs / "old" / "scores").glob("*.parquet")
    part.write_bytes(part.read_bytes()[:-20])
    assert part.name in refusal_line(segscore("compare", runs / "old", "--measure", "pk"))
    part.unlink()
    assert part.name in refusal_line(segscore("compare", runs / "old", "--measure", "pk"))


@pytest.mark.first
@pytest.mark.parametrize(("average", "other"), [("macro", "micro"), ("micro", "macro")])
def test_both_averages_of_a_system_are_printed_and_named(
    segscore: Segscore, tmp_path: Path, average: str, other: str
) -> None:
    table = DATA / "tinyrec.jsonl"
    assert segscore("score", table, table, "--output", tmp_path / "run").code == 0
    options = ("--measure", "boundary_similarity", "--average", average)
    lines = segscore("compare", tmp_path / "run", *options).out.splitlines()
    words = next(line.split() for line in lines if line.startswith("system, best first"))
    assert words[3] == average and words[7] == other
    system = next(line.split() for line in lines if line.startswith("EquiSeg"))
    expected = {"macro": "0.0631", "micro": "0.0613"}
    assert (system[1], system[5]) == (expected[average], expected[other])


@pytest.mark.long
def test_micro_averages_are_shown_by_default(segscore: Segscore, tmp_path: Path) -> None:
    """The default shows the averages that `score` shows."""
    table, points = DATA / "tinyrec.jsonl", ("--reference-points", "none")
    assert segscore("score", table, table, "--output", tmp_path / "run", *points).code == 0
    for layout in ((), ("--layout", "pairs", "--format", "markdown")):
        command = ("compare", tmp_path / "run", "--measure", "boundary_similarity", *layout)
        shown = segscore(*command)
        assert shown.code == 0 and shown.out == segscore(*command, "--average", "micro").out
        assert "0.0613" in shown.out


@pytest.mark.first
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--layout", "pairs"), "there is one system alone, and so no pair to show"),
        (("--format", "csv"), "there is one system alone, and so no pair to show"),
        (("--where", "--layout", "systems"), "--where: a single table has no room for it"),
        (("--where", "--systems", "point:none"), "--where: no boundary of a system is left"),
        (("--where",), None),
        (("--layout", "systems"), None),
    ],
)
def test_what_is_not_shown_is_said(
    segscore: Segscore, tmp_path: Path, options: tuple[str, ...], said: str | None
) -> None:
    rows = [line(f"d{i}", "desk", "reference", [5]) for i in range(3)]
    rows += [line(f"d{i}", "a", "hypothesis", [6]) for i in range(3)]
    points = () if "pairs" in options or "csv" in options else ("--reference-points", "none")
    run = scored(segscore, tmp_path / "x", rows, *points)
    result = segscore("compare", run, "--measure", "pk", "--permutations", 9, *options)
    assert result.code == 0
    assert (said or "") in result.err
    assert ("warning" in result.err) == (said is not None)
    if "point:none" in options:
        assert "pk, micro: only reference points were compared." in result.out


@pytest.mark.long
def test_pairs_of_systems_are_printed_and_those_with_chance_summed_up(
    segscore: Segscore, tmp_path: Path
) -> None:
    """What is said of all pairs with chance is true of each of them in the table."""
    generated = corpus(seed=6, documents=60)
    generated.write(tmp_path)
    points = ("--reference-points", "none,all,regular")
    run(segscore, tmp_path, tmp_path / "run", *points)
    options = ("--measure", "pk", "--output", tmp_path / "compared")
    finished = segscore("compare", tmp_path / "run", *options)
    assert finished.code == 0, finished.err
    shown = [words.split() for words in finished.out.splitlines()]
    (start,) = (i for i, words in enumerate(shown) if words[:1] == ["system,"])
    assert {words[0] for words in shown[start + 2 : start + 5]} == {"h0", "h1", "h2"}
    rows = [
        row
        for row in tables(tmp_path / "compared")["comparisons"]
        if row["average"] == "micro"
        and row["system"].startswith("point:") != row["other"].startswith("point:")
    ]
    assert len(rows) == 9
    unsure = [
        row
        for row in rows
        if row["better"] is None or row["better"].startswith("point:") or row["p_holm"] >= 0.05
    ]
    all_better = "all systems are significantly better than all reference points"
    some_not = "of 9 pairs of a system and a reference point, not significant:"
    printed = " ".join(finished.out.split())
    assert (all_better in printed) == (not unsure)
    assert (some_not in printed) == bool(unsure)
