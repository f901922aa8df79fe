"""Where in documents coders differ: empty halves, regular steps, documents by chance."""

from random import Random
from typing import Any

import pyarrow as pa

import segscore
from segscore.pipeline.agreement.findings import findings_of, habits_of_run


def audit(change: Any, documents: int = 40) -> Any:
    """Audit six coders of whom ``lou`` codes otherwise."""
    draw, rows = Random(4), []  # noqa: S311
    drawn = []
    for number in range(documents):
        true = sorted(draw.sample(range(2, 60), 8))
        drawn.append(true)
        for coder in ("ann", "ben", "cid", "dot", "eve", "lou"):
            if coder != "lou" and draw.random() < 0.3:
                continue
            marks = sorted({at + (draw.random() < 0.15) for at in true if draw.random() < 0.85})
            if coder == "lou":
                marks = change(marks, number, drawn)
            rows.append({"document_id": f"d{number:02d}", "coder": coder, "n_units": 60} | {
                "boundaries": marks, "role": "reference"
            })  # fmt: skip
    return segscore.agree(pa.Table.from_pylist(rows))


def test_a_missing_half_is_seen() -> None:
    found = audit(lambda marks, *_: [at for at in marks if at <= 30])
    (habits,) = habits_of_run(found.run, ["lou"]).values()
    assert habits.no_end.count == habits.no_end.number == 40 and habits.no_end.stands_out
    assert not habits.no_start.stands_out and not habits.steps.stands_out
    said = " ".join(findings_of(found.run))
    assert "In 40 of 40 documents lou has no boundary after the middle (others: 0 %)" in said


def test_a_template_is_seen() -> None:
    found = audit(lambda *_: [*range(10, 60, 10)])
    (habits,) = habits_of_run(found.run, ["lou"]).values()
    assert habits.step == 10 and habits.steps.stands_out and not habits.no_end.stands_out


def test_mixed_up_documents_are_seen() -> None:
    found = audit(lambda marks, number, drawn: drawn[number - 1] if number % 3 == 0 else marks)
    (habits,) = habits_of_run(found.run, ["lou"]).values()
    assert habits.chance.stands_out and habits.chance.count >= 8
    assert all(int(document[1:]) % 3 == 0 for document in habits.clearest)


def test_nothing_is_said_of_who_codes_as_the_others_do() -> None:
    found = audit(lambda marks, *_: marks)
    (habits,) = habits_of_run(found.run, ["ann"]).values()
    assert not [*habits.sentences("ann", None)]
