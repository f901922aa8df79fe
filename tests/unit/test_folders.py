"""The folders of the tests: one for each test, and none of them takes from another's modules."""

import ast

import pytest

from tests.support.paths import ROOT

TESTS = ROOT / "tests"
MODULES = sorted(TESTS.rglob("test_*.py"))
FOLDERS = {"browser", "commands", "conformance", "deploy", "docs", "faults", "stores", "unit"}


@pytest.mark.parametrize("name", [str(path.relative_to(TESTS)) for path in MODULES])
def test_a_module_stands_in_a_folder_and_no_other_imports_it(name: str) -> None:
    assert name.partition("/")[0] in FOLDERS
    assert f"| `{name.partition('/')[0]}/` |" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    module = "tests." + name.removesuffix(".py").replace("/", ".")
    for path in TESTS.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        assert not [
            node.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == module
        ], path
