"""`segscore import --unit-times`: times for segmentations in units."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline import storage
from tests.support.command_line import CommandResult, Segscore

LABELS = {"document_id": "talk", "coder": "ann", "ids": [0, 0, 1, 2]}
STARTS = [0, 2.5, 4.1, 7.0005]
CUES = ((0, 2), (2.5, 4), (4.1, 6.9), (7.0005, 9))
TEXTS = ["Good evening.", "The floods recede.", "Sport now.", "A draw today."]


def clock(seconds: float, mark: str) -> str:
    whole = round(seconds * 1000)
    return f"00:00:{whole // 1000:02}{mark}{whole % 1000:03}"


def cues(mark: str, before: str) -> str:
    blocks = (
        f"{clock(start, mark)} --> {clock(end, mark)}\n{text}\n"
        for (start, end), text in zip(CUES, TEXTS, strict=True)
    )
    return before + "\n".join(blocks)


TIMED = {
    "talk.srt": cues(",", ""),
    "talk.vtt": cues(".", "WEBVTT\n\n"),
    "x.stm": "".join(
        f"talk 1 s{number} {start} {end} {TEXTS[number]}\n"
        for number, (start, end) in enumerate(CUES)
    ),
    "x.ctm": "".join(f"talk 1 {start} {end - start:.4f} word\n" for start, end in CUES),
    "x.seglst.json": json.dumps(
        [
            {"session_id": "talk", "speaker": "s", "start_time": s, "end_time": e, "words": text}
            for (s, e), text in zip(CUES, TEXTS, strict=True)
        ]
    ),
}


class Imports:
    """Imports in a folder."""

    def __init__(self, folder: Path, segscore: Segscore) -> None:
        self.folder, self.segscore = folder, segscore

    def write(self, name: str, content: str | Sequence[Mapping[str, Any]]) -> Path:
        path = self.folder / name
        if not isinstance(content, str):
            content = "".join(f"{json.dumps(record)}\n" for record in content)
        path.write_text(content)
        return path

    def __call__(self, *arguments: object) -> CommandResult:
        return self.segscore("import", *arguments, "--output", self.folder / "out")

    def row(self, table: str = "references") -> tuple[int, list[int]]:
        read = storage.read_table(str(self.folder / "out" / table))
        assert (read.schema.metadata or {})[b"segscore.unit"] == b"millisecond"
        (row,) = read.to_pylist()
        assert "unit_lengths" not in row
        return row["n_units"], row["boundaries"]

    def refusal(self, *arguments: object) -> str:
        result = self(*arguments)
        assert (result.code, result.out) == (2, ""), result
        assert not (self.folder / "out").exists()
        (line,) = result.err.splitlines()
        return line


@pytest.fixture
def imports(tmp_path: Path, segscore: Segscore) -> Imports:
    return Imports(tmp_path, segscore)


@pytest.mark.parametrize("duration", [None, 9.5])
def test_boundaries_are_starts_of_units(imports: Imports, duration: float | None) -> None:
    pairs = [[start, end] for start, (_, end) in zip(STARTS, CUES, strict=True)]
    labels = imports.write("labels.jsonl", [{**LABELS, "starts": STARTS, "pairs": pairs}])
    if duration is None:
        result = imports(labels, "--ids", "ids", "--unit-times", "pairs")
    else:
        lengths = imports.write("lengths.csv", f"document_id,duration\ntalk,{duration}\n")
        result = imports(labels, "--ids", "ids", "--unit-times", "starts", "--documents", lengths)
    assert result.code == 0, result.err
    assert imports.row() == (9000 if duration is None else 9500, [4100, 7001])


def test_paths_into_lists_and_other_units_of_time(imports: Imports) -> None:
    turns = [{"start": f"0:0{start}"} for start in (0, 2.5, 4.1, 7)]
    labels = imports.write(
        "labels.jsonl", [{**LABELS, "turns": turns, "ms": [0, 2500, 4100, 7001]}]
    )
    lengths = imports.write("lengths.csv", "document_id,duration\ntalk,9\n")
    options = (labels, "--ids", "ids", "--documents", lengths, "--unit-times")
    assert imports(*options, "turns[].start").code == 0
    assert imports.row() == (9000, [4100, 7000])
    (imports.folder / "out").rename(imports.folder / "first")
    assert imports(*options, "ms", "--time-unit", "ms").code == 0
    assert imports.row() == (9000, [4100, 7001])


@pytest.mark.parametrize("name", TIMED)
def test_times_in_files_of_their_own(imports: Imports, name: str) -> None:
    labels = imports.write("labels.jsonl", [LABELS])
    times = imports.write(name, TIMED[name])
    result = imports(labels, "--ids", "ids", "--unit-times", times)
    assert result.code == 0, result.err
    n_units, boundaries = imports.row()
    assert n_units == 9000
    assert boundaries == [4100, 7001 if name.startswith("x") else 7000]


UNITS = {
    "talk.ref": "==========\nGood evening.\nThe floods recede.\n==========\nSport now.\nA draw.\n",
    "talk.tiage.json": json.dumps({"talk": [["a", "1"], ["b", "0"], ["c", "1"], ["d", "0"]]}),
    "talk.qmsum.json": json.dumps(
        {
            "document_id": "talk",
            "topic_list": [
                {"topic": "a", "relevant_text_span": [["0", "1"]]},
                {"topic": "b", "relevant_text_span": [["2", "3"]]},
            ],
            "meeting_transcripts": [{"speaker": "s", "content": "c"}] * 4,
        }
    ),
}


@pytest.mark.parametrize("name", UNITS)
def test_formats_in_units_get_times(imports: Imports, name: str) -> None:
    source = imports.write(name, UNITS[name])
    times = imports.write("talk.srt", TIMED["talk.srt"])
    result = imports(source, "--coder", "ann", "--unit-times", times)
    assert result.code == 0, result.err
    assert "has no effect" not in result.err
    assert imports.row() == (9000, [4100])


MAIN = {"document_id": "talk", "coder": "ann", "n_units": 4, "boundaries": [1, 2, 2, 3]}


@pytest.mark.parametrize("source", ["talk.srt", "units.jsonl"])
def test_tables_of_the_main_format_get_times(imports: Imports, source: str) -> None:
    types = {"boundary_types": [1, 1, 2, 1], "boundary_kinds": list("abcd"), "role": "reference"}
    rows = imports.write("rows.jsonl", [{**MAIN, **types, "unit_lengths": [1, 1, 1, 1]}])
    records = [{"document_id": "talk", "units": TEXTS, "starts": STARTS}]
    units = imports.write(source, TIMED.get(source) or records)
    lengths = imports.write("lengths.csv", "document_id,duration\ntalk,6\n")
    given = (units,) if source == "talk.srt" else ("starts", "--source", units)
    result = imports(rows, "--documents", lengths, "--unit-times", *given)
    assert (result.code, "no effect" in result.err) == (0, False), result.err
    assert imports.row() == (6000, [2500, 4100, 4100])
    (row,) = storage.read_table(str(imports.folder / "out" / "references")).to_pylist()
    assert (row["boundary_types"], row["collapsed_boundaries"]) == ([1, 1, 2], 1)
    assert row.get("boundary_kinds") is None  # one of them is gone


def test_times_that_do_not_fit_rows_are_refused(imports: Imports) -> None:
    times = imports.write("talk.srt", TIMED["talk.srt"])
    short = imports.write("short.jsonl", [{**MAIN, "boundaries": [1], "n_units": 3}])
    message = imports.refusal(short, "--unit-times", times)
    assert "talk has 3 units, but 4 times here" in message
    other = imports.write("other.jsonl", [{**MAIN, "boundaries": [1], "document_id": "b"}])
    assert "other.jsonl:1: --unit-times has no times of the document b" in imports.refusal(
        other, "--unit-times", times
    )


@pytest.mark.parametrize(
    "answer",
    [
        "00:00 Floods\n00:00:04 Sport\n0:07.5 Draw",
        "0:00 - 0:04 Floods\n0:04 - 0:07 Sport\n0:07 - 0:09 Draw",
        '["0:00", "0:04.2", "0:07"]',
        {"segments": [{"start": 0, "end": 4}, {"start": 4, "end": 7}, {"start": 7.2, "end": 9}]},
    ],
)
def test_answered_times_are_those_of_the_nearest_unit(imports: Imports, answer: object) -> None:
    pairs = [[start, end] for start, (_, end) in zip(STARTS, CUES, strict=True)]
    units = imports.write("u.jsonl", [{"document_id": "talk", "units": TEXTS, "pairs": pairs}])
    answers = imports.write("answers.jsonl", [{"document_id": "talk", "output": answer}])
    options = ("--format", "numbered", "--numbers", "times", "--source", units, "--coder", "m")
    assert "--unit-times" in imports.refusal(answers, *options)
    result = imports(answers, *options, "--unit-times", "pairs")
    assert result.code == 0, result.err
    assert imports.row("hypotheses") == (9000, [4100, 7001])


ANSWER = "Good evening. The floods recede.\n---\nSport now.\n---\nA draw today."


@pytest.mark.parametrize("how", ["record", "file"])
def test_answers_of_language_models_get_times(imports: Imports, how: str) -> None:
    answers = imports.write("answers.jsonl", [{"document_id": "talk", "output": ANSWER}])
    pairs = [[start, end] for start, (_, end) in zip(STARTS, CUES, strict=True)]
    source = imports.write("units.jsonl", [{"document_id": "talk", "units": TEXTS, "t": pairs}])
    times: object = "t"
    if how == "file":
        times = source = imports.write("talk.vtt", TIMED["talk.vtt"])
    result = imports(
        *(answers, "--format", "rewritten", "--coder", "x"),
        *("--source", source, "--unit-times", times),
    )
    assert result.code == 0, result.err
    assert "has no effect" not in result.err
    assert imports.row("hypotheses") == (9000, [4100, 7000 if how == "file" else 7001])


@pytest.mark.first
@pytest.mark.parametrize("name", ["units.jsonl", "talk.srt"])
def test_times_of_a_source(imports: Imports, name: str) -> None:
    """The path leads into records of --source; if it has times itself, any name is good."""
    pairs = [[start, end] for start, (_, end) in zip(STARTS, CUES, strict=True)]
    records = [{"document_id": "talk", "units": TEXTS, "source": pairs}]
    source = imports.write(name, records if name.endswith("l") else TIMED[name])
    labels = imports.write("labels.jsonl", [LABELS])
    result = imports(labels, "--ids", "ids", "--source", source, "--unit-times", "source")
    assert (result.code, result.err) == (0, "")
    assert imports.row() == (9000, [4100, 7001 if name.endswith("l") else 7000])
    (imports.folder / "out").rename(imports.folder / "first")
    answers = imports.write("answers.jsonl", [{"document_id": "talk", "output": ANSWER}])
    result = imports(
        *(answers, "--format", "rewritten", "--coder", "x"),
        *("--source", source, "--unit-times", "source"),
    )
    assert (result.code, result.err) == (0, "")
    assert imports.row("hypotheses") == (9000, [4100, 7001 if name.endswith("l") else 7000])


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([0, 3, 2, 4], "unit 3 starts at 2 and the one before it at 3"),
        ([0, 3, 3, 4], "unit 3 starts at 3 and the one before it at 3"),
        ([0, 3, 4], "there are 4 turns, but 3 times of units"),
        ([0, 3, 4, 5, 6], "there are 4 turns, but 5 times of units"),
        ([0, "x", 4, 5], "times[1]: x is not a time"),
        ([0, None, 4, 5], "times[1]: "),
        ([-1, 2, 4, 5], "times[0]: -1 is a negative time"),
        ([], "times is an empty list"),
        (5, "times is 5; expected a list"),
        ([0, 3, 4, 5], "the length of talk is unknown"),
    ],
)
def test_wrong_times_are_refused(imports: Imports, times: object, message: str) -> None:
    labels = imports.write("labels.jsonl", [{**LABELS, "times": times}])
    line = imports.refusal(labels, "--ids", "ids", "--unit-times", "times")
    assert message in line
    assert "labels.jsonl" in line


def test_other_refusals(imports: Imports) -> None:
    labels = imports.write("labels.jsonl", [LABELS])
    srt = imports.write("other.srt", TIMED["talk.srt"])
    options = (labels, "--ids", "ids", "--unit-times")
    assert 'has no field "nope"' in imports.refusal(*options, "nope")
    assert "no such file" in imports.refusal(*options, "no/file.srt")
    assert "not a valid path" in imports.refusal(*options, "a[0]")
    assert "--unit-times has no times of the document talk" in imports.refusal(*options, srt)
    assert "has no starts and ends of sentences" in imports.refusal(
        *options, imports.write("x.ref", UNITS["talk.ref"])
    )
    reference = imports.write("talk.ref", UNITS["talk.ref"])
    assert "name a file with the times of the units" in imports.refusal(
        reference, "--coder", "x", "--unit-times", "times"
    )
    short = imports.write("talk.srt", TIMED["talk.srt"].partition("Sport")[0])
    assert "there are 4 sentences, but 3 times of units" in imports.refusal(
        reference, "--coder", "x", "--unit-times", short
    )


def test_formats_with_times_ignore_it_with_a_warning(imports: Imports) -> None:
    srt = imports.write("talk.srt", TIMED["talk.srt"])
    result = imports(srt, "--coder", "x", "--unit-times", srt)
    assert result.code == 0
    assert "--unit-times has no effect on " in result.err
