"""Questions of researchers and engineers, each answered by the commands that the pages name."""

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import segscore
from tests.support.command_line import Segscore
from tests.support.written import write

SYSTEMS = ("far", "near", "none")
DOCUMENTS = 12


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """References, three systems with two trials, probabilities, texts and times of 12 documents."""
    draw = Random(5)  # noqa: S311
    gold, probable, texts = [], [], []
    answers: dict[str, list[dict[str, Any]]] = {name: [] for name in SYSTEMS}
    for number in range(DOCUMENTS):
        marks = sorted(draw.sample(range(2, 28), 4))
        name = {"document_id": f"d{number}", "n_units": 30}
        kinds = [draw.choice(("studio", "film")) for _ in marks]
        attributes = {"genre": ("news", "talk")[number % 2], "boundary_kinds": kinds}
        gold.append({**name, "coder": "desk", "boundaries": marks, **attributes})
        for trial in (1, 2):
            moved = {"far": 5, "near": 1, "none": 0}
            for system, by in moved.items():
                shifted = {min(29, max(1, p + draw.choice((-by, 0, by)))) for p in marks}
                own = [] if system == "none" else sorted(shifted)
                answers[system].append({**name, "boundaries": own, "trial": trial})
        prob = [round(draw.random() / 2 + (unit in marks) / 2, 3) for unit in range(1, 30)]
        probable.append({"document_id": f"d{number}", "coder": "net", "prob": prob})
        texts.append({"document_id": f"d{number}", "units": [f"word {u}." for u in range(30)]})
    write(tmp_path / "gold.jsonl", gold)
    (tmp_path / "systems").mkdir()
    for system, rows in answers.items():
        write(tmp_path / "systems" / f"{system}.jsonl", rows)
        first = [{k: v for k, v in row.items() if k != "trial"} for row in rows if row["trial"] < 2]
        write(tmp_path / f"{system}.jsonl", first)
    write(tmp_path / "probable.jsonl", probable)
    write(tmp_path / "texts.jsonl", texts)
    (tmp_path / "published.csv").write_text("system,measure,value\nOld (2019),pk,.31\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


RECIPES = {
    "a LaTeX table of genres with intervals": (
        "compare run --group-by genre --layout systems,groups --format latex",
        (r"\begin{tabular}", "news", "talk", "near"),
    ),
    "whether the order depends on the measure": (
        "compare run --measure pk,window_diff,b_f1 --layout systems,measures,rank",
        ("Kendall's tau with pk", "near"),
    ),
    "standard deviations over runs": (
        "score gold.jsonl systems/*.jsonl --group-by genre --layout systems,groups,sd --output sd",
        (" ± ", "near"),
    ),
    "macro averages of data sets in LaTeX": (
        "compare run --group-by genre --average macro --layout systems,groups,value --format latex",
        (r"\begin{tabular}", "macro"),
    ),
    "own published rows in LaTeX": (
        "compare run --measure pk --published-scores published.csv --layout systems --format latex",
        ("Old (2019)", ".31"),
    ),
    "how many boundaries are off by 1, 2, 3 units": (
        "compare run --where",
        ("by distance to the nearest boundary", "up to 5", "farther"),
    ),
    "recall by kind of boundary": (
        "compare run --where",
        ("recall, by kind of the reference boundary", "studio", "film"),
    ),
    "difference and p of two systems": (
        "compare run --systems near,far --measure boundary_similarity,pk",
        ("p (Holm)", "0.0003 *"),
    ),
    "whom the board leaves out": (
        "score gold.jsonl near.jsonl far.jsonl --missing none --format markdown --output board",
        ("near", "far", "| system"),
    ),
    "a sentence for the paper": ("cite run", ("12 documents",)),
    "a bad document with its words": (
        "explain run --document d1 --hypothesis far --units texts.jsonl",
        ("word", "miss"),
    ),
}


def run(segscore: Segscore, line: str) -> str:
    """Run a command line and return what it prints."""
    words = [str(file) for word in line.split() for file in _expanded(word)]
    result = segscore(*words)
    assert result.code == 0, result.err
    return result.out


def _expanded(word: str) -> list[Path] | list[str]:
    return sorted(Path().glob(word)) if "*" in word else [word]


@pytest.mark.parametrize("question", RECIPES)
def test_a_question_has_a_command(segscore: Segscore, folder: Path, question: str) -> None:
    command, expected = RECIPES[question]
    run(segscore, "score gold.jsonl near.jsonl far.jsonl none.jsonl --output run")
    printed = run(segscore, command)
    assert [text for text in expected if text not in printed] == [], printed


def test_scores_of_documents_in_csv(segscore: Segscore, folder: Path) -> None:
    command = "score gold.jsonl near.jsonl --layout documents --format csv --output run"
    rows = [*csv.DictReader(run(segscore, command).splitlines())]
    assert len(rows) == DOCUMENTS
    assert {row["hypothesis"] for row in rows} == {"near"}
    assert all(float(row["boundary_similarity"]) >= 0 for row in rows)


def test_probabilities_become_curves_and_a_threshold(segscore: Segscore, folder: Path) -> None:
    options = "--format probabilities --set marks=between --role hypothesis"
    run(segscore, f"import probable.jsonl {options} --documents gold.jsonl --output net")
    command = "sweep gold.jsonl net/hypotheses --measure b_f1,precision --output swept"
    printed = run(segscore, command)
    assert "threshold" in printed and "b_f1" in printed
    threshold = json.loads(run(segscore, f"{command}2 --format json"))["operating_points"]
    assert threshold


def test_errors_in_texts_are_exported(segscore: Segscore, folder: Path) -> None:
    run(segscore, "score gold.jsonl near.jsonl --output run")
    for name in ("label-studio", "brat"):
        run(segscore, f"export run --format {name} --units texts.jsonl --output {name}")
    assert len([*folder.glob("label-studio/*.json")]) == DOCUMENTS
    assert len([*folder.glob("brat/edits/*/*.ann")]) == DOCUMENTS


def test_a_learning_curve(folder: Path) -> None:
    gold = [json.loads(line) for line in (folder / "gold.jsonl").read_text().splitlines()]
    for row in gold:
        del row["boundary_kinds"]
    sizes = {"n100": (1, 2), "n10": (3, 4), "n1000": (0, 0)}
    rows = [
        {**row, "coder": size, "boundaries": row["boundaries"][missed[number % 2] :]}
        for size, missed in sizes.items()
        for number, row in enumerate(gold)
    ]
    evaluation = segscore.evaluate(gold, rows, measures=["pk", "f1"])
    averages = [evaluation["f1", size] for size in ("n10", "n100", "n1000")]
    assert [round(each.micro or 0, 4) for each in averages] == [0.2222, 0.7692, 1.0]
    assert all(each.interval is not None for each in averages)
    chart = evaluation.plot("f1", systems=["n10", "n100", "n1000"]).to_dict()
    drawn = json.dumps(chart)
    assert '["n10", "n100", "n1000"]' in drawn
    assert '"type": "line"' in drawn


def epochs(draw: np.random.Generator, noises: list[float]) -> Iterator[list[list[Any]]]:
    """Yield batches of flags, of reference and answer, in rows of several lengths."""
    lengths = [int(n) for n in draw.integers(10, 40, 12)]
    rows = [(draw.random(n) < 0.2).astype(int) for n in lengths]
    for noise in noises:
        answers = [np.where(draw.random(len(row)) < noise, 1 - row, row) for row in rows]
        yield [[rows[i : i + 4], answers[i : i + 4]] for i in range(0, len(rows), 4)]


def test_a_training_loop_that_stops_early() -> None:
    draw = np.random.default_rng(1)
    metric = segscore.Metric("f1")
    seen: list[float] = []
    right: list[float] = []
    for batches in epochs(draw, [0.3, 0.1, 0.02, 0.2, 0.3, 0.4]):
        metric.reset()
        for references, answers in batches:
            metric.update_masks(reference=references, hypothesis=answers)
        seen.append(metric.compute()["f1"] or 0.0)
        sides = [np.concatenate([row for batch in batches for row in batch[k]]) for k in (0, 1)]
        right.append(2 * int((sides[0] & sides[1]).sum()) / int(sides[0].sum() + sides[1].sum()))
        if len(seen) > 2 and max(seen[-2:]) < max(seen[:-2]):
            break
    assert metric.pairs == 12
    assert seen == pytest.approx(right, abs=1e-15)
    assert (int(np.argmax(seen)), len(seen)) == (2, 5)


@pytest.fixture
def command(segscore: Segscore) -> Segscore:
    return segscore


def test_a_stream_of_json_lines(command: Segscore, folder: Path) -> None:
    """A file too large for memory: a document at a time, with the numbers of the command."""
    with gzip.open("pairs.jsonl.gz", "wt") as file:
        answers = [json.loads(line) for line in Path("near.jsonl").read_text().splitlines()]
        golds = [json.loads(line) for line in Path("gold.jsonl").read_text().splitlines()]
        for gold, answer in zip(golds, answers, strict=True):
            pair = {"id": gold["document_id"], "n": gold["n_units"], "gold": gold["boundaries"]}
            file.write(json.dumps({**pair, "answer": answer["boundaries"]}) + "\n")
    metric = segscore.Metric("pk", "boundary_similarity")
    with gzip.open("pairs.jsonl.gz", "rt") as file:
        for line in file:
            row = json.loads(line)
            metric.update(
                reference=row["gold"],
                hypothesis=row["answer"],
                n_units=row["n"],
                document_id=row["id"],
            )
    run(command, "score gold.jsonl near.jsonl --output run")
    scored = segscore.read_run("run")
    assert isinstance(scored, segscore.Evaluation)
    found = metric.compute(intervals=True)
    for measure in ("pk", "boundary_similarity"):
        average = scored[measure]
        assert average.interval is not None
        ends = (found[f"{measure}_ci_low"], found[f"{measure}_ci_high"])
        assert (found[measure], *ends) == pytest.approx((average.micro, *average.interval))
