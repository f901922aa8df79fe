"""In an environment with NumPy and numba alone, segscore scores pairs."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.paths import ROOT

pytestmark = pytest.mark.long


def test_pairs_are_scored_where_only_numpy_and_numba_are_installed(tmp_path: Path) -> None:
    """Pip installs them without their other requirements, from wheels."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    python = str(tmp_path / "env/bin/python")
    names = ("numpy", "numba", "llvmlite")
    pinned = [f"{name}=={version(name)}" for name in names]
    options = ["--disable-pip-version-check", "--quiet", "--no-deps", "--only-binary", ":all:"]
    command = [python, "-m", "pip", "install", *options, *pinned]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"pip cannot install NumPy and numba here: {done.stderr[-200:]}")
    site = next((tmp_path / "env/lib").glob("python3*/site-packages"))
    (site / "segscore.pth").write_text(f"{ROOT}\n")
    scored = "segscore.pk(reference=[2, 5], hypothesis=[2, 4], n_units=11)"
    code = f"import importlib.util as u, segscore; print(u.find_spec('pyarrow'), {scored})"
    done = subprocess.run(
        [python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["None", "0.2222222222222222"]
