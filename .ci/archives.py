"""Build the archives of a release, the sdist and the wheel, and check them.

They are written to build/archives, or to the folder archives of the one that is named.

Package indexes show the README without the repository, so its relative links would lead nowhere
there. With ADDRESS, where the repository is, and TAG, the release's, in the environment, links and
pictures get full addresses, and the project's links are added. `make archives` runs it.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from segscore.pipeline.runs.commit import ARCHIVED, find_commit

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
SOURCE, ARCHIVES = FOLDER / "archives-source", FOLDER / "archives"
IGNORED = (".git", ".venv*", "build", "*.egg-info", "__pycache__", ".*_cache")


def copy_source() -> None:
    """Copy the checkout, without what it ignores, to where its files may be changed."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.rmtree(ARCHIVES, ignore_errors=True)
    shutil.copytree(ROOT, SOURCE, symlinks=True, ignore=shutil.ignore_patterns(*IGNORED))
    if commit := find_commit():
        (SOURCE / "segscore" / ARCHIVED).write_text(f"{commit}\n")


def complete_addresses(page: str, address: str, tag: str) -> str:
    """Return a page in Markdown whose links to files, and pictures, work anywhere."""
    page = re.sub(r"(!\[[^]]*\]\()(?!\w+:|#)", rf"\g<1>{address}/raw/{tag}/", page)
    return re.sub(r"(?<!!)(\[[^]]*\]\()(?!\w+:|#)", rf"\g<1>{address}/blob/{tag}/", page)


def state_addresses(settings: str, address: str) -> str:
    """Return pyproject.toml with the links of the project."""
    pages = {
        "Documentation": "/blob/main/docs/index.md",
        "Changes": "/blob/main/CHANGELOG.md",
        "Issues": "/issues",
        "Source": "",
    }
    lines = [f'{name} = "{address}{path}"\n' for name, path in pages.items()]
    return settings.rstrip() + "\n\n[project.urls]\n" + "".join(lines)


def main() -> None:
    """Build both archives and check what indexes make of their description."""
    copy_source()
    address, tag = os.environ.get("ADDRESS"), os.environ.get("TAG")
    if address and tag:
        readme, settings = SOURCE / "README.md", SOURCE / "pyproject.toml"
        readme.write_text(complete_addresses(readme.read_text(), address, tag))
        settings.write_text(state_addresses(settings.read_text(), address))
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir", str(ARCHIVES))
    subprocess.run([*build, str(SOURCE)], check=True)  # noqa: S603
    archives = sorted(map(str, ARCHIVES.iterdir()))
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *archives], check=True)  # noqa: S603


if __name__ == "__main__":
    main()
