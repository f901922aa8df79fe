"""Which documents to adjudicate first: the rule, and that their consensus does change."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

from segscore.pipeline.agreement.adjudication import adjudication, gains
from segscore.pipeline.agreement.confidence import chance_right, is_near, reliability
from segscore.pipeline.agreement.majority import agreed_boundaries
from segscore.pipeline.runs.finished import FinishedRun
from tests.support.command_line import Segscore

Codings = dict[str, dict[str, list[int]]]


def project(draw: Random, errors: dict[str, float]) -> tuple[Codings, dict[str, list[int]]]:
    """Return the codings of 200 documents, and their true boundaries."""
    codings: Codings = {}
    truth: dict[str, list[int]] = {}
    for number in range(200):
        name = f"d{number:03d}"
        truth[name] = sorted(draw.sample(range(3, 97, 3), 10))
        hard = np.exp(0.4 * draw.gauss(0, 1))
        codings[name] = {}
        for coder in draw.sample(sorted(errors), draw.choice([2, 3, 4])):
            error = min(0.6, errors[coder] * hard)
            kept = {place for place in truth[name] if draw.random() >= error}
            kept = {p + draw.choice([-1, 1]) if draw.random() < 0.15 else p for p in kept}
            kept |= {draw.randrange(1, 100) for _ in range(10) if draw.random() < error}
            codings[name][coder] = sorted(kept)
    return codings, truth


def corrected(coded: dict[str, list[int]], true: list[int]) -> int:
    """Return how many boundaries of the majority an adjudicator who knows the truth changes."""
    agreed = agreed_boundaries([*coded.values()], len(coded) // 2 + 1, 1)
    marked = sorted({position for marks in coded.values() for position in marks})
    false = sum(not is_near(true, position, 1) for position in agreed)
    return false + sum(is_near(marked, p, 1) and not is_near(agreed, p, 1) for p in true)


def rows_of(codings: Codings) -> list[dict[str, object]]:
    return [
        {"document_id": name, "coder": coder, "n_units": 100, "boundaries": marks}
        for name, coded in codings.items()
        for coder, marks in coded.items()
    ]


def audit(segscore: Segscore, folder: Path, codings: Codings) -> str:
    lines = "".join(json.dumps(row) + "\n" for row in rows_of(codings))
    (folder / "codings.jsonl").write_text(lines)
    result = segscore("agree", folder / "codings.jsonl", "--output", folder / "run")
    assert result.code == 0, result.err
    return str(folder / "run")


@pytest.mark.parametrize("worst", [0.12, 0.4])
def test_the_consensus_of_the_first_documents_changes_as_expected(
    segscore: Segscore, tmp_path: Path, worst: float
) -> None:
    errors = {**dict.fromkeys("abcde", 0.12), "f": worst}
    codings, truth = project(Random(5), errors)  # noqa: S311
    found = adjudication(FinishedRun.open(audit(segscore, tmp_path, codings)), 20)
    changed = {name: corrected(coded, truth[name]) for name, coded in codings.items()}
    assert found.total == pytest.approx(sum(changed.values()), rel=0.25)
    first = sum(changed[each.document] for each in found.documents)
    assert first == pytest.approx(found.gain, rel=0.35)
    # The best that one could do, and twenty documents at random.
    assert first > 0.8 * sum(sorted(changed.values())[-20:])
    assert first > 2 * 20 * np.mean([*changed.values()])


def test_a_reliable_coder_is_believed_against_a_careless_one() -> None:
    right = {"good": 0.95, "bad": 0.6}
    alone = {
        coder: [*gains({coder: [5], other: []}, right, 1)]
        for coder, other in (("good", "bad"), ("bad", "good"))
    }
    # Nobody has a majority: the boundary of the good coder is probably missing.
    (_, of_good, _), (_, of_bad, _) = alone["good"][0], alone["bad"][0]
    assert of_good > 0.9 and of_bad < 0.1
    ((_, agreed, having), *_) = gains({"good": [5], "bad": [6]}, right, 1)
    assert (having, agreed < 0.05) == (2, True)


def test_who_is_right_is_estimated_without_the_errors_of_the_others() -> None:
    codings, _ = project(Random(3), {**dict.fromkeys("abcde", 0.05), "f": 0.4})  # noqa: S311
    right = chance_right(codings.values(), 1)
    assert min(right[coder] for coder in "abcde") > 0.85 > 0.75 > right["f"]
    assert chance_right([], 1) == {}
    assert {*chance_right([{"a": [3], "b": [9]}], 1).values()} == {0.5}


def test_documents_to_adjudicate_are_printed_in_every_format(
    segscore: Segscore, tmp_path: Path
) -> None:
    codings = {
        "one": {"ann": [3, 9], "ben": [3]},
        "same": {"ann": [4], "ben": [4]},
        "two": {"ann": [5, 20, 30], "ben": [4, 12, 30]},
    }
    path = audit(segscore, tmp_path, codings)
    run = ("agree", tmp_path / "codings.jsonl", "--output", path, "--adjudicate", 9)
    text = segscore(*run)
    assert text.code == 0, text.err
    assert "to adjudicate first, so that the consensus changes most" in text.out
    assert "12, 20" in text.out
    listed = json.loads(segscore(*run, "--format", "json").out)["adjudicate"]
    assert [row["document_id"] for row in listed] == ["two", "one"]
    assert (listed[0]["positions"], listed[0]["coders"]) == ([12, 20], ["ann", "ben"])
    assert listed[0]["gain"] > listed[1]["gain"] > 0
    comma = segscore(*run, "--layout", "adjudicate", "--format", "csv").out.splitlines()
    assert comma[0].startswith("document_id,gain,positions,coders")
    assert comma[1].startswith("two,") and ",12 20,ann ben," in comma[1]
    for wrong in (("--adjudicate", 0), ("--layout", "adjudicate", "--format", "csv")):
        refused = segscore(*run[:4], *wrong)
        assert (refused.code, wrong[0] in refused.err) == (2, True)


def test_coders_are_in_order_so_that_sums_have_the_same_digits_in_each_process() -> None:
    names = [f"coder-{number}" for number in range(9, -1, -1)]
    assert list(reliability([{name: [3] for name in names}], 1)) == sorted(names)
