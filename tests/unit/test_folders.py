"""Each test is in a folder, and no module imports from a test module."""

import re
from pathlib import Path

import pytest

from tests.support.paths import ROOT

TESTS = ROOT / "tests"
FOLDERS = set(
    re.findall(r"^\| `(\w+)/` \|.*`make test", (ROOT / "CONTRIBUTING.md").read_text(), re.M)
)
IMPORT = re.compile(r"^\s*(?:from|import) tests\.(?:\w+\.)*(?:test_\w+|conftest)\b", re.MULTILINE)
FILES = sorted(TESTS.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(TESTS)))
def test_modules_are_in_folders_and_import_no_tests(file: Path) -> None:
    if file.name.startswith("test_"):
        assert file.relative_to(TESTS).parts[0] in FOLDERS
    assert IMPORT.findall(file.read_text("utf-8")) == []
