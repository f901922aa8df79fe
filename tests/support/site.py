"""The site of docs/, as `make site` builds it."""

import subprocess
import sys
from pathlib import Path

from tests.support.paths import ROOT


def build_site(folder: Path) -> Path:
    """Build the site below a folder, and return the folder of its pages."""
    options = ("-W", "--keep-going", "-n", "-q", "-d", str(folder / "doctrees"))
    command = [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(folder / "html")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder / "html"
