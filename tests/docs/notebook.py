"""The notebook in docs/: its cells, and how they are run.

`python -m tests.docs.notebook` writes it anew, with its outputs.
"""

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from tests.support.pages import DOCS
from tests.support.paths import ROOT

NOTEBOOK = DOCS / "python.ipynb"
SECONDS = 600


def run(notebook: Any, folder: Path = ROOT) -> Any:
    """Run all cells of a notebook in a folder, which has tests/data; return it with outputs."""
    resources = {"metadata": {"path": str(folder)}}
    return NotebookClient(notebook, timeout=SECONDS, resources=resources).execute()


def read() -> Any:
    """The notebook as it is shipped."""
    return nbformat.read(NOTEBOOK, as_version=4)


if __name__ == "__main__":
    written = run(read())
    for cell in written.cells:
        cell.get("metadata", {}).clear()
        for output in cell.get("outputs", []):
            output.get("metadata", {}).clear()
    written.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(written, NOTEBOOK)
