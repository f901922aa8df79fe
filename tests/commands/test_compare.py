"""`segscore compare`: every table against a slow twin, and whatever can be wrong with the runs."""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.statistics import bootstrap
from segscore.pipeline.storage import read_table
from tests.oracles import naive_comparison as naive
from tests.support.command_line import Segscore
from tests.support.comparisons import Row, compare, line, refused, scored, tables, write
from tests.support.corpora import corpus, run
from tests.support.paths import DATA

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
    rows: list[Row] = read_table(str(run_folder / "scores")).to_pylist()
    return rows


@pytest.fixture
def runs(segscore: Segscore, tmp_path: Path) -> Path:
    """Two runs over the same references: three systems each, by genre and year."""
    for seed, name in ((21, "old"), (21, "new")):
        made = corpus(seed, documents=25)
        if name == "new":
            for row in made.hypotheses:
                row["boundaries"] = row["boundaries"][::2]
        made.write(tmp_path / f"{name}-tables")
        run(segscore, tmp_path / f"{name}-tables", tmp_path / name, "--replicates", 0)
    return tmp_path


def interval(replicates: Sequence[float | None]) -> tuple[float, float]:
    known = [value for value in replicates if value is not None]
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)


def less(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def weighed(cells: Held, weights: Mapping[str, int]) -> Held:
    """Each document as often as its weight says."""
    return {
        f"{document} {copy}": list(rows)
        for document, rows in cells.items()
        for copy in range(weights[document])
    }


@pytest.mark.parametrize("measure", ["window_diff", "recall"])
def test_every_number_is_that_of_the_twin(segscore: Segscore, runs: Path, measure: str) -> None:
    """Values, differences, intervals, permutation tests: each replicate and permutation by hand."""
    replicates, permutations, seed = 30, 25, 5
    found = compare(
        segscore, runs, runs / "new", "--measure", measure, "--replicates", replicates,
        "--permutations", permutations, "--seed", seed,
    )  # fmt: skip
    cells = naive.shared(scores(runs / "new"), lambda row: str(row["hypothesis"]))
    ids = sorted(cells["h0"])
    assert 5 < len(ids) < 25
    hashes = hash_names(pa.array(ids)).hashes
    weights = bootstrap.weights(hashes, seed, replicates)
    flips = bootstrap.flips(hashes, seed, 0, permutations)
    drawn = [dict(zip(ids, column.tolist(), strict=True)) for column in weights.T]
    flipped = dict(zip(ids, flips.tolist(), strict=True))
    counts, formula = FORMULAS[measure]

    def micro(rows: Held) -> float | None:
        return naive.micro(rows, counts, formula)

    def macro(rows: Held) -> float | None:
        return naive.macro(rows, measure)

    for row in found["systems"]:
        own = cells[row["system"]]
        of = micro if row["average"] == "micro" else macro
        assert row["value"] == pytest.approx(of(own))
        expected = interval([of(weighed(own, each)) for each in drawn])
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(expected)
        assert row["documents"] == len(ids)
        assert row["defined"] == len(naive.both_defined(own, own, measure))
    for row in found["comparisons"]:
        first, second = cells[row["system"]], cells[row["other"]]
        both = naive.both_defined(first, second, measure)
        assert row["defined"] == len(both)
        of = micro
        if row["average"] == "macro":
            of = macro
            first, second = ({d: each[d] for d in both} for each in (first, second))
        assert row["value"] == pytest.approx(of(first))
        assert row["other_value"] == pytest.approx(of(second))
        assert row["difference"] == pytest.approx(less(of(first), of(second)), abs=1e-12)
        expected = interval(
            [less(of(weighed(first, each)), of(weighed(second, each))) for each in drawn]
        )
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(expected, abs=1e-9)
        p = naive.permuted_p(first, second, of, flipped)
        assert row["p_permutation"] == pytest.approx(p)
    for average in ("micro", "macro"):
        chosen = [row for row in found["comparisons"] if row["average"] == average]
        adjusted = naive.holm([row["p_permutation"] for row in chosen])
        assert [row["p_permutation_holm"] for row in chosen] == pytest.approx(adjusted)


def test_averages_and_intervals_are_those_of_the_runs_own_summary(
    segscore: Segscore, tmp_path: Path
) -> None:
    """Where all systems have all documents the two say the same."""
    table = DATA / "tinyrec.jsonl"
    points = ("--reference-points", "none,all,random-known", "--seed", 3, "--group-by", "level")
    assert segscore("score", table, table, "--output", tmp_path / "run", *points).code == 0
    chosen = ("window_diff", "boundary_similarity", "r_miss")
    found = compare(
        segscore, tmp_path, tmp_path / "run", "--measure", ",".join(chosen), "--seed", 3,
        "--group-by", "level",
    )  # fmt: skip
    expected = {
        (row["hypothesis"], row["level"], row["measure"], row["average"]): row
        for row in read_table(str(tmp_path / "run" / "summary")).to_pylist()
    }
    assert len(found["systems"]) == 4 * 3 * 3 * 2
    for row in found["systems"]:
        same = expected[row["hypothesis"], row["level"], row["measure"], row["average"]]
        # A run takes its replicates of macro averages from values to 2^-24.
        for name, apart in (("value", 1e-12), ("ci_low", 1e-7), ("ci_high", 1e-7)):
            assert row[name] == pytest.approx(same[name], abs=apart), name
        for name in ("documents", "defined"):
            assert row[name] == same[name], name


def test_the_same_bytes_again_and_whatever_the_files(segscore: Segscore, tmp_path: Path) -> None:
    made = corpus(seed=8, documents=20)
    contents = []
    for files in (1, 3):
        folder = tmp_path / str(files)
        made.write(folder, files=files)
        run(segscore, folder, folder / "run", "--replicates", 0)
        compare(segscore, folder, folder / "run", "--measure", "pk,recall", "--where")
        contents.append(
            {
                path.parent.name: path.read_bytes()
                for path in (folder / "comparison").rglob("*.parquet")
                if path.parent.name != "worst"  # which names the run's folder
            }
        )
    assert len(contents[0]) == 4
    assert contents[0] == contents[1]


def test_a_comparison_that_is_there_is_left_and_told(segscore: Segscore, runs: Path) -> None:
    command = ("compare", runs / "old", "--measure", "pk", "--output", runs / "comparison")
    first = segscore(*command)
    assert "written" in first.err
    before = (runs / "comparison" / "run.json").read_bytes()
    again = segscore(*command)
    assert again.code == 0 and "already contains this comparison" in again.err
    assert again.out == first.out
    assert (runs / "comparison" / "run.json").read_bytes() == before
    assert "seed was 0, is 1" in refused(segscore(*command, "--seed", 1))
    assert segscore(*command, "--seed", 1, "--fresh").code == 0
    status = segscore("status", runs / "comparison")
    assert status.code == 0 and "p:permutation,9999" in status.out


def test_equal_names_of_two_runs_are_told_apart(segscore: Segscore, runs: Path) -> None:
    found = compare(
        segscore, runs, runs / "old", runs / "new", "--measure", "recall", "--systems", "h1"
    )
    assert {row["system"] for row in found["systems"]} == {"h1@old", "h1@new"}
    (row,) = (row for row in found["comparisons"] if row["average"] == "macro")
    assert (row["system"], row["other"], row["better"]) == ("h1@old", "h1@new", "h1@old")
    assert row["difference"] > 0
    same = segscore("compare", runs / "old", runs / "new", "--measure", "recall", "--systems",
                    "h1@old,h2@new", "--layout", "systems", "--format", "csv")  # fmt: skip
    assert [line.split(",")[0] for line in same.out.splitlines()[1:]] == ["h1@old", "h2@new"]


def test_equal_ends_of_paths_are_told_apart(segscore: Segscore, runs: Path) -> None:
    for name in ("old", "new"):
        (runs / name / "run").mkdir()
        (runs / name).rename(runs / f"{name}-run")
        (runs / name).mkdir()
        (runs / f"{name}-run" / "run").rmdir()
        (runs / f"{name}-run").rename(runs / name / "run")
    found = compare(segscore, runs, runs / "old" / "run", f"{runs / 'new' / 'run'}/",
                    "--measure", "recall", "--systems", "h1")  # fmt: skip
    assert {row["run"] for row in found["systems"]} == {"old/run", "new/run"}


def test_which_is_better_depends_on_the_measure(segscore: Segscore, runs: Path) -> None:
    """Half of the boundaries: recall is lower and worse, misses of windows higher and worse."""
    found = compare(
        segscore, runs, runs / "old", runs / "new", "--systems", "h0", "--measure",
        "recall,window_diff_miss,b_tp",
    )  # fmt: skip
    for row in found["comparisons"]:
        if row["measure"] == "b_tp":
            assert row["better"] is None and row["difference"] > 0
            continue
        assert row["better"] == "h0@old"
        assert (row["difference"] > 0) == (row["measure"] == "recall")
    best = {(row["measure"], row["system"]): row["rank"] for row in found["systems"]}
    assert best["recall", "h0@old"] == best["window_diff_miss", "h0@old"] == 1
    assert best["b_tp", "h0@old"] is None
    assert "b_tp" not in {row["measure"] for row in found["worst"]}


@pytest.mark.parametrize(("measure", "sign"), [("window_diff", 1), ("recall", -1)])
def test_the_worst_documents_come_with_a_command_that_shows_them(
    segscore: Segscore, runs: Path, measure: str, sign: int
) -> None:
    found = compare(
        segscore, runs, runs / "old", runs / "new", "--systems", "h2", "--measure", measure
    )
    values = {}
    for name in ("old", "new"):
        rows = [row for row in scores(runs / name) if row["hypothesis"] == "h2"]
        for document, held in naive.shared(rows, lambda _: "h2")["h2"].items():
            values[f"h2@{name}", document] = naive.value_of(held, measure)
    for system, other in (("h2@old", "h2@new"), ("h2@new", "h2@old")):
        listed = [row for row in found["worst"] if row["system"] == system and not row["other"]]
        bad = [sign * v for (name, _), v in values.items() if name == system and v is not None]
        assert [sign * row["value"] for row in listed] == pytest.approx(sorted(bad)[::-1][:10])
        behind = [row for row in found["worst"] if (row["system"], row["other"]) == (system, other)]
        gaps = [sign * (row["value"] - row["other_value"]) for row in behind]
        assert gaps == sorted(gaps, reverse=True) and all(gap > 0 for gap in gaps)
        assert [row["place"] for row in behind] == list(range(1, len(behind) + 1))
    for row in found["worst"][:3]:
        assert values[row["system"], row["document_id"]] == pytest.approx(row["value"])
        command, *arguments = shlex.split(row["command"])
        assert command == "segscore"
        ended = segscore(*arguments)
        assert ended.code == 0 and f"{row['document_id']}: h2 against" in ended.out


def test_groups_are_compared_apart(segscore: Segscore, runs: Path) -> None:
    found = compare(segscore, runs, runs / "old", "--measure", "window_diff", "--group-by", "genre")
    assert {row["genre"] for row in found["comparisons"]} == {None, "news", "novel"}
    rows = [row for row in scores(runs / "old") if row["genre"] == "news"]
    cells = naive.shared(rows, lambda row: str(row["hypothesis"]))
    for row in found["systems"]:
        if (row["genre"], row["average"]) == ("news", "macro"):
            expected = naive.macro(cells[row["system"]], "window_diff")
            assert row["value"] == pytest.approx(expected)
            assert row["documents"] == len(cells[row["system"]])


def test_panels_and_single_references(segscore: Segscore, tmp_path: Path) -> None:
    """A panel looks at all references at once; each reference and consensus is a group."""
    table = DATA / "stargazer.jsonl"
    options = ("--consensus", "0.5,any", "--reference-points", "random-mean,human")
    assert segscore("score", table, table, "--output", tmp_path / "run", *options).code == 0
    found = compare(
        segscore, tmp_path, tmp_path / "run", "--measure", "mult_window_diff,window_diff",
        "--group-by", "reference",
    )  # fmt: skip
    value = {
        (row["measure"], row["reference"], row["hypothesis"]): row["value"]
        for row in found["systems"]
        if row["average"] == "macro"
    }
    for row in read_table(str(tmp_path / "run" / "panel_scores")).to_pylist():
        key = "mult_window_diff", None, row["hypothesis"]
        assert value[key] == pytest.approx(row["mult_window_diff"])
    for row in scores(tmp_path / "run"):
        if not row["hypothesis"].startswith("point:human"):
            key = "window_diff", row["reference"], row["hypothesis"]
            assert value[key] == pytest.approx(row["window_diff"])
    # The consensus references are apart from the average over all references.
    originals = [
        row["window_diff"]
        for row in scores(tmp_path / "run")
        if row["hypothesis"] == "textseg_bseg" and not row["reference"].startswith("consensus")
    ]
    assert value["window_diff", None, "textseg_bseg"] == pytest.approx(np.mean(originals))
    humans = [
        row["window_diff"]
        for row in scores(tmp_path / "run")
        if row["hypothesis"].startswith("point:human")
    ]
    assert value["window_diff", None, "point:human"] == pytest.approx(np.mean(humans))
    # A single document proves nothing, and has no interval.
    for row in found["comparisons"]:
        assert row["p_permutation"] == 1 and row["ci_low"] is None


def test_a_system_that_is_never_defined(segscore: Segscore, tmp_path: Path) -> None:
    """Precision of a system that marks nothing: null, and so is whatever is made of it."""
    rows = [line(f"d{i}", "desk", "reference", [5, 10]) for i in range(6)]
    rows += [line(f"d{i}", "silent", "hypothesis", []) for i in range(6)]
    rows += [line(f"d{i}", "a", "hypothesis", [5, 9 + i]) for i in range(6)]
    rows += [line(f"d{i}", "b", "hypothesis", [4 + i, 10]) for i in range(6)]
    made = scored(segscore, tmp_path / "x", rows)
    found = compare(segscore, tmp_path, made, "--measure", "precision")
    for row in found["comparisons"]:
        known = "silent" not in (row["system"], row["other"])
        assert row["defined"] == (6 if known else 0)
        for name in ("difference", "p_permutation", "p_permutation_holm"):
            assert (row[name] is None) != known, name
        if not known:
            assert row["better"] is row["ci_low"] is row["p_wilcoxon"] is row["p_nemenyi"] is None
    ranked = {row["system"]: row["rank"] for row in found["systems"] if row["average"] == "macro"}
    assert ranked["silent"] is None
    assert {ranked["a"], ranked["b"]} in ({1, 2}, {1.5})
    assert all(row["p"] is None for row in found["omnibus"])
    ended = segscore("compare", made, "--measure", "precision")
    assert ended.code == 0 and "nan" not in ended.out


def test_one_system_has_none_to_be_compared_with(segscore: Segscore, tmp_path: Path) -> None:
    rows = [line("d", "desk", "reference", [5]), line("d", "a", "hypothesis", [6])]
    made = scored(segscore, tmp_path / "x", rows)
    found = compare(segscore, tmp_path, made, "--measure", "pk")
    assert found["comparisons"] == [] and found["omnibus"] == []
    assert [row["rank"] for row in found["systems"]] == [1, 1]


def test_documents_with_other_references_are_left_out(segscore: Segscore, tmp_path: Path) -> None:
    rows = [line(f"d{i}", "desk", "reference", [5, 10]) for i in range(4)]
    systems = [line(f"d{i}", "a", "hypothesis", [5 + i]) for i in range(4)]
    one = scored(segscore, tmp_path / "one", rows + systems)
    corrected = [line("d0", "desk", "reference", [5]), *rows[1:]]
    corrected += [line("d1", "second", "reference", [10])]
    two = scored(segscore, tmp_path / "two", corrected + systems)
    output = tmp_path / "comparison"
    ended = segscore("compare", one, two, "--measure", "pk", "--output", output)
    assert ended.code == 0
    assert "2 documents were left out: the runs scored them against different" in ended.err
    assert {row["documents"] for row in tables(output)["comparisons"]} == {2}
    elsewhere = [line("e", "desk", "reference", [5]), line("e", "a", "hypothesis", [6])]
    other = scored(segscore, tmp_path / "three", elsewhere)
    assert "share no document" in refused(segscore("compare", one, other, "--measure", "pk"))


def test_runs_scored_otherwise_are_not_compared(segscore: Segscore, tmp_path: Path) -> None:
    rows = [line(f"d{i}", "desk", "reference", [5, 10]) for i in range(3)]
    systems = [line(f"d{i}", "a", "hypothesis", [6, 13]) for i in range(3)]
    one = scored(segscore, tmp_path / "one", rows + systems)
    two = scored(segscore, tmp_path / "two", rows + systems, "--n-t", 3, "--replicates", 0)
    command = ("compare", one, two, "--measure", "boundary_similarity")
    said = refused(segscore(*command))
    assert "n_t 2 / 3;" in said and "--may-differ n_t" in said and "ci" not in said
    ended = segscore(*command, "--may-differ", "n_t")
    assert ended.code == 0 and "|n_t:2/3|" in ended.out


def test_another_version_may_have_changed_numbers(segscore: Segscore, tmp_path: Path) -> None:
    rows = [line("d", "desk", "reference", [5]), line("d", "a", "hypothesis", [6])]
    one, two = (scored(segscore, tmp_path / name, rows) for name in ("one", "two"))
    record = two / "run.json"
    record.write_text(record.read_text().replace("|v:0.2.0", "|v:0.0.9"))
    command = ("compare", one, two, "--measure", "pk")
    assert "v 0.2.0 / 0.0.9" in refused(segscore(*command))
    ended = segscore(*command, "--may-differ", "v")
    assert ended.code == 0 and ended.out.rstrip().endswith("|v:0.2.0/0.0.9")


def test_p_seg_is_compared_where_it_is_used(segscore: Segscore, tmp_path: Path) -> None:
    """Each run takes it from its own references, so that it differs though both say `run`."""
    rows = [line("d", "desk", "reference", [5]), line("d", "a", "hypothesis", [6])]
    one = scored(segscore, tmp_path / "one", rows)
    more = [line("e", "desk", "reference", []), line("e", "a", "hypothesis", [6])]
    two = scored(segscore, tmp_path / "two", rows + more)
    assert segscore("compare", one, two, "--measure", "pk").code == 0
    said = refused(segscore("compare", one, two, "--measure", "c_seg_normalised"))
    assert "p_seg 0.3333333333333333 / 0.2;" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--measure", "window_dif"), "no such measure, nearest is window_diff"),
        (("--measure", "pk,pk"), "--measure pk,pk: names one twice"),
        (("--measure", "pk,"), "--measure: is empty"),
        (("--measure", "pk", "--systems", "nobody"), "--systems nobody: no such system; there are"),
        (("--measure", "pk", "--group-by", "color"), "there are: reference, genre, year"),
        (("--measure", "pk", "--layout", "rows"), "--layout rows: must be one of pairs"),
        (("--measure", "pk", "--format", "html"), "--format html: must be one of text"),
        (("--measure", "pk", "--average", "mean"), "--average mean: must be one of macro, micro"),
        (("--measure", "pk", "--replicates", -1), "--replicates -1: must be at least 0"),
        (("--measure", "pk", "--permutations", -1), "--permutations -1: must be at least 0"),
        (("--measure", "pk", "--layout", "references", "--group-by", "genre"), "groups by ref"),
    ],
)
def test_wrong_options_are_refused(
    segscore: Segscore, runs: Path, options: tuple[object, ...], said: str
) -> None:
    assert said in refused(segscore("compare", runs / "old", *options))


def test_what_is_no_scoring_run_is_refused_by_name(segscore: Segscore, tmp_path: Path) -> None:
    rows = [line("d", coder, "reference", [5]) for coder in ("x", "y")]
    table = write(tmp_path / "codings.jsonl", [*rows, line("d", "a", "hypothesis", [6])])
    audit, compared, made = (tmp_path / name for name in ("audit", "compared", "run"))
    assert segscore("agree", table, "--output", audit).code == 0
    assert segscore("score", table, table, "--output", made).code == 0
    assert segscore("compare", made, "--measure", "pk", "--output", compared).code == 0
    for folder, command in ((audit, "agree"), (compared, "compare")):
        said = refused(segscore("compare", made, folder, "--measure", "pk"))
        assert str(folder) in said and f"is a run of `segscore {command}`" in said
    said = refused(segscore("compare", made, f"{made}/", "--measure", "pk"))
    assert "named twice" in said
    assert "contains no run" in refused(segscore("compare", tmp_path, "--measure", "pk"))
    (made / "_unfinished").mkdir()
    plan: dict[str, Any] = {"fingerprint": {}, "stages": {}}
    (made / "_unfinished" / "plan.json").write_text(json.dumps(plan))
    (made / "run.json").unlink()
    assert "is not finished" in refused(segscore("compare", made, "--measure", "pk"))


def test_a_run_without_panels_has_no_mult_window_diff(segscore: Segscore, tmp_path: Path) -> None:
    rows = [line("d", "desk", "reference", [5]), line("d", "a", "hypothesis", [6])]
    made = scored(segscore, tmp_path / "x", rows)
    said = refused(segscore("compare", made, "--measure", "pk,mult_window_diff"))
    assert "has no panel_scores" in said


def test_nothing_is_written_where_nothing_was_compared(segscore: Segscore, runs: Path) -> None:
    output = runs / "comparison"
    ended = segscore(
        "compare", runs / "old", "--measure", "pk", "--systems", "x", "--output", output
    )
    assert ended.code == 2 and not output.exists()


def test_options_come_from_a_settings_file(segscore: Segscore, runs: Path) -> None:
    file = runs / "segscore.toml"
    said = f'runs = ["{runs}/old", "{runs}/new"]\nmeasure = ["pk", "recall"]\nwhere = false\n'
    file.write_text(f"[compare]\n{said}permutations = 50\n")
    ended = segscore("compare", "--settings", file, "--output", runs / "comparison")
    assert ended.code == 0, ended.err
    chosen = json.loads((runs / "comparison" / "run.json").read_text())["settings"]
    assert chosen["measures"] == ["pk", "recall"] and chosen["permutations"] == 50
    assert chosen["runs"] == [f"{runs}/old", f"{runs}/new"]


def test_a_broken_table_is_refused(segscore: Segscore, runs: Path) -> None:
    (part,) = (runs / "old" / "scores").glob("*.parquet")
    part.write_bytes(part.read_bytes()[:-20])
    assert part.name in refused(segscore("compare", runs / "old", "--measure", "pk"))
    part.unlink()
    assert part.name in refused(segscore("compare", runs / "old", "--measure", "pk"))
