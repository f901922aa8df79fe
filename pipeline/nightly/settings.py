"""Settings of a night, checked whole before any work starts."""

import datetime
import re
from dataclasses import dataclass

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.rules import GateRule, parse_rule
from segscore.pipeline.scoring.settings import ScoreSettings, one_of, within

PLACEHOLDER = "{date}"
LAST_GOOD = "last-good"
FAIL, PASS = "fail", "pass"
NIGHT = "date="
"""How names of nights' folders begin."""

METRICS = ".prom"
"""How the name of a file ends that node_exporter's textfile collector reads."""

MOST_DAYS = 36_500


@dataclass(frozen=True)
class NightSettings:
    """What `segscore nightly` was asked to do.

    Attributes:
        date: of the night.
        runs: folder of the nights' runs; this one's is `date=D` in it.
        score: how the night is scored, and what; its output is the night's folder.
        gate: rules separated by commas; None for none.
        alpha: chance that the gate of a night fails though nothing got worse beyond its limits,
            above 0 and at most 0.5.
        against: `last-good`, or the date of the night to compare with.
        not_comparable: `fail` or `pass`, a night whose signature is another than the other's.
        metrics: file of metrics to write, named *.prom; None for none.
        keep: days after which nights are removed; None: never.
    """

    date: datetime.date
    runs: str
    score: ScoreSettings
    gate: str | None = None
    alpha: float = 0.05
    against: str = LAST_GOOD
    not_comparable: str = FAIL
    metrics: str | None = None
    keep: int | None = None

    def __post_init__(self) -> None:
        """Refuse settings that cannot be meant.

        Raises:
            Refused: naming the option, the value and what is allowed.
        """
        if PLACEHOLDER in self.runs:
            raise Refused(f"--runs {self.runs}: every night gets a folder date=... in it by itself")
        if not 0 < self.alpha <= 0.5:
            raise Refused(f"--alpha {self.alpha}: must be above 0 and at most 0.5")
        one_of("--not-comparable", self.not_comparable, (FAIL, PASS))
        if self.metrics is not None and not self.metrics.endswith(METRICS):
            raise Refused(
                f"--metrics {self.metrics}: must end in {METRICS}, or node_exporter passes it over"
            )
        require_keep(self.keep)
        self.rules, self.compared  # noqa: B018  (refuse what they cannot read)
        if self.compared == self.date:
            raise Refused(f"--against {self.against}: is the night itself")

    @property
    def inputs(self) -> dict[str, str | None]:
        """What the night reads, by the option that names it."""
        return {
            "--references": self.score.references,
            "--hypotheses": self.score.hypotheses,
            "--documents": self.score.documents,
        }

    @property
    def rules(self) -> tuple[GateRule, ...]:
        """The rules of the gate."""
        return () if self.gate is None else parse_rule(self.gate)

    @property
    def compared(self) -> datetime.date | None:
        """The night to compare with; None for the last good one."""
        return None if self.against == LAST_GOOD else read_date("--against", self.against)


def require_keep(days: int | None) -> None:
    """Refuse a number of days that would keep nothing."""
    if days is not None:
        within("--keep", days, 1, MOST_DAYS)


def folder_of(runs: str, night: datetime.date) -> str:
    """Where the run of a night is."""
    return storage.join(runs, f"{NIGHT}{night.isoformat()}")


def read_date(option: str, text: str) -> datetime.date:
    """Read a date.

    Raises:
        Refused: not one, or not written as 2026-01-31.
    """
    also = f", or {LAST_GOOD}" if option == "--against" else ""
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
            return datetime.date.fromisoformat(text)
    except ValueError:
        pass
    raise Refused(f"{option} {text}: must be a date such as 2026-01-31{also}")


def dated(option: str, location: str, night: datetime.date) -> str:
    """Put a night's date where a location says `{date}`.

    Raises:
        Refused: there is another placeholder.
    """
    for name in re.findall(r"\{(\w*)\}", location):
        if f"{{{name}}}" != PLACEHOLDER:
            raise Refused(
                f"{option} {location}: there is no placeholder {{{name}}}, only {PLACEHOLDER}"
            )
    return location.replace(PLACEHOLDER, night.isoformat())
