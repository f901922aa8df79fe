"""The verdict: which system is best, and better than which, the same in each view, in color."""

from pathlib import Path
from random import Random

import pytest

from tests.support.command_line import Segscore
from tests.support.rows import write_rows
from tests.support.terminal import in_terminal

GREEN, YELLOW, RED, BOLD = "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[1m"


def write_corpus(folder: Path, documents: int, hits: dict[str, float]) -> Path:
    """Write documents of 40 units, in which systems find each boundary with some probability."""
    draw = Random(documents + 1)  # noqa: S311
    rows = []
    for number in range(documents):
        about = {"document_id": f"d{number}", "n_units": 40, "show": f"show {number // 4}"}
        boundaries = sorted(draw.sample(range(1, 40), 6))
        rows.append({**about, "coder": "desk", "role": "reference", "boundaries": boundaries})
        for name, share in hits.items():
            found = [position for position in boundaries if draw.random() < share]
            rows.append({**about, "coder": name, "role": "hypothesis", "boundaries": found})
    path = folder / "corpus.jsonl"
    return write_rows(path, rows)


SURE, UNSURE = {"far": 0.9, "near": 0.3}, {"one": 0.6, "two": 0.6}


def verdict(out: str) -> str:
    """Return the line of the verdict."""
    return next(line for line in out.splitlines() if line.startswith("boundary_similarity, micro:"))


@pytest.mark.first
@pytest.mark.parametrize("hits", [SURE, UNSURE], ids=["sure", "unsure"])
def test_score_and_compare_end_with_the_same_verdict(
    segscore: Segscore, tmp_path: Path, hits: dict[str, float]
) -> None:
    corpus = write_corpus(tmp_path, 40, hits)
    for name, options in (("run", ()), ("by-show", ("--resample-by", "show"))):
        scored = segscore("score", corpus, corpus, "--output", tmp_path / name, *options)
        compared = segscore("compare", tmp_path / name)
        assert verdict(scored.out) == verdict(compared.out)
        page = tmp_path / "page.html"
        assert segscore("report", tmp_path / name, "--output", page).code == 0
        text = page.read_text().replace("\u2068", "").replace("\u2069", "")
        assert verdict(scored.out).replace("<", "&lt;") in text
    assert ("It is significantly better" in verdict(scored.out)) == (hits is SURE)


def test_a_run_of_many_pairs_says_what_tests_it(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("segscore.pipeline.comparison.best_of_run.MOST_PAIRS", 79)
    corpus = write_corpus(tmp_path, 40, SURE)
    scored = segscore("score", corpus, corpus, "--output", tmp_path / "run")
    assert "was not tested; `segscore compare` tests it." in verdict(scored.out)


@pytest.mark.long
def test_colors_say_whether_it_is_sure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, hits in (("sure", SURE), ("unsure", UNSURE)):
        (tmp_path / name).mkdir()
        write_corpus(tmp_path / name, 40, hits)
    commands = [
        ["score", *[tmp_path / name / "corpus.jsonl"] * 2, "--output", tmp_path / name / "run"]
        for name in ("sure", "unsure")
    ]
    sure, unsure, failed = in_terminal([*commands, ["show", tmp_path / "none"]], 80)
    assert f"{GREEN}boundary_similarity, micro: far has the best value" in sure.sent
    assert f"{YELLOW}boundary_similarity, micro: " in unsure.sent
    assert f"{RED}segscore: error: " in failed.sent
    monkeypatch.setenv("NO_COLOR", "1")
    for printed in in_terminal([[*commands[0], "--fresh"], ["show", tmp_path / "none"]], 80):
        assert not {GREEN, YELLOW, RED} & {*printed.sent.replace("m", "m ").split()}
        assert GREEN not in printed.sent and RED not in printed.sent
        assert BOLD not in printed.sent
