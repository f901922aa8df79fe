"""`segscore import --regions`: only what lies in scored regions is counted."""

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.command_line import Segscore
from tests.support.rows import read_rows, write_rows

UNITS = 40
LISTS = {"boundaries", "boundary_types", "boundary_scores", "boundary_kinds", "segment_labels"}
LISTS |= {"unit_lengths"}


def put(path: Path, *rows: dict[str, Any]) -> Path:
    """Write a table as JSON Lines."""
    return write_rows(path, rows)


def pieces(row: dict[str, Any], scored: Sequence[bool]) -> list[dict[str, Any]]:
    """The slow twin: a run of scored units is a piece; its inner places are walked one by one."""
    label_of, label = [], 0
    for unit in range(UNITS):
        label += unit in row["boundaries"]
        label_of.append(row["segment_labels"][label])
    found = []
    for is_scored, run in groupby(range(UNITS), key=scored.__getitem__):
        units = [*run]
        if not is_scored:
            continue
        inside = [unit for unit in units[1:] if unit in row["boundaries"]]
        numbers = [n for n, p in enumerate(row["boundaries"]) if p in inside]
        found.append(
            {
                "n_units": len(units),
                "boundaries": [row["boundaries"][n] - units[0] for n in numbers],
                "boundary_types": [row["boundary_types"][n] for n in numbers],
                "boundary_scores": [row["boundary_scores"][n] for n in numbers],
                "boundary_kinds": [row["boundary_kinds"][n] for n in numbers],
                "segment_labels": [label_of[unit] for unit in [units[0], *inside]],
                "unit_lengths": [row["unit_lengths"][unit] for unit in units],
            }
        )
    return found


@pytest.mark.parametrize("seed", range(6))
def test_segmentations_are_cut_as_by_walking_over_the_units(
    segscore: Segscore, tmp_path: Path, seed: int
) -> None:
    random = Random(seed)  # noqa: S311
    rows, regions = [], []
    expected: dict[str, Any] = {}
    for number in range(8):
        places = sorted(random.sample(range(1, UNITS), random.randrange(UNITS // 2)))
        # A position may have two types, and is one boundary.
        twice = sorted(places + random.sample(places, len(places) // 3))
        row = {
            "document_id": f"d{number}",
            "coder": "gold",
            "n_units": UNITS,
            "boundaries": twice,
            "boundary_types": [1 + (twice[i - 1] == p) * (i > 0) for i, p in enumerate(twice)],
            "boundary_scores": [random.random() for _ in twice],
            "boundary_kinds": [random.choice(("cut", "fade")) for _ in twice],
            "segment_labels": [f"label {i}" for i in range(len(places) + 1)],
            "unit_lengths": [random.randrange(1, 9) for _ in range(UNITS)],
        }
        scored = [False] * UNITS
        for _ in range(random.randrange(1, 5)):
            start = random.randrange(UNITS)
            end = random.randrange(start, UNITS) + 1
            scored[start:end] = [True] * (end - start)
            regions.append(f"d{number},{start},{end}\n")
        rows.append(row)
        cut = pieces(row, scored)
        names = [f"d{number}#{i + 1}" for i in range(len(cut))] if len(cut) > 1 else [f"d{number}"]
        expected |= dict(zip(names, cut, strict=True))
    file = put(tmp_path / "rows.jsonl", *rows)
    random.shuffle(regions)
    (tmp_path / "coded.csv").write_text("document_id,start,end\n" + "".join(regions))
    result = segscore(
        "import", file, "--regions", tmp_path / "coded.csv", "--output", tmp_path / "out"
    )
    assert result.code == 0, result.err
    lengths = {row["document_id"]: row for row in read_rows(tmp_path / "out", "documents")}
    found = {
        row["document_id"]: {
            name: row[name] for name in ("n_units", *sorted(LISTS - {"unit_lengths"}))
        }
        | {"unit_lengths": lengths[row["document_id"]]["unit_lengths"]}
        for row in read_rows(tmp_path / "out", "references")
    }
    assert found == expected
    rows = read_rows(tmp_path / "out", "references")
    assert all(str(row["document_id"]).startswith(str(row.get("cut_from", "d"))) for row in rows)


def row(coder: str, role: str, boundaries: list[int]) -> dict[str, Any]:
    return {
        "document_id": "talk",
        "coder": coder,
        "role": role,
        "n_units": 40,
        "boundaries": boundaries,
    }


def test_what_lies_outside_changes_no_score_and_the_signature_names_the_regions(
    segscore: Segscore, tmp_path: Path
) -> None:
    coded = tmp_path / "coded.csv"
    coded.write_text("document_id,start,end\ntalk,0,12\ntalk,20,32\n")
    scored = []
    # The second pair differs outside, and at edges of regions.
    for number, (ref, hyp) in enumerate(
        (([4, 25], [5, 25]), ([4, 15, 20, 25, 38], [5, 12, 14, 25, 32]))
    ):
        file = put(
            tmp_path / f"{number}.jsonl", row("gold", "reference", ref), row("s", "hypothesis", hyp)
        )
        tables, run = tmp_path / f"tables-{number}", tmp_path / f"run-{number}"
        assert segscore("import", file, "--regions", coded, "--output", tables).code == 0
        result = segscore(
            *("score", tables / "references", tables / "hypotheses", "--output", run),
            *("--measures", "all"),
        )
        assert result.code == 0, result.err
        scored.append((read_rows(run, "scores"), json.loads((run / "run.json").read_text())))
    (first, record), (second, other) = scored
    assert first == second
    assert [line["n_units"] for line in first] == [12, 12]
    assert [line["near_misses"] for line in first] == [1, 0]
    assert "|regions:" in record["signature"]
    assert record["signature"] == other["signature"]


@pytest.mark.parametrize(
    ("documents", "said"), [(2, "are regions of 2 documents"), (6, "6 values")]
)
def test_score_says_that_regions_are_of_one_document(
    segscore: Segscore, tmp_path: Path, documents: int, said: str
) -> None:
    rows, regions = [], ["document_id,start,end"]
    for number in range(documents):
        for coder, role in (("gold", "reference"), ("s", "hypothesis")):
            name = {"document_id": f"d{number}"}
            rows.append(row(coder, role, [4 + number, 15, 25, 35 - number]) | name)
        regions += [f"d{number},{start},{start + 9}" for start in (0, 10, 20, 30)]
    coded, tables = tmp_path / "coded.csv", tmp_path / "tables"
    coded.write_text("\n".join(regions))
    file = put(tmp_path / "rows.jsonl", *rows)
    assert segscore("import", file, "--regions", coded, "--output", tables).code == 0
    sides = (tables / "references", tables / "hypotheses")
    warned = segscore("score", *sides, "--output", tmp_path / "run").err
    assert said in warned
    assert warned.count("--resample-by cut_from") == 1
    of_documents = segscore(
        "score", *sides, "--resample-by", "cut_from", "--output", tmp_path / "documents"
    )
    assert (of_documents.code, "cut_from" in of_documents.err) == (0, False)


def test_regions_of_recordings_are_read_from_a_uem(segscore: Segscore, tmp_path: Path) -> None:
    uem, rttm = tmp_path / "coded.uem", tmp_path / "talk.rttm"
    uem.write_text("talk 1 0 20\ntalk 2 0 20\ntalk 1 30.5 60\n")
    turns = ((0, 12, "a"), (12, 6, "b"), (18, 20, "a"), (38, 40, "b"))
    rttm.write_text(
        "".join(f"SPEAKER talk 1 {start} {long} - - {name} -\n" for start, long, name in turns)
    )
    options = ("import", rttm, "--coder", "gold", "--output", tmp_path / "out")
    assert segscore(*options, "--regions", uem).code == 0
    assert [
        (row["n_units"], row["boundaries"]) for row in read_rows(tmp_path / "out", "references")
    ] == [
        (20000, [12000, 18000]),
        (29500, [7500]),
    ]
    refused = segscore(*options, "--documents", uem)
    assert refused.code == 2
    assert "a second region of talk" in refused.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("document_id,start,end\ntalk,0,41\n", "--regions names a region that ends at 41"),
        ("document_id,start,end\ntalk,5,5\n", "coded.csv:2: the region ends at 5"),
        ("document_id,start,end\nother,0,5\n", "no document of the files has a region there"),
        ("document_id,start_s,end_s\ntalk,0,5\n", "the region is in seconds"),
        ("document_id,start\ntalk,0\n", "expected the columns document_id, start and end"),
        ("document_id,start,end\n", "contains no regions"),
        ("document_id,start,end\ntalk,,5\n", "is not a whole number"),
    ],
)
def test_regions_that_do_not_fit_are_refused(
    segscore: Segscore, tmp_path: Path, content: str, message: str
) -> None:
    file = put(tmp_path / "rows.jsonl", row("gold", "reference", [4]))
    (tmp_path / "coded.csv").write_text(content)
    result = segscore(
        "import", file, "--regions", tmp_path / "coded.csv", "--output", tmp_path / "out"
    )
    assert result.code == 2
    assert message in result.err
    assert not (tmp_path / "out" / "references").exists()


def test_documents_without_a_region_are_left_out_and_counted(
    segscore: Segscore, tmp_path: Path
) -> None:
    file = put(
        tmp_path / "rows.jsonl",
        row("gold", "reference", [4]),
        row("gold", "reference", [4]) | {"document_id": "other"},
    )
    (tmp_path / "coded.csv").write_text("document_id,start,end\ntalk,0,20\n")
    result = segscore(
        "import", file, "--regions", tmp_path / "coded.csv", "--output", tmp_path / "out"
    )
    assert result.code == 0
    assert "1 segmentation cut to 20 of 40 units; 1 without a region left out" in result.out
    (only,) = read_rows(tmp_path / "out", "references")
    assert (only["document_id"], only["n_units"]) == ("talk", 20)
