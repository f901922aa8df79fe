"""Types of the Python interface: misspelt names fail in a type checker."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import segscore
from segscore.pipeline.measures import PAIRS
from tests.support.paths import ROOT, linked_package

TYPED = Path(segscore.__file__).parent / "api" / "typed.py"
RIGHT = """\
import numpy
import segscore

score = segscore.score(reference=[2, 5], hypothesis=[2, 4], n_units=11, n_t=3)
value: float | None = score.pk
other: float | None = score["window_diff"]
function: float | None = segscore.pk(reference=[2], hypothesis=[3], n_units=9)
total = sum([score, score])
one = segscore.Segmentation.from_masses((2, 3, 6))
positions: tuple[int, ...] = one.boundaries
evaluation = segscore.evaluate({"a": one}, {"a": one}, measures=["pk"])
micro: float | None = evaluation["pk"].micro
interval: tuple[float, float] | None = evaluation["pk"].interval
comparison = segscore.compare(evaluation, "run", measure="pk")
coefficient: float | None = segscore.agree({"a": {"d": one}})["pi", "exact"]
fitting: list[str] = segscore.reconcile({"a": one}, {"a": one}, measure="pk", published="0").fitting
worth: str = segscore.calibrate({"a": one}, measure="pk").describe(0.3)
metric = segscore.Metric("pk", n_t=2)
metric.update(reference=one, hypothesis=[2, 4], n_units=11)
metric.state = metric.state + metric.state
values: dict[str, float | None] = metric.compute(intervals=True)
formula: str = segscore.measures()["pk"].formula
try:
    segscore.read_run("run")
except segscore.Refused as problem:
    error: ValueError = problem
masks = segscore.Metric("pk", "f1", n_t=3, average="macro")
masks.update_masks(reference=numpy.zeros((2, 3)), hypothesis=[[0, 1, 0], [0, 0, 0]])
windowed: float | None = segscore.pk(reference=[2], hypothesis=[3], n_units=9, window=4)
grouped = segscore.evaluate("a", "b", measures=["pk", "edit"], group_by="genre")
segscore.compare(grouped, measure=["pk", "f1"], systems="x,y")
segscore.agree("c", n_t=4)
"""
WRONG = {
    "wrong: str = evaluation['pk'].micro": "assignment",
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
    """It is checked where `make types` is, with what that run kept: a second, not a minute."""
    page, linked = tmp_path / "page.py", ROOT / "build" / "lint"
    page.write_text(RIGHT + "".join(f"{line}\n" for line in WRONG))
    if not (linked / "segscore").is_dir():
        linked_package(linked)
    ended = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", page],
        capture_output=True,
        text=True,
        cwd=linked,
        check=False,
    )
    errors = [line for line in ended.stdout.splitlines() if "page.py:" in line]
    found = {int(line.split(":")[1]): line for line in errors if ": error: " in line}
    first = len(RIGHT.splitlines()) + 1
    assert [*found] == [*range(first, first + len(WRONG))], ended.stdout
    for number, code in enumerate(WRONG.values(), first):
        assert found[number].endswith(f"[{code}]")
