"""`segscore score --threshold` scores what a table of the candidates that reach it would score."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line
from tests.support.rows import read_rows
from tests.support.written import write

Row = dict[str, Any]


def candidates(seed: int, *, typed: bool = False) -> tuple[list[Row], list[Row]]:
    """References, and candidates of two systems with scores in tenths."""
    draw = Random(seed)  # noqa: S311
    references, hypotheses = [], []
    for number in range(12):
        n_units = draw.randint(2, 30)
        row: Row = {"document_id": f"d{number:02}", "n_units": n_units}
        places = range(1, n_units)
        references.append({**row, "coder": "gold", **_boundaries(draw, places, typed=typed)})
        for name in ("a", "b"):
            hypothesis = {**row, "coder": name, **_boundaries(draw, places, typed=typed)}
            scores = [draw.randint(0, 10) / 10 for _ in hypothesis["boundaries"]]
            hypotheses.append({**hypothesis, "boundary_scores": scores})
    return references, hypotheses


def _boundaries(draw: Random, places: range, *, typed: bool) -> Row:
    chosen = sorted(draw.sample(places, draw.randint(0, len(places))))
    return {
        "boundaries": chosen,
        **({"boundary_types": [draw.randint(1, 2) for _ in chosen]} if typed else {}),
    }


def chosen(row: Row, least: float | None) -> Row:
    """The row that a user would write by hand."""
    lists: Row = {name: row[name] for name in ("boundaries", "boundary_types") if name in row}
    if least is not None:
        kept = [score >= least for score in row["boundary_scores"]]
        lists = {
            name: [value for value, keep in zip(values, kept, strict=True) if keep]
            for name, values in lists.items()
        }
    return {**{k: v for k, v in row.items() if k != "boundary_scores"}, **lists}


@pytest.mark.first
@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize(
    ("option", "least"),
    [("0.5", {"a": 0.5, "b": 0.5}), ("b=0.3", {"b": 0.3}), ("a=1,b=0", {"a": 1.0, "b": 0.0})],
)
def test_threshold_is_a_table_of_the_candidates_that_reach_it(
    segscore: Segscore, tmp_path: Path, option: str, least: dict[str, float], typed: bool
) -> None:
    references, hypotheses = candidates(len(option), typed=typed)
    gold = write(tmp_path / "gold.jsonl", references)
    scored = write(tmp_path / "scored.jsonl", hypotheses)
    rows = [chosen(row, least.get(row["coder"])) for row in hypotheses]
    by_hand = write(tmp_path / "by_hand.jsonl", rows)
    for table, output, options in (
        (scored, "at", ["--threshold", option]),
        (by_hand, "by_hand", []),
    ):
        result = segscore("score", gold, table, "--output", tmp_path / output, *options)
        assert result.code == 0, result.err
    at, hand = (read_table(str(tmp_path / name / "scores")) for name in ("at", "by_hand"))
    assert at.to_pylist() == hand.to_pylist()


def test_threshold_is_stated_and_checked(segscore: Segscore, tmp_path: Path) -> None:
    references, hypotheses = candidates(7)
    hypotheses[0]["boundary_scores"] = None
    gold = write(tmp_path / "gold.jsonl", references)
    scored = write(tmp_path / "scored.jsonl", hypotheses)
    bare = write(tmp_path / "bare.jsonl", [chosen(row, None) for row in hypotheses])

    def score(table: Path, threshold: str) -> Any:
        output = tmp_path / threshold
        return segscore("score", gold, table, "--output", output, "--threshold", threshold)

    assert "|threshold:a=0.5,b=0.25|" in score(scored, "b=.25,a=0.50").out
    lost = read_rows(tmp_path / "b=.25,a=0.50", "rejects")
    assert [(row["coder"], row["rule"]) for row in lost] == [("a", "boundary_scores_given")]
    assert "the nearest is a" in refusal_line(score(scored, "aa=0.5"))
    assert "scores lie in [0, 1]" in refusal_line(score(scored, "1.5"))
    assert "must be a number" in refusal_line(score(scored, "a=0.5,a=0.6"))
    assert "has no column boundary_scores" in refusal_line(score(bare, "0.5"))
