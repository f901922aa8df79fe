"""`segscore agree` against its slow twin, the papers, and bad input."""

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segscore.pipeline.agreement import block
from segscore.pipeline.agreement.tables import AGREEMENT_TABLES
from segscore.pipeline.runs import shuffle
from segscore.pipeline.statistics import resampling
from segscore.pipeline.storage import read_table, write_table
from tests.oracles import naive, naive_agreement, naive_jackknife
from tests.oracles.naive_agreement import Corpus, Document
from tests.support.agreement_strategies import corpora
from tests.support.audits import Rows, audit
from tests.support.command_line import Segscore
from tests.support.examples import examples
from tests.support.paths import DATA
from tests.support.rows import read_rows, write_rows
from tests.support.run_files import files

MODELS = {model.name: model for model in AGREEMENT_TABLES}


def write(path: Path, corpus: Corpus, **attributes: Mapping[str, str]) -> None:
    """Write a corpus as JSON Lines; attributes by document."""
    lines = [
        {"document_id": name, "coder": coder, "n_units": document.n_units}
        | {"boundaries": list(boundaries)}
        | {key: values[name] for key, values in attributes.items() if name in values}
        for name, document in corpus.items()
        for coder, boundaries in document.codings.items()
    ]
    write_rows(path, lines)


def audit_tables(folder: Path, corpus: Corpus, **chosen: Any) -> dict[str, Rows]:
    """Return every table of an audit, computed by the task without a cluster."""
    write(folder / "codings.jsonl", corpus)
    return audit(folder, "codings.jsonl", **chosen)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Parent of the folders of the examples."""
    return (tmp_path_factory.mktemp("audit") for _ in iter(int, 1))


def is_equal(actual: float | None, expected: Fraction | float | None) -> bool:
    if expected is None:
        return actual is None
    return actual is not None and actual == pytest.approx(float(expected), rel=1e-7, abs=1e-9)


# --- Against the slow twin -----------------------------------------------------------------------


@pytest.mark.first
@pytest.mark.parametrize(
    ("expected", "published"),
    [("pooled", None), ("item", None), ("pooled", "fournier2013")],
)
@settings(max_examples=examples(40))
@given(corpus=corpora(), n_t=st.integers(1, 4))
def test_coefficients_equal_the_twin(
    folders: Iterator[Path], expected: Any, published: str | None, corpus: Corpus, n_t: int
) -> None:
    chosen = {"n_t": n_t, "expected": expected, "as_published": published}
    tables = audit_tables(next(folders), corpus, **chosen)
    averaged: naive_agreement.Expected = "item" if published else expected
    twin = naive_agreement.coefficients(corpus, n_t, averaged, published is not None)
    rows = {(row["coefficient"], row["similarity"]): row for row in tables["agreement"]}
    assert rows.keys() == twin.keys()
    for key, row in rows.items():
        assert is_equal(row["value"], twin[key].value), key
        if twin[key].actual is not None and twin[key].expected is not None:
            assert is_equal(row["actual"], twin[key].actual), key
            assert is_equal(row["expected"], twin[key].expected), key
    for row in tables["coders"]:
        remaining = naive_agreement.without(
            corpus, row["coder"], n_t, averaged, published is not None
        )
        cell = remaining["pi", "boundary_similarity"]
        assert is_equal(row["without_pi_boundary_similarity"], cell.value), row
        if cell.value is not None:
            assert is_equal(row["others_boundary_similarity"], cell.actual), row


@settings(max_examples=examples(60))
@given(corpus=corpora(), n_t=st.integers(1, 4))
def test_coders_and_corpus_equal_the_twin(
    folders: Iterator[Path], corpus: Corpus, n_t: int
) -> None:
    tables = audit_tables(next(folders), corpus, n_t=n_t)
    twins, _ = naive_agreement.coder_rows(corpus, n_t)
    assert [row["coder"] for row in tables["coders"]] == sorted(twins)
    for row in tables["coders"]:
        twin = twins[row["coder"]]
        assert row["boundaries"] == twin.boundaries
        assert is_equal(row["rate"], twin.rate)
        assert is_equal(row["peer_boundary_similarity"], twin.peer_similarity)
    (row,) = tables["corpus"]
    statistics = naive_agreement.segment_statistics(corpus)
    for name, twin_name in (("segments", "segments"), ("segment_size", "sizes")):
        assert is_equal(row[f"{name}_mean"], statistics[twin_name].mean)
        assert is_equal(row[f"{name}_sd"], statistics[twin_name].sd)
    alone = [document for document in corpus.values() if len(document.codings) == 1]
    assert (row["documents"], row["coded_once"]) == (len(corpus), len(alone))


@settings(max_examples=examples(60))
@given(corpus=corpora(), n_t=st.integers(1, 4))
def test_documents_and_pairs_equal_the_twin(
    folders: Iterator[Path], corpus: Corpus, n_t: int
) -> None:
    tables = audit_tables(next(folders), corpus, n_t=n_t)
    assert [row["document_id"] for row in tables["documents"]] == list(corpus)
    for row in tables["documents"]:
        document = corpus[row["document_id"]]
        alone = {row["document_id"]: document}
        for key, expected in naive_agreement.coefficients(alone, n_t).items():
            if key[0] != "bias":
                assert is_equal(row["_".join(key)], expected.value), key
        for name, spread in naive_agreement.window_pairs(document).items():
            assert is_equal(row[f"{name}_mean"], spread.mean)
            assert is_equal(row[f"{name}_sd"], spread.sd)
        assert row["coders"] == sorted(document.codings)
        assert row["segments"] == [len(document.codings[coder]) + 1 for coder in row["coders"]]
    pairs = {(row["document_id"], row["coder"], row["peer"]): row for row in tables["pairs"]}
    for name, (n_units, codings) in corpus.items():
        coders = sorted(codings)
        for index, x in enumerate(coders):
            for y in coders[index + 1 :]:
                row = pairs.pop((name, x, y))
                counts = naive.edit_counts(n_units, codings[x], codings[y], n_t)
                values = naive.edit_values(counts, n_t=n_t, per_row=True)
                assert all(row[count] == counts[count] for count in ("matches", "misses"))
                for measure in ("boundary_similarity", "segmentation_similarity"):
                    assert is_equal(row[measure], values[measure])
    assert not pairs


@settings(max_examples=examples(60))
@given(corpus=corpora(max_units=40))
def test_prominence_equals_the_twin(folders: Iterator[Path], corpus: Corpus) -> None:
    tables = audit_tables(next(folders), corpus)
    by_document: dict[str, Rows] = {name: [] for name in corpus}
    for row in tables["prominence"]:
        by_document[row["document_id"]].append(row)
    for name, (n_units, codings) in corpus.items():
        segments = sum(len(boundaries) + 1 for boundaries in codings.values())
        k = naive.window_size(n_units * len(codings), segments)
        twin = naive_agreement.prominence(Document(n_units, codings), k)
        assert [row["position"] for row in by_document[name]] == [
            position["position"] for position in twin
        ]
        for row, expected in zip(by_document[name], twin, strict=True):
            assert row["window"] == k
            marked_by = [coder for coder in sorted(codings) if row["position"] in codings[coder]]
            assert row["marked_by"] == marked_by
            for reach, label in (("0", "exact"), ("half_window", "half"), ("window", "full")):
                assert row[f"coders_within_{reach}"] == expected[f"coders_{label}"]
                assert is_equal(row[f"support_{reach}"], expected[f"support_{label}"])
                assert is_equal(row[f"peer_support_{reach}"], expected[f"peer_support_{label}"])
    (row,) = tables["corpus"]
    for reach in ("0", "half_window", "window"):
        for kind in ("support", "peer_support"):
            several = [row for row in tables["prominence"] if row["coders"] > 1]
            values = [row[f"{kind}_{reach}"] for row in several]
            defined = [value for value in values if value is not None]
            quartiles = np.quantile(defined, [0.25, 0.5, 0.75]) if defined else [None] * 3
            for label, value in zip(("q1", "median", "q3"), quartiles, strict=True):
                assert is_equal(row[f"{kind}_{reach}_{label}"], value)


@settings(max_examples=examples(25))
@given(corpus=corpora(min_documents=4, max_documents=9), n_t=st.integers(1, 4))
def test_intervals_equal_the_twin(folders: Iterator[Path], corpus: Corpus, n_t: int) -> None:
    """Every coefficient is computed again without each document, and so are the chances."""
    tables = audit_tables(next(folders), corpus, n_t=n_t)
    whole = naive_agreement.coefficients(corpus, n_t)
    apart = {
        left: naive_agreement.coefficients(
            {name: document for name, document in corpus.items() if name != left}, n_t
        )
        for left in corpus
    }
    for row in tables["agreement"]:
        key = row["coefficient"], row["similarity"]
        weights = {
            name: naive_agreement.denominator(document, row["similarity"], n_t)
            for name, document in corpus.items()
        }
        without = {name: values[key].value for name, values in apart.items()}
        twin = naive_jackknife.estimate(whole[key].value, without, weights)
        low, high = naive_jackknife.interval(twin, None, 1)
        for end, expected in ((row["ci_low"], low), (row["ci_high"], high)):
            near = None if expected is None else pytest.approx(expected, rel=1e-5, abs=1e-5)
            assert end == near, (key, twin)


@settings(max_examples=examples(25))
@given(corpus=corpora(min_documents=4, max_documents=9), n_t=st.integers(1, 4))
def test_intervals_of_coders_equal_the_twin(
    folders: Iterator[Path], corpus: Corpus, n_t: int
) -> None:
    tables = audit_tables(next(folders), corpus, n_t=n_t)
    similarity = "boundary_similarity"
    for row in tables["coders"]:
        coder = row["coder"]
        documents = {
            name: document
            for name, document in corpus.items()
            if coder in document.codings and len(document.codings) > 1 and document.n_units > 1
        }
        whole, *apart = (
            naive_agreement.pooled_similarity(
                {name: each for name, each in documents.items() if name != left},
                similarity,
                n_t,
                coder,
            )
            for left in (None, *documents)
        )
        weights = {
            name: naive_agreement.denominator(document, similarity, n_t, coder)
            for name, document in documents.items()
        }
        estimated = naive_jackknife.estimate(
            whole, dict(zip(documents, apart, strict=True)), weights
        )
        low, high = naive_jackknife.interval(estimated, 0, 1)
        found = row[f"peer_{similarity}_low"], row[f"peer_{similarity}_high"]
        for end, expected in zip(found, (low, high), strict=True):
            near = None if expected is None else pytest.approx(expected, rel=1e-5, abs=1e-5)
            assert end == near, (coder, similarity, estimated)


# --- Against the papers --------------------------------------------------------------------------


def agreement(run: Path) -> dict[tuple[str, ...], float]:
    """(group…, coefficient, similarity) -> value."""
    rows = read_rows(run, "agreement")
    return {
        (*((row["group"],) if "group" in row else ()), row["coefficient"], row["similarity"]): (
            row["value"]
        )
        for row in rows
    }


@pytest.mark.long
def test_stargazer(segscore: Segscore, tmp_path: Path) -> None:
    """Hearst 1997's seven coders; the values of Fournier 2013's coefficients, without his slip."""
    codings = DATA / "stargazer.jsonl"
    assert segscore("agree", codings, "--output", tmp_path / "run").code == 0
    coefficients = agreement(tmp_path / "run")
    assert coefficients["pi", "boundary_similarity"] == pytest.approx(0.464450, abs=5e-7)
    assert coefficients["pi", "segmentation_similarity"] == pytest.approx(0.766653, abs=5e-7)
    assert coefficients["kappa", "boundary_similarity"] == pytest.approx(0.465320, abs=5e-7)
    assert coefficients["kappa", "segmentation_similarity"] == pytest.approx(0.767032, abs=5e-7)
    (peers,) = read_rows(tmp_path / "run", "documents")
    assert peers["pairs"] == 21
    pairs = read_rows(tmp_path / "run", "pairs")
    total = {name: sum(row[name] for row in pairs) for name in ("matches", "near_misses")}
    assert total == {"matches": 83, "near_misses": 28}
    assert sum(row["misses"] + row["false_alarms"] for row in pairs) == 72
    published = ("--as-published", "fournier2013")
    assert segscore("agree", codings, "--output", tmp_path / "printed", *published).code == 0
    printed = agreement(tmp_path / "printed")
    assert round(printed["pi", "boundary_similarity"], 4) == 0.4405
    assert round(printed["pi", "segmentation_similarity"], 4) == 0.7562


def test_moonstone(segscore: Segscore, tmp_path: Path) -> None:
    """Kazantseva & Szpakowicz 2012's groups 2 and 5, documents averaged as segeval 2.0.11 does."""
    options = ("--group-by", "group", "--expected", "item", "--output", tmp_path / "run")
    assert segscore("agree", DATA / "moonstone.jsonl", *options).code == 0
    coefficients = agreement(tmp_path / "run")
    assert round(coefficients["G2", "pi", "boundary_similarity"], 4) == 0.4083
    assert round(coefficients["G2", "pi", "segmentation_similarity"], 4) == 0.8983
    assert round(coefficients["G5", "pi", "boundary_similarity"], 4) == 0.2400
    assert round(coefficients["G5", "pi", "segmentation_similarity"], 4) == 0.8317


def test_moonstone_as_printed(segscore: Segscore, tmp_path: Path) -> None:
    """Fournier 2013, table 1."""
    options = ("--group-by", "group", "--as-published", "fournier2013")
    run = tmp_path / "run"
    assert segscore("agree", DATA / "moonstone.jsonl", *options, "--output", run).code == 0
    coefficients = agreement(run)
    assert round(coefficients["G2", "pi", "boundary_similarity"], 2) == 0.40
    assert round(coefficients["G2", "pi", "segmentation_similarity"], 2) == 0.90
    assert round(coefficients["G5", "pi", "boundary_similarity"], 2) == 0.23
    assert round(coefficients["G5", "pi", "segmentation_similarity"], 2) == 0.83


@pytest.mark.long
def test_salami_in_one_command(segscore: Segscore, tmp_path: Path) -> None:
    result = segscore("agree", DATA / "salami.jsonl", "--output", tmp_path / "run")
    assert result.code == 0
    assert "2,244 in = 1,762 scored + 8 rejected + 474 unpaired" in result.out
    assert "rows were rejected" in result.err
    rows = read_rows(tmp_path / "run", "agreement")
    assert {row["pairs"] for row in rows} == {881}
    assert all(row["ci_low"] <= row["value"] <= row["ci_high"] for row in rows)
    rejected = read_rows(tmp_path / "run", "rejects")
    assert {row["rule"] for row in rejected} == {"unique_document_coder"}
    alone = read_table(str(tmp_path / "run" / "unpaired"))
    assert alone.num_rows == 474


# --- Tables, groups, options ---------------------------------------------------------------------


@pytest.fixture
def moonstone(segscore: Segscore, tmp_path: Path) -> Path:
    """An audit by group."""
    run = tmp_path / "moonstone"
    options = ("--group-by", "group", "--output", run)
    assert segscore("agree", DATA / "moonstone.jsonl", *options).code == 0
    return run


def test_a_group_equals_an_audit_of_its_documents_alone(
    segscore: Segscore, tmp_path: Path, moonstone: Path
) -> None:
    lines = (DATA / "moonstone.jsonl").read_text().splitlines()
    group_lines = [line for line in lines if json.loads(line)["group"] == "G5"]
    (tmp_path / "g5.jsonl").write_text("\n".join(group_lines) + "\n")
    run = tmp_path / "g5"
    assert segscore("agree", tmp_path / "g5.jsonl", "--output", run).code == 0
    for name in ("agreement", "coders", "peers", "corpus"):
        rows = read_rows(moonstone, name)
        group = [row for row in rows if row.pop("group") == "G5"]
        alone = read_rows(run, name)
        for row in [*group, *alone]:
            for column in [name for name in row if "change" in name or "_coders" in name]:
                row.pop(column)  # of the group before, or of the same people in it
        assert group == alone, name


def test_boundary_types_are_ignored(segscore: Segscore, tmp_path: Path) -> None:
    plain = {"document_id": "d", "n_units": 9}
    rows = [
        {**plain, "coder": "a", "boundaries": [2, 2, 5], "boundary_types": [1, 2, 1]},
        {**plain, "coder": "b", "boundaries": [2, 6], "boundary_types": [1, 1]},
    ]
    write_rows(tmp_path / "typed.jsonl", rows)
    result = segscore("agree", tmp_path / "typed.jsonl", "--output", tmp_path / "run")
    assert result.code == 0
    assert "coefficients count each position once; the table types has" in result.err
    (pair,) = read_rows(tmp_path / "run", "pairs")
    assert (pair["boundaries"], pair["matches"], pair["near_misses"]) == (2, 1, 1)


@pytest.mark.first
@pytest.mark.parametrize(("window", "k"), [("per-run", 3), ("per-document", 2), ("5", 5)])
def test_windows(segscore: Segscore, tmp_path: Path, window: str, k: int) -> None:
    corpus = {
        "short": Document(12, {"a": [3, 6, 9], "b": [3, 6, 9]}),
        "long": Document(40, {"a": [10, 20, 30], "b": [10, 20, 30, 35]}),
    }
    write(tmp_path / "codings.jsonl", corpus)
    options = ("--window", window, "--output", tmp_path / "run")
    assert segscore("agree", tmp_path / "codings.jsonl", *options).code == 0
    rows = read_rows(tmp_path / "run", "pairs")
    windows = {row["document_id"]: row["window"] for row in rows}
    assert windows["short"] == k
    assert window == "per-document" or windows["long"] == k


def test_words(segscore: Segscore, tmp_path: Path) -> None:
    write(tmp_path / "codings.jsonl", {"d": Document(4, {"a": [1, 3], "b": [2]})})
    described = {"document_id": "d", "n_units": 4, "unit_lengths": [3, 1, 0, 6]}
    (tmp_path / "documents.jsonl").write_text(json.dumps(described) + "\n")
    options = ("--units", "words", "--documents", tmp_path / "documents.jsonl")
    run = tmp_path / "run"
    assert segscore("agree", tmp_path / "codings.jsonl", *options, "--output", run).code == 0
    (pair,) = read_rows(run, "pairs")
    assert (pair["n_units"], pair["matches"], pair["misses"]) == (10, 1, 1)


def test_a_choice_of_similarities(segscore: Segscore, tmp_path: Path) -> None:
    options = ("--similarity", "exact,two_category", "--output", tmp_path / "run")
    assert segscore("agree", DATA / "stargazer.jsonl", *options).code == 0
    rows = read_rows(tmp_path / "run", "agreement")
    assert {row["similarity"] for row in rows} == {"exact", "two_category"}


# --- The same bytes ------------------------------------------------------------------------------


def salami(folder: Path, count: int) -> Path:
    """Write a fifth of SALAMI's documents as so many Parquet files, not in their order."""
    rows = [json.loads(line) for line in (DATA / "salami.jsonl").read_text().splitlines()]
    some = {*sorted({row["document_id"] for row in rows})[::5]}
    rows = [row for row in rows if row["document_id"] in some]
    rows.sort(key=lambda row: (row["coder"], row["document_id"]))
    fields = {"document_id": pa.string(), "coder": pa.string(), "n_units": pa.int32()}
    schema = pa.schema({**fields, "boundaries": pa.list_(pa.int32())})
    (folder / f"in{count}").mkdir()
    for i in range(count):
        part = rows[i * len(rows) // count : (i + 1) * len(rows) // count]
        table = pa.Table.from_pylist(part, schema=schema)
        write_table(str(folder / f"in{count}" / f"{i}.parquet"), table)
    return folder / f"in{count}"


@pytest.mark.long
def test_bytes_are_the_same_on_any_workers(
    segscore: Segscore, tmp_path: Path, scheduler: str
) -> None:
    codings = salami(tmp_path, 3)
    segscore.cut(100)
    places = {
        "one": ("local", "--workers", 1),
        "four": ("local", "--workers", 4),
        "processes": ("processes", "--workers", 2),
        "cluster": (scheduler,),
    }
    for name, place in places.items():
        options = ("--output", tmp_path / name, "--cluster", *place)
        assert segscore("agree", codings, *options).code == 0
    expected = files(tmp_path / "one")
    assert sum(name.startswith("pairs/") for name in expected) > 1
    for name in places:
        assert files(tmp_path / name) == expected, name


@pytest.mark.long
def test_the_same_numbers_however_the_work_is_split(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []
    for count, rows, pairs in ((1, 9999, 99), (3, 60, 7), (2, 140, 50)):
        segscore.cut(rows)
        monkeypatch.setattr(block, "PAIRS_AT_ONCE", pairs)
        run = tmp_path / f"run{count}"
        assert segscore("agree", salami(tmp_path, count), "--output", run).code == 0
        tables = {name: read_rows(run, name) for name in MODELS}
        for name in ("pairs", "documents", "prominence", "agreement_index"):
            tables[name].sort(key=str)
        runs.append(tables)
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.long
def test_buckets_of_documents_are_resampled_alike(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above resampling.BUCKETS documents a part names resampling units by bucket, or by hash."""
    codings = salami(tmp_path, 1)
    runs = []
    monkeypatch.setattr(resampling, "BUCKETS", 120)
    for name, rows in (("whole", 9999), ("split", 160)):
        segscore.cut(rows)
        result = segscore("agree", codings, "--output", tmp_path / name)
        assert "ci:jackknife,120-buckets" in result.out
        runs.append(read_rows(tmp_path / name, "agreement"))
    assert runs[0] == runs[1]
    assert all(row["ci_low"] <= row["value"] <= row["ci_high"] for row in runs[0])


# --- Bad input -----------------------------------------------------------------------------------


TWO = {"d": Document(9, {"a": [2], "b": [3]})}


def test_coders_who_mark_nothing_agree(tmp_path: Path) -> None:
    corpus = {name: Document(10, {"x": (), "y": ()}) for name in "ab"}
    found = {
        (row["coefficient"], row["similarity"]): (row["actual"], row["expected"], row["value"])
        for row in audit_tables(tmp_path, corpus)["agreement"]
    }
    assert found["pi", "boundary_similarity"] == found["kappa", "exact"] == (1, 0, 1)
    assert found["pi", "two_category"] == (1, 1, None)


def test_a_corpus_without_two_coders_on_a_document_fails(
    segscore: Segscore, tmp_path: Path
) -> None:
    write(tmp_path / "codings.jsonl", {"d": Document(9, {"a": [2]}), "e": Document(9, {"b": [2]})})
    result = segscore("agree", tmp_path / "codings.jsonl", "--output", tmp_path / "run")
    assert result.code == 1
    assert "no document has two coders" in result.err
    assert "each document has one coding, and agreement needs two of a document" in result.err
    assert "Traceback" not in result.err
    assert [*(tmp_path / "run").iterdir()] == []
    write(tmp_path / "codings.jsonl", TWO)
    assert segscore("agree", tmp_path / "codings.jsonl", "--output", tmp_path / "run").code == 0


def test_a_limit_of_rejects_applies_to_a_finished_audit(segscore: Segscore, tmp_path: Path) -> None:
    plain = {"boundaries": [2], "n_units": 9}
    rows = [{"document_id": "d", "coder": coder, **plain} for coder in "ab"]
    rows.append({"document_id": "d", "coder": "c", **plain, "boundaries": [9]})
    write_rows(tmp_path / "codings.jsonl", rows)
    command = ("agree", tmp_path / "codings.jsonl", "--output", tmp_path / "run")
    assert segscore(*command).code == 0
    assert "already contains this run" in segscore(*command, "--max-rejects", 0.4).out
    result = segscore(*command, "--max-rejects", 0.3)
    assert result.code == 1
    assert "1 coding was rejected: it breaks boundaries_in_range, such as c for d" in result.err


def test_contradictions_are_rejected_by_name(segscore: Segscore, tmp_path: Path) -> None:
    plain = {"boundaries": [2], "n_units": 9}
    rows = [
        *({"document_id": "good", "coder": coder, **plain} for coder in "ab"),
        *({"document_id": "twice", "coder": coder, **plain} for coder in "abb"),
        {"document_id": "twice", "coder": "a", "n_units": 9, "boundaries": [3]},
        {"document_id": "sizes", "coder": "a", **plain},
        {"document_id": "sizes", "coder": "b", **plain, "n_units": 8},
        {"document_id": "range", "coder": "a", **plain, "boundaries": [9]},
    ]
    write_rows(tmp_path / "codings.jsonl", rows)
    result = segscore("agree", tmp_path / "codings.jsonl", "--output", tmp_path / "run")
    assert result.code == 0
    rejects = read_rows(tmp_path / "run", "rejects")
    assert [(row["row"], row["document_id"], row["rule"]) for row in rejects] == [
        (8, "range", "boundaries_in_range"),
        (2, "twice", "unique_document_coder"),
        (4, "twice", "exact_copy"),
        (5, "twice", "unique_document_coder"),
        (6, "sizes", "n_units_agree"),
        (7, "sizes", "n_units_agree"),
    ]
    assert "9 in = 2 scored + 5 rejected + 1 unpaired + 1 copy" in result.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--group-by", "genre"), "--group-by genre: no such attribute; available: none"),
        (("--expected", "mean"), "--expected mean: must be one of pooled, item"),
        (("--similarity", "b"), "--similarity b: must be one of boundary_similarity"),
        (("--as-published", "hearst"), "--as-published hearst: must be one of fournier2013"),
        (("--n-t", "0"), "--n-t 0: must be at least 1"),
        (("--units", "words"), "--units words needs --documents"),
        (("--documents", "missing"), "missing: no such file"),
    ],
)
def test_wrong_options(
    segscore: Segscore, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    write(tmp_path / "codings.jsonl", TWO)
    result = segscore("agree", tmp_path / "codings.jsonl", "--output", tmp_path / "run", *options)
    assert result.code == 2
    assert message in result.err
    assert not (tmp_path / "run").exists()


def test_an_attribute_named_like_a_column_is_refused(segscore: Segscore, tmp_path: Path) -> None:
    write(tmp_path / "codings.jsonl", TWO, peer={"d": "x"})
    result = segscore("agree", tmp_path / "codings.jsonl", "--output", tmp_path / "run")
    assert result.code == 2
    assert "the attribute column peer has the same name as a column" in result.err


def test_attributes_may_be_named_like_summed_counts(segscore: Segscore, tmp_path: Path) -> None:
    write(tmp_path / "codings.jsonl", TWO, unit={"d": "x"}, panel={"d": "y"})
    options = ("--group-by", "unit,panel", "--output", tmp_path / "run")
    assert segscore("agree", tmp_path / "codings.jsonl", *options).code == 0
    rows = read_rows(tmp_path / "run", "corpus")
    assert [(row["unit"], row["panel"]) for row in rows] == [(None, None), ("x", "y")]


def test_a_damaged_intermediate_file_is_reported(segscore: Segscore, tmp_path: Path) -> None:
    codings = salami(tmp_path, 3)
    segscore.cut(100)
    bad = (codings / "1.parquet").read_bytes()
    middle = len(bad) // 2
    (codings / "1.parquet").write_bytes(bad[:middle] + bytes(600) + bad[middle + 600 :])
    result = segscore("agree", codings, "--output", tmp_path / "run")
    assert result.code in (1, 2)
    assert "1.parquet" in result.err
    assert "Traceback" not in result.err
    assert shuffle.FOLDER not in {path.name for path in tmp_path.glob("run/*")}


# --- Reported by a reader ------------------------------------------------------------------------


def test_one_pair_of_coders_has_no_interval(folders: Iterator[Path]) -> None:
    corpus = {
        "d": Document(30, {"a": [1, 2, 9, 20], "b": [1, 10, 20]}),
        "e": Document(30, {"a": [5, 12, 20]}),
        "f": Document(30, {"a": [5, 12, 20]}),
    }
    tables = audit_tables(next(folders), corpus)
    assert all(row["ci_low"] is None for row in tables["agreement"])


def test_expected_agreement_of_1_leaves_coefficients_undefined(folders: Iterator[Path]) -> None:
    """Undefined however the sums are rounded: by documents' rates, and with a coder left out."""
    certain = {
        "d": Document(4, {"a": [1], "b": [2]}),
        "e": Document(4, {"a": [1, 2, 3], "b": [1, 2, 3]}),
    }
    tables = audit_tables(next(folders), certain, as_published="fournier2013")
    values = {(row["coefficient"], row["similarity"]): row["value"] for row in tables["agreement"]}
    assert values["pi", "boundary_similarity"] is None
    everywhere = list(range(1, 10))
    three_coders = {"d": Document(10, {"a": everywhere, "b": everywhere, "x": everywhere[:6]})}
    coders = {row["coder"]: row for row in audit_tables(next(folders), three_coders)["coders"]}
    assert coders["x"]["without_pi_boundary_similarity"] is None


def test_equal_coders_have_no_deviation(folders: Iterator[Path]) -> None:
    (document,) = audit_tables(next(folders), {"d": Document(6, {coder: [3] for coder in "abc"})})[
        "documents"
    ]
    assert (document["pk_sd"], document["window_diff_sd"]) == (0.0, 0.0)


def grouped(folder: Path, values: Sequence[tuple[object, ...]]) -> Path:
    """Write a document for each tuple, with the value of ``g`` of each of its codings."""
    lines = [
        {"document_id": f"d{n}", "coder": f"c{k}", "n_units": 9, "boundaries": [2 + k], "g": g}
        for n, of_document in enumerate(values)
        for k, g in enumerate(of_document)
    ]
    write_rows(folder / "codings.jsonl", lines)
    return folder / "codings.jsonl"


@pytest.mark.parametrize("values", [[("x", "x")] * 3, [(None, None)] * 3])
def test_documents_without_a_group_are_counted(
    segscore: Segscore, tmp_path: Path, values: list[tuple[object, ...]]
) -> None:
    number = sum(None in pair for pair in values)
    codings = grouped(tmp_path, [*values, ("z", None)])
    result = segscore("agree", codings, "--group-by", "g", "--output", tmp_path / "run")
    assert result.code == 0
    assert f"{number + 1} of {len(values) + 1} documents are in no group, such as " in result.err
    where = "; if --documents has the values, see whether its ids are "
    assert (where in result.err) is (number == len(values))


@pytest.mark.first
@pytest.mark.parametrize(
    "values",
    [
        [("act", "act", "beat", "beat")],
        [("act", "beat"), ("beat", "act", None), ("act", "act"), ("beat",)],
        [(1, 2), (3, 4), (1, 1), (4, 4)],
        [("x", "y"), ("x", "x"), ("x", "x"), ("x", "x")],
    ],
)
def test_layers_of_a_document_are_not_mixed(
    segscore: Segscore, tmp_path: Path, values: list[tuple[object, ...]]
) -> None:
    """Two who agree on acts and two who agree on beats were said to agree little."""
    codings = grouped(tmp_path, values)
    result = segscore("agree", codings, "--group-by", "g", "--output", tmp_path / "run")
    assert (result.code, result.out) == (2, "")
    differing = [pair for pair in values if len({*pair} - {None}) > 1]
    several = sum(len(pair) > 1 for pair in values)
    assert f"--group-by g: in {len(differing)} of {several} document" in result.err
    one, other = sorted(str(value) for value in {*differing[0]} - {None})
    assert f"such as {one} and {other} in d0; groups are of documents" in result.err
    assert f"write it into document_id, such as d0/{one} and d0/{other}" in result.err
    described = tmp_path / "documents.csv"
    described.write_text("document_id,g\n" + "".join(f"d{n},x\n" for n in range(len(values))))
    options = ("--group-by", "g", "--documents", described, "--output", tmp_path / "described")
    assert segscore("agree", codings, *options).code == 0


def test_attributes_that_are_lists(segscore: Segscore, tmp_path: Path) -> None:
    table = pa.Table.from_pylist(
        [
            {"document_id": "d", "coder": coder, "n_units": 9, "boundaries": [2], "tags": ["x"]}
            for coder in "ab"
        ]
    )
    write_table(str(tmp_path / "codings.parquet"), table)
    options = ("--output", tmp_path / "run")
    assert segscore("agree", tmp_path / "codings.parquet", *options).code == 0
    message = segscore("agree", tmp_path / "codings.parquet", "--group-by", "tags", *options)
    assert message.code == 2
    assert "cannot group by values of type" in message.err


def test_a_table_without_rows_of_the_role_is_refused(segscore: Segscore, tmp_path: Path) -> None:
    line = {"document_id": "d", "coder": "s", "role": "hypothesis", "n_units": 9, "boundaries": []}
    (tmp_path / "codings.jsonl").write_text(json.dumps(line) + "\n")
    result = segscore("agree", tmp_path / "codings.jsonl", "--output", tmp_path / "run")
    assert result.code == 2
    assert "contains no coding; rows with the role hypothesis do not count" in result.err


def test_lost_boundaries_are_counted_in_words(segscore: Segscore, tmp_path: Path) -> None:
    write(tmp_path / "codings.jsonl", {"d": Document(5, {"a": [1], "b": [2]})})
    described = {"document_id": "d", "n_units": 5, "unit_lengths": [0, 0, 0, 0, 7]}
    (tmp_path / "documents.jsonl").write_text(json.dumps(described) + "\n")
    options = ("--units", "words", "--documents", tmp_path / "documents.jsonl")
    run = tmp_path / "run"
    assert segscore("agree", tmp_path / "codings.jsonl", *options, "--output", run).code == 0
    (document,) = read_rows(run, "documents")
    assert document["collapsed_boundaries"] == 2


def test_near_misses_of_any_distance_terminate(segscore: Segscore, tmp_path: Path) -> None:
    everywhere = list(range(1, 20_000))
    write(tmp_path / "codings.jsonl", {"d": Document(20_000, {"a": everywhere, "b": [7]})})
    options = ("--n-t", 2**31 - 1, "--output", tmp_path / "run")
    assert segscore("agree", tmp_path / "codings.jsonl", *options).code == 0


@pytest.mark.first
@pytest.mark.parametrize("name", ["meta.csv", "meta.parquet", "meta.jsonl"])
def test_attributes_may_be_in_a_plain_table(segscore: Segscore, tmp_path: Path, name: str) -> None:
    corpus = {
        f"d{number}": Document(9, {"ann": (3,), "ben": (3 + number % 2,)}) for number in range(6)
    }
    write(tmp_path / "codings.jsonl", corpus)
    groups = [*"xxyyy", None]
    if name == "meta.csv":
        lines = ["document_id;group", *(f"d{n};{group or ''}" for n, group in enumerate(groups))]
        (tmp_path / name).write_text("\n".join(lines))
    elif name == "meta.jsonl":
        attributes = zip(corpus, groups, strict=True)
        write_rows(tmp_path / name, ({"document_id": d, "group": group} for d, group in attributes))
    else:
        table = pa.table({"document_id": [*corpus], "group": groups})
        write_table(str(tmp_path / name), table)
    options = ("--documents", tmp_path / name, "--group-by", "group", "--output", tmp_path / "run")
    result = segscore("agree", tmp_path / "codings.jsonl", *options)
    assert result.code == 0, result.err
    rows = read_rows(tmp_path / "run", "corpus")
    assert {row["group"]: row["documents"] for row in rows} == {None: 6, "x": 2, "y": 3}
    assert "1 of 6 documents are in no group, such as " in result.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("document_id,group\nd,x\nd,y\n", "d is there 2 times; a document has one row"),
        ("document_id\nd\n", "expected document_id and attributes of documents"),
        ("document_id,group,group\nd,x,y\n", "two columns have one name; rename one"),
        ("document_id,group\nd\n", "row 2 has 1 cells; the header has 2"),
    ],
)
def test_a_plain_table_that_is_wrong_is_refused(
    segscore: Segscore, tmp_path: Path, text: str, message: str
) -> None:
    write(tmp_path / "codings.jsonl", {"d": Document(9, {"ann": (3,), "ben": (4,)})})
    (tmp_path / "meta.csv").write_text(text)
    options = ("--documents", tmp_path / "meta.csv", "--output", tmp_path / "run")
    result = segscore("agree", tmp_path / "codings.jsonl", *options)
    assert result.code == 2
    assert message in result.err


def test_a_table_for_a_paper(segscore: Segscore, tmp_path: Path) -> None:
    options = ("--group-by", "group", "--output", tmp_path / "run")
    result = segscore("agree", DATA / "moonstone.jsonl", *options, "--format", "latex")
    assert result.code == 0, result.err
    about = "Agreement between coders; B is boundary similarity"
    assert rf"\caption{{{about}; 95 \% intervals in brackets.}}" in result.out
    assert r"\label{tab:agreement-between-coders}" in result.out
    assert "group & documents & coders & pi (B) & kappa (B) & alpha \\\\\n" in result.out
    assert "\nall & " in result.out
    assert "\nG5 & " in result.out
