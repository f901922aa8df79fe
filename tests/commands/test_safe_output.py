"""No command prints a control character of a name, a formula, Markdown that acts, or a secret."""

import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from segscore.jobs.cli.log import Log
from tests.support.command_line import Segscore
from tests.support.nights import DAYS, Archive, rows
from tests.support.rows import write_rows
from tests.support.terminal import in_terminal

HOSTILE = "\x1b]0;title\x07\x1b[2J\x9b31m\u202egpj\u2066.=1"
"""Sets the title of a terminal, clears it, colors it, and turns the direction of the text."""

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SYSTEMS = (f"a{HOSTILE}", f"b{HOSTILE}")


def write_corpus(path: Path, *, broken: bool = False) -> Path:
    """Write documents whose ids, coders and genres have control characters."""
    listed: list[dict[str, Any]] = []
    for number in range(8):
        document = {"document_id": f"d{number}{HOSTILE}", "n_units": 20, "genre": f"g{HOSTILE}"}
        coders = [(f"desk{HOSTILE}", "reference"), *((name, "hypothesis") for name in SYSTEMS)]
        for place, (coder, role) in enumerate(coders):
            boundaries = [30] if broken else sorted({5 + place * number % 4, 12})
            listed.append({**document, "coder": coder, "role": role, "boundaries": boundaries})
    return write_rows(path, listed)


@pytest.fixture
def commands(tmp_path: Path) -> list[list[object]]:
    """Every command that prints names, after those that it needs."""
    corpus = write_corpus(tmp_path / "corpus.jsonl")
    broken = write_corpus(tmp_path / "broken.jsonl", broken=True)
    one = tmp_path / "one.jsonl"
    one.write_text(corpus.read_text("utf-8").replace("d0", "x0"), "utf-8")
    run, document = tmp_path / "run", ("--document", f"d1{HOSTILE}")
    by = ("--group-by", "genre")
    systems = ("compare", run, "--measure", "pk", "--layout", "systems")
    audit = ("agree", corpus, *by, "--output", tmp_path / "audit")
    listed: list[tuple[object, ...]] = [
        ("validate", broken),
        ("score", corpus, corpus, *by, "--layout", "groups", "--output", run),
        ("score", corpus, one, "--output", tmp_path / "other"),
        ("score", corpus, broken, "--output", tmp_path / "none"),
        ("compare", run, "--measure", "pk", "--group-by", "genre"),
        ("compare", run, "--measure", "pk", "--where"),
        ("compare", run, "--measure", "pk", "--baseline", "c\x1b[2J"),
        ("explain", run, *document),
        ("explain", run, "--document", "x\x1b[2J"),
        audit,
        ("export", run, *document, "--format", "webvtt"),
        ("sweep", corpus, corpus, "--output", tmp_path / "sweep"),
        ("simulate", "values", corpus),
        ("reconcile", corpus, corpus, "--published", "pk=0.2"),
        ("show", run),
        (*systems, "--format", "latex"),
    ]
    listed += [
        (*command, "--format", format_name)
        for format_name in ("csv", "markdown", "json")
        for command in (systems, ("validate", broken), ("explain", run, *document), audit)
    ]
    return [[*command] for command in listed]


@pytest.mark.long
def test_no_command_prints_control_characters(
    segscore: Segscore, commands: list[list[object]]
) -> None:
    for command in commands:
        for log_format in ("text", "json"):
            options = ["--log-format", log_format] if command[0] in ("score", "agree") else []
            result = segscore(*command, *options)
            assert result.code in (0, 1, 2)
            assert not CONTROLS.search(result.out + result.err), command
    assert "\\x1b]0;title\\x07" in segscore("compare", commands[1][-1], "--measure", "pk").out


@pytest.mark.long
def test_a_terminal_gets_only_the_controls_of_segscore(commands: list[list[object]]) -> None:
    for result in in_terminal(commands[:10], 80):
        assert "\x1b]" not in result.drawn
        assert "\x1b[2J\x9b" not in result.drawn
        assert not re.search("[\x80-\x9f\u202e\u2066\x07]", result.drawn)


def test_nights_print_no_control_characters(segscore: Segscore, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    good, bad = {f"a{HOSTILE}": 0.9, f"b{HOSTILE}": 0.9}, {f"a{HOSTILE}": 0.1}
    for night, systems in zip(DAYS, (good, bad), strict=False):
        archive.deliver(night, systems)
        for options in ((), ("--format", "markdown"), ("--format", "csv"), ("--format", "json")):
            result = archive.run(night, *options)
            assert not CONTROLS.search(result.out + result.err)
    assert archive.outcome(DAYS[1]) == "failed"
    for format_name in ("text", "csv", "markdown"):
        result = segscore("trend", "--table", archive.runs, "--format", format_name)
        assert not CONTROLS.search(result.out + result.err)


FORMULAS = ["=1+1", "+cmd", "-2", "@SUM(A1)", "\t=1", "|a", "plain", "a=b"]


def test_spreadsheets_find_no_formula(segscore: Segscore, tmp_path: Path) -> None:
    reference = rows("n", "reference", {}, 6)
    coded = rows("n", "hypothesis", dict.fromkeys(FORMULAS, 0.5), 6)
    for name, listed in (("ref", reference), ("hyp", coded)):
        text = "".join(json.dumps(row) + "\n" for row in listed)
        (tmp_path / f"{name}.jsonl").write_text(text)
    run = tmp_path / "run"
    assert (
        segscore("score", tmp_path / "ref.jsonl", tmp_path / "hyp.jsonl", "--output", run).code == 0
    )
    printed = segscore("compare", run, "--measure", "pk", "--format", "csv").out
    listed = [*csv.DictReader(io.StringIO(printed))]
    systems = {row["system"] for row in listed} | {row["other"] for row in listed}
    assert systems >= {"'=1+1", "'+cmd", "'-2", "'@SUM(A1)", "'\t=1", "|a", "plain", "a=b"}
    differences = [row["difference"] for row in listed if row["difference"]]
    assert any(value.startswith("-") for value in differences)
    assert all(float(value) is not None for value in differences)


def test_markdown_has_no_html_and_no_links(segscore: Segscore, tmp_path: Path) -> None:
    names = ["<script>x</script>", "[x](javascript:alert(1))", "a|b", "a\\|b", "`c`\nd"]
    for name, listed in (
        ("ref", rows("n", "reference", {}, 6)),
        ("hyp", rows("n", "hypothesis", dict.fromkeys(names, 0.5), 6)),
    ):
        text = "".join(json.dumps(row) + "\n" for row in listed)
        (tmp_path / f"{name}.jsonl").write_text(text)
    run = tmp_path / "run"
    assert (
        segscore("score", tmp_path / "ref.jsonl", tmp_path / "hyp.jsonl", "--output", run).code == 0
    )
    options = ("--measure", "pk", "--layout", "systems", "--format", "markdown")
    printed = segscore("compare", run, *options).out
    for shown in (
        "\\<script>x\\</script>",
        "[x\\](javascript",
        "a\\|b",
        "a\\\\\\|b",
        "\\`c\\`\\\\x0ad",
    ):
        assert shown in printed, printed
    table = [line for line in printed.splitlines() if line.startswith("|")]
    columns = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in table}
    assert len(columns) == 1


URLS = [
    "https://ann:S3CRET@host/x",
    "tcp://ann:S3CRET@host/x",
    "s3://b/x?secret=S3CRET",
    "gs://b/x?access_token=S3CRET",
    "HTTPS://h/x.parquet?X-Amz-Signature=S3CRET",
]


@pytest.mark.parametrize("url", URLS)
def test_no_secret_of_a_url_is_printed_or_written(
    segscore: Segscore, tmp_path: Path, url: str
) -> None:
    corpus, run = write_corpus(tmp_path / "corpus.jsonl"), tmp_path / "run"
    settings = tmp_path / "night.toml"
    settings.write_text(
        f'[nightly]\nreferences = "{url}&d={{date}}"\nhypotheses = "{url}&d={{date}}"\n'
        f'runs = "{run}"\n'
    )
    for command in (
        ["score", corpus, corpus, "--output", url],
        ["score", url, corpus, "--output", run],
        ["score", corpus, url, "--output", run],
        ["score", corpus, corpus, "--documents", url, "--output", run],
        ["score", corpus, corpus, "--cluster", url, "--output", run],
        ["score", corpus, corpus, "--cluster", url, "--output", run, "--log-format", "json"],
        ["agree", url, "--output", run],
        ["validate", url],
        ["import", url, "--output", run],
        ["project", url, "--from", corpus, "--to", corpus, "--output", run],
        ["project", corpus, "--from", url, "--to", url, "--output", run],
        ["project", corpus, "--from", corpus, "--to", corpus, "--output", url],
        ["compare", url, "--measure", "pk"],
        ["report", url],
        ["explain", url, "--document", "d1"],
        ["export", url, "--document", "d1"],
        ["show", url],
        ["trend", "--table", url],
        ["sweep", corpus, corpus, "--output", url],
        ["simulate", "values", corpus, "--output", url],
        ["nightly", "--settings", settings, "--date", "2026-01-01"],
        ["nightly", "--settings", url, "--date", "2026-01-01"],
        ["nightly", "--settings", settings, "--date", "2026-01-01", "--metrics", f"{url}.prom"],
    ):
        result = segscore(*command)
        assert result.code in (1, 2), command
        assert "S3CRET" not in result.out + result.err, command
        assert len(result.err.splitlines()) == 1, result.err
    assert not any("S3CRET" in path.read_text() for path in run.rglob("*") if path.is_file())


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_line_is_printed_in_one_piece_because_other_threads_print_too(
    log_format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces: list[str] = []

    class Stream(io.StringIO):
        def write(self, text: str) -> int:
            pieces.append(text)
            return len(text)

    monkeypatch.setattr(sys, "stderr", Stream())
    log = Log()
    log.format = log_format
    log.say("error", "stopped by SIGTERM", exit_code=143)
    first, *rest = pieces
    assert first.endswith("\n")
    assert not any(rest)
