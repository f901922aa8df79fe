"""Which documents to code next: the rule, and that the widest interval narrows as expected."""

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from segscore.pipeline.agreement.next_codings import NextCodings, next_codings
from segscore.pipeline.runs.finished import FinishedRun
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

CODERS = ("ann", "ben", "cat", "dan", "eve")


def everything(draw: Random, documents: int) -> dict[tuple[str, str], dict[str, Any]]:
    """Return what every coder would mark in every document."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for number in range(documents):
        n_units = draw.randint(30, 60)
        true = draw.sample(range(1, n_units), 6)
        for coder in CODERS:
            kept = {place for place in true if draw.random() < 0.75}
            kept |= {draw.randrange(1, n_units) for _ in range(6 - len(kept))}
            name = f"d{number:03d}"
            row = {"document_id": name, "coder": coder, "n_units": n_units}
            found[name, coder] = {**row, "boundaries": sorted(kept)}
    return found


def audited(
    segscore: Segscore, folder: Path, rows: list[dict[str, Any]], number: int
) -> NextCodings:
    folder.mkdir()
    write_rows(folder / "codings.jsonl", rows)
    result = segscore("agree", folder / "codings.jsonl", "--output", folder / "run")
    assert result.code == 0, result.err
    return next_codings(FinishedRun.open(str(folder / "run")), number)


def test_the_coder_of_the_widest_interval_gets_single_codings(
    segscore: Segscore, tmp_path: Path
) -> None:
    every = everything(Random(2), 40)  # noqa: S311
    of_ann = [every[f"d{i:03d}", "ann"] for i in range(40)]
    of_ben = [every[f"d{i:03d}", "ben"] for i in range(20)]
    of_cat = [every[f"d{i:03d}", "cat"] for i in range(6)]
    found = audited(segscore, tmp_path / "a", [*of_ann, *of_ben, *of_cat], 3)
    assert {each.coder for each in found.codings} == {"cat"}
    assert [each.document for each in found.codings] == ["d020", "d021", "d022"]
    assert {each.others for each in found.codings} == {("ann",)}
    assert found.before is not None and found.after is not None and found.after < found.before
    whole = audited(segscore, tmp_path / "b", [*of_ann, *of_ben, *of_cat], 1000)
    pairs = {(each.document, each.coder) for each in whole.codings}
    # Everybody codes everything in the end, each document once.
    assert len(pairs) == len(whole.codings) == 3 * 40 - 66


def test_a_width_that_is_not_known_is_not_expected_to_be_any(
    segscore: Segscore, tmp_path: Path
) -> None:
    every = everything(Random(2), 4)  # noqa: S311
    rows = [every[f"d00{i}", coder] for i in range(4) for coder in ("ann", "ben")]
    found = audited(segscore, tmp_path / "a", [*rows, every["d000", "cat"]], 2)
    assert (found.before, found.after) == (None, None)
    chosen = [(each.coder, each.document) for each in found.codings]
    assert chosen == [("cat", "d001"), ("cat", "d002")]


def of_copier() -> list[dict[str, Any]]:
    """Return codings of eight coders of whom hal copied from gus, some by gus or ann alone."""
    draw = Random(3)  # noqa: S311
    coders = [*CODERS, "fay", "gus", "hal"]
    rows = []
    for number in range(70):
        n_units = draw.randint(30, 60)
        true = draw.sample(range(1, n_units), 6)
        coded = {}
        for coder in coders:
            kept = {place for place in true if draw.random() < 0.75}
            coded[coder] = sorted(kept | {draw.randrange(1, n_units) for _ in range(6 - len(kept))})
        coded["hal"] = coded["gus"]
        who = {0: coders, 1: coders[:-1], 2: ["gus"], 3: ["ann"]}[
            (number >= 40) + (number >= 60) + (number >= 65)
        ]
        document = {"document_id": f"d{number:03d}", "n_units": n_units}
        rows += [{**document, "coder": coder, "boundaries": coded[coder]} for coder in who]
    return rows


def test_coders_who_may_have_copied_get_no_documents_of_each_other(
    segscore: Segscore, tmp_path: Path
) -> None:
    found = audited(segscore, tmp_path / "a", of_copier(), 5)
    assert found.copying == [("gus", "hal")]
    assert {each.coder for each in found.codings} == {"hal"}
    assert {each.others for each in found.codings} == {("ann",)}
    every = audited(segscore, tmp_path / "b", of_copier(), 1000)
    assert len(every.codings) < 1000
    for each in every.codings:
        assert not {"gus", "hal"} <= {each.coder, *each.others}
    inputs = (tmp_path / "a" / "codings.jsonl", "--output", tmp_path / "a" / "run")
    said = " ".join(segscore("agree", *inputs, "--next", 5).out.split())
    assert "gus and hal may have the same tool, have worked together, or copied: find that" in said
    assert "all other documents" not in said
    said = " ".join(segscore("agree", *inputs, "--next", 1000).out.split())
    assert "all other documents, but for those of somebody from whom they may have" in said


@pytest.mark.long
def test_the_widest_interval_narrows_as_expected(segscore: Segscore, tmp_path: Path) -> None:
    """By this rule more than by codings at random, and about as much as was expected."""
    ratios, gains = [], []
    for seed in range(6):
        draw = Random(seed)  # noqa: S311
        every = everything(draw, 120)
        known = {
            (f"d{i:03d}", coder)
            for i in range(120)
            for coder in draw.choices(CODERS, weights=(9, 6, 4, 2, 1), k=2)
        }
        folder = tmp_path / str(seed)
        folder.mkdir()
        found = audited(segscore, folder / "before", [every[key] for key in sorted(known)], 80)
        chosen = {(each.document, each.coder) for each in found.codings}
        at_random = {*draw.sample(sorted({*every} - known), 80)}
        after = [
            audited(segscore, folder / name, [every[key] for key in sorted(known | more)], 1)
            for name, more in (("chosen", chosen), ("random", at_random))
        ]
        assert found.after and after[0].before and after[1].before
        ratios.append(after[0].before / found.after)
        gains.append(after[1].before / after[0].before)
    assert 0.8 < np.mean(ratios) < 1.25
    assert np.mean(gains) > 1.05


def test_what_to_code_next_is_printed_in_every_format(segscore: Segscore, tmp_path: Path) -> None:
    every = tmp_path / "all.jsonl"
    documents = {"ann": range(7), "ben": range(7), "dan": range(1)}
    rows = [
        {"document_id": f"d{i}", "coder": coder, "n_units": 9, "boundaries": [3]}
        for coder, numbers in documents.items()
        for i in numbers
    ]
    write_rows(every, rows)
    run = ("agree", every, "--output", tmp_path / "run", "--next", 4)
    text = segscore(*run)
    assert text.code == 0, text.err
    assert "d1        dan    ann, ben" in text.out
    listed = json.loads(segscore(*run, "--format", "json").out)["next"]
    assert listed[0] == {"document_id": "d1", "coder": "dan", "others": ["ann", "ben"]}
    assert {row["coder"] for row in listed} == {"dan"} and len(listed) == 4
    comma = segscore(*run, "--layout", "next", "--format", "csv").out.splitlines()
    assert comma[1].startswith("d1,dan,ann ben,")
    assert segscore(*run[:4], "--next", 999).out.count("everybody has coded all other") == 1
    for wrong in (("--next", 0), ("--layout", "next", "--format", "csv")):
        refused = segscore(*run[:4], *wrong)
        assert (refused.code, wrong[0] in refused.err) == (2, True)
