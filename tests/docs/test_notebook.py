"""docs/python.ipynb says what its cells return."""

from typing import Any

import pytest

from tests.docs.notebook import read, run

# The libraries of a kernel warn of each other.
pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]


def results(notebook: Any) -> list[dict[str, str]]:
    """What the cells return, by kind of output."""
    return [
        {kind: "".join(data) for kind, data in output.get("data", {}).items()}
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output["output_type"] != "stream"
    ]


def test_the_outputs_are_those_of_the_cells() -> None:
    shipped = read()
    expected = results(shipped)
    assert len(expected) > 5
    assert any("text/html" in each for each in expected)
    assert results(run(shipped)) == expected
