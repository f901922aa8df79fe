"""What commands print on a terminal of any width, in any encoding, and into a pipe."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from segscore.jobs.show import fitted
from segscore.jobs.show.fitted import print_fitted
from segscore.pipeline.statistics.result_table import Column
from tests.support.command_line import Segscore
from tests.support.nights import DAYS, Archive
from tests.support.paths import DATA
from tests.support.terminal import Printed, in_terminal, with_environment
from tests.support.written import write

LONG = "experiments/2026-01/transformer-large.learning-rate-3e-5/checkpoint-120000"
SYSTEMS = {LONG: 3, "b": 2, "größer": 5}
"""System -> the distance by which its boundaries miss those of the reference."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents by three systems, one of which has a long name."""
    rows = []
    for number in range(12):
        document = {"document_id": f"show-{number}", "n_units": 40, "boundaries": [10, 20, 30]}
        rows += [document | {"coder": name, "role": "reference"} for name in ("desk", LONG[::-1])]
        for name, step in SYSTEMS.items():
            shifted = [10 + number % step, 20 - number % step]
            coded = {"coder": name, "role": "hypothesis", "boundaries": shifted}
            rows.append(document | coded | {"genre": ["news", "talk"][number % 2]})
    return write(tmp_path_factory.mktemp("corpus") / "shows.jsonl", rows)


def command_lines(corpus: Path, folder: Path) -> dict[str, list[object]]:
    """Return the commands that print tables, each with what it needs done before."""
    run, options = folder / "run", ("--reference-points", "none", "--group-by", "genre")
    chance = ("--permutations", 99)
    return {
        "score": ["score", corpus, corpus, *options, "--layout", "groups", "--output", run],
        "measures": [
            *("score", corpus, corpus, "--layout", "measures", "--output", folder / "all")
        ],
        "compare": ["compare", run, "--measure", "pk,boundary_similarity", "--where", *chance],
        "layout": ["compare", run, "--measure", "pk", "--layout", "systems", *chance],
        "gate": ["compare", run, folder / "all", "--measure", "pk", "--gate", "pk<=+0.01", *chance],
        "agree": ["agree", corpus, "--output", folder / "audit"],
        "explain": ["explain", run, "--document", "show-3"],
        "status": ["show", run],
        "list": ["measures", "b_tp"],
    }


AFTER = re.compile(r"$|scored |references: |hypotheses: |most contested|segscore")
"""An empty line, or lines about the run."""


def rows_of(lines: list[str]) -> list[list[str]]:
    """Return the lines of each table, from its heading to an empty line or what follows it."""
    tables = []
    for place, line in enumerate(lines):
        if re.fullmatch(r"─+", line):
            rest = [*lines[place:], ""]
            end = place + next(i for i, each in enumerate(rest) if AFTER.match(each))
            tables.append([lines[place - 1], *lines[place:end]])
    return tables


def named(table: list[str], heading: str) -> str:
    """Return the names in a column, one after the other, those over several lines put together."""
    start = table[0].index(heading)
    cells = [re.split(r" {2,}", line[start:])[0] for line in table[2:] if line[start:].strip()]
    return "".join(cells)


def check_tables(printed: dict[str, Printed], width: int) -> None:
    """Check that no table is wider than the terminal, and that names and numbers are whole."""
    for name, result in printed.items():
        assert result.code == 0, (name, result.lines)
        for table in rows_of(result.lines):
            assert max(map(len, table)) <= width, (name, table)
            assert not any("…" in line for line in table), (name, table)
    assert all(system in printed["score"].text for system in ("b", "größer"))
    for name, heading in (("score", "system"), ("compare", "system"), ("agree", "coder")):
        tables = [table for table in rows_of(printed[name].lines) if table[0].startswith(heading)]
        whole = [named(table, heading) for table in tables]
        assert tables, printed[name].text
        wanted = LONG if heading == "system" else LONG[::-1]
        assert all(wanted in names for names in whole), (name, whole)
    standings = [table for table in rows_of(printed["compare"].lines) if "minus it" in table[0]]
    assert len(standings) == 2


@pytest.mark.parametrize(
    "width", [80, *(pytest.param(width, marks=pytest.mark.long) for width in (60, 200))]
)
def test_tables_are_whole_at_every_width(corpus: Path, tmp_path: Path, width: int) -> None:
    commands = command_lines(corpus, tmp_path)
    printed = dict(zip(commands, in_terminal(list(commands.values()), width), strict=True))
    check_tables(printed, width)


@pytest.mark.parametrize(
    ("room", "rule", "rate"),
    [
        (16, "boundary_ similarity>= -0.02", "learning-rate- 3e-5/v1.5"),
        (17, "boundary_ similarity>=-0.02", "learning-rate- 3e-5/v1.5"),
        (22, "boundary_similarity>= -0.02", "learning-rate-3e-5/ v1.5"),
        (26, "boundary_similarity>=-0.02", "learning-rate-3e-5/v1.5"),
    ],
)
def test_names_continue_after_marks_and_not_inside_numbers(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    room: int,
    rule: str,
    rate: str,
) -> None:
    monkeypatch.setattr(fitted, "_PIPED_WIDTH", room + len("  -0.0200"))
    names = ["boundary_similarity>=-0.02", "learning-rate-3e-5/v1.5"]
    columns = [Column("name", names, is_name=True), Column("change", ["-0.0200", ""])]
    print_fitted(columns, whole=False)
    *_, rows = capsys.readouterr().out.rstrip().partition("─\n")
    assert re.sub(r"( +-0.0200)?\s+", " ", rows) == f"{rule} {rate}"


def test_a_heading_without_room_is_named_with_the_column_before_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitted, "_PIPED_WIDTH", 60)
    averages = [
        Column(heading, [value])
        for average in ("micro", "macro")
        for heading, value in ((average, "0.2345"), ("95 % interval", "0.1234 to 0.5678"))
    ]
    system = Column("system, best first", ["one"], is_name=True)
    print_fitted([system, *averages, Column("documents", ["12"])], whole=False)
    heads, *_, remark = capsys.readouterr().out.strip().splitlines()
    assert re.split(" {2,}", heads) == ["system, best first", "micro", "95 % interval", "macro"]
    assert remark == "no room here for 95 % interval of macro, documents"


@pytest.mark.long
def test_tables_are_whole_in_a_pipe(segscore: Segscore, corpus: Path, tmp_path: Path) -> None:
    printed = {}
    for name, words in command_lines(corpus, tmp_path).items():
        result = segscore(*words)
        printed[name] = Printed(result.code, [line.rstrip() for line in result.out.splitlines()])
    check_tables(printed, 400)
    assert f" {LONG} " in printed["gate"].text
    for name in ("score", "compare", "layout"):
        assert any(line.startswith(LONG + " ") for line in printed[name].lines), name
    assert "no room" not in "".join(result.text for result in printed.values())
    assert "point:none is better" not in printed["score"].text


@pytest.mark.long
@pytest.mark.parametrize(
    ("variables", "encoding"),
    [
        ({"PYTHONIOENCODING": "latin-1"}, "latin-1"),
        ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "ascii"),
    ],
    ids=["latin-1", "ascii"],
)
def test_other_encodings_get_similar_characters(
    corpus: Path, tmp_path: Path, variables: dict[str, str], encoding: str
) -> None:
    commands = command_lines(corpus, tmp_path)
    outputs = with_environment(list(commands.values()), variables, encoding)
    printed = dict(zip(commands, outputs, strict=True))
    assert [result.code for result in outputs] == [0] * len(commands), outputs
    assert "Traceback" not in "".join(result.text for result in outputs)
    assert "pk v, micro" in printed["compare"].text
    assert "#" in printed["explain"].text and "-|-" in printed["explain"].text
    assert "0 to inf" in printed["list"].text
    name = "größer" if encoding == "latin-1" else r"gr\xf6\xdfer"
    assert name in printed["score"].text


@pytest.mark.long
def test_printed_commands_have_no_altered_names(tmp_path: Path) -> None:
    rows = [
        {"document_id": "d", "coder": coder, "role": role, "n_units": 9, "boundaries": [boundary]}
        for coder, role, boundary in (
            ("ann", "reference", 4),
            ("Über→", "hypothesis", 1),
            ("b", "hypothesis", 2),
            ("c", "hypothesis", 3),
        )
    ]
    table, run = write(tmp_path / "rows.jsonl", rows), tmp_path / "run"
    commands: list[list[object]] = [
        ["score", table, table, "--output", run],
        ["compare", run, "--measure", "pk"],
    ]
    for encoding, altered in (("latin-1", True), ("utf-8", False)):
        _, compared = with_environment(commands, {"PYTHONIOENCODING": encoding}, encoding)
        assert compared.code == 0, compared.text
        explained = [line for line in compared.lines if "segscore explain" in line]
        assert any(line.endswith("--hypothesis b") for line in explained)
        assert any(line.endswith("--hypothesis 'Über→'") for line in explained) != altered
        assert ("(iso8859-1) lacks a character" in compared.text) == altered
        assert not any("Über>" in line for line in explained)


@pytest.mark.long
def test_data_formats_do_not_alter_names(segscore: Segscore, tmp_path: Path) -> None:
    rows = [("reference", "ann"), ("hypothesis", "Müller→系统")]
    table = tmp_path / "rows.jsonl"
    table.write_text(
        "".join(
            f'{{"document_id": "d", "coder": "{coder}", "role": "{role}", "n_units": 9, '
            '"boundaries": [4]}\n'
            for role, coder in rows
        ),
        encoding="utf-8",
    )
    command = ("score", table, table, "--output", tmp_path / "run", "--format")
    assert segscore(*command, "csv").code == 0
    commands = [(*command, "csv"), (*command, "markdown"), ("measures", "--format", "csv")]
    *refused, measures = with_environment(commands, {"PYTHONIOENCODING": "latin-1"}, "latin-1")
    assert [(result.code, result.text) for result in refused] == [(2, "")] * 2
    assert (measures.code, "0 to inf" in measures.text) == (0, True)
    done = subprocess.run(
        [sys.executable, "-m", "segscore", *map(str, command), "csv"],
        env=os.environ | {"PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        encoding="latin-1",
        check=False,
    )
    assert r"'M\xfcller\u2192\u7cfb\u7edf' cannot be printed" in done.stderr
    assert "(iso8859-1); set PYTHONIOENCODING=utf-8" in done.stderr


@pytest.mark.long
def test_a_good_night_is_good_in_any_encoding(segscore: Segscore, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    for night in DAYS[:2]:
        archive.deliver(night)
    command = ["nightly", "--settings", archive.file, "--date"]
    nights = [[*command, night] for night in DAYS[:2]]
    first, second = with_environment(nights, {"PYTHONIOENCODING": "ascii"}, "ascii")
    assert (first.code, second.code) == (0, 0), second.text
    assert second.lines[-2:] and f"{DAYS[1]}: passed" in second.text


# --- leaderboard --------------------------------------------------------------------------------


def test_systems_come_before_reference_points(segscore: Segscore, tmp_path: Path) -> None:
    table = DATA / "tinyrec.jsonl"
    points = ("--reference-points", "none,all,random-known", "--group-by", "level")
    result = segscore("score", table, table, *points, "--output", tmp_path / "run")
    lines = result.out.splitlines()
    starts = [line.split()[0] for line in lines if re.match(r"\S+ +0\.", line)]
    assert starts == ["EquiSeg", "point:random-known"]
    assert "point:none 0.0000, point:all 0.0352" in result.out
    assert "*" not in result.out  # there is no other system to be better than
    assert (
        "point:none is better than every system by pk and window_diff: it misses all boundaries"
    ) in result.out
    assert "more: --layout measures, --layout groups" in " ".join(lines)
    assert any(f"segscore report {tmp_path / 'run'}" in line for line in lines)
    assert any(f"segscore compare {tmp_path / 'run'}" in line for line in lines)


def test_the_best_system_is_first(segscore: Segscore, corpus: Path, tmp_path: Path) -> None:
    command = ("score", corpus, corpus, "--measures", "pk,boundary_similarity")
    result = segscore(*command, "--output", tmp_path / "run")
    assert result.code == 0, result.err
    first, *others = [line for line in result.out.splitlines() if re.match(r"\S+ +0\.\d{4}", line)]
    assert first.startswith("b ") and len(others) == 2
    assert "*" not in result.out


def test_an_argument_that_the_locale_cannot_read_is_refused() -> None:
    command: list[str | bytes] = [sys.executable, "-m", "segscore", "show", "größer".encode()]
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        command, env=os.environ | locale, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not text in the encoding of this locale (ascii); set LC_ALL to" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.long
def test_the_default_of_n_t_is_explained_in_milliseconds(
    segscore: Segscore, tmp_path: Path
) -> None:
    """Only of a recording, and only if neither the user nor a settings file chose n_t."""
    row = {"document_id": "a", "coder": "x", "n_units": 60_000, "boundaries": [30_000]}
    shows = tmp_path / "shows.jsonl"
    shows.write_text("".join(json.dumps(row | {"coder": coder}) + "\n" for coder in "xy"))
    tables = (tmp_path / "ms" / "references", tmp_path / "turns" / "references")
    for table, unit in zip(tables, ("millisecond", "turn"), strict=True):
        imported = segscore("import", shows, "--unit", unit, "--output", table.parent)
        assert imported.code == 0, imported.err
    settings = tmp_path / "settings.toml"
    settings.write_text("[agree]\nn-t = 2\n")
    agree = ("agree", "--output", tmp_path / "audit", "--fresh")
    hint = "Near misses are boundaries less than 2 s apart (--n-t 2000)"
    assert hint in segscore(*agree, tables[0]).err
    for chosen in (["--n-t", 2], ["--settings", settings], ["--format", "json"]):
        assert "--n-t" not in segscore(*agree, tables[0], *chosen).err
        assert "--n-t 2000" not in segscore(*agree, tables[0], *chosen).out
    assert "--n-t" not in segscore(*agree, tables[1]).err
    score = ("score", tables[0], tables[0], "--output", tmp_path / "run", "--fresh")
    assert hint in (scored := segscore(*score)).err and "|n_t:2000|" in scored.out
    assert "--n-t" not in segscore(*score, "--measures", "window").err
    assert "|n_t:2|" in segscore("score", tables[1], tables[1], *score[3:]).out
    assert "|n_t:2|" in segscore(*score, "--n-t", 2).out


ROWS, ACROSS = 24, 80


def last_screen(printed: Printed) -> str:
    """What is left on a screen of 24 rows, the last of which has the next prompt."""
    rows = [
        line[i : i + ACROSS] for line in printed.lines for i in range(0, len(line) or 1, ACROSS)
    ]
    while rows and not rows[-1].strip():
        rows.pop()
    return "".join(rows[-(ROWS - 1) :])


@pytest.mark.long
def test_the_answer_comes_first(corpus: Path, tmp_path: Path) -> None:
    """The sentence that answers is first, and what a score prints fits a small terminal."""
    run, scored = tmp_path / "run", tmp_path / "scored.jsonl"
    rows = [json.loads(text) for text in corpus.read_text("utf-8").splitlines()]
    swept = [
        row | {"boundary_scores": [0.9, 0.4][: len(row["boundaries"])]}
        for row in rows
        if row["role"] == "hypothesis"
    ]
    write(scored, swept)
    answers: dict[str, tuple[list[object], str]] = {
        "score": (["score", corpus, corpus, "--output", run], "has the best value: "),
        "compare": (["compare", run], "has the best value: "),
        "sweep": (["sweep", corpus, scored, "--output", tmp_path / "curves"], "at threshold "),
    }
    printed = in_terminal([words for words, _ in answers.values()], ACROSS)
    for (name, (_, answer)), result in zip(answers.items(), printed, strict=True):
        assert result.code == 0, (name, result.lines)
        shown = [line for line in result.lines if "elapsed" not in line]
        assert answer in " ".join(shown[:4]), (name, shown)
    assert len(printed[0].lines) < ROWS, printed[0].lines
    found = in_terminal(
        [
            ["reconcile", DATA / "tinyrec.jsonl", DATA / "tinyrec.jsonl", "--measure", measure,
             "--published", number]
            for measure, number in (("pk", "0.498"), ("pk", "0.111"))
        ],
        ACROSS,
    )  # fmt: skip
    assert "Simplest that fits: " in last_screen(found[0])
    assert "Nearest: " in last_screen(found[1])
