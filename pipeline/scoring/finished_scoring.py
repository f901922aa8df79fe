"""Read finished scoring runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from segscore.pipeline.errors import Refused
from segscore.pipeline.runs.finished import FinishedRun, RunRow, rows_over_all
from segscore.pipeline.scoring.settings import ScoreSettings, recorded
from segscore.pipeline.statistics.averages import summary_groups


@dataclass(frozen=True)
class FinishedScoring(FinishedRun):
    """A finished run of `segscore score`, or of a night."""

    @classmethod
    def open(cls, url: str, unfinished: str = "the run is not finished") -> Self:
        """Read the scoring run in a folder.

        Raises:
            Refused: as ``FinishedRun.open`` does; a run of another command, or one whose settings
                this version of segscore does not know.
        """
        run = super().open(url, unfinished)
        if run.command != "score":
            of = "another command" if run.command is None else f"`segscore {run.command}`"
            raise Refused(f"{url}: holds no scores to explain or compare; it is a run of {of}")
        run.score_settings()
        return run

    def score_settings(self) -> ScoreSettings:
        """Read the settings of the run.

        Raises:
            Refused: they are not what this version of segscore has.
        """
        try:
            return recorded(self.settings)
        except TypeError as problem:
            made = self.record.get("versions", {}).get("segscore")
            raise Refused(
                f"{self.url}: was made by another version of segscore ({made}), whose settings are "
                "not those of this one; score again"
            ) from problem

    @property
    def types(self) -> tuple[int, ...]:
        """The boundary types that the run told apart; (1,) if none."""
        return tuple(self.record.get("boundary_types") or (1,))

    @cached_property
    def parameters(self) -> Mapping[str, float]:
        """What the formulas use beside counts, as ``evaluate`` takes it."""
        p_seg = self.record.get("p_seg")
        settings = self.score_settings()
        return settings.parameters(float("nan") if p_seg is None else p_seg, self.types)

    def over_all(self) -> list[RunRow]:
        """Read the rows of the summary that are over all documents."""
        summary = self.table("summary")
        return rows_over_all(summary, summary_groups(summary.column_names))
