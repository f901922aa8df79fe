"""Settings of a trend, all checked before any work starts."""

import datetime
from dataclasses import dataclass
from typing import Annotated

from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.dates import read_date, read_month
from segscore.pipeline.settings.options import Argument, Option, Panel, SeedOption
from segscore.pipeline.settings.ranges import check_group_by, check_seed, one_of, within
from segscore.pipeline.settings.reading import read_names

PER_NIGHTS = 30
"""Number of nights over which a slope is said as a change."""

FEWEST_FOR_AVERAGES = 3
"""Fewest nights of which anything is said."""

_MOST_NIGHTS = 3660


@dataclass(frozen=True)
class TrendSettings:
    """Settings of `segscore trend`; the help of each option says what it is."""

    runs: Annotated[str, Argument("Folder of nights, that of nightly --runs.")]
    measure: Annotated[str, Option("Measure whose averages are followed.", Panel.MEASURES)]
    since: Annotated[
        datetime.date | None,
        Option("Date of the first night; default: by --nights.", Panel.INPUTS, read_date),
    ] = None
    until: Annotated[
        datetime.date | None,
        Option("Date of the last night; default: the newest.", Panel.INPUTS, read_date),
    ] = None
    nights: Annotated[
        int | None,
        Option(
            "Number of nights; default: 30, if neither --since nor --month is given.", Panel.INPUTS
        ),
    ] = None
    month: Annotated[
        datetime.date | None,
        Option(
            "Month to report, such as 2026-10: the mean of each system, and whether it met its "
            "floor.",
            Panel.INPUTS,
            read_month,
        ),
    ] = None
    group_by: Annotated[
        tuple[str, ...],
        Option(
            "Attributes of the documents, one series each for their values.",
            Panel.AVERAGES,
            read_names,
        ),
    ] = ()
    average: Annotated[str, Option("Average to follow: micro or macro.", Panel.AVERAGES)] = "micro"
    alpha: Annotated[
        float, Option("Probability that anything is named by chance alone.", Panel.GATE, rare=True)
    ] = 0.01
    limit: Annotated[
        float,
        Option(
            "Smallest change over 30 nights, or smallest step, that is named.",
            Panel.GATE,
            rare=True,
        ),
    ] = 0.02
    seed: SeedOption = 0
    add: Annotated[
        str | None,
        Option(
            "CSV of another tool's scores, shown beside and never judged: date, system, measure, "
            "value.",
            Panel.INPUTS,
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        if not self.runs.strip():
            raise Refused("RUNS: is empty; name a folder")
        if self.nights is not None:
            within("--nights", self.nights, FEWEST_FOR_AVERAGES, _MOST_NIGHTS)
        if self.since is not None and self.until is not None and self.since > self.until:
            raise Refused(
                f"--since {self.since} --until {self.until}: the earlier date comes first"
            )
        if self.month is not None and (self.since or self.until) is not None:
            raise Refused("--month: takes the place of --since and --until; omit these")
        for start, given in (("--month", self.month), ("--since", self.since)):
            if given is not None and self.nights is not None:
                raise Refused(f"--nights: {start} says which nights; omit one of them")
        if self.month is not None and self.add is not None:
            raise Refused("--add: is not part of the report of --month; omit one of them")
        check_group_by(self.group_by)
        one_of("--average", self.average, ("micro", "macro"))
        if not 0 < self.alpha <= 0.5:
            raise Refused(f"--alpha {self.alpha}: must be above 0 and at most 0.5")
        if not 0 <= self.limit < float("inf"):
            raise Refused(f"--limit {self.limit}: must be at least 0")
        check_seed(self.seed)

    @property
    def newest(self) -> int:
        """The number of the newest nights that are followed, if no first date is given."""
        return PER_NIGHTS if self.nights is None else self.nights

    @property
    def ends(self) -> tuple[datetime.date | None, datetime.date | None]:
        """The dates of the first and of the last night; None where nothing is said."""
        if self.month is None:
            return self.since, self.until
        later = (self.month + datetime.timedelta(days=31)).replace(day=1)
        return self.month, later - datetime.timedelta(days=1)
