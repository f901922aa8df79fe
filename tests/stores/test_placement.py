"""Outputs that overlap with inputs in a store."""

import secrets

import pytest

from segscore.pipeline import storage
from segscore.pipeline.storage.placement import require_apart
from tests.support.command_line import Segscore
from tests.support.placements import COMMANDS, ROWS, idle, refusal_line

__all__ = ["idle"]


@pytest.fixture
def bucket(s3: str) -> str:
    """URL of an empty folder in a bucket."""
    return f"{s3}/placement-{secrets.token_hex(4)}"


@pytest.mark.parametrize(
    ("source", "output", "why"),
    [
        ("in", "in", "itself"),
        ("in/", "in", "itself"),
        ("in", "in/run/", "lies inside the input"),
        ("in/a.jsonl", "in", "lies inside it"),
        ("in/*.jsonl", "in", "matches, lies inside it"),
        ("in/**", "in/run", "would match its file"),
        ("in", "", "lies inside it"),
    ],
)
@pytest.mark.usefixtures("idle")
def test_overlaps_in_a_store_are_refused(
    segscore: Segscore, bucket: str, source: str, output: str, why: str
) -> None:
    storage.write_text(f"{bucket}/in/a.jsonl", ROWS)
    alias = bucket.replace("s3://", "s3a://")
    for command in ("score", "import", "project", "simulate", "agree"):
        arguments = COMMANDS[command](f"{bucket}/{source}", f"{alias}/{output}")
        assert why in refusal_line(segscore(*arguments))
    assert [file.url for file in storage.find(bucket, any_kind=True)] == [f"{bucket}/in/a.jsonl"]
    assert storage.read_text(f"{bucket}/in/a.jsonl") == ROWS


def test_outputs_without_overlap_in_a_store_are_accepted(bucket: str) -> None:
    """Dots in a name have no special meaning there."""
    storage.write_text(f"{bucket}/in/a.jsonl", ROWS)
    for source, output in (
        ("in", "out/../in"),
        ("in/*.jsonl", "in/run"),
        ("in", "in2"),
        ("in", "IN"),
    ):
        require_apart(f"{bucket}/{output}", {"REFERENCES": f"{bucket}/{source}"})


def test_tables_are_written_to_a_store(segscore: Segscore, bucket: str) -> None:
    storage.write_text(f"{bucket}/in/a.jsonl", ROWS)
    storage.write_text(f"{bucket}/out/mine.txt", "mine")
    for command, hidden, tables in (
        ("import", "_unfinished", ["hypotheses", "references"]),
        ("simulate-coders", "_unfinished", ["codings", "simulation.json"]),
    ):
        before = storage.names(f"{bucket}/out")
        storage.write_text(f"{bucket}/out/{hidden}/notes.txt", "mine")
        arguments = [command, f"{bucket}/in/a.jsonl", "--output", f"{bucket}/out"]
        assert hidden in refusal_line(segscore(*arguments))
        assert storage.read_text(f"{bucket}/out/{hidden}/notes.txt") == "mine"
        storage.remove(f"{bucket}/out/{hidden}")
        result = segscore(*arguments)
        assert result.code == 0, result.err
        assert storage.names(f"{bucket}/out") == sorted([*before, *tables])
        assert (
            f"already contains {tables[0]}" in refusal_line(segscore(*arguments))
            or command == "import"
        )
