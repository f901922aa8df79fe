"""A crowd: coders with few documents are ranked by shrunk effects, and nobody is named."""

from random import Random

import pyarrow as pa

import segscore
from segscore.api.agree import AgreementTables
from segscore.pipeline.agreement.findings import findings_of


def crowd(random: int, seed: int = 1) -> AgreementTables:
    """Audit 60 coders of six documents each, of whom the first so many mark random places."""
    draw, rows = Random(seed), []  # noqa: S311
    for number in range(120):
        true = sorted(draw.sample(range(1, 50), 7))
        for k in range(3):
            coder = (number * 3 + k * 61) % 60
            marks = {at + (draw.random() < 0.2) for at in true if draw.random() < 0.8}
            if coder < random:
                marks = {*draw.sample(range(1, 50), 6)}
            rows.append(
                {"document_id": f"d{number}", "coder": f"w{coder:02d}", "n_units": 50}
                | {"role": "reference", "boundaries": sorted(at for at in marks if at < 50)}
            )
    return segscore.agree(pa.Table.from_pylist(rows))


def test_random_coders_of_a_crowd_are_found() -> None:
    found = crowd(random=3)
    rows = found.run.table("coders").to_pylist()
    assert all(row["agreement_effect"] is None for row in rows)
    ranked = sorted(rows, key=lambda row: row["shrunk_effect"])
    assert {row["coder"] for row in ranked[:3]} == {"w00", "w01", "w02"}
    said = findings_of(found.run)[-1]
    assert said.startswith("Look first at what these marked, of 60 coders")
    assert all(name in said for name in ("w00 -0.", "w01 -0.", "w02 -0."))


def test_a_crowd_that_does_not_differ_is_shrunk_to_nothing() -> None:
    found = crowd(random=0)
    effects = [row["shrunk_effect"] for row in found.run.table("coders").to_pylist()]
    assert max(map(abs, effects)) < 0.1
    assert "Outlier analysis needs at least" in findings_of(found.run)[-1]
