"""Which locations show that references and hypotheses changed places."""

import pytest

from segscore.pipeline.errors import Refused
from segscore.pipeline.scoring.swapped_inputs import check_written_out, warn_of_swapped_inputs


@pytest.mark.parametrize(
    ("references", "hypotheses"),
    [
        ("t/hypotheses", "t/references"),
        ("systems.jsonl", "gold.jsonl"),
        ("s3://b/2026/Hyps/*.parquet", "s3://b/2026/Refs/*.parquet"),
        ("gold/night-1/systems.parquet", "gold/night-1/refs.parquet"),
        ("data_hyp/x.jsonl", "data_ref/x.jsonl"),
        ("other.jsonl", "references.jsonl"),
    ],
)
def test_names_of_the_other_side(references: str, hypotheses: str) -> None:
    (warning,) = warn_of_swapped_inputs(references, hypotheses)
    assert f"from {references}, and hypotheses from {hypotheses}; if they have" in warning
    assert [*warn_of_swapped_inputs(hypotheses, references)] == []


@pytest.mark.parametrize(
    ("references", "hypotheses"),
    [
        ("a.jsonl", "b.jsonl"),
        ("systems.jsonl", "other.jsonl"),
        ("systems/a.jsonl", "systems/b.jsonl"),
        ("systems/gold.jsonl", "gold/systems.jsonl"),
        ("systems-gold.jsonl", "references.jsonl"),
        ("prefs.jsonl", "goldsystem.jsonl"),
        ("t/table", "t/table"),
    ],
)
def test_names_that_show_nothing(references: str, hypotheses: str) -> None:
    assert [*warn_of_swapped_inputs(references, hypotheses)] == []


@pytest.mark.parametrize(
    "files",
    [("alpha.jsonl", "gold.jsonl", "zeta.jsonl"), ("t/a.jsonl", "t/b.jsonl", "t/ref_1.jsonl")],
)
def test_a_glob_written_out_before_the_references_is_refused(files: tuple[str, ...]) -> None:
    named = next(file for file in files if "gold" in file or "ref" in file)
    with pytest.raises(Refused, match=f"HYPOTHESES {named}: is named as references are"):
        [*check_written_out(files[0], files[1:])]


def test_a_glob_that_the_shell_may_have_written_out_is_said() -> None:
    (warning,) = check_written_out("t/a.jsonl", ("t/b.jsonl", "t/c.jsonl"))
    assert "references are read from t/a.jsonl, the first of 3 files" in warning


@pytest.mark.parametrize(
    "files",
    [
        ("gold.jsonl", "a.jsonl", "b.jsonl"),
        ("gold.jsonl", "a.jsonl", "ref.jsonl"),
        ("t/c.jsonl", "t/a.jsonl", "t/b.jsonl"),
        ("desk.jsonl", "sys/e.jsonl", "sys/f.jsonl"),
        ("a.jsonl", "b.jsonl"),
        ("desk", "gold", "systems"),
    ],
)
def test_files_that_were_named(files: tuple[str, ...]) -> None:
    assert [*check_written_out(files[0], files[1:])] == []
