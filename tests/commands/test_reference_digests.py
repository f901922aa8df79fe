"""References are compared by their content: whoever wrote them, and whatever else agrees."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.compute as pc
import pytest

from segscore.pipeline.storage import read_table
from tests.oracles import naive_digests
from tests.support.command_line import Segscore
from tests.support.comparisons import Row, line, refusal_line, scored
from tests.support.corpora import Corpus, corpus, run
from tests.support.rows import read_rows

QUICK = ("--permutations", 0, "--measure", "boundary_similarity")
N_UNITS = 60


def drawn(seed: int, documents: int = 40) -> list[list[int]]:
    draw = Random(seed)  # noqa: S311
    return [sorted(draw.sample(range(2, N_UNITS - 1), 6)) for _ in range(documents)]


def rows(references: list[list[int]], system: str, **more: Any) -> list[Row]:
    """One reference and one hypothesis a document; the hypotheses of a system are always equal."""
    return [
        row | more
        for d, boundaries in enumerate(references)
        for row in (
            line(f"d{d}", "desk", "reference", boundaries, N_UNITS),
            line(f"d{d}", system, "hypothesis", drawn(9)[d], N_UNITS),
        )
    ]


@pytest.fixture
def first(segscore: Segscore, tmp_path: Path) -> Path:
    return scored(segscore, tmp_path / "first", rows(drawn(1), "a"))


def moved(references: list[list[int]]) -> list[list[int]]:
    return [[position + 1 for position in boundaries] for boundaries in references]


@pytest.mark.first
@pytest.mark.parametrize("other", [moved(drawn(1)), drawn(2)], ids=["moved by one", "unrelated"])
@pytest.mark.parametrize("more", [(), ("--measures", "boundary_similarity")])
def test_other_references_share_no_document(
    segscore: Segscore, tmp_path: Path, other: list[list[int]], more: tuple[str, ...]
) -> None:
    runs = [
        scored(segscore, tmp_path / system, rows(references, system), *more)
        for system, references in (("a", drawn(1)), ("b", other))
    ]
    message = refusal_line(segscore("compare", *runs, *QUICK))
    assert message.endswith(
        ": a, b share no document with the same references; 40 documents have other references in "
        "one run than in another: d0, d1, d10 and 37 more"
    )


def test_some_other_references_are_left_out_counted_and_named(
    segscore: Segscore, tmp_path: Path, first: Path
) -> None:
    references = drawn(1)
    references[7:9] = moved(references[7:9])
    second = scored(segscore, tmp_path / "second", rows(references, "b"))
    output = tmp_path / "compared"
    result = segscore("compare", first, second, *QUICK, "--output", output)
    assert result.code == 0, result.err
    warning = (
        "2 documents have other references in one run than in another: d7 and d8; "
        "they were left out"
    )
    assert warning in result.err
    record = json.loads((output / "run.json").read_text())
    assert record["warnings"] == [warning]
    (pair,) = read_table(str(output / "comparisons")).filter(
        pc.field("average") == "macro"
    ).to_pylist() or [{}]
    assert pair["documents"] == 38


def test_types_alone_make_another_reference(segscore: Segscore, tmp_path: Path) -> None:
    runs = []
    for system, types in (("a", [1, 1, 2, 2, 1, 1]), ("b", [1, 1, 2, 2, 1, 2])):
        typed = rows(drawn(1), system, boundary_types=types)
        runs.append(scored(segscore, tmp_path / system, typed))
    message = refusal_line(segscore("compare", *runs, *QUICK))
    assert "40 documents have other references" in message


def test_references_exchanged_between_coders_are_other_references(
    segscore: Segscore, tmp_path: Path
) -> None:
    runs = []
    for system, coders in (("a", ("x", "y")), ("b", ("y", "x"))):
        given = rows(drawn(1, 5), system)
        given += [row | {"coder": coders[0]} for row in given if row["role"] == "reference"]
        for row, other in zip(given[:10:2], drawn(2, 5), strict=True):
            row |= {"coder": coders[1], "boundaries": other}
        runs.append(scored(segscore, tmp_path / system, given))
    assert "5 documents have other references" in refusal_line(segscore("compare", *runs, *QUICK))
    panels = (*QUICK[:-1], "win_diff_prime")
    assert "5 documents have other references" in refusal_line(segscore("compare", *runs, *panels))


def test_runs_of_an_earlier_version_are_compared_with_a_warning(
    segscore: Segscore, tmp_path: Path, first: Path
) -> None:
    second = scored(segscore, tmp_path / "second", rows(moved(drawn(1)), "b"))
    record = json.loads((second / "run.json").read_text())
    del record["schema"]  # runs before 0.3 have none
    (second / "run.json").write_text(json.dumps(record))
    result = segscore("compare", first, second, *QUICK, "--measure", "boundary_similarity,pk")
    assert result.code == 0, result.err
    assert result.err.count("could not be checked") == 1


@pytest.mark.first
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "parts"])
@pytest.mark.parametrize("options", [(), ("--units", "words"), ("--consensus", "0.5,any")])
def test_column_and_fingerprint_equal_the_twin(
    segscore: Segscore,
    tmp_path: Path,
    options: tuple[str, ...],
    whole: bool,
) -> None:
    """Rejected references do not count; references without a hypothesis do."""
    generated = corpus(seed=5, documents=30)
    alone = [row for row in generated.hypotheses if row["document_id"] != "d3"]
    accepted = [*generated.references]
    twice = {**accepted[0], "document_id": "d3", "coder": "twice"}
    length = next(row["n_units"] for row in accepted if row["document_id"] == "d3")
    twice |= {"n_units": length, "boundaries": []}
    other = {**twice, "boundaries": [1]}
    Corpus([*accepted, twice, other], alone, generated.documents).write(tmp_path, files=2)
    if not whole:
        segscore.cut(9)
    record = run(segscore, tmp_path, tmp_path / "run", *options)
    assert record["rows"]["references"]["rejected"] == 2
    assert record["test_set"]["fingerprint"] == naive_digests.fingerprint(accepted)
    expected = {(row["document_id"], row["coder"]): naive_digests.column(row) for row in accepted}
    scores = read_rows(tmp_path / "run", "scores")
    compared = [row for row in scores if not row["reference"].startswith("consensus:")]
    assert compared
    for row in compared:
        assert row["reference_digest"] == expected[row["document_id"], row["reference"]]
    for row in scores:
        if row["reference"] == "consensus:any":
            codings = [one for one in accepted if one["document_id"] == row["document_id"]]
            marked = {position for one in codings for position in one["boundaries"]}
            merged = {"n_units": codings[0]["n_units"], "boundaries": sorted(marked)}
            assert row["reference_digest"] == naive_digests.column(merged)
