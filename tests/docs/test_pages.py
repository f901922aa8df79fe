"""The pages of docs/: examples run and print what the page shows, and options are documented."""

import doctest
import re
from pathlib import Path
from typing import Any

import pytest
import typer

from segscore.jobs.cli.app import app
from segscore.pipeline.scoring.density_matched import OWN_POINTS
from segscore.pipeline.scoring.reference_points import REFERENCE_POINTS
from segscore.pipeline.scoring.thresholds import SCORES_GIVEN as SCORES_GIVEN
from segscore.pipeline.tables.contradictions import UNIQUE_CODER, UNIQUE_DOCUMENT
from segscore.pipeline.tables.faults import DECLARED, SAME_UNITS
from segscore.pipeline.tables.faults import GIVEN as TYPES_GIVEN
from segscore.schemas.comparisons import COMPARISON_TABLES
from segscore.schemas.documents import DOCUMENTS
from segscore.schemas.segmentations import SEGMENTATIONS
from tests.support.command_line import Segscore
from tests.support.pages import DOCS, PAGES, PROGRESS, Command, Fence, commands, fences, same
from tests.support.paths import ROOT

LONG = ("compare", "reconcile", "trend")
"""Pages whose commands take long."""

RUN = [
    pytest.param(page, id=page.stem, marks=pytest.mark.long if page.stem in LONG else ())
    for page in PAGES
    if {"console", "pycon"} & {fence.language for fence in fences(page)}
]
GROUP: Any = typer.main.get_command(app)
JOBS: dict[str, Any] = GROUP.commands
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OF_OTHERS = {
    "--audits", "--build-arg", "--confidence", "--create-namespace", "--death-timeout", "--from",
    "--from-env-file", "--help", "--help-all", "--include", "--install-completion",
    "--model", "--no-deps", "--paired-ar", "--paired-bs",
    "--now", "--offline", "--preload", "--protocol", "--repo", "--rm", "--tasks",
    "--tls-ca-file", "--tls-cert", "--tls-key", "--wait",
}  # fmt: skip
"""Options of other programs, and options of every command."""


def options_of(command: str) -> set[str]:
    """Return the options of a command, also those that its help does not list."""
    known = {
        name
        for parameter in JOBS[command].params
        for name in parameter.opts + parameter.secondary_opts
    }
    return {name for name in known if name.startswith("--")}


PAGE_OF = {
    "trend-table": "jobs/trend", "measures": "measures", "testsets": "testsets",
    "warm-up": "install",
}  # fmt: skip
"""Command -> its page, if that has another name or place."""


def page_of(command: str) -> Path:
    """Return the page of a command."""
    own = "jobs/simulate" if command.startswith("simulate-") else f"jobs/{command}"
    return DOCS / f"{PAGE_OF.get(command, own)}.md"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like a user's who has the repository."""
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(segscore: Segscore, command: Command, where: str) -> None:
    """Run a command line and compare its output with the page."""
    program, *arguments = command.words
    if program == "cat":
        actual = "".join(Path(name).read_text("utf-8") for name in arguments)
    else:
        assert program == "segscore", where
        result = segscore(*arguments)
        assert result.code == command.code, f"{where}: {result.err}"
        actual = result.out + PROGRESS.sub("", result.err)
    if command.expected:
        assert same(command.expected, actual), f"{where}: {command.words}\n{actual}"


def converse(fence: Fence, known: dict[str, Any], where: str) -> None:
    """Run a Python session and compare its output with the page."""
    session = doctest.DocTestParser().get_doctest(fence.text, known, where, where, fence.line)
    printed: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    result = runner.run(session, out=printed.append, clear_globs=False)
    assert not result.failed, "".join(printed)
    known.update(session.globs)


@pytest.mark.long
@pytest.mark.parametrize("page", RUN)
def test_examples_print_what_the_page_shows(page: Path, segscore: Segscore, place: Path) -> None:
    known: dict[str, Any] = {}
    for fence in fences(page):
        where = f"{page.name}:{fence.line}"
        if fence.file:
            Path(fence.file).parent.mkdir(parents=True, exist_ok=True)
            Path(fence.file).write_text(fence.text, "utf-8")
        elif fence.language == "console":
            for command in commands(fence):
                run(segscore, command, where)
        elif fence.language == "pycon":
            converse(fence, known, where)


@pytest.mark.parametrize(
    ("on_page", "printed", "expected"),
    [
        ("a\n…\nz\n", "a\nb\nc\nz  \n", True),
        ("a\n…\nz\n", "a\nz\n", False),
        ("a … z\n", "a b\nc z\n", False),
        ("0.1234567891\n", "0.1234567890\n", True),
        ("0.123456\n", "0.123457\n", False),
    ],
)
def test_only_ellipses_of_the_page_may_differ(on_page: str, printed: str, expected: bool) -> None:
    assert same(on_page, printed) is expected


@pytest.mark.parametrize("command", JOBS)
def test_a_command_has_a_page_with_an_example_and_only_its_options(command: str) -> None:
    """All of its options are on the page of options."""
    page = page_of(command)
    assert any(fence.language == "console" for fence in fences(page))
    rows = [line for line in page.read_text("utf-8").splitlines() if line.startswith("| `--")]
    named = {name for row in rows for name in OPTION.findall(row.split(" | ")[0])}
    together = [each for each in JOBS if page_of(each) == page]
    assert named <= set().union(*map(options_of, together))


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.stem)
def test_pages_name_only_existing_options(page: Path) -> None:
    known = OF_OTHERS.union(*map(options_of, JOBS))
    assert set(OPTION.findall(page.read_text("utf-8"))) <= known


def test_every_rule_is_named() -> None:
    """Both rules of single rows and rules between rows are named."""
    text = page_of("validate").read_text("utf-8")
    columns = [
        column for schema in (SEGMENTATIONS, DOCUMENTS) for column in schema.columns.values()
    ]
    between = [UNIQUE_CODER, UNIQUE_DOCUMENT, SAME_UNITS, TYPES_GIVEN, DECLARED, SCORES_GIVEN]
    for rule in [*(check.name for column in columns for check in column.checks), *between]:
        assert f"`{rule}`" in text


def test_every_reference_point_is_named() -> None:
    text = page_of("score").read_text("utf-8")
    for point in (*REFERENCE_POINTS, *OWN_POINTS):
        assert f"`{point}`" in text


def test_every_table_of_a_comparison_is_named() -> None:
    text = page_of("compare").read_text("utf-8")
    for schema in COMPARISON_TABLES:
        assert f"| `{schema.name}/` |" in text
