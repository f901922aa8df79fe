"""Read finished scoring runs."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self, cast

from segscore.pipeline.errors import Refused
from segscore.pipeline.measures.selection import Selection, normal_form
from segscore.pipeline.results.names import is_own_point, is_point, is_random
from segscore.pipeline.runs.finished import FinishedRun, rows_over_all
from segscore.pipeline.runs.record import SCHEMA
from segscore.pipeline.scoring.settings import ScoreSettings, settings_from_record
from segscore.pipeline.statistics.averages import Parameters, summary_groups
from segscore.pipeline.statistics.sums import GroupKey
from segscore.pipeline.tables.answer_accounts import Accounts, accounts_in
from segscore.schemas.rows import AverageRow


@dataclass(frozen=True)
class FinishedScoring(FinishedRun):
    """A finished run of `segscore score` or `segscore nightly`; its name tells it from others."""

    name: str = field(default="", kw_only=True)

    @classmethod
    def open(cls, url: str, unfinished: str = "the run is not finished") -> Self:
        """Open the scoring run in a folder.

        Raises:
            Refused: as in ``FinishedRun.open``; or the run is of another command, or has settings
                that this version of segscore does not know.
        """
        run = super().open(url, unfinished)
        if run.command != "score":
            command = "another command" if run.command is None else f"`segscore {run.command}`"
            raise Refused(f"{url}: is a run of {command}; name a run of `segscore score`")
        run.score_settings()
        return run

    def score_settings(self) -> ScoreSettings:
        """Return the settings of the run.

        Raises:
            Refused: the settings are not those of this version of segscore.
        """
        try:
            return settings_from_record(self.settings)
        except TypeError as problem:
            version = self.record.get("versions", {}).get("segscore")
            raise Refused(
                f"{self.url}: was made by another version of segscore ({version}) with different "
                "settings; score again"
            ) from problem

    @property
    def selection(self) -> Selection:
        """The counts and measures of the run."""
        return self.score_settings().selection

    @property
    def has_digests(self) -> bool:
        """Whether the scores have digests of their references, as this version takes them."""
        return self.record.get("schema") == SCHEMA

    def require(self, measures: Collection[str]) -> None:
        """Check that the run has some measures.

        Raises:
            Refused: it does not have one; the message says how to score again.
        """
        available = self.selection.names
        for name in measures:
            if name not in available:
                wanted = ",".join(normal_form([*available, *measures]))
                again = f"run score again with --measures {wanted}" if wanted else "score again"
                raise Refused(f"{self.url}: has no {name}; {again}")

    def group_parameters(self, key: GroupKey) -> Parameters:
        """Return the parameters of formulas for the sums of a group of the run."""
        level = (key[-1],) if self.by_level else ()
        values = self.parameters_at(cast("int | None", key[-1])) if level else self.parameters
        p_seg_of = *(None for _ in key[1 + len(level) :]), *level
        is_given = self.score_settings().p_seg is not None
        return Parameters(values, None if is_given else p_seg_of, self.draws_of(str(key[0])))

    def draws_of(self, hypothesis: str) -> int:
        """Return how many draws and trials the counts of a hypothesis are sums over."""
        draws = self.score_settings().draws if is_random(hypothesis) else 1
        if is_point(hypothesis) and not is_own_point(hypothesis):
            return draws
        return draws * (self.record.get("trials") or 1)

    @property
    def accounts(self) -> Accounts:
        """What became of the answers of the systems that are language models."""
        return accounts_in(self.record.get("answers") or {})

    @property
    def types(self) -> tuple[int, ...]:
        """The boundary types that the run distinguished; (1,) if none."""
        return tuple(self.record.get("boundary_types") or (1,))

    @cached_property
    def parameters(self) -> Mapping[str, float]:
        """Parameters that formulas use in addition to counts, as ``evaluate`` takes them."""
        if self.by_level:
            return self.parameters_at(None)
        return self._parameters(self.record.get("p_seg"))

    @property
    def by_level(self) -> bool:
        """Whether the rows of the run are about levels of a hierarchy."""
        return self.score_settings().by_level is not None

    def parameters_at(self, level: int | None) -> Mapping[str, float]:
        """Return the parameters of formulas on a level of the run; None stands for all levels."""
        of_level = next(each for each in self.record["levels"] if each["level"] == level)
        return {**self._parameters(of_level["p_seg"]), "type_range": 1.0}

    def _parameters(self, p_seg: float | None) -> dict[str, float]:
        settings = self.score_settings()
        return settings.parameters(float("nan") if p_seg is None else p_seg, self.types)

    def over_all(self) -> list[AverageRow]:
        """Read the rows of the summary that are over all documents."""
        summary = self.table("summary")
        return rows_over_all(summary, summary_groups(summary.column_names))
