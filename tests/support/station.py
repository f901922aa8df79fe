"""A broadcaster's nights: channels, systems, and faults that are planted on known dates.

Every document is an hour of a channel, every system finds each boundary of the reference with a
probability of its own.  Faults change that probability, or the files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

from tests.support.rows import write_rows

CHANNELS = ("drei", "eins", "kultur", "news", "regio", "sport")
SYSTEMS = {"alpha": 0.8, "beta": 0.76, "delta": 0.7, "gamma": 0.72, "omega": 0.66}
"""System -> probability that it finds a boundary exactly."""

FIRST = date(2026, 10, 1)


@dataclass(frozen=True)
class Fault:
    """A fault of some nights.

    Attributes:
        kind: `slow` (the probability falls by ``size`` every night), `step` (it falls by ``size``
            once), `missing` (no documents of the channel), `stale` (the file of the night before),
            `broken` (a file that is not Parquet).
        since: number of the first night that has it.
        system: the system that has it; None for all, and the references.
        channel: the channel that has it; None for all.
        size: the fall of the probability.
        until: number of the night after the last that has it.
    """

    kind: str
    since: int
    system: str | None = None
    channel: str | None = None
    size: float = 0.0
    until: int = 10**6

    def concerns(self, night: int, system: str | None, channel: str | None) -> bool:
        """Whether it is about a night, system and channel."""
        return (
            self.since <= night < self.until
            and self.system in (None, system)
            and self.channel in (None, channel)
        )


@dataclass(frozen=True)
class Station:
    """An archive of nights in a folder.

    Attributes:
        folder: the folder; references and hypotheses of a night are in `references/date=D` and
            `hypotheses/date=D`, by channel and by system.
        hours: number of documents of each channel and night.
        faults: the planted faults.
        seed: seed of everything random.
    """

    folder: Path
    hours: int = 24
    faults: Sequence[Fault] = ()
    seed: int = 0
    channels: Sequence[str] = CHANNELS
    systems: Mapping[str, float] = field(default_factory=lambda: SYSTEMS)

    def date(self, night: int) -> str:
        """Return the date of a night by its number."""
        return str(FIRST + timedelta(days=night))

    def deliver(self, night: int) -> None:
        """Write all files of a night."""
        for channel in self.channels:
            if not self._has("missing", night, None, channel):
                self._write(f"references/date={self.date(night)}", channel, "desk", night)
        for system in self.systems:
            self.deliver_system(night, system)

    def deliver_system(self, night: int, system: str, *, mended: bool = False) -> None:
        """Write the files of a system; without its own faults of the file if it is mended."""
        source = night - (self._has("stale", night, system, None) and not mended)
        folder = f"hypotheses/date={self.date(night)}/system={system}"
        if self._has("broken", night, system, None):
            broken = self.folder / folder / "broken.parquet"
            if mended:
                broken.unlink()
            else:
                broken.parent.mkdir(parents=True, exist_ok=True)
                broken.write_bytes(b"PAR1 this is not Parquet PAR1")
                return
        for channel in self.channels:
            if not self._has("missing", night, None, channel):
                self._write(folder, channel, system, source)

    def rows(self, night: int) -> list[dict[str, Any]]:
        """Return all rows of a night, with role and channel, as for one file of both tables."""
        coders = {"desk": "reference"} | dict.fromkeys(self.systems, "hypothesis")
        return [
            {**self._row(night, channel, hour, coder), "role": role}
            | ({"channel": channel} if role == "reference" else {})
            for coder, role in coders.items()
            for channel in self.channels
            for hour in range(self.hours)
        ]

    def _has(self, kind: str, night: int, system: str | None, channel: str | None) -> bool:
        return any(
            fault.kind == kind and fault.concerns(night, system, channel) for fault in self.faults
        )

    def _write(self, folder: str, channel: str, coder: str, night: int) -> None:
        rows = [self._row(night, channel, hour, coder) for hour in range(self.hours)]
        path = self.folder / folder / f"channel={channel}" / "part.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_rows(path, rows)

    def _row(self, night: int, channel: str, hour: int, coder: str) -> dict[str, Any]:
        name = f"{channel}-{self.date(night)}T{hour:02d}"
        draw = Random(f"{self.seed} {name}")  # noqa: S311
        n_units = draw.randint(40, 90)
        reference = sorted(draw.sample(range(1, n_units), draw.randint(4, 12)))
        ease = draw.gauss(0, 0.08)
        row = {"document_id": name, "coder": coder, "n_units": n_units, "boundaries": reference}
        if coder in self.systems:
            chance = self._chance(night, channel, coder) + ease
            own = Random(f"{self.seed} {name} {coder}")  # noqa: S311
            row["boundaries"] = sorted(
                {self._found(own, boundary, n_units, chance) for boundary in reference} - {0}
            )
        return row

    def _chance(self, night: int, channel: str, system: str) -> float:
        chance = self.systems[system]
        for fault in self.faults:
            if fault.concerns(night, system, channel):
                nights = night - fault.since + 1
                chance -= {"slow": fault.size * nights, "step": fault.size}.get(fault.kind, 0.0)
        return chance

    @staticmethod
    def _found(draw: Random, boundary: int, n_units: int, chance: float) -> int:
        """Return where a system marks a boundary; 0 if it does not."""
        if draw.random() < chance:
            return boundary
        return min(n_units - 1, boundary + 1) if draw.random() < 0.3 else 0

    def settings(self, nightly: str = "", score: str = "", gate: str = "") -> Path:
        """Write the settings file of the nights and return its path."""
        rule = gate or '["boundary_similarity>=-0.02"]'
        path = self.folder / "nightly.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"""
[score]
group-by = ["channel"]
measures = ["boundary_similarity", "pk"]
{score}
[nightly]
references = "{self.folder}/references/date={{date}}"
hypotheses = "{self.folder}/hypotheses/date={{date}}"
runs = "{self.runs}"
gate = {rule}
{nightly}
""")
        return path

    @property
    def runs(self) -> Path:
        """The folder of the nights' runs."""
        return self.folder / "runs"
