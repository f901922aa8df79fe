"""Files that are written from the code are current, and their notes are about what there is."""

from pathlib import Path

import pytest

from docs.tools import measures
from docs.tools.files import FILES
from segscore.pipeline.measures import ALL, FAMILIES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_generated_is_current(path: Path) -> None:
    assert path.read_text("utf-8") == FILES[path](), "the code has changed: run `make docs`"


def test_a_note_about_no_measure_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = measures.NOTES.read_text("utf-8")
    monkeypatch.setattr(measures, "NOTES", tmp_path / "notes.toml")
    measures.NOTES.write_text(notes + 'pk_of_nothing = "text"\n', "utf-8")
    with pytest.raises(SystemExit, match="no such measure: pk_of_nothing"):
        measures.page()


def test_every_measure_and_count_is_on_the_page() -> None:
    text = measures.page()
    counts = [count for family in FAMILIES.values() for count in family.COUNTS]
    assert [name for name in ALL if f"### `{name}`\n" not in text] == []
    assert [name for name in counts if f"| `{name}` |" not in text] == []


def test_an_example_is_computed() -> None:
    assert measures.examples()["precision"] == 0.5
    assert set(ALL) <= measures.examples().keys()
