"""An archive that receives documents every night, and the settings of its nights."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from segscore.pipeline import storage
from tests.support.command_line import CommandResult, Segscore

FOLDERS = {"reference": "references", "hypothesis": "hypotheses"}
DAYS = [f"2026-01-{day:02d}" for day in range(1, 31)]
GOOD = {"steady": 0.9, "other": 0.8}
"""System -> probability that it finds a boundary exactly."""


def rows(
    night: str, role: str, systems: Mapping[str, float], documents: int = 40, seed: int = 0
) -> list[dict[str, Any]]:
    """One night's documents as the references, or as each system, segment them."""
    new_rows = []
    for number in range(documents):
        draw = Random(f"{night} {number} {seed}")  # noqa: S311
        n_units = draw.randint(20, 60)
        reference = sorted(draw.sample(range(1, n_units), draw.randint(2, 6)))
        document = {"document_id": f"{night}-{number}", "n_units": n_units}
        if role == "reference":
            new_rows.append({**document, "coder": "desk", "boundaries": reference})
            continue
        for system, chance in systems.items():
            boundaries = [boundary for boundary in reference if draw.random() < chance]
            new_rows.append({**document, "coder": system, "boundaries": boundaries})
    return new_rows


class Archive:
    """Folders of tables by date, and of nights: on a disk, or in a store."""

    def __init__(self, folder: str | Path, workspace: Path, segscore: Segscore) -> None:
        self.folder = str(folder)
        self.workspace = workspace
        self.segscore = segscore
        self.runs = storage.join(self.folder, "runs")
        self.metrics = workspace / "textfile" / "segscore.prom"
        self.file = workspace / "segscore.toml"
        self.settle()

    def settle(self, nightly: str = "", score: str = "", gate: str | None = None) -> None:
        """Write the settings file, with further lines for its tables."""
        rule = "boundary_similarity>=-0.02" if gate is None else gate
        self.file.write_text(f"""
[score]
{score}
[nightly]
references = "{self.folder}/references/date={{date}}"
hypotheses = "{self.folder}/hypotheses/date={{date}}"
runs = "{self.runs}"
metrics = "{self.metrics}"
gate = ["{rule}"]
{nightly}
""")

    def put(self, night: str, role: str, listed: list[dict[str, Any]]) -> None:
        """Write a table of a night."""
        url = storage.join(self.folder, f"{FOLDERS[role]}", f"date={night}", "part.jsonl")
        storage.write_text(url, "".join(json.dumps(row) + "\n" for row in listed))

    def deliver(
        self, night: str, systems: Mapping[str, float] = GOOD, documents: int = 40, seed: int = 0
    ) -> None:
        """Write all tables of a night."""
        for role in ("reference", "hypothesis"):
            self.put(night, role, rows(night, role, systems, documents, seed))

    def run(self, night: str, *options: object) -> CommandResult:
        """Run a night."""
        return self.segscore("nightly", "--settings", self.file, "--date", night, *options)

    def folder_of(self, night: str) -> str:
        """Return the folder of its run."""
        return storage.join(self.runs, f"date={night}")

    def read(self, night: str, name: str) -> Any:
        """Read a JSON file of a night."""
        text = storage.read_text(storage.join(self.folder_of(night), name))
        return None if text is None else json.loads(text)

    def outcome(self, night: str) -> str | None:
        """Return the outcome in its own record."""
        verdict = self.read(night, "night.json")
        return None if verdict is None else verdict["outcome"]


class KeptArchive:
    """An archive on a disk that many tests begin with: made once, and put back for each of them.

    It is always in the same folder, which its nights name.
    """

    def __init__(
        self, folder: Path, segscore: Segscore, *nights: tuple[str, Mapping[str, float], int]
    ) -> None:
        """Make it: the date of each night, its systems, and the exit code that it has to end with.

        ``segscore`` is for the tests of a module.
        """
        self._workspace, self._kept = folder / "workspace", folder / "kept"
        self._workspace.mkdir()
        archive = self._opened(segscore)
        for night, systems, code in nights:
            archive.deliver(night, systems)
            result = archive.run(night)
            assert result.code == code, result.err
        shutil.copytree(self._workspace, self._kept)

    def restore(self, segscore: Segscore) -> Archive:
        """Put it back as it was made, for a test that runs commands with ``segscore``."""
        shutil.rmtree(self._workspace)
        shutil.copytree(self._kept, self._workspace)
        return self._opened(segscore)

    def _opened(self, segscore: Segscore) -> Archive:
        return Archive(self._workspace / "archive", self._workspace, segscore)
