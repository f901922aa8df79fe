"""The pages hardly use words that mean something in this project alone."""

import re
from pathlib import Path

from tests.support.pages import PAGES
from tests.support.paths import ROOT

GENERATED = ("benchmarks", "bibliography", "claims", "evidence", "measures", "options", "tables")
"""Pages that the code writes, in part or as a whole."""

PRIVATE = (
    "aspect", "in reach", "innocent", "own part", "planted", "receipt", "reference point",
    "restate", "two readings", "unpaired", "way of reading",
)  # fmt: skip
"""Words that neither the field nor engineers use so, and that readers have to learn here."""

MOST, WORDS = 15, 51_000
"""Most uses of these words on all pages, and most words of all that is written by hand."""


def prose(page: Path) -> str:
    """Return the text of a page in lower case, without code and addresses."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text("utf-8"))
    text = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", text)
    return " ".join(text.lower().split())


def written_by_hand() -> list[Path]:
    """Return the pages of docs that no program writes, and those beside them."""
    others = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")]
    return [*(page for page in PAGES if page.stem not in GENERATED), *others]


def test_words_of_this_project_alone_are_few() -> None:
    texts = {page.name: prose(page) for page in written_by_hand()}
    uses = {
        (name, word): number
        for name, text in texts.items()
        for word in PRIVATE
        if (number := text.count(word))
    }
    assert sum(uses.values()) <= MOST, uses


def test_pages_have_few_words() -> None:
    """Pages are rewritten when features are added; they do not only grow."""
    counts = {page.name: len(page.read_text("utf-8").split()) for page in written_by_hand()}
    assert sum(counts.values()) <= WORDS, counts
