"""`--settings FILE`, `--log-format json`, and which of file and command line takes precedence."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer

from docs.tools import settings_schema
from segscore.jobs.cli.app import app
from segscore.jobs.cli.log import LOG
from segscore.pipeline import storage
from tests.support.command_line import Segscore
from tests.support.paths import DATA, ROOT

GROUP: Any = typer.main.get_command(app)
COMMANDS: dict[str, Any] = GROUP.commands


@pytest.fixture
def tables(segscore: Segscore, tmp_path: Path) -> Path:
    """TinyRec as tables."""
    folder = tmp_path / "tables"
    assert segscore("import", DATA / "tinyrec.jsonl", "--output", folder).code == 0
    return folder


def write(folder: Path, text: str) -> Path:
    path = folder / "segscore.toml"
    path.write_text(text)
    return path


def record(run: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((run / "run.json").read_text())
    return loaded


def scoring(tables: Path, more: str = "") -> str:
    return f"""
[score]
references = "{tables}/references"
hypotheses = "{tables}/hypotheses"
documents = "{tables}/documents"
group-by = ["level"]
n_t = 3
window = 7
content-weights = [1, 2, 1, 0.5]
max_rejects = 0
{more}
[agree]
n-t = 5
"""


def test_the_command_line_overrides_the_settings_file(
    segscore: Segscore, tmp_path: Path, tables: Path
) -> None:
    file = write(tmp_path, scoring(tables))
    run = tmp_path / "run"
    result = segscore("score", "--settings", file, "--output", run, "--n-t", 4)
    assert result.code == 0, result.err
    chosen = record(run)["settings"]
    assert (chosen["n_t"], chosen["window"], chosen["max_rejects"]) == (4, 7, 0)
    assert chosen["group_by"] == ["level"]
    assert chosen["content_weights"] == [1, 2, 1, 0.5]
    assert chosen["references"] == f"{tables}/references"


def test_every_wrong_key_is_named_before_work_starts(
    segscore: Segscore, tmp_path: Path, tables: Path
) -> None:
    wrong = (
        'reference = "x"\nn_tt = 3\nseed = "one"\nfresh = true\nunit-weights = 1\n[storage.s4]\n'
    )
    file = write(tmp_path, "scores = 1\n" + scoring(tables, wrong))
    result = segscore("score", "--settings", file, "--output", tmp_path / "run")
    assert result.code == 2
    for message in (
        "no such key scores; the nearest is score",
        "no such key score.reference; the nearest is score.references",
        "no such key score.n_tt; the nearest is score.n_t",
        "score.seed is 'one', must be an integer",
        "score.unit-weights is 1, must be true or false",
        "score.fresh can only be set on the command line",
        "no such key storage.s4; the nearest is storage.s3",
    ):
        assert message in result.err
    assert not (tmp_path / "run").exists()


def test_the_settings_file_of_the_folder_is_read(
    segscore: Segscore, tmp_path: Path, tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, scoring(tables))
    said = "settings are those of segscore.toml in this folder"
    result = segscore("score", "--output", "run")
    assert result.code == 0 and result.err.splitlines()[0] == said
    assert record(tmp_path / "run")["settings"]["window"] == 7
    logged = segscore("score", "--output", "run", "--log-format", "json").err.splitlines()
    assert said in [json.loads(line)["message"] for line in logged]
    other = tmp_path / "other.toml"
    other.write_text("[score]\nwindow = 5\n")
    named = ("--settings", other, DATA / "tinyrec.jsonl", DATA / "tinyrec.jsonl")
    given = segscore("score", *named, "--output", "other")
    assert given.code == 0 and said not in given.err
    assert record(tmp_path / "other")["settings"]["window"] == 5
    assert said not in segscore("measures", "pk").err  # it has no table for this command


@pytest.mark.parametrize(
    "more", ['documents = "${HOME}/x"', '[storage.s3]\nendpoint_url = "http://127.0.0.1:1"']
)
def test_a_file_that_is_only_found_cannot_send_secrets(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, f"[score]\nwindow = 7\n{more}\n")
    data = DATA / "tinyrec.jsonl"
    result = segscore("score", data, data, "--output", "run")
    assert result.code == 0 and "segscore.toml is not read, as it names stores" in result.err
    assert record(tmp_path / "run")["settings"]["window"] == "per-pair"


@pytest.mark.parametrize("text", ["[score", "[score]\nwindo = 7\n"])
def test_a_wrong_file_of_the_folder_is_named(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, text)
    result = segscore("score", "a", "b", "--output", "run")
    assert result.code == 2 and "segscore: error: segscore.toml: " in result.err


@pytest.mark.parametrize(
    ("text", "message"),
    [("[score", "not TOML"), (None, "no such file"), ("score = 3", "score must be a table")],
)
def test_an_unreadable_settings_file_is_refused(
    segscore: Segscore, tmp_path: Path, text: str | None, message: str
) -> None:
    file = tmp_path / "none.toml" if text is None else write(tmp_path, text)
    result = segscore("score", "a", "b", "--output", tmp_path / "run", "--settings", file)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err


NINES = "9" * 5000
LARGE = (NINES, f"0x{NINES}", f"-{NINES}", "9" * 400, "9" * 25, f"[1, {NINES}]", f"[[0x{NINES}]]")


@pytest.mark.parametrize("key", ["seed", "n-t", "max-rejects", "window", "memory-limit", "output"])
def test_numbers_of_too_many_digits_are_refused_in_one_line(
    segscore: Segscore, tmp_path: Path, key: str
) -> None:
    for value in LARGE:
        file = write(tmp_path, f"[score]\n# a comment\n{key} = {value}\n")
        result = segscore("score", "a", "b", "--output", tmp_path / "run", "--settings", file)
        (line,) = result.err.splitlines()
        assert (result.code, result.out) == (2, "")
        assert line.endswith("; a whole number has at most 64 bits"), line
        assert f"score.{key} is too large" in line or "line 3: a number has too many" in line


@pytest.mark.parametrize(
    "option",
    [
        ("--memory-limit", "9" * 400), ("--memory-limit", "1e999"), ("--memory-limit", NINES),
        ("--boundary-types", "9" * 400), ("--boundary-types", NINES), ("--window", NINES),
        ("--seed", NINES), ("--n-t", "9" * 400), ("--beta", "9" * 400), ("--p-seg", "1e999"),
        ("--max-rejects", "nan"), ("--c-seg-costs", "1,nan"), ("--consensus", NINES),
    ],
)  # fmt: skip
def test_options_refuse_numbers_that_no_measure_can_have(
    segscore: Segscore, tmp_path: Path, option: tuple[str, str]
) -> None:
    result = segscore("score", "a", "b", "--output", tmp_path / "run", *option)
    (line,) = result.err.splitlines()
    assert (result.code, result.out) == (2, "")
    assert option[0] in line


def test_a_null_character_in_a_location_is_refused(segscore: Segscore, tmp_path: Path) -> None:
    file = write(tmp_path, '[score]\ndocuments = "\\u0000"\noutput = "run"\n')
    result = segscore("score", DATA / "tinyrec.jsonl", "b", "--settings", file)
    (line,) = result.err.splitlines()
    assert (result.code, result.out) == (2, "")
    assert "null character" in line


def test_credentials_of_a_store_are_written_nowhere(
    segscore: Segscore, tmp_path: Path, tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsspec.config.conf", {})
    secret = "kept-to-itself"  # noqa: S105
    file = write(tmp_path, scoring(tables, f'[storage.s3]\nsecret = "{secret}"\n'))
    run = tmp_path / "run"
    result = segscore("score", "--settings", file, "--output", run, "--log-format", "json")
    assert result.code == 0, result.err
    contents = [path.read_bytes() for path in run.rglob("*") if path.is_file()]
    assert not any(secret.encode() in content for content in contents)
    assert secret not in result.out + result.err


def test_log_format_json_writes_json_lines_to_standard_error(
    segscore: Segscore, tmp_path: Path, tables: Path
) -> None:
    run = tmp_path / "run"
    sides = (tables / "references", tables / "hypotheses")
    result = segscore("score", *sides, "--output", run, "--log-format", "json")
    lines = [json.loads(line) for line in result.err.splitlines()]
    assert all({"time", "level", "message"} <= line.keys() for line in lines)
    assert [line["done"] for line in lines if "done" in line][-1] == 1
    assert lines[-1]["message"] == "finished"
    assert lines[-1]["rows"] == record(run)["rows"]
    failed = segscore("score", *sides, "--output", run, "--n-t", 0, "--log-format", "json")
    (line,) = (json.loads(text) for text in failed.err.splitlines())
    assert (line["level"], line["exit_code"], failed.code) == ("error", 2, 2)
    assert "--n-t 0" in line["message"]


def test_an_unknown_log_format_is_refused(segscore: Segscore) -> None:
    result = segscore("score", "a", "b", "--output", "c", "--log-format", "xml")
    assert result.code == 2
    assert "--log-format xml: must be one of text, json" in result.err


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_the_settings_of_stores(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """The settings take effect before anything else is read, even if arguments are missing."""
    configured: list[Any] = []
    monkeypatch.setattr(storage, "configure", configured.append)
    file = write(tmp_path, '[storage.s3]\nendpoint_url = "https://objects.example.org"\n')
    segscore(command, "--settings", file, "--log-format", "json")
    assert configured == [{"s3": {"endpoint_url": "https://objects.example.org"}}]
    assert LOG.structured


def test_warnings_of_import_and_simulate_are_json_lines_too(
    segscore: Segscore, tmp_path: Path
) -> None:
    row = {"document_id": "a", "coder": "c", "n_units": 9, "boundaries": [3]}
    twice = tmp_path / "twice.jsonl"
    twice.write_text(2 * (json.dumps(row) + "\n"))
    broken = tmp_path / "broken.jsonl"
    broken.write_text(json.dumps(row) + "\n" + json.dumps(row | {"boundaries": [9]}) + "\n")
    for command, file in (("import", twice), ("simulate coders", broken)):
        output = tmp_path / command
        result = segscore(*command.split(), file, "--output", output, "--log-format", "json")
        assert result.code == 0, result.err
        lines = [json.loads(line) for line in result.err.splitlines()]
        assert {line["level"] for line in lines} == {"warning"}


def test_options_of_any_command_come_from_a_file(segscore: Segscore, tmp_path: Path) -> None:
    output = tmp_path / "simulated"
    codings = json.dumps(str(DATA / "stargazer.jsonl"))
    file = write(
        tmp_path, f"[simulate-coders]\ncodings = {codings}\ndocuments = 3\nnear-miss = 0\n"
    )
    result = segscore(
        "simulate", "coders", "--settings", file, "--output", output, "--documents", 2
    )
    assert result.code == 0, result.err
    chosen = json.loads((output / "simulation.json").read_text())["settings"]
    assert (chosen["documents"], chosen["near_miss"]) == (2, 0)


def test_help_groups_the_options_of_a_run(segscore: Segscore) -> None:
    run = ["Inputs", "Measures", "Averages", "Where to run", "Output"]
    for command, headings in (
        ("score", run),
        ("agree", run),
        ("compare", ["Inputs", "Measures", "Averages", "Power", "Gate", "Output"]),
        ("nightly", ["Inputs", "Gate", "Where to run", "Output"]),
    ):
        help_text = segscore(command, "--help-all").out
        panels = re.findall(r"^([A-Z][a-z A-Z]+):$", help_text, re.MULTILINE)
        assert [
            heading for heading in panels if heading not in ("Arguments", "Options", "Examples")
        ] == headings


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("segscore.jobs.cli.app", ["numpy", "pyarrow", "numba", "dask", "fsspec"]),
        *(
            (f"segscore.pipeline.{room}.settings", ["numpy", "pyarrow", "typer"])
            for room in (
                "scoring",
                "scoring.sweep",
                "agreement",
                "comparison",
                "nightly",
                "reports",
            )
        ),
    ],
)
def test_settings_need_no_large_library(module: str, absent: list[str]) -> None:
    """Every command imports the settings of all commands."""
    code = f"import sys, {module}; print([name for name in {absent} if name in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"


def test_all_faults_are_in_one_message(segscore: Segscore, tmp_path: Path) -> None:
    settings = write(
        tmp_path,
        """
[score]
window = 0
max-rejects = 3

[nightly]
references = "r/{day}"
hypotheses = "h/{date}"
runs = "runs/{date}"
gate = ["pk>=-0.1"]
keep = 0
""",
    )
    result = segscore("nightly", "--settings", settings, "--date", "2026-01-31")
    assert result.code == 2
    (line,) = result.err.splitlines()
    for fault in (
        "--runs runs/{date}: must not contain {date}",
        "--keep 0: ",
        "--references r/{day}: unknown placeholder {day}",
        "lower is better for pk",
        "[score] --window",
        "[score] --max-rejects",
    ):
        assert line.count(fault) == 1, fault
    assert "given" not in line
    score = segscore("score", "a", "b", "--output", "c", "--settings", settings)
    assert score.code == 2 and "--window" in score.err and "--max-rejects" in score.err
    only = segscore("score", "a", "b", "--output", "c", "--n-t", 0, "--seed", -1)
    assert only.code == 2 and "--n-t" in only.err and "--seed" in only.err


def test_the_schema_accepts_what_the_commands_accept() -> None:
    schema = settings_schema.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validate = jsonschema.Draft202012Validator(schema)
    examples = [ROOT / "deploy" / "settings" / "segscore.toml"]
    for path in examples:
        validate.validate(tomllib.loads(path.read_text()))
    validate.validate({"score": {"n_t": 3, "group-by": ["level"]}, "storage": {"s3": {"key": "a"}}})
    mistakes: list[dict[str, Any]] = [
        {"score": {"n-t": "two"}},
        {"score": {"refrences": "a"}},
        {"nightly": {"date": "2026-01-31"}},
        {"scores": {}},
    ]
    assert not any(validate.is_valid(wrong) for wrong in mistakes)


def test_variables_of_the_environment_are_replaced(
    segscore: Segscore, tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In texts and lists; a quote in a variable does not end the text that it is in."""
    monkeypatch.setenv("SEGSCORE_TABLES", str(tables))
    monkeypatch.setenv("SEGSCORE_RUN", 'a "run" of $5')
    monkeypatch.setenv("SEGSCORE_GROUP", "level")
    file = write(
        tmp_path,
        f"""
[score]
references = "${{SEGSCORE_TABLES}}/references"
hypotheses = "${{SEGSCORE_TABLES}}/hypotheses"
documents = "${{SEGSCORE_TABLES}}/documents"
group-by = ["${{SEGSCORE_GROUP}}"]
output = "{tmp_path}/$${{x}} $1 $$ ${{SEGSCORE_RUN}}"
""",
    )
    assert segscore("score", "--settings", file).code == 0
    settings = record(tmp_path / '${x} $1 $$ a "run" of $5')["settings"]
    assert settings["references"] == f"{tables}/references"
    assert settings["group_by"] == ["level"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("${SEGSCORE_UNSET}/x", "the environment variable SEGSCORE_UNSET is not set"),
        ("${SEGSCORE_SECRE}", "SEGSCORE_SECRE is not set; set it"),
        ("${A:-b}/x", "${A:-b} is not an environment variable; write ${NAME}"),
        ("${", "${ is not an environment variable"),
    ],
)
def test_a_variable_that_is_not_set_is_refused(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.setenv("SEGSCORE_SECRET", "hunter2")
    for key, line in (("score.output", "[score]\noutput"), ("storage.s3.key", "[storage.s3]\nkey")):
        file = write(tmp_path, f'{line} = "{text}"\n')
        result = segscore("score", "--settings", file)
        assert result.code == 2
        assert f"--settings {file}: {key}: " in result.err and message in result.err
        assert "hunter2" not in result.err


def test_what_a_variable_says_is_no_part_of_messages_about_the_file(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEGSCORE_SECRET", "hunter2")
    for lines in (
        '[score]\nn-t = "${SEGSCORE_SECRET}"',
        '[cluster]\nca = ["${SEGSCORE_SECRET}"]',
        '[score]\nreferences = "s3://${SEGSCORE_SECRET}:${SEGSCORE_SECRET}@host/x"',
        '[storage.s3]\nsecret = "${SEGSCORE_SECRET}"\n[score]\nreferences = "s3://b"',
    ):
        result = segscore("score", "--settings", write(tmp_path, lines))
        assert result.code == 2
        assert "hunter2" not in result.err + result.out


_CHOI = "choi.jsonl"
RUNS = {
    "score": (
        (
            *(_CHOI, _CHOI, "--n-t", "3", "--window", "7", "--measures", "pk,f1", "--draws", "8"),
            *("--group-by", "series", "--reference-points", "random-own", "--max-rejects", "0.25"),
        ),
        ("--n-t", "2"),
    ),
    "sweep": ((_CHOI, _CHOI, "--tolerances", "0,2"), ("--tolerances", "1")),
    "agree": (("stargazer.jsonl", "--without", "1", "--candidate", "7"), ("--candidate", "6")),
    "compare": (("score", "--measure", "pk", "--average", "macro"), ("--measure", "f1")),
}


@pytest.mark.first
@pytest.mark.parametrize("command", ["score", "sweep", "agree", "compare"])
def test_the_record_of_a_run_gives_its_options_back(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    for name in (_CHOI, "stargazer.jsonl"):
        lines = (DATA / name).read_text("utf-8").splitlines(keepends=True)
        (tmp_path / name).write_text("".join(lines[:80]), "utf-8")
    monkeypatch.chdir(tmp_path)
    for name in dict.fromkeys(["score" if command == "compare" else command, command]):
        ended = segscore(name, *RUNS[name][0], "--output", name)
        assert ended.code == 0, ended.err
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    before = tmp_path / command
    again = segscore(command, "--settings", before / "run.json", "--output", "again")
    assert again.code == 0, again.err
    first, second = record(before), record(Path("again"))
    for key in ("signature", "rows", "pairs"):
        assert first[key] == second[key]
    paths = {"references", "hypotheses", "scored", "codings", "runs", "output"}
    assert {k: v for k, v in first["settings"].items() if k not in paths} == {
        k: v for k, v in second["settings"].items() if k not in paths
    }
    other = segscore(command, "--settings", before / "run.json", *RUNS[command][1], "--output", "c")
    assert other.code == 0, other.err
    assert record(Path("c"))["settings"] != second["settings"] | {"output": "c"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"settings": {"codings": "x"}, "inputs": {}}', "the options of `segscore agree`, not of"),
        ('{"settings": {}, "inputs": {}}', "has no options, not of `segscore score`"),
        ('{"a": 1}', "lacks the key settings, which segscore writes"),
        ("{", "not valid JSON"),
        (
            '{"settings": {"hypotheses": 5, "n_t": {"a": 1}}, "inputs": {}}',
            "score.n_t is {'a': 1}, must be",
        ),
    ],
)
def test_a_record_of_another_kind_is_refused(
    segscore: Segscore, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "run.json").write_text(text)
    result = segscore("score", "--settings", tmp_path / "run.json", "--output", tmp_path / "run")
    assert (result.code, message in result.err) == (2, True), result.err


def test_a_setting_that_a_store_does_not_have_is_named(segscore: Segscore, tmp_path: Path) -> None:
    file = write(tmp_path, '[storage.s3]\nsecrt = "mine"\n')
    result = segscore(
        "score", "s3://b/r.jsonl", "s3://b/h.jsonl", "--output", "o", "--settings", file
    )
    assert result.code == 2
    assert "has no setting secrt; the nearest is secret; correct [storage]" in result.err
