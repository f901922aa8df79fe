"""Small CSV files that options name: a cell that Python's reader refuses ends in one line."""

import csv
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from segscore.pipeline.comparison.own_published import read_own_scores
from segscore.pipeline.comparison.read_ratings import read_ratings
from segscore.pipeline.conventions.published import read_published_table
from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.reading import read_renames
from segscore.pipeline.storage.csv_rows import csv_records, csv_rows
from segscore.pipeline.tables.plain_attributes import find_documents

READERS: dict[str, tuple[str, Callable[[str], object]]] = {
    "scores": ("system,measure,value", read_own_scores),
    "ratings": ("document_id,system,rating", read_ratings),
    "renames": ("coder,name", partial(read_renames, "--rename")),
    "published": ("system,measure,value", partial(read_published_table, half_width=None)),
    "attributes": ("document_id,genre", find_documents),
}


@pytest.fixture
def limit() -> Iterator[None]:
    """Python's own limit of cells, which other readers of this process may have raised."""
    before = csv.field_size_limit(131_072)
    yield
    csv.field_size_limit(before)


@pytest.mark.usefixtures("limit")
@pytest.mark.parametrize("name", READERS)
def test_a_cell_that_is_too_long_is_refused(tmp_path: Path, name: str) -> None:
    header, read = READERS[name]
    path = tmp_path / "table.csv"
    path.write_text(f"{header}\n{'x' * 200_000}{',1' * header.count(',')}\n")
    with pytest.raises(Refused, match="cannot be read as CSV: field larger than field limit"):
        read(str(path))


def test_a_byte_order_mark_is_not_part_of_a_name() -> None:
    assert csv_rows("x.csv", "\ufeffa;b\n1;2\n", ";") == [["a", "b"], ["1", "2"]]
    assert csv_records("x.csv", "\ufeffa,b\n1,2\n") == [{"a": "1", "b": "2"}]
