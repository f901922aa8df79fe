"""Sentences of all pages, also of those that are generated, are short enough to read once."""

from pathlib import Path

import pytest

from tests.support.pages import PAGES
from tests.support.paths import ROOT
from tests.support.prose import sentences

LONGEST = 35
OTHERS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "paper/paper.md")
FILES = [*PAGES, *(ROOT / name for name in OTHERS), *sorted((ROOT / "tests").rglob("README.md"))]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_sentence_is_long(file: Path) -> None:
    found = [each for each in sentences(file.read_text("utf-8")) if len(each.split()) > LONGEST]
    assert found == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "One. Two,\nas *three*. Four et al. 2020!",
            ["One.", "Two, as *three*.", "Four et al 2020!"],
        ),
        ("- a\n- [b c](d e f)\n\n| e | f. g |\n|---|---|\n", ["a", "b c", "e", "f.", "g"]),
        ("`a b`, `c` and `d` are `e`.\n\n    code here\n", ["code are code."]),
        ("## Heading\n\n```sh\nfenced. text\n```\n<b>x</b> <!-- y -->", ["x"]),
    ],
)
def test_what_counts_as_a_sentence(text: str, expected: list[str]) -> None:
    assert [each.strip() for each in sentences(text)] == expected
