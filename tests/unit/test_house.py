"""House rules: order of rooms, no circles, short functions, current schema."""

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import distribution
from pathlib import Path
from typing import get_type_hints

import segscore.pipeline
from segscore.pipeline.measures import ALL
from segscore.schemas.rows import AverageRow, CoderRow, CoefficientRow, PairRow, PeerRow
from tests.support.paths import ROOT

OURS = ("pipeline", "schemas", "jobs", "segscore/api", "segscore/integrations")
PACKAGE = "segscore.pipeline"


@cache
def modules() -> list[tuple[Path, ast.Module]]:
    """Return all modules of the package with their path in the checkout."""
    return [
        (path.relative_to(ROOT), ast.parse(path.read_text()))
        for folder in OURS
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]


def rooms() -> list[str]:
    """Return the rooms in the order of the docstring."""
    docstring = segscore.pipeline.__doc__
    assert docstring is not None
    return re.findall(r"^([a-z_]+)(?:/|\.py) ", docstring, re.MULTILINE)


def test_the_docstring_lists_the_rooms() -> None:
    inside = {path.name for path in (ROOT / "pipeline").iterdir()} - {"__init__.py", "__pycache__"}
    assert {name.removesuffix(".py") for name in inside} == set(rooms())
    assert len(inside) <= 19


def test_the_layers_are_the_rooms() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = (c["layers"] for c in settings["contracts"] if "containers" in c)
    assert layers == rooms()[::-1]


def test_the_page_about_the_code_lists_the_rooms_and_names_files() -> None:
    page = (ROOT / "docs/code.md").read_text()
    docstring = segscore.pipeline.__doc__ or ""
    for line in docstring.splitlines()[2:]:
        assert line in page
    for name in re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", page):
        assert (ROOT / name).is_file() or (ROOT / "pipeline" / name).is_file(), name


def test_the_page_about_the_code_names_what_its_files_define() -> None:
    page = (ROOT / "docs/code.md").read_text()
    path = r"`([a-z_]+/[a-z_/]+\.py)`"
    named = re.findall(rf"`(\w+)` (?:in |\(){path}", re.sub(r"\s+", " ", page))
    assert len(named) > 25
    for name, file in named:
        found = next(p for p in (ROOT / file, ROOT / "pipeline" / file) if p.is_file())
        defined = rf"^ *(?:def|class) {name}\b|^{name}\b|\b{name}="
        assert re.search(defined, found.read_text(), re.MULTILINE), (name, file)


def test_each_room_says_where_it_is_tested() -> None:
    for room in sorted((ROOT / "pipeline").glob("*/__init__.py")):
        docstring = ast.get_docstring(ast.parse(room.read_text())) or ""
        tested = re.search(r"^Tested in (.+)\.$", docstring, re.MULTILINE | re.DOTALL)
        assert tested, room
        for pattern in re.findall(r"`([^`]+)`", tested[1]):
            assert [*(ROOT / "tests").glob(pattern)], pattern


def test_one_package_is_installed() -> None:
    assert (distribution("segscore").read_text("top_level.txt") or "").split() == ["segscore"]


def test_every_folder_is_installed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    names = {name_of(path) for path, _ in modules() if path.name == "__init__.py"} | {"segscore"}
    assert sorted(settings["packages"]) == sorted(names)
    for package, folder in settings["package-dir"].items():
        assert package == f"segscore.{folder}"
    assert not any(path.is_symlink() for path in ROOT.joinpath("segscore").iterdir())


def name_of(path: Path) -> str:
    """Return the name of a module as it is imported."""
    name = ".".join(("segscore", *path.with_suffix("").parts))
    return name.replace("segscore.segscore", "segscore").removesuffix(".__init__")


def imported(module: ast.Module) -> Iterator[str]:
    """Yield the full names that a module imports anywhere, also for type checkers alone."""
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_imports_go_in_circles() -> None:
    """Not even inside a folder, within functions, or for type checkers."""
    parsed = {name_of(path): module for path, module in modules()}
    graph: dict[str, set[str]] = {}
    for name, module in parsed.items():
        sources = (full if full in parsed else full.rpartition(".")[0] for full in imported(module))
        graph[name] = {source for source in sources if source in parsed and source != name}
    TopologicalSorter(graph).prepare()


def test_private_names_stay_in_their_module() -> None:
    imports = (
        (path, alias.name)
        for path, module in modules()
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    )
    assert [(str(path), name) for path, name in imports if name.startswith("_")] == []


EXCHANGES = {f"{PACKAGE}.runs.shuffle", f"{PACKAGE}.runs.packets"}


def test_rows_of_a_document_meet_in_one_way() -> None:
    """A part is some documents with all their rows: `score`, `sweep` and `agree` shuffle alike.

    `answers` and `project` divide rows into the same packets.
    """
    users = defaultdict(set)
    for path, module in modules():
        for node in ast.walk(module):
            if isinstance(node, ast.ImportFrom) and node.module in EXCHANGES:
                for alias in node.names:
                    users[alias.name].add(str(path))
    assert users["read_partition"] == {
        "pipeline/agreement/part.py",
        "pipeline/scoring/documents.py",
    }
    assert (
        users["write_packets"]
        == users["read_packets"]
        == {
            "pipeline/importing/answers/gathering.py",
            "pipeline/importing/shards.py",
            "pipeline/runs/shuffle.py",
        }
    )
    scoring = {path.stem for path in (ROOT / "pipeline/scoring").rglob("*.py")}
    assert not scoring & {"broadcast", "duplicates", "grouped", "in_memory"}


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield all functions and their places; a Typer command has a parameter for each option."""
    for path, module in modules():
        commands = path.parts[0] == "jobs" and len(path.parts) == 2
        for node in ast.walk(module):
            if isinstance(node, ast.FunctionDef) and not (commands and node in module.body):
                yield f"{path}:{node.name}", node


def test_functions_have_few_positional_parameters() -> None:
    many = {}
    for name, function in functions():
        given = function.args.posonlyargs + function.args.args
        parameters = [argument for argument in given if argument.arg not in ("self", "cls")]
        if len(parameters) > 6:
            many[name] = len(parameters)
    assert not many


def test_functions_are_short() -> None:
    lengths = {name: (node.end_lineno or 0) - node.lineno + 1 for name, node in functions()}
    assert {name: length for name, length in lengths.items() if length > 50} == {}


def renderers() -> Iterator[tuple[Path, ast.Module]]:
    """Yield the modules that print results, or write them into a page."""
    for path, module in modules():
        if path.parts[0] == "jobs" or path.parts[:2] == ("pipeline", "reports"):
            yield path, module


MAKE_TABLES = {"provenance", "shared_documents", "words_around", "worst"}
"""Modules that still say themselves which columns their tables have. No others may."""


def test_renderers_make_no_tables() -> None:
    """What a table of results has is said once, as a ``ResultTable`` of its subject."""
    makers = {
        path.stem
        for path, module in renderers()
        for node in ast.walk(module)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("Column", "PageTable")
    }
    # A terminal, a layout, LaTeX and a page make the columns and tables of others.
    assert makers - {"fitted", "formats", "latex", "page", "progress"} == MAKE_TABLES


def test_renderers_name_no_statistic_of_coders() -> None:
    """But for the sentence that `cite` writes about coefficients."""
    of_coders, others = (
        {name for kind in kinds for name in get_type_hints(kind)}
        for kinds in ((CoderRow, CoefficientRow, PeerRow), (AverageRow, PairRow))
    )
    statistics = of_coders - others - {*ALL}
    names = {name for name in statistics if "_" in name} | {"coefficient", "similarity"}
    named = {
        str(path): node.value
        for path, module in renderers()
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and node.value in names
    }
    assert named.keys() == {"pipeline/reports/agreement_method.py"}
