"""Types of the Python interface: misspelt names fail in a type checker."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import segscore
from segscore.pipeline.measures import PAIRS
from tests.support.paths import linked_package

TYPED = Path(segscore.__file__).parent / "api" / "typed.py"
RIGHT = """\
import numpy
import segscore

metric = segscore.Metric("pk", "f1", n_t=3, average="macro")
metric.update_masks(reference=numpy.zeros((2, 3)), hypothesis=[[0, 1, 0], [0, 0, 0]])
value: float | None = segscore.pk(reference=[2], hypothesis=[3], n_units=9, window=4)
evaluation = segscore.evaluate("a", "b", measures=["pk", "edit"], group_by="genre")
segscore.compare(evaluation, measure=["pk", "f1"], systems="x,y")
segscore.agree("c", n_t=4)
"""
WRONG = {
    'segscore.Metric("pkk")': "arg-type",
    'segscore.Metric("pk", windw=3)': "call-arg",
    'segscore.Metric("pk", pairing="gredy")': "arg-type",
    "segscore.pkk(reference=[2], hypothesis=[3], n_units=9)": "attr-defined",
    "segscore.pk(reference=[2], hypothesis=[3], n_units=9, windw=3)": "call-arg",
    "segscore.score(reference=[2], hypothesis=[3], n_units=9, nt=3)": "call-arg",
    'segscore.evaluate("a", "b", measures=["pkk"])': "list-item",
    'segscore.evaluate("a", "b", replicate=0)': "call-arg",
    'segscore.compare("a", measure="pkk")': "arg-type",
    'segscore.agree("a", group=1)': "call-arg",
    'segscore.trend("a", measure="pk", nigths=3)': "call-arg",
    'segscore.calibrate("a", measure="pkk")': "arg-type",
}


def test_pyright_sees_that_the_functions_of_measures_are_exported() -> None:
    """It takes names of an installed package as private that `__all__` does not name."""
    module = ast.parse(Path(segscore.__file__).read_text("utf-8"))
    added = [ast.unparse(node) for node in ast.walk(module) if isinstance(node, ast.AugAssign)]
    assert "__all__ += _typed.__all__" in added
    assert {*ast.literal_eval(_exported(TYPED))} == {*PAIRS.measures}


def _exported(file: Path) -> ast.expr:
    """Return what a module assigns to `__all__`."""
    assigned = [
        n for n in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(n, ast.Assign)
    ]
    return next(node.value for node in assigned if ast.unparse(node.targets[0]) == "__all__")


@pytest.mark.long
def test_misspelt_names_fail_in_a_type_checker(tmp_path: Path) -> None:
    page = tmp_path / "page.py"
    page.write_text(RIGHT + "".join(f"{line}\n" for line in WRONG))
    ended = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", page],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(linked_package(tmp_path / "installed"))},
        check=False,
    )
    errors = [line for line in ended.stdout.splitlines() if line.startswith("page.py")]
    found = {int(line.split(":")[1]): line for line in errors if ": error: " in line}
    first = len(RIGHT.splitlines()) + 1
    assert [*found] == [*range(first, first + len(WRONG))], ended.stdout
    for number, code in enumerate(WRONG.values(), first):
        assert found[number].endswith(f"[{code}]")
