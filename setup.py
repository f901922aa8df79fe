"""Write the commit of a checkout into what is built of it; pyproject.toml says everything else."""

import runpy
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent


class BuildWithCommit(build_py):
    """Build the package, and keep its commit beside its folders, where segscore looks for it."""

    def run(self) -> None:
        """Build as setuptools does, then write the file; an archive has it already."""
        super().run()
        known = runpy.run_path(str(ROOT / "pipeline/runs/commit.py"))
        commit = known["checked_out"](ROOT)
        if commit and not self.editable_mode:
            text = f"{commit}\n"
            Path(self.build_lib, "segscore", known["ARCHIVED"]).write_text(text, "utf-8")


setup(cmdclass={"build_py": BuildWithCommit})
