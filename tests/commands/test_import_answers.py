"""`segscore import --format rewritten, numbered and quoted`: from answers to boundaries."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from segscore.pipeline import storage
from segscore.schemas.alignment import ALIGNMENT
from tests.support.command_line import Segscore

UNITS = {
    "show-1": ["good evening", "the floods recede", "teams go home", "in sport", "a draw today"],
    "show-2": ["prices rose", "bread costs more", "a whale was seen", "it stayed"],
}


def read(folder: Path) -> pa.Table:
    return storage.read_table(str(folder))


class Imports:
    """Imports answers in a folder, and reads what was written."""

    def __init__(self, folder: Path, segscore: Segscore) -> None:
        self.folder, self.segscore = folder, segscore

    def write(self, name: str, records: Sequence[Mapping[str, Any]]) -> Path:
        path = self.folder / name
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
        return path

    def __call__(
        self, answers: Mapping[str, Any], *options: object, units: Mapping[str, Any] = UNITS
    ) -> Any:
        source = [{"document_id": name, "units": texts} for name, texts in units.items()]
        return self.segscore(
            "import",
            self.write(
                "answers.jsonl", [{"document_id": k, "output": v} for k, v in answers.items()]
            ),
            "--source",
            self.write("units.jsonl", source),
            "--coder",
            "gpt-x",
            "--output",
            self.folder / "out",
            *options,
        )

    def rows(self, table: str = "hypotheses") -> dict[str, dict[str, Any]]:
        rows = read(self.folder / "out" / table).to_pylist()
        return {row["document_id"]: row for row in rows}

    def boundaries(self) -> dict[str, list[int]]:
        return {name: row["boundaries"] for name, row in self.rows().items()}


@pytest.fixture
def imports(tmp_path: Path, segscore: Segscore) -> Imports:
    return Imports(tmp_path, segscore)


REWRITTEN = {
    "rule": (
        "Good evening. The floods\nrecede, teams go home\n-----\nIn sport: a DRAW today!",
        [3],
    ),
    "heading": (
        "# News\nGood evening the floods recede teams go home\n## Sport ##\nin sport a draw today",
        [3],
    ),
    "blank": (
        "good evening the floods recede\n\n\nteams go home\n  \nin sport a draw today\n\n",
        [2, 3],
    ),
    "newline": (
        "good evening\nthe floods recede teams go home in sport\r\na draw today",
        [1, 4],
    ),
    "pattern:<sep/?>": (
        "good evening<sep>the floods recede teams go<sep/> home in sport a draw today",
        [1, 3],
    ),
}


@pytest.mark.parametrize("kind", REWRITTEN)
def test_each_kind_of_break(imports: Imports, kind: str) -> None:
    answer, boundaries = REWRITTEN[kind]
    ended = imports({"show-1": answer}, "--format", "rewritten", "--break", kind)
    assert ended.code == 0, ended.err
    assert imports.boundaries() == {"show-1": boundaries}


@pytest.mark.parametrize("kind", ["rule", "heading", "blank", "newline"])
def test_auto_takes_the_first_kind_that_any_answer_contains(imports: Imports, kind: str) -> None:
    other = "prices rose bread costs more\na whale was seen it stayed"
    answers = {"show-1": REWRITTEN[kind][0], "show-2": other}
    ended = imports(answers, "--format", "rewritten")
    assert ended.code == 0, ended.err
    assert f"--break {kind}: " in ended.out
    others = "1 without one contain another kind of break" in ended.out
    assert others == (kind != "newline")


MIXED = {
    "show-1": "good evening the floods recede teams go home\n---\nin sport a draw today",
    "show-2": "prices rose bread costs more\n\na whale was seen it stayed",
}


def test_several_kinds_of_breaks(imports: Imports) -> None:
    ended = imports(MIXED, "--format", "rewritten")
    assert ended.code == 0, ended.err
    advice = "1 without one contain another kind of break; divide at either with --break rule,blank"
    assert advice in ended.out
    assert imports.boundaries() == {"show-1": [3], "show-2": []}
    for kinds in ("rule,blank", "blank,rule"):
        output = imports.folder / kinds
        ended = imports(MIXED, "--format", "rewritten", "--break", kinds, "--output", output)
        assert ended.code == 0, ended.err
        assert read(output / "hypotheses")["boundaries"].to_pylist() == [[3], [2]]


def test_breaks_of_two_kinds_at_one_place_are_one(imports: Imports) -> None:
    first, second = "good evening the floods recede", "teams go home in sport a draw today"
    answer = f"# News\n\n{first}\n\n---\n## Home\n{second}"
    options = ("--format", "rewritten", "--break", "blank,heading,rule")
    assert imports({"show-1": answer}, *options).code == 0
    assert imports.boundaries() == {"show-1": [2]}
    assert imports.rows("alignment")["show-1"]["breaks"] == 1


@pytest.mark.parametrize(
    ("kinds", "reason"),
    [
        ("blank,rule,blank", "names a kind twice"),
        ("blank,auto", "auto"),
        ("blank,", "rule, heading, blank, newline"),
    ],
)
def test_kinds_that_are_refused(imports: Imports, kinds: str, reason: str) -> None:
    refused = imports(MIXED, "--format", "rewritten", "--break", kinds)
    assert refused.code == 2
    assert reason in refused.err


def test_the_table_alignment_follows_its_schema(imports: Imports) -> None:
    imports({"show-1": REWRITTEN["rule"][0]}, "--format", "rewritten")
    table = read(imports.folder / "out" / "alignment")
    ALIGNMENT.validate(table)
    row = imports.rows("alignment")["show-1"]
    assert (row["source_tokens"], row["output_tokens"], row["matches"]) == (13, 13, 13)
    assert (row["breaks"], row["break_cost"], row["uncertain_breaks"], row["status"]) == (
        1,
        0,
        0,
        "ok",
    )


def test_typed_breaks(imports: Imports) -> None:
    answer = (
        "good evening<eol>the floods recede<eob>teams go home<eol><eob>in sport a draw today<eob>"
    )
    ended = imports({"show-1": answer}, "--format", "rewritten", "--break", "<eob>=1,<eol>=2")
    assert ended.code == 0, ended.err
    row = imports.rows()["show-1"]
    assert row["boundaries"] == [1, 2, 3, 3]
    assert row["boundary_types"] == [2, 1, 1, 2]


def test_levels_of_headings_are_types(imports: Imports) -> None:
    answer = "# a\ngood evening the floods recede\n## b\nteams go home\n# c\nin sport a draw today"
    ended = imports({"show-1": answer}, "--format", "rewritten", "--levels")
    assert ended.code == 0, ended.err
    row = imports.rows()["show-1"]
    assert (row["boundaries"], row["boundary_types"]) == ([2, 3], [2, 1])
    assert row["titles"] == ["a", "b", "c"]


def test_words_of_headings_are_kept_if_asked_for(imports: Imports) -> None:
    answer = "# good evening\nthe floods recede teams go home\n# in sport\na draw today"
    options = ("--format", "rewritten", "--headings")
    assert imports({"show-1": answer}, *options, "keep").code == 0
    assert imports.rows("alignment")["show-1"]["matches"] == 13
    assert imports.boundaries() == {"show-1": [3]}


def test_what_surrounds_an_answer_is_dropped(imports: Imports) -> None:
    text = "U1: good evening the floods recede\nU3: teams go home\n---\nU4: in sport a draw today"
    options = ("--format", "rewritten", "--labels", r"U\d+:")
    for folder, inside, raw in (
        ("a", (), f"<think>---\nhm</think>\n{text}"),
        ("b", ("--answer", "fence"), f"Sure:\n```text\n{text}\n```\nIs that all right?"),
        ("c", ("--answer", "answer"), f"Sure: <answer>{text}</answer> Is that all right?"),
        ("d", ("--answer", "fence"), f"hm</think>```\n{text}"),
    ):
        output = imports.folder / folder
        ended = imports({"show-1": raw}, *options, *inside, "--output", output)
        assert ended.code == 0, ended.err
        (row,) = read(output / "hypotheses").to_pylist()
        assert row["boundaries"] == [3]
        (row,) = read(output / "alignment").to_pylist()
        assert row["matches"] == 13 and row["insertions"] == 0
        assert ("reasoning dropped from 1 answer" in ended.out) == ("</think>" in raw)


NUMBERED: list[tuple[str, Any, list[int], str | None]] = [
    ("starts", "1\n3\n4", [2, 3], None),
    ("starts", "U1 Intro\nU3: more\n[4] Sport\nthat is all", [2, 3], None),
    ("starts", "[1, 3, 4]", [2, 3], None),
    ("starts", [1, 3, 4], [2, 3], None),
    ("starts", "1\n4\n3\n3\n9", [2, 3], "outside: 1, not ascending: 1, repeated: 1"),
    ("ends", "3.\n5.", [3], None),
    ("ends", "2\n3", [2, 3], "missing tail: 1"),
    ("ranges", "Part 1: U1-U2\nPart 2: U3 to U5", [2], None),
    ("ranges", "1-1\n3-4", [2], "gap: 1, missing tail: 1"),
    ("ranges", "1–2\n2–3\n4–5", [1, 3], "overlap: 1"),
    ("sizes", "2\n1\n2", [2, 3], None),
    ("sizes", "2\n1\n1", [2, 3], "wrong sum: 1, missing tail: 1"),
    ("starts:segments[].start", '{"segments": [{"start": 1}, {"start": 4}]}', [3], None),
    ("starts:segments[].start", {"segments": [{"start": 1}, {"start": 4}]}, [3], None),
    ("ranges:s[].a,s[].b", '```json\n{"s": [{"a": 1, "b": 3}, {"a": 4, "b": 5}]}\n```', [3], None),
    (r"starts:pattern:<\d>", "Part 1 <1> Part 2 <4>", [3], None),
    ("starts:pattern:[0-9]+", "Segments start at: 1, 3 and 4", [2, 3], None),
    ("starts", '{"starts": [1, 3, 4]}', [2, 3], None),
    ("starts", {"starts": [1, 3, 4], "n": 5, "titles": ["a", "b", "c"]}, [2, 3], None),
    ("starts", '```json\n{"starts": [1, 3]}\n```', [2], None),
    ("starts", 'The 2 starts: {"result": {"starts": [1, 3]}}. Is that right?', [2], None),
    ("ranges", '{"segments": [[1, 3], [4, 5]]}', [3], None),
    ("ranges", "Ranges: 1-3, 4-5", [3], None),
    ("starts", "1-3 Floods\n4-5 Sport", [3], None),
    ("ends", "1-3 Floods\n4-5 Sport", [3], None),
]


@pytest.mark.first
@pytest.mark.parametrize(("how", "answer", "boundaries", "problems"), NUMBERED)
def test_numbers(
    imports: Imports, how: str, answer: Any, boundaries: list[int], problems: str | None
) -> None:
    options = ("--format", "numbered", "--numbers", how, "--first-number", 1)
    ended = imports({"show-1": answer}, *options)
    assert ended.code == 0, ended.err
    assert imports.boundaries() == {"show-1": boundaries}
    assert imports.rows("alignment")["show-1"]["problems"] == problems
    strict = imports({"show-1": answer}, *options, "--strict", "--output", imports.folder / "s")
    assert strict.code == (2 if problems else 0)


def test_the_first_number_is_inferred(imports: Imports) -> None:
    options = ("--format", "numbered")
    assert imports({"show-1": "0\n3", "show-2": "0\n2"}, *options).code == 0
    assert imports.boundaries() == {"show-1": [3], "show-2": [2]}
    refused = imports({"show-1": "2\n3"}, *options, "--output", imports.folder / "b")
    assert refused.code == 2
    assert "--first-number 0 or --first-number 1" in refused.err
    begun = imports({"show-1": "1\n3"}, *options, "--output", imports.folder / "d")
    assert begun.code == 0
    assert "--first-number 1: every answer with numbers begins with 1 (1)" in begun.out
    assert read(imports.folder / "d" / "hypotheses")["boundaries"].to_pylist() == [[2]]
    refused = imports({"show-1": "1\n3", "show-2": "none"}, *options, "--output", "e")
    assert "cannot be used: show-2" in refused.err
    refused = imports(
        {"show-1": "0\n3", "show-2": "1\n4"}, *options, "--output", imports.folder / "b"
    )
    assert refused.code == 2
    ends = imports(
        {"show-1": "2\n5"}, *options, "--numbers", "ends", "--output", imports.folder / "c"
    )
    assert ends.code == 0
    assert read(imports.folder / "c" / "hypotheses")["boundaries"].to_pylist() == [[2]]


@pytest.mark.first
@pytest.mark.parametrize(
    "answer",
    [
        "Good evening\n- in sport a",
        '["good evening", "in sport"]',
        '{"segments": [{"first_words": "good evening"}, {"first_words": "in sport"}]}',
        ["good evening[MASK]go home", "in sport[MASK]today"],
        {"segments": ["good evening", "in sport"]},
        '```json\n["good evening", "in sport"]\n```',
        'Sure, in two parts [as you asked]:\n\n["good evening",\n "in sport"]\n\nAnything else?',
        'Here: {"segments": ["good evening", "in sport"], "count": 2}',
        'Two parts:\n```\n{"answer": {"starts": ["good evening", "in sport"]}}\n```',
        "```text\ngood evening\nin sport\n```",
    ],
)
def test_quotes(imports: Imports, answer: Any) -> None:
    ended = imports({"show-1": answer}, "--format", "quoted")
    assert ended.code == 0, ended.err
    assert imports.boundaries() == {"show-1": [3]}


OBJECTS = [
    {"title": "News", "first_words": "Good evening"},
    {"title": "Sport", "first_words": "in sport"},
]


@pytest.mark.parametrize("answer", [json.dumps({"segments": OBJECTS}), {"segments": OBJECTS}])
def test_a_path_names_the_quotes_of_objects(imports: Imports, answer: Any) -> None:
    refused = imports({"show-1": answer}, "--format", "quoted")
    assert refused.code == 2
    assert "several texts: name the quotes by --quotes segments[].first_words or" in refused.err
    path = ("--format", "quoted", "--quotes", "segments[].first_words")
    ended = imports({"show-1": answer}, *path)
    assert ended.code == 0, ended.err
    assert imports.boundaries() == {"show-1": [3]}


def test_a_path_of_quotes_that_leads_nowhere_fails(imports: Imports) -> None:
    answer = json.dumps({"segments": OBJECTS})
    refused = imports({"show-1": answer}, "--format", "quoted", "--quotes", "parts[].words")
    assert refused.code == 2
    assert "no list of texts at --quotes parts[].words" in refused.err
    refused = imports({"show-1": answer}, "--format", "quoted", "--quotes", "parts[0]")
    assert "--quotes parts[0]: not a valid path" in refused.err


def test_a_quote_that_is_not_in_the_text_fails(imports: Imports) -> None:
    answers = {"show-1": "good evening\nwe talk about cats\nin sport"}
    refused = imports(answers, "--format", "quoted")
    assert refused.code == 2
    assert "1 of 3 quotes not found" in refused.err
    assert imports(answers, "--format", "quoted", "--max-unplaced", 1).code == 0
    assert imports.boundaries() == {"show-1": [3]}
    assert imports.rows("alignment")["show-1"]["problems"] == "unplaced: 1"


FAILURES = {
    "": "empty",
    "<think>I wonder": "empty",
    "\x01\x02\x03": "empty",
    "I'm sorry, but I can't help with that request at all": "edits 1.00",
    "good evening\n---\nthe": "truncated",
}


@pytest.mark.first
@pytest.mark.parametrize("answer", FAILURES)
def test_failures(imports: Imports, answer: str) -> None:
    answers = {
        "show-1": answer,
        "show-2": "prices rose bread costs more\n---\na whale was seen it stayed",
    }
    options = ("--format", "rewritten", "--break", "rule")
    refused = imports(answers, *options)
    assert refused.code == 2
    assert refused.err.count("\n") == 1
    assert f"show-1 of gpt-x ({FAILURES[answer]})" in refused.err
    assert not (imports.folder / "out").exists()
    charged = imports(answers, *options, "--failed", "none")
    assert charged.code == 0, charged.err
    assert f"1 of 2 answers failed: show-1 ({FAILURES[answer]})" in charged.out
    assert imports.boundaries() == {"show-1": [], "show-2": [2]}
    assert imports.rows("alignment")["show-1"]["status"] == "failed"
    output = imports.folder / "left"
    left = imports(answers, *options, "--failed", "leave-out", "--output", output)
    assert left.code == 0, left.err
    assert read(output / "hypotheses")["document_id"].to_pylist() == ["show-2"]
    (reject,) = read(output / "rejects").to_pylist()
    assert (reject["document_id"], reject["rule"], reject["detail"]) == (
        "show-1",
        "answer_usable",
        FAILURES[answer],
    )
    assert len(read(output / "alignment")) == 2


TEXTS = ["Good evening. The floods recede, teams go home", "In sport a draw today"]


@pytest.mark.long
@pytest.mark.parametrize(
    "answer",
    [
        json.dumps(TEXTS),
        f"Here it is:\n```json\n{json.dumps({'segments': TEXTS}, indent=1)}\n```",
        json.dumps([{"title": f"Part {n}", "text": text} for n, text in enumerate(TEXTS)]),
        TEXTS,
    ],
)
def test_a_list_of_texts_in_json_needs_no_break(imports: Imports, answer: Any) -> None:
    for options in ((), ("--break", "rule,blank", "--fresh")):
        output = imports.folder / f"out{len(options)}"
        ended = imports({"show-1": answer}, "--format", "rewritten", *options, "--output", output)
        assert ended.code == 0, ended.err
        assert read(output / "hypotheses")["boundaries"].to_pylist() == [[3]]
        (row,) = read(output / "alignment").to_pylist()
        assert (row["read_as"], row["breaks"]) == ("a JSON list of texts", 1)
        assert ("JSON lists of texts: 1 of 1 answer" in ended.out) == (not options)
    if isinstance(answer, str):
        cut = imports({"show-1": answer.rstrip("`\n")[:-20]}, "--format", "rewritten", *options)
        assert "1 of 1 answer cannot be used: show-1 of gpt-x (" in cut.err


def test_texts_without_a_break_are_said(imports: Imports) -> None:
    answers = {
        "show-1": "<seg>good evening the floods recede teams go home in sport a draw today</seg>",
        "show-2": "prices rose bread costs more\n---\na whale was seen it stayed",
    }
    ended = imports(answers, "--format", "rewritten")
    assert ended.code == 0, ended.err
    assert "1 answer without a break (show-1); 0 of 2 answers failed" in ended.out


def test_documents_without_an_answer_are_said(imports: Imports) -> None:
    ended = imports({"show-1": "[]"}, "--format", "numbered", "--first-number", 1)
    assert ended.code == 0, ended.err
    assert "read as an empty list in JSON in 1; 0 of 1 answer failed" in ended.out
    assert "gpt-x: 1 of 2 documents of --source has no answer: show-2" in ended.out
    assert imports.boundaries() == {"show-1": []}


def test_a_truncated_answer_counts_the_units_that_it_lacks(imports: Imports) -> None:
    answer = "good evening the floods recede\n---\nteams go home in"
    assert imports({"show-1": answer}, "--format", "rewritten").code == 0
    row = imports.rows("alignment")["show-1"]
    assert (row["missing_tail_units"], row["deletions"]) == (1, 4)
    assert imports.boundaries() == {"show-1": [2]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--format", "rewritten", "--break", "rule"), "--break rule: no answer contains such"),
        (("--format", "rewritten", "--break", "pattern:["), "not a regular expression"),
        (("--format", "rewritten", "--break", "pattern:x*"), "matches the empty text"),
        (("--format", "rewritten", "--break", "line"), "must be one of"),
        (("--format", "rewritten", "--break", "<a>=0"), "a type from 1"),
        (("--format", "rewritten", "--labels", "(?=x)y"), "lookaround"),
        (("--format", "numbered", "--numbers", "begin"), "must be one of"),
        (("--format", "numbered", "--numbers", "starts:a..b"), "a..b"),
        (("--format", "rewritten", "--answer-field", "text"), 'no field "text"'),
        (("--format", "rewritten", "--text-field", "sentences"), 'no field "sentences"'),
        (("--format", "rewritten", "--max-edits", -1), "at least 0"),
        (("--format", "rewritten", "--failed", "drop"), "must be one of"),
    ],
)
def test_wrong_input_is_refused_in_one_line(
    imports: Imports, options: Sequence[object], message: str
) -> None:
    refused = imports(
        {"show-1": "good evening the floods recede\nteams go home in sport"}, *options
    )
    assert refused.code == 2
    assert message in refused.err
    assert refused.err.count("\n") == 1
    assert not (imports.folder / "out").exists()


def test_documents_and_answers_must_fit(imports: Imports) -> None:
    refused = imports({"show-3": "a\n\nb"}, "--format", "rewritten")
    assert refused.code == 2
    assert "answers.jsonl:1: --source has no units of the document show-3" in refused.err
    refused = imports({"show-1": "a"}, "--format", "rewritten", units={"show-1": []})
    assert refused.code == 2
    assert "the document show-1 has no unit" in refused.err
    twice = [{"document_id": "show-1", "output": "a\n\nb"}] * 2
    answers = imports.write("twice.jsonl", twice)
    refused = imports.segscore(
        *("import", answers, "--format", "rewritten", "--coder", "x"),
        *("--source", imports.folder / "units.jsonl", "--output", imports.folder / "out"),
    )
    assert refused.code == 2
    without = imports.segscore("import", answers, "--format", "quoted", "--output", "out")
    assert without.code == 2
    assert "--source" in without.err


def test_several_coders_in_one_import(imports: Imports) -> None:
    imports({"show-1": REWRITTEN["rule"][0]}, "--format", "rewritten")
    text = REWRITTEN["rule"][0]
    records = [{"document_id": "show-1", "coder": name, "output": text} for name in "ba"]
    ended = imports.segscore(
        *("import", imports.write("both.jsonl", records), "--format", "rewritten"),
        *("--source", imports.folder / "units.jsonl", "--output", imports.folder / "both"),
    )
    assert ended.code == 0, ended.err
    assert read(imports.folder / "both" / "hypotheses")["coder"].to_pylist() == ["b", "a"]
    assert ended.out.index("a: 0 %") < ended.out.index("b: 0 %")


def test_tokens_as_units_score_sentence_segmentation(tmp_path: Path, segscore: Segscore) -> None:
    (tmp_path / "ref").mkdir()
    (tmp_path / "sys").mkdir()
    (tmp_path / "ref" / "a.txt").write_text("Hello there.\nHow are you?\nFine.\n")
    (tmp_path / "sys" / "a.txt").write_text("Hello there. How\nare you?\nFine.\n")
    for name, role in (("ref", "reference"), ("sys", "hypothesis")):
        ended = segscore(
            *("import", tmp_path / name / "*.txt", "--format", "rewritten", "--break", "newline"),
            *("--source", tmp_path / "ref" / "*.txt", "--source-units", "tokens"),
            *("--coder", name, "--role", role, "--output", tmp_path / "tables"),
        )
        assert ended.code == 0, ended.err
        for table in ("documents", "alignment"):
            if (tmp_path / "tables" / table).exists():
                (tmp_path / "tables" / table).rename(tmp_path / f"{name}-{table}")
    assert read(tmp_path / "tables" / "references")["boundaries"].to_pylist() == [[2, 5]]
    assert read(tmp_path / "tables" / "hypotheses")["boundaries"].to_pylist() == [[3, 5]]


SOURCES = {
    "a.txt": "Hello there.\n==========\nHow are you?\n\n",
    "a.ref": "========,1,preface.\nHello there.\n========,2,More.\nHow are you?\n",
    "a.srt": (
        "1\n00:00:00,000 --> 00:00:01,000\nHello\n<i>there.</i>\n\n"
        "2\n00:00:01,000 --> 00:00:02,000\nHow are you?\n"
    ),
    "a.vtt": (
        "WEBVTT\n\nNOTE x\n\n00:00.000 --> 00:01.000\nHello there.\n\n"
        "00:01.000 --> 00:02.000\nHow are you?\n"
    ),
    "x.stm": "a 1 s 0 1 <o,f0> Hello there.\na 1 t 1 2 How are you?\n",
    "x.ctm": "a 1 0 1 Hello\na 1 1 1 there.\na 1 2 1 How\na 1 3 1 are\na 1 4 1 you\n",
    "x.seglst.json": (
        '[{"session_id": "a", "words": "Hello there."}, '
        '{"session_id": "a", "words": "How are you?"}]'
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_formats_of_the_source(tmp_path: Path, segscore: Segscore, name: str) -> None:
    source = tmp_path / "source" / name
    source.parent.mkdir()
    source.write_text(SOURCES[name])
    (tmp_path / "a.md").write_text("Hello there.\n\n---\n\nHow are you?\n")
    ended = segscore(
        *("import", tmp_path / "a.md", "--format", "rewritten", "--coder", "x"),
        *("--source", source, "--output", tmp_path / "out"),
    )
    assert ended.code == 0, ended.err
    (row,) = read(tmp_path / "out" / "hypotheses").to_pylist()
    assert row["boundaries"] == [2 if name == "x.ctm" else 1]
    assert row["n_units"] == (5 if name == "x.ctm" else 2)


@pytest.mark.long
def test_scores_say_how_failures_are_treated(imports: Imports) -> None:
    imports(
        {"show-1": REWRITTEN["rule"][0], "show-2": ""}, "--format", "rewritten", "--failed", "none"
    )
    records = [
        {"document_id": name, "coder": "ann", "n_units": len(texts), "boundaries": [2]}
        for name, texts in UNITS.items()
    ]
    references = imports.write("references.jsonl", records)
    output = imports.folder / "run"
    ended = imports.segscore(
        "score", references, imports.folder / "out/hypotheses", "--output", output
    )
    assert ended.code == 0, ended.err
    signature = json.loads((output / "run.json").read_text())["signature"]
    assert "|answers:rewritten,words,failed:none|" in signature


HOSTILE = {
    "a line of many megabytes": "word " * 4_000_000,
    "a million breaks": "a\n---\n" * 1_000_000,
    "control characters": "\x01" * 1_000_000,
    "digits": "1" * 1_000_000,
    "spaces in a heading": "# a" + " " * 1_000_000 + "b",
    "a million tags": "<answer>" * 1_000_000,
}


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("format_name", ["rewritten", "numbered", "quoted"])
def test_hostile_answers_end_in_one_line(imports: Imports, name: str, format_name: str) -> None:
    options = (
        ("--format", format_name, "--first-number", 1)
        if format_name == "numbered"
        else ("--format", format_name)
    )
    ended = imports({"show-1": HOSTILE[name], "show-2": "1"}, *options, "--strict")
    assert ended.code == 2
    assert ended.err.count("\n") <= 2  # an option may have no effect
    assert len(ended.err) < 2000


def test_a_pattern_that_backtracks_elsewhere_takes_no_time(imports: Imports) -> None:
    answer = (
        "good evening the floods recede teams go home in sport a draw today" + "a" * 100_000 + "!"
    )
    for pattern in ("(a+)+$", "(a|a)*b", "(.*.*.*)=.*"):
        ended = imports(
            {"show-1": answer}, "--format", "rewritten", "--break", f"pattern:x{pattern}"
        )
        assert ended.code == 2


SEEMING_ANSWERS = {
    "a list of texts": ("show-1.json", '["Good evening", "In sport"]'),
    "a list of numbers": ("show-1.json", "[1, 4]\n"),
    "a list in a line": ("a.jsonl", '["Good evening"]\n["Prices rose"]\n'),
    "a list of numbers in a field": ("a.jsonl", '{"id": "show-1", "starts": [1, 4]}'),
    "a list of texts in a field": ("a.jsonl", '{"id": "show-1", "first": ["In sport"]}\n' * 3),
    "a list in the field of answers": ("a.ndjson", '{"document_id": "a", "output": [0, 1]}'),
    "an object that is not in a line": ("a.json", '{\n"id": "a",\n"output": ["In sport"]\n}'),
    "a text with headings in a field": ("a.jsonl", '{"id": 1, "text": "Sure!\\n\\n## News\\na"}'),
    "a text in the field of answers": ("a.jsonl", '{"id": 1, "output": "a\\n---\\nb"}'),
    "Markdown": ("show-1.md", "# News\nGood evening\n"),
    "a text with headings": ("show-1.txt", "Of course:\r\n\r\n### News\r\nGood evening\r\n"),
}


@pytest.mark.parametrize("case", SEEMING_ANSWERS)
def test_what_seems_to_be_an_answer_is_told_its_formats(
    tmp_path: Path, segscore: Segscore, case: str
) -> None:
    name, text = SEEMING_ANSWERS[case]
    (tmp_path / name).write_text(text)
    ended = segscore("import", tmp_path / name, "--coder", "x", "--output", tmp_path / "out")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "`segscore answers` reads them, with --format rewritten" in ended.err
    for option in ("numbered", "quoted"):
        assert f"{option} (" in ended.err
    assert "--source UNITS" in ended.err
    assert "segeval" not in ended.err
    assert not (tmp_path / "out").exists()


def test_the_field_of_the_answers_is_named(tmp_path: Path, segscore: Segscore) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "show-1", "starts": [1, 4]}')
    ended = segscore("import", tmp_path / "a.jsonl", "--coder", "x", "--output", tmp_path / "out")
    assert "--answer-field starts; lists of labels are named with --flags" in ended.err


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '[{"a": 1}, 2]', "cannot tell its format"),
        ("a.json", "[[1, 2], [3]]", "segeval's JSON is an object"),
        ("a.json", "[true, false]", "segeval's JSON is an object"),
        ("a.json", "[1, 2", "not JSON"),
        ("a.json", "[" * 100_000, "nested"),
        ("a.jsonl", '{"id": "a", "labels": [0, 0, 1]}', "--flags"),
        ("a.jsonl", '{"document_id": "a", "n_units": 9, "boundary": [2]}', "boundary"),
        (
            "a.jsonl",
            '[1, 2]\n{"document_id": "a", "n_units": 9, "boundaries": [2]}',
            "one JSON object",
        ),
        ("a.txt", "#hashtag\nGood evening\n", "cannot tell its format"),
    ],
)
def test_other_files_are_not_taken_for_answers(
    tmp_path: Path, segscore: Segscore, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    ended = segscore("import", tmp_path / name, "--coder", "x", "--output", tmp_path / "out")
    assert ended.code == 2
    assert message in ended.err
    assert "language models" not in ended.err


LISTS = ["1, 3 and 5", "1 3 5", "**1, 3, 5**", '"1, 3, 5"', "1, 3, and 5.", "[1, 3, 5]", "1\n3\n5"]


@pytest.mark.parametrize("answer", LISTS)
def test_a_line_of_nothing_but_numbers_is_a_list(imports: Imports, answer: str) -> None:
    ended = imports({"show-1": answer}, "--format", "numbered", "--numbers", "starts")
    assert ended.code == 0, ended.err
    assert imports.boundaries() == {"show-1": [2, 4]}


def test_ranges_in_one_line_are_all_read(imports: Imports) -> None:
    ended = imports({"show-1": "1-2, 3-4 and (5-5)"}, "--format", "numbered", "--numbers", "ranges")
    assert ended.code == 0, ended.err
    assert imports.boundaries() == {"show-1": [2, 4]}
    assert imports.rows("alignment")["show-1"]["problems"] is None


def test_each_answer_is_read_by_its_own_shape(imports: Imports) -> None:
    answers = {"show-1": "1. Sentences 1-3: news\n2. Sentences 4-5: sport", "show-2": "[1, 2]"}
    ended = imports(answers, "--format", "numbered")
    assert ended.code == 0, ended.err
    assert "read as ranges in lines in 1, starts in JSON in 1; 0 of 2 answers failed" in ended.out
    assert imports.boundaries() == {"show-1": [3], "show-2": [1]}
    read_as = {name: row["read_as"] for name, row in imports.rows("alignment").items()}
    assert read_as == {"show-1": "ranges in lines", "show-2": "starts in JSON"}


IN_DOUBT = {
    "1, 3 and 5": "starts 1, 3, 5 or ends 1, 3, 5",
    "1. News\n2. Sport": "units 1, 2 or numbers of a list",
    "2, 4": "starts 2, 4 or ends 2, 4",
    "2, 3": "starts 2, 3 or ends 2, 3 or sizes 2, 3",
    "1–3\n3–5": "ranges 1-3, 3-5 with ends inside or with ends outside",
    '{"a": [1, 3], "b": [1, 4]}': "ranges 1-3, 1-4 or several lists",
    "1, U3 and so on": "units 3 or a further number, 1",
    "0 0 1 0 0": "numbers 0, 0, 1, 0, ... or a label for each unit",
}


@pytest.mark.first
@pytest.mark.parametrize("answer", IN_DOUBT)
def test_an_answer_in_doubt_fails_with_both_readings(imports: Imports, answer: str) -> None:
    options = ("--format", "numbered", "--first-number", 1)
    refused = imports({"show-1": answer}, *options)
    assert refused.code == 2
    assert f"show-1 of gpt-x (in doubt: {IN_DOUBT[answer]}) begins" in refused.err
    assert "say what numbers are with --numbers starts, ends, ranges or sizes" in refused.err
    assert imports({"show-1": answer}, *options, "--failed", "none").code == 0
    row = imports.rows("alignment")["show-1"]
    assert (row["status"], row["read_as"]) == ("failed", None)
    assert row["failure"] == f"in doubt: {IN_DOUBT[answer]}"


def test_what_numbers_are_can_be_said(imports: Imports) -> None:
    for kind, boundaries in (("starts", [1, 2]), ("ends", [2, 3])):
        output = imports.folder / kind
        options = ("--numbers", kind, "--first-number", 1, "--output", output)
        assert imports({"show-1": "2, 3"}, "--format", "numbered", *options).code == 0
        assert read(output / "hypotheses")["boundaries"].to_pylist() == [boundaries]
    refused = imports(
        {"show-1": "2, 5"}, "--format", "numbered", "--numbers", "starts", "--first-number", 1
    )
    assert "in doubt: starts 2, 5 or ends 2, 5" in refused.err


TRUNCATED: list[tuple[str, str, Any, list[int]]] = [
    ("numbered", "auto", "[1, 3, 4", [2]),
    ("numbered", "auto", "[1, 3, ", [2]),
    ("numbered", "starts", '```json\n{"starts": [1, 3', []),
    ("numbered", "auto", '{"starts": [1, 3], "titles": ["News", "Spo', [2]),
    ("numbered", "auto", '[{"start": 1, "end": 2}, {"start": 3, "end": 4}, {"start": 5', [2]),
    ("numbered", "auto", "```\n1\n3\n4", [2]),
    ("numbered", "auto", "1. Sentences 1-2\n2. Sentences 3-", []),
    ("numbered", "auto", "(1, 3, 4", [2]),
    ("numbered", "auto", "1, 3,", [2]),
    ("quoted", "", '["good evening", "in sp', []),
    ("quoted", "", '[{"first": "good evening"}, {"first": "in', []),
    ("quoted", "", "```\ngood evening\nteams go\nin sp", [2]),
]


@pytest.mark.long
@pytest.mark.parametrize(("format_name", "numbers", "answer", "kept"), TRUNCATED)
def test_an_answer_that_ends_inside_something_is_truncated(
    imports: Imports, format_name: str, numbers: str, answer: str, kept: list[int]
) -> None:
    options: tuple[object, ...] = ("--format", format_name)
    if numbers:
        options = (*options, "--numbers", numbers, "--first-number", 1)
    refused = imports({"show-1": answer}, *options)
    assert refused.code == 2
    assert "show-1 of gpt-x (truncated) begins" in refused.err
    charged = imports({"show-1": answer}, *options, "--failed", "none")
    assert "problems in answers: truncated in 1; 1 of 1 answer failed" in charged.out
    row = imports.rows("alignment")["show-1"]
    assert (row["problems"], row["status"], row["failure"]) == ("truncated", "failed", "truncated")
    output = imports.folder / "kept"
    ended = imports({"show-1": answer}, *options, "--truncated", "keep", "--output", output)
    assert ended.code == 0, ended.err
    assert "problems in answers: " in ended.out and "truncated in 1" in ended.out
    (row,) = read(output / "alignment").to_pylist()
    assert row["status"] == "ok" and "truncated" in row["problems"]
    assert read(output / "hypotheses")["boundaries"].to_pylist() == [kept]


COMPLETE = ["[1, 3, 4]", "```\n1\n3\n4\n```", "```json\n[1, 3, 4]", "1,\n3,\n4,", "1\n3\n4"]


@pytest.mark.long
@pytest.mark.parametrize("answer", COMPLETE)
def test_an_answer_with_its_end_is_not_truncated(imports: Imports, answer: str) -> None:
    ended = imports({"show-1": answer}, "--format", "numbered", "--first-number", 1)
    assert ended.code == 0, ended.err
    assert imports.boundaries() == {"show-1": [2, 3]}


def test_a_text_in_an_open_fence_is_truncated_if_its_end_is_missing(imports: Imports) -> None:
    options = ("--format", "rewritten", "--break", "rule", "--answer", "fence")
    missing = "```\ngood evening the floods recede\n---\nteams go home in sport"
    refused = imports({"show-1": missing}, *options)
    assert "show-1 of gpt-x (truncated)" in refused.err
    assert imports({"show-1": missing}, *options, "--truncated", "keep").code == 0
    assert imports.boundaries() == {"show-1": [2]}
    whole = imports(
        {"show-1": f"{missing} a draw today"}, *options, "--output", imports.folder / "w"
    )
    assert whole.code == 0, whole.err


def test_the_signature_says_that_truncated_answers_were_kept(imports: Imports) -> None:
    options = ("--format", "numbered", "--first-number", 1, "--truncated", "keep")
    assert imports({"show-1": "[1, 3, 4"}, *options).code == 0
    schema = storage.read_table(str(imports.folder / "out" / "hypotheses")).schema
    assert b"numbered,auto,truncated:keep,failed:refuse" in b" ".join(schema.metadata.values())


@pytest.mark.parametrize(
    ("answers", "options", "doubt"),
    [
        (
            {"show-1": "1. News\n2. Sport", "show-2": "1. Prices\n2. A whale"},
            ("--format", "numbered", "--first-number", 1, "--failed", "none"),
            "gpt-x: of 2 answers, 2 failed; the tables have next to nothing of them; look at the "
            "column failure of the table alignment; say what numbers are with --numbers starts, "
            "ends, ranges or sizes, or name where they are, such as 'starts:pattern:[0-9]+' or a "
            "path",
        ),
        (
            {"show-1": "Good evening", "show-2": ""},
            ("--format", "quoted", "--failed", "none"),
            "gpt-x: of 2 answers, 1 failed, 1 without a boundary; the tables have next to "
            "nothing of them; look at the column failure of the table alignment",
        ),
    ],
)
def test_tables_with_next_to_nothing_end_with_a_warning(
    imports: Imports, answers: Mapping[str, Any], options: tuple[Any, ...], doubt: str
) -> None:
    ended = imports(answers, *options)
    assert ended.code == 0, ended.err
    assert ended.err.splitlines()[-1] == f"warning: {doubt}"


def test_most_answers_with_boundaries_are_no_reason_to_warn(imports: Imports) -> None:
    answers = {"show-1": "1\n3", "show-2": "Sorry."}
    ended = imports(answers, "--format", "numbered", "--first-number", 1, "--failed", "none")
    assert (ended.code, ended.err) == (0, "")


def test_the_first_refusal_names_all_problems(imports: Imports) -> None:
    answers = {"show-1": "2\n3", "show-2": "Sorry."}
    refused = imports(answers, "--format", "numbered", "--numbers", "starts")
    assert refused.code == 2
    assert "--first-number 0 or --first-number 1; besides, 1 of 2 answers" in refused.err
    refused = imports(
        {"show-1": " ".join(UNITS["show-1"]), "show-2": ""},
        *("--format", "rewritten", "--break", "rule"),
    )
    assert refused.code == 2
    assert "1 of 2 answers cannot be used: show-2" in refused.err
    assert "besides, --break rule: no answer contains such a break" in refused.err
