"""Pseudo-coders: how often each error is made, and draws that depend on the document alone."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251  (writes what the storage module never would)
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.agreement import simulate as simulating
from segscore.pipeline.agreement.settings import SimulateSettings
from segscore.pipeline.agreement.simulate import (
    SegmentSizes,
    segment_sizes,
    simulate_codings,
)
from segscore.pipeline.arrays.ragged import from_lists
from segscore.pipeline.errors import Refused
from tests.support.chances import evenness
from tests.support.command_line import Segscore
from tests.support.paths import DATA
from tests.support.rows import write_rows

Rows = list[dict[str, Any]]
TRUE = SimulateSettings(near_miss=0, full_miss=0, coders=1)
ALL_BITS = 2**64 - 1
SETTINGS = st.builds(
    SimulateSettings,
    coders=st.integers(1, 4),
    near_miss=st.sampled_from([0, 0.1, 0.5]),
    full_miss=st.sampled_from([0, 0.2, 0.5]),
    added=st.sampled_from([0, 0.5, 1]),
    n_t=st.integers(2, 6),
    units=st.none() | st.integers(1, 60),
    random=st.booleans(),
    seed=st.integers(0, ALL_BITS),
)
SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=8)


def corpus(sizes: Sequence[int], segments: int = 5) -> SegmentSizes:
    return SegmentSizes(np.sort(np.array(sizes, np.int64)), segments)


def simulated_rows(
    settings: SimulateSettings, sizes: Sequence[int], documents: int, segments: int = 5
) -> Rows:
    """Simulate the first documents."""
    rows: Rows = simulate_codings(corpus(sizes, segments), settings, 0, documents).to_pylist()
    return rows


def row_sizes(row: dict[str, Any]) -> list[int]:
    """Segment sizes of a row."""
    return [b - a for a, b in pairwise([0, *row["boundaries"], row["n_units"]])]


def mix(number: int) -> int:
    """Apply the finaliser of splitmix64."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & ALL_BITS
    number = (number ^ number >> 27) * 0x94D049BB133111EB & ALL_BITS
    return number ^ number >> 31


def chances(seed: int, document: int, coder: int) -> Callable[[], float]:
    """Return a generator of a coder's random numbers for a document; coder 0 is the truth."""
    golden = 0x9E3779B97F4A7C15
    start = mix((mix((mix((seed + golden) & ALL_BITS) + document) & ALL_BITS) + coder) & ALL_BITS)
    count = 0

    def chance() -> float:
        nonlocal count
        count += 1
        return (mix((start + count * golden) & ALL_BITS) >> 11) / 2**53

    return chance


def twin_segments(
    chance: Callable[[], float], sizes: list[int], segments: int, longest: float
) -> tuple[int, list[int]]:
    """Return units and boundaries of a random segmentation."""
    ends: list[int] = []
    while len(ends) < segments and sum(ends[-1:]) < longest:
        ends.append(sum(ends[-1:]) + sizes[int(chance() * len(sizes))])
    return int(min(ends[-1], longest)), ends[:-1]


def twin_coding(
    chance: Callable[[], float], n_units: int, truth: list[int], settings: SimulateSettings
) -> list[int]:
    """Return a pseudo-coder's version of a true segmentation."""
    coded: list[int] = []
    extra = 0
    for before, position, after in zip([0, *truth], truth, [*truth[1:], n_units], strict=False):
        what, how = chance(), chance()
        if what < settings.near_miss:
            beside = [
                place
                for place in range(before + 1, after)
                if 1 <= abs(place - position) < settings.n_t and place > max([0, *coded])
            ]
            coded.append(beside[int(how * len(beside))] if beside else position)
        elif what < settings.near_miss + settings.full_miss:
            if how < settings.added:
                coded.append(position)
                extra += 1
        else:
            coded.append(position)
    free = set(range(1, n_units)) - {*truth, *coded}
    for _ in range(min(extra, len(free))):
        place = 0
        while place not in free:
            place = 1 + int(chance() * (n_units - 1))
        free.remove(place)
        coded.append(place)
    return sorted(coded)


def twin(settings: SimulateSettings, sizes: list[int], documents: int, segments: int) -> Rows:
    """Simulate the first documents, slowly."""
    rows = []
    pool, limit = sorted(sizes), float(settings.units or "inf")
    for d in range(documents):
        most = segments if settings.units is None else 10**9
        n_units, truth = twin_segments(chances(settings.seed, d, 0), pool, most, limit)
        for c in range(settings.coders):
            chance = chances(settings.seed, d, c + 1)
            if settings.random:
                boundaries = twin_segments(chance, pool, 10**9, n_units)[1]
            else:
                boundaries = twin_coding(chance, n_units, truth, settings)
            rows.append(
                {
                    "document_id": f"simulated-{d:06d}",
                    "coder": f"coder-{c:02d}",
                    "n_units": n_units,
                    "boundaries": boundaries,
                }
            )
    return rows


@given(SETTINGS, SIZES, st.integers(1, 8))
def test_draws_equal_those_of_the_slow_twin(
    settings: SimulateSettings, sizes: list[int], segments: int
) -> None:
    assert simulated_rows(settings, sizes, 4, segments) == twin(settings, sizes, 4, segments)


@given(SETTINGS, SIZES)
def test_every_row_is_a_segmentation(settings: SimulateSettings, sizes: list[int]) -> None:
    for row in simulated_rows(settings, sizes, 20):
        assert min(row_sizes(row)) >= 1
        assert row["n_units"] == (settings.units or row["n_units"])


@given(SETTINGS, st.integers(0, 30), st.integers(1, 5))
def test_a_documents_draws_do_not_depend_on_other_documents(
    settings: SimulateSettings, first: int, documents: int
) -> None:
    """The draws are the same alone, in another part, or beside other coders."""
    pool = corpus([2, 3, 5, 9])
    whole = simulate_codings(pool, settings, 0, 40).to_pylist()
    coders = settings.coders
    part = simulate_codings(pool, settings, first, documents).to_pylist()
    assert part == whole[first * coders : (first + documents) * coders]
    alone = simulate_codings(pool, replace(settings, coders=1), 0, 40).to_pylist()
    assert alone == whole[::coders]


def test_the_draws_do_not_change_between_versions() -> None:
    """The same seed gives the same codings in every version."""
    sizes = [4, 5, 6, 9]
    coders = replace(TRUE, coders=3, near_miss=0.3, full_miss=0.3)
    drawn = {
        way: [row["boundaries"] for row in simulated_rows(settings, sizes, 1)]
        for way, settings in {
            "truth": TRUE,
            "coders": coders,
            "random": replace(coders, random=True, units=30),
        }.items()
    }
    assert drawn == {
        "truth": [[4, 9, 15, 19]],
        "coders": [[3, 10, 12, 15, 19], [5, 6, 9, 16, 19], [3, 9, 15, 18, 19]],
        "random": [[4, 9, 13, 19, 25], [4, 10, 16, 20, 25], [4, 8, 17, 23, 29]],
    }


def test_seeds_documents_and_coders_differ() -> None:
    settings = SimulateSettings(coders=2, units=300, random=True)
    rows = [tuple(row["boundaries"]) for row in simulated_rows(settings, [3, 4, 5, 20], 50)]
    other = simulated_rows(replace(settings, seed=1), [3, 4, 5, 20], 50)
    assert len({*rows, *(tuple(row["boundaries"]) for row in other)}) == 200


def sampling_bound(draws: int) -> float:
    """Largest deviation of a share of draws from its probability.

    Hoeffding 1963: with n draws it is farther than t with a chance of at most 2 exp(-2 n t^2); here
    one in a billion.
    """
    return sqrt(log(2e9) / (2 * draws))


def test_sizes_are_as_frequent_as_in_the_corpus() -> None:
    sizes = [3, 3, 3, 7, 7, 20]
    rows = simulated_rows(TRUE, sizes, 4000)
    assert {len(row["boundaries"]) for row in rows} == {4}
    counts = Counter(size for row in rows for size in row_sizes(row))
    assert set(counts) == set(sizes)
    for size, times in Counter(sizes).items():
        assert abs(counts[size] / 20_000 - times / 6) < sampling_bound(20_000)


@pytest.mark.parametrize("random", [False, True])
def test_a_given_length_only_shortens_the_last_segment(random: bool) -> None:
    rows = simulated_rows(replace(TRUE, units=100, random=random), [3, 7, 20], 500)
    assert {row["n_units"] for row in rows} == {100}
    assert {size for row in rows for size in row_sizes(row)[:-1]} == {3, 7, 20}
    assert max(row_sizes(row)[-1] for row in rows) <= 20


def test_random_coders_divide_the_text_of_their_document() -> None:
    settings = SimulateSettings(random=True, coders=4)
    texts = simulated_rows(TRUE, [3, 7, 20], 200)
    rows = simulated_rows(settings, [3, 7, 20], 200)
    assert [row["n_units"] for row in rows[::4]] == [row["n_units"] for row in texts]
    assert {size for row in rows for size in row_sizes(row)[:-1]} == {3, 7, 20}


@pytest.mark.first
@pytest.mark.parametrize("near", [0, 0.15, 0.6])
@pytest.mark.parametrize("full", [0, 0.3])
@pytest.mark.parametrize("added", [0, 0.25, 1])
def test_errors_are_as_frequent_as_requested(near: float, full: float, added: float) -> None:
    """In segments of 2 n_t units every near miss fits, so each boundary is an independent draw.

    A true boundary that a coder does not have was moved or omitted; one of the coder's that is not
    true was moved or added.
    """
    settings = SimulateSettings(coders=5, near_miss=near, full_miss=full, added=added, n_t=3)
    sizes = [6, 7, 40]
    texts = [set(row["boundaries"]) for row in simulated_rows(TRUE, sizes, 1000)]
    coded = [set(row["boundaries"]) for row in simulated_rows(settings, sizes, 1000)]
    lost = sum(len(texts[i // 5] - row) for i, row in enumerate(coded))
    new = sum(len(row - texts[i // 5]) for i, row in enumerate(coded))
    draws = 4 * len(coded)
    assert abs(lost / draws - (near + full * (1 - added))) < sampling_bound(draws)
    assert abs(new / draws - (near + full * added)) < sampling_bound(draws)


def test_probabilities_of_0_and_1_are_certain() -> None:
    """With probability 1 every boundary is missed in the one way or the other; with 0 none is."""
    sizes = [6, 9]
    every = replace(TRUE, coders=3)
    ways = (
        every,
        replace(every, full_miss=1, added=0),
        replace(every, full_miss=1, added=1),
        replace(every, near_miss=1),
    )
    truth = [row["boundaries"] for row in simulated_rows(TRUE, sizes, 50) for _ in range(3)]
    coded = [[row["boundaries"] for row in simulated_rows(way, sizes, 50)] for way in ways]
    for true, same, none, more, beside in zip(truth, *coded, strict=True):
        assert same == true
        assert none == []
        assert set(true) < set(more)
        assert len(more) == 8
        assert {abs(b - a) for a, b in zip(true, beside, strict=True)} == {1}


def test_boundaries_without_room_are_not_moved() -> None:
    for settings in (replace(TRUE, near_miss=1, n_t=9), replace(TRUE, full_miss=1, added=1)):
        for row in simulated_rows(settings, [1], 5):
            assert row["boundaries"] == [1, 2, 3, 4]
    full = [
        len(row["boundaries"])
        for row in simulated_rows(replace(TRUE, full_miss=1, added=1), [1, 2], 50)
    ]
    units = [row["n_units"] for row in simulated_rows(TRUE, [1, 2], 50)]
    assert full == [min(n_units - 1, 4 + 4) for n_units in units]


def test_near_misses_are_uniform_over_positions_in_reach() -> None:
    rows = simulated_rows(replace(TRUE, near_miss=1, n_t=4), [20], 30_000, segments=2)
    counts = Counter(tuple(row["boundaries"]) for row in rows)
    assert set(counts) == {(p,) for p in (17, 18, 19, 21, 22, 23)}
    assert abs(evenness(counts, 6)) < 4


@pytest.mark.long
def test_added_boundaries_are_uniform_over_positions() -> None:
    rows = simulated_rows(replace(TRUE, full_miss=1, added=1), [5], 30_000, segments=2)
    counts = Counter(tuple(row["boundaries"]) for row in rows)
    assert set(counts) == {tuple(sorted((5, p))) for p in range(1, 10) if p != 5}
    assert abs(evenness(counts, 8)) < 4


def test_segment_sizes_are_pooled() -> None:
    units = np.array([10, 6, 4], np.int32)
    # Two types at one position are one cut; 13 sizes of 3 codings are 2.67 a coding.
    pooled = segment_sizes(units, from_lists([[3, 3, 5], [1, 2], []]))
    assert pooled.sizes.tolist() == [1, 1, 2, 3, 4, 4, 5]
    assert pooled.segments == 2
    assert segment_sizes(units[:2], from_lists([[1, 2], [1, 2]])).segments == 3
    assert segment_sizes(units[:2], from_lists([[1], [1, 2]])).segments == 2  # half to even


LINE = {"document_id": "d", "coder": "a", "n_units": 10, "boundaries": [3, 7]}


def table(path: Path, *rows: dict[str, Any]) -> Path:
    """A JSONL table."""
    return write_rows(path, rows)


def parts(folder: Path) -> list[pa.Table]:
    return [pq.read_table(path) for path in sorted((folder / "codings").iterdir())]


def test_a_real_corpus_is_simulated_and_scored(segscore: Segscore, tmp_path: Path) -> None:
    """Only the references of a table with hypotheses are read; `score` reads the result."""
    lines = [json.loads(line) for line in (DATA / "tinyrec.jsonl").read_text().splitlines()]
    sizes = {size for row in lines if row["role"] == "reference" for size in row_sizes(row)}
    options = ("--documents", 40, "--seed", 3)
    truth = ("--coders", 1, "--near-miss", 0, "--full-miss", 0)
    for folder, more in (("codings", ()), ("truth", truth)):
        result = segscore(
            "simulate",
            "coders",
            DATA / "tinyrec.jsonl",
            "--output",
            tmp_path / folder,
            *options,
            *more,
        )
        assert (result.code, result.err) == (0, "")
    (coded,) = parts(tmp_path / "truth")
    assert {size for row in coded.to_pylist() for size in row_sizes(row)} <= sizes
    assert segscore("validate", tmp_path / "codings").code == 0
    record = json.loads((tmp_path / "codings" / "simulation.json").read_text())
    assert (record["settings"]["seed"], record["rows"]["rejected"]) == (3, 0)
    scored = segscore(
        "score", tmp_path / "truth" / "codings", tmp_path / "codings" / "codings",
        "--output", tmp_path / "run",
    )  # fmt: skip
    assert scored.code == 0, scored.err
    rows = json.loads((tmp_path / "run" / "run.json").read_text())["rows"]
    assert rows["hypotheses"] == {"in": 400, "scored": 400, "rejected": 0, "unpaired": 0}


def test_a_longer_simulation_begins_with_the_shorter_one(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulating, "CODINGS_PER_PART", 80)
    source = table(tmp_path / "one.jsonl", LINE)

    def run(name: str, documents: int) -> list[bytes]:
        options = ("--output", tmp_path / name, "--documents", documents, "--coders", 3)
        assert segscore("simulate", "coders", source, *options).code == 0
        return [path.read_bytes() for path in sorted((tmp_path / name / "codings").iterdir())]

    first = run("a", 78)
    assert len(first) == 3
    assert run("b", 78) == first
    assert run("c", 156)[:3] == first
    monkeypatch.setattr(simulating, "CODINGS_PER_PART", 1000)
    run("d", 100)
    whole = pa.concat_tables(parts(tmp_path / "a"))
    assert pa.concat_tables(parts(tmp_path / "d")).slice(0, 78 * 3).equals(whole)


def test_long_documents_are_split_into_small_parts(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulating, "BOUNDARIES_PER_PART", 1000)
    source = table(tmp_path / "one.jsonl", LINE)
    options = ("--output", tmp_path / "out", "--documents", 10, "--coders", 2, "--units", 400)
    assert segscore("simulate", "coders", source, *options).code == 0
    assert [part.num_rows for part in parts(tmp_path / "out")] == [8, 8, 4]


def test_broken_rows_are_left_out_with_a_warning(segscore: Segscore, tmp_path: Path) -> None:
    broken = [{**LINE, "coder": "b", "boundaries": [7, 3]}, {**LINE, "coder": "c", "n_units": 0}]
    source = table(tmp_path / "some.jsonl", LINE, *broken)
    result = segscore("simulate", "coders", source, "--output", tmp_path / "out", "--documents", 2)
    assert result.code == 0
    assert result.err.startswith(f"warning: 2 of 3 rows rejected, the first: {source}:2 (d, b): ")
    assert result.err.count("\n") == 1
    assert {size for row in parts(tmp_path / "out")[0].to_pylist() for size in row_sizes(row)}

    none = segscore("simulate", "coders", table(source, *broken), "--output", tmp_path / "none")
    assert none.code == 2
    assert none.err.startswith(f"segscore: error: {source}: 2 of 2 rows rejected, the first: ")
    assert not (tmp_path / "none").exists()


WRONG = {
    "--documents 0": "must be at least 1",
    "--coders 0": "must be at least 1",
    "--coders 131073": "at most 131072",
    "--near-miss -0.1": "must lie in [0, 1]",
    "--near-miss nan": "must lie in [0, 1]",
    "--full-miss 1.1": "must lie in [0, 1]",
    "--near-miss 0.6 --full-miss 0.5": "must add up to at most 1",
    "--added 2": "must lie in [0, 1]",
    "--n-t 1": "must be at least 2",
    "--units 0": "must be at least 1",
    "--seed -1": "must be at least 0",
    "--output=": "is empty",
}


@pytest.mark.parametrize("options", WRONG)
def test_wrong_options(segscore: Segscore, tmp_path: Path, options: str) -> None:
    source = table(tmp_path / "one.jsonl", LINE)
    result = segscore("simulate", "coders", source, "--output", tmp_path / "out", *options.split())
    assert result.code == 2
    assert result.err.startswith(f"segscore: error: {options.split('=')[0]}")
    assert WRONG[options] in result.err
    assert result.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_wrong_input(segscore: Segscore, tmp_path: Path) -> None:
    (tmp_path / "no.parquet").write_text("PAR1, not really")
    (tmp_path / "no.jsonl").write_text('{"document_id": \n')
    table(tmp_path / "hyp.jsonl", {**LINE, "role": "hypothesis"})
    for name in ("missing.jsonl", "no.parquet", "no.jsonl", "hyp.jsonl"):
        result = segscore("simulate", "coders", tmp_path / name, "--output", tmp_path / "out")
        assert result.code == 2
        assert result.err.startswith("segscore: error: ")
        assert name in result.err
        assert result.err.count("\n") == 1
        assert not (tmp_path / "out").exists()


def test_a_simulation_is_not_overwritten(segscore: Segscore, tmp_path: Path) -> None:
    source = table(tmp_path / "one.jsonl", LINE)
    assert segscore("simulate", "coders", source, "--output", tmp_path / "out").code == 0
    again = segscore("simulate", "coders", source, "--output", tmp_path / "out")
    assert again.code == 2
    assert "already contains codings; choose another folder" in again.err


@pytest.mark.long
def test_documents_too_long_to_count_are_refused() -> None:
    with pytest.raises(Refused, match="limit them with --units"):
        simulated_rows(TRUE, [2**30], 1)
    assert simulated_rows(replace(TRUE, units=2**31 - 1), [2**30], 1)[0]["boundaries"] == [2**30]
    with pytest.raises(Refused, match="lower --coders or --units"):
        simulated_rows(replace(TRUE, units=2**20, coders=1000), [1], 1)
