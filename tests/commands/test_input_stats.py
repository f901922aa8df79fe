"""Attributes that differ between tables, and positions that all come early, are warned of."""

import json
from pathlib import Path
from random import Random

import pytest

import segscore as api
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

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
        write_rows(files[-1], listed)
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
    assert [text for text in found if "exactly" in text] == [
        "late: 4 of 4 boundaries are exactly 1 unit late (0 right); check from where it counts, "
        "and what was cut: a boundary is the number of units before it"
    ]


def test_references_that_contradict_their_documents_are_counted(
    segscore: Segscore, tmp_path: Path
) -> None:
    names = {"ref": "desk", "hyp": "system"}
    for name, coder in names.items():
        listed = rows(coder, [700, 2000], ("one", "two"))
        write_rows(tmp_path / f"{name}.jsonl", listed)
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
    (named,) = (text for text in found if "exactly" in text)
    assert named.startswith("late: ") and "are exactly 2 units late (2 right)" in named


def evaluated(*codings: tuple[str, int, list[int]], window: int | None = None) -> list[str]:
    """Return the warnings about documents of the coder gold and systems: n_units, boundaries."""
    rows = [
        {"document_id": str(number), "coder": coder, "n_units": units, "boundaries": boundaries}
        for coder in dict.fromkeys(coder for coder, *_ in codings)
        for number, (_, units, boundaries) in enumerate(
            each for each in codings if each[0] == coder
        )
    ]
    sides = [
        [row for row in rows if (row["coder"] == "gold") is is_gold] for is_gold in (True, False)
    ]
    options = {} if window is None else {"window": window}
    return api.evaluate(*sides, measures=("pk", "f1"), **options).warnings  # type: ignore[arg-type]


def test_a_cut_of_any_size_is_named() -> None:
    """Chapter times after advertisements, which were cut from what the system heard."""
    (early,) = evaluated(("gold", 1800, [60, 600, 1200]), ("sys", 1800, [60, 570, 1170]))
    assert early.startswith("sys: 2 of 3 boundaries are exactly 30 units early (1 right)")
    assert not evaluated(("gold", 1800, [60, 600, 1200]), ("sys", 1800, [60, 570, 1171]))


def test_a_shift_is_found_in_a_sample_on_any_number_of_workers(
    tmp_path: Path, segscore: Segscore
) -> None:
    draw = Random(6)  # noqa: S311
    true = [sorted(draw.sample(range(400, 9000), 6)) for _ in range(400)]
    named = []
    for coder, moved in (("desk", 0), ("sys", 123)):
        listed = [
            {"document_id": str(n), "coder": coder, "n_units": 9999, "boundaries": places}
            for n, positions in enumerate(true)
            for places in [[place + moved for place in positions]]
        ]
        write_rows(tmp_path / f"{coder}.jsonl", listed)
    for rows_per_part in (1000, 50):
        segscore.cut(rows_per_part)
        run = tmp_path / f"run-{rows_per_part}"
        tables = tmp_path / "desk.jsonl", tmp_path / "sys.jsonl"
        assert segscore("score", *tables, "--output", run).code == 0
        said = json.loads((run / "run.json").read_text())["warnings"]
        named += [text for text in said if "exactly" in text]
    assert (
        len(named) == 2
        and named[0] == named[1]
        and "boundaries are exactly 123 units late" in named[0]
    )
    assert int(named[0].split()[1].replace(",", "")) < 6 * 300  # of about 200 documents


def test_a_window_that_is_too_long_for_superfluous_boundaries_is_said() -> None:
    everywhere = ("every", 12, [*range(1, 12)])
    (blind,) = evaluated(("gold", 12, [3, 6, 9]), everywhere, window=3)
    assert blind.startswith(
        "--window 3: as long as the longest segment in 1 of 1 reference, so that"
    )
    assert not evaluated(("gold", 12, [3, 6, 9]), everywhere, window=2)


def written(path: Path, *coders: str, trials: int = 0) -> Path:
    listed = [
        {"document_id": f"d{n}", "coder": coder, "n_units": 20, "boundaries": [4 + n, 11]}
        | ({"trial": trial} if trial else {})
        for coder in coders
        for n in range(3)
        for trial in (range(1, trials + 1) if trials else (0,))
    ]
    return write_rows(path, listed)


def test_exchanged_tables_are_asked_about(segscore: Segscore, tmp_path: Path) -> None:
    desk, systems = written(tmp_path / "desk.jsonl", "desk"), written(tmp_path / "s.jsonl", *"ab")
    said = (
        "the references have 2 coders for each document, and the hypotheses one (desk); if the two "
        "tables have changed places, exchange them"
    )
    assert said in segscore("score", systems, desk, "--output", tmp_path / "1").err
    assert not segscore("score", desk, systems, "--output", tmp_path / "2").err
    gold = written(tmp_path / "gold.jsonl", *"ab")
    assert not segscore("score", gold, desk, "--output", tmp_path / "3").err


def test_a_trial_that_is_scored_as_a_system_is_named(segscore: Segscore, tmp_path: Path) -> None:
    gold = written(tmp_path / "gold.jsonl", "desk")
    written(tmp_path / "1.jsonl", "lea", trials=2)
    written(tmp_path / "2.jsonl", "lea_trial3", "trial", "other-run2", trials=1)
    result = segscore("score", gold, tmp_path / "[12].jsonl", "--output", tmp_path / "run")
    assert result.code == 0 and "named as trials: lea_trial3 of lea; if they are" in result.err


def test_a_system_without_boundaries_is_said() -> None:
    gold = [("gold", 9, [3]), ("gold", 9, [6]), ("gold", 9, [])]
    nothing = [("tt", 9, []), ("tt", 9, []), ("tt", 9, [2])]
    assert evaluated(*gold, *nothing) == [
        "tt has no boundary in 2 of 2 documents where the references have some"
    ]
    assert not evaluated(*gold, ("tt", 9, [4]), *nothing[1:])
