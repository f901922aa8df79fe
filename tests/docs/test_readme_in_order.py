"""The README's blocks, run from top to bottom in a fresh clone, and the first ones again."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.pages import Fence, fences
from tests.support.paths import ROOT

pytestmark = pytest.mark.long

ORDER = ("demo", "install", "own data", "python", "demo", "own data")
MARK = "--- block"


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a user who has just logged in, and for whom no loop was ever compiled."""
    cache = str(tmp_path_factory.mktemp("cache"))
    kept = {name: text for name, text in os.environ.items() if name.startswith(("HOME", "PIP_"))}
    path = f"{sys.base_prefix}/bin:{os.environ['PATH']}"
    variables = {"PIP_CACHE_DIR": f"{Path.home()}/.cache/pip", "PIP_NO_COMPILE": "1"}
    variables |= {**kept, "PATH": path, "XDG_CACHE_HOME": cache}
    wanted = f"packaging=={version('packaging')}"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", cache, wanted]
    asked = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if asked.returncode:
        pytest.skip(f"pip reaches no registry here: {asked.stderr[-200:]}")
    return variables


def typed(fence: Fence) -> str:
    """Return what a reader types for a block."""
    if fence.language == "python":
        return f"python - <<'END'\n{fence.text}END\n"
    if fence.language == "console":
        lines = fence.text.splitlines(keepends=True)
        return "".join(line.removeprefix("$ ") for line in lines if line.startswith("$ "))
    return fence.text


def test_the_readme_runs_in_a_fresh_clone(environment: dict[str, str], tmp_path: Path) -> None:
    """Make's environment and the reader's own do not disturb each other."""
    clone, git = tmp_path / "segscore", shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("there is no repository to clone")
    subprocess.run([git, "clone", "--quiet", ROOT, clone], check=True)
    blocks = fences(clone / "README.md")
    for fence in blocks:
        if fence.file:
            (clone / fence.file).write_text(fence.text, "utf-8")
    names = ("demo", "install", "own data", "python")
    scripts = dict(zip(names, (typed(one) for one in blocks if not one.file), strict=True))
    lines = [f"echo '{MARK}'\n{scripts[name]}" for name in ORDER]
    done = subprocess.run(
        ["/bin/sh", "-e", "-c", "".join(lines)],
        cwd=clone,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    printed = done.stdout.split(f"{MARK}\n")[1:]
    for name, text in zip(ORDER, printed, strict=True):
        if name == "demo":
            *lines, page, own = text.splitlines()
            verdict = "boundary_similarity, micro: full has the best value: "
            assert any(line.startswith(verdict) for line in lines)
            assert page.startswith("open build/demo/report.html ")
            assert own.startswith("your own data: ")
        elif name == "own data":
            assert "boundary_similarity, micro: cautious has the best value: 0.654 " in text
    assert (clone / "build/demo/report.html").is_file()
    assert (clone / "report.html").is_file()
    assert not [*clone.rglob("*.nbi")], "compiled loops lie among the files of a package"
