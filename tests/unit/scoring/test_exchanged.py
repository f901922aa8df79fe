"""Which locations show that references and hypotheses changed places."""

import pytest

from segscore.pipeline.scoring.exchanged import warn_of_exchange


@pytest.mark.parametrize(
    ("references", "hypotheses"),
    [
        ("t/hypotheses", "t/references"),
        ("systems.jsonl", "gold.jsonl"),
        ("s3://b/2026/Hyps/*.parquet", "s3://b/2026/Refs/*.parquet"),
        ("gold/night-1/systems.parquet", "gold/night-1/refs.parquet"),
        ("data_hyp/x.jsonl", "data_ref/x.jsonl"),
    ],
)
def test_names_of_the_other_side(references: str, hypotheses: str) -> None:
    (warning,) = warn_of_exchange(references, hypotheses)
    assert f"from {references}, and hypotheses from {hypotheses}; if they have" in warning
    assert [*warn_of_exchange(hypotheses, references)] == []


@pytest.mark.parametrize(
    ("references", "hypotheses"),
    [
        ("a.jsonl", "b.jsonl"),
        ("systems.jsonl", "other.jsonl"),
        ("other.jsonl", "references.jsonl"),
        ("systems/a.jsonl", "systems/b.jsonl"),
        ("systems/gold.jsonl", "gold/systems.jsonl"),
        ("systems-gold.jsonl", "references.jsonl"),
        ("prefs.jsonl", "goldsystem.jsonl"),
        ("t/table", "t/table"),
    ],
)
def test_names_that_show_nothing(references: str, hypotheses: str) -> None:
    assert [*warn_of_exchange(references, hypotheses)] == []
