"""Attributes that differ between tables, and positions that all come early, are warned of."""

import json
from pathlib import Path
from random import Random

import pytest

import segscore as api
from tests.support.command_line import Segscore

DIFFERS = (
    "--group-by channel: in 1 hypothesis, it is not what the references or documents say; their "
    "value is used"
)
EARLY = (
    "hypotheses: all positions (4) are in the first hundredth of their document; check that "
    "boundaries and n_units are in the same unit"
)


def rows(
    coder: str, positions: list[int], channels: tuple[str | None, ...]
) -> list[dict[str, object]]:
    return [
        {
            "document_id": f"d{number}",
            "coder": coder,
            "n_units": 3000,
            "boundaries": positions,
            "channel": channel,
        }
        for number, channel in enumerate(channels)
    ]


def warnings(segscore: Segscore, folder: Path, hypotheses: list[dict[str, object]]) -> list[str]:
    """Return the warnings of a run, which are the same for each way to pair and in Python."""
    references = rows("desk", [700, 2000], ("one", "two"))
    files = []
    for name, listed in (("ref", references), ("hyp", hypotheses)):
        files.append((folder / name).with_suffix(".jsonl"))
        files[-1].write_text("".join(json.dumps(row) + "\n" for row in listed))
    result = segscore("score", *files, "--group-by", "channel", "--output", folder / "run")
    assert result.code == 0, result.err
    record = json.loads((folder / "run" / "run.json").read_text())
    found: list[str] = record["warnings"]
    assert all(warning in result.err for warning in found)
    evaluated = api.evaluate(references, hypotheses, group_by=("channel",))
    assert [text for text in evaluated.warnings if text in (DIFFERS, EARLY)] == [
        text for text in found if text in (DIFFERS, EARLY)
    ]
    return found


@pytest.mark.parametrize(
    ("positions", "channels", "expected"),
    [
        ([700, 2001], ("one", "two"), []),
        ([700, 2001], ("one", None), []),
        ([700, 2001], ("one", "one"), [DIFFERS]),
        ([7, 20], ("one", "two"), [EARLY]),
        ([7, 31], ("one", "two"), []),
        ([7, 30], ("two", "two"), [DIFFERS, EARLY]),
    ],
)
def test_what_differs_and_what_is_early_is_warned_of(
    segscore: Segscore,
    tmp_path: Path,
    positions: list[int],
    channels: tuple[str | None, ...],
    expected: list[str],
) -> None:
    found = warnings(segscore, tmp_path, rows("system", positions, channels))
    assert [text for text in found if text in (DIFFERS, EARLY)] == expected
    assert len([text for text in found if "hundredth" in text or "--group-by" in text]) == len(
        expected
    )


def test_a_system_that_numbers_units_differently_is_told_so(
    segscore: Segscore, tmp_path: Path
) -> None:
    late = rows("late", [701, 2001], ("one", "two"))
    fair = rows("fair", [700, 2001], ("one", "two"))
    found = warnings(segscore, tmp_path, [*late, *fair])
    assert [text for text in found if "would match exactly" in text] == [
        "late: 4 of its boundaries instead of 0 would match exactly if all were 1 unit earlier; "
        "check how it numbers units: a boundary is the number of units before it"
    ]


def test_references_that_contradict_their_documents_are_counted(
    segscore: Segscore, tmp_path: Path
) -> None:
    names = {"ref": "desk", "hyp": "system"}
    for name, coder in names.items():
        listed = rows(coder, [700, 2000], ("one", "two"))
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in listed))
    (tmp_path / "documents.jsonl").write_text(
        "".join(
            json.dumps({"document_id": f"d{n}", "n_units": 3000, "channel": "one"}) + "\n"
            for n in range(2)
        )
    )
    result = segscore(
        "score", tmp_path / "ref.jsonl", tmp_path / "hyp.jsonl", "--documents",
        tmp_path / "documents.jsonl", "--group-by", "channel", "--output", tmp_path / "run",
    )  # fmt: skip
    assert result.code == 0, result.err
    assert (
        "--group-by channel: in 1 pair, the references table says something else than the "
        "documents; the documents' value is used"
    ) in result.err


def test_a_shift_is_not_named_where_chance_gives_as_many_matches() -> None:
    """Of 300 systems at chance, with about two matches by shift; and one that counts otherwise."""
    draw = Random(5)  # noqa: S311
    references, hypotheses = [], []
    for number in range(24):
        document = {"document_id": f"d{number}", "n_units": 450}
        true = sorted(draw.sample(range(10, 440), 6))
        references.append({**document, "coder": "desk", "boundaries": true})
        coded = {f"chance-{system}": sorted(draw.sample(range(1, 450), 6)) for system in range(300)}
        coded["late"] = sorted(
            {place + 2 if draw.random() < 0.4 else draw.randrange(1, 450) for place in true}
        )
        hypotheses += [
            {**document, "coder": name, "boundaries": places} for name, places in coded.items()
        ]
    found = api.evaluate(references, hypotheses, measures=("pk",)).warnings
    (named,) = (text for text in found if "would match exactly" in text)
    assert named.startswith("late: ") and "if all were 2 units earlier" in named
