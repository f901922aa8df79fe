"""What tasks return about their parts, and what all tasks return together."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice

from segscore.pipeline.runs.record import RowCounts, require_row_counts
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.scoring.documents import Totals
from segscore.pipeline.scoring.draw_sums import DrawSums, add_draws
from segscore.pipeline.scoring.hypotheses import DocumentsBySystem
from segscore.pipeline.scoring.input_stats import InputStats, add_input_stats
from segscore.pipeline.scoring.label_confusion import LabelCells
from segscore.pipeline.scoring.levels import LevelParameters
from segscore.pipeline.scoring.missing import Missing
from segscore.pipeline.scoring.trial_sums import TrialSums, add_trials
from segscore.pipeline.scoring.type_confusion import Cells, add_cells
from segscore.pipeline.statistics.sums import Sums, add_numbers, bucket_units, merge
from segscore.pipeline.testsets.content import Content
from segscore.pipeline.testsets.recognise import Recognition

_AT_ONCE = 4
"""How many sums are added to the total at a time: each time copies it, and all are in memory."""


@dataclass(frozen=True)
class PartSums:
    """Sums over rows of scores.

    Attributes:
        pairs: sums over the rows of `scores`; None if there are no rows.
        panels: sums over the rows of `panel_scores`; None if there are no rows.
        confusion: counts of confused boundary types; empty unless the settings ask for them.
        input_stats: what the run may warn of.
        draws: sums of each draw of random boundaries.
        trials: sums of each trial of systems with trials.
        labels: units by labels of both sides; empty unless the settings ask for them.
    """

    pairs: Sums | None = None
    panels: Sums | None = None
    confusion: Cells = field(default_factory=dict)
    input_stats: InputStats = field(default_factory=InputStats)
    draws: DrawSums = field(default_factory=dict)
    trials: TrialSums = field(default_factory=TrialSums)
    labels: LabelCells = field(default_factory=dict)


def add(parts: Iterable[PartSums]) -> PartSums:
    """Add up the sums of disjoint sets of rows, a few at a time to limit memory."""
    coming, total = iter(parts), PartSums()
    while some := [*islice(coming, _AT_ONCE)]:
        some.append(total)
        total = PartSums(
            _merge_present([part.pairs for part in some]),
            _merge_present([part.panels for part in some]),
            add_cells(part.confusion for part in some),
            add_input_stats(part.input_stats for part in some),
            add_draws(part.draws for part in some),
            add_trials(part.trials for part in some),
            add_numbers(part.labels for part in some),
        )
    return total


def bucket_run_units(sums: PartSums) -> PartSums:
    """Return the sums of a whole run with its resampling units in buckets, if they are many."""
    pairs, panels = (
        None if each is None else bucket_units(each) for each in (sums.pairs, sums.panels)
    )
    return replace(sums, pairs=pairs, panels=panels)


def _merge_present(sums: Iterable[Sums | None]) -> Sums | None:
    present = [each for each in sums if each is not None]
    return merge(present) if present else None


@dataclass(frozen=True)
class Receipt:
    """What a task returns about its part; rows and sums are in the files that it wrote.

    Attributes:
        part: name of the part, under which its sums are saved.
        rows: how many input rows were scored, rejected and unpaired.
        pairs: number of rows written to `scores`.
        answered: of which documents of the part systems have hypotheses that were scored.
        rejected: of which other documents systems have rejected hypotheses alone.
        contradicting: of which of these a hypothesis contradicts other rows.
        lacked: the first documents of the part that systems lack, where they are to be named.
        content: what was counted of the part's references to recognise them.
        totals: what is known of all documents, if the part has all documents of the run.
    """

    part: str
    rows: RowCounts
    pairs: int
    answered: DocumentsBySystem
    rejected: DocumentsBySystem
    contradicting: DocumentsBySystem
    lacked: dict[str, tuple[str, ...]]
    content: Content
    totals: Totals | None

    def __post_init__(self) -> None:
        """Refuse counts that do not add up, as a receipt may come from a file."""
        require_row_counts(self.rows)


@dataclass(frozen=True)
class TaskResults:
    """The result of all tasks of a run.

    Attributes:
        rule: how pairs were counted, with the boundary types that occur.
        p_seg: P_seg of the run; NaN if undefined.
        documents: number of documents with an accepted reference.
        test_set: what the accepted references were recognised as.
        rows: how many input rows were scored, rejected and unpaired.
        pairs: number of rows written to `scores`.
        folder: folder of the unfinished run; empty for a run in memory.
        parts: names of the parts whose sums are saved in ``folder``.
        sums: the sums of a run in memory; None if they are saved.
        levels: parameters over all levels, then of each level; empty without levels.
        missing: documents of which systems have no hypothesis.
        trials: as in ``Totals``.
    """

    rule: Rule
    p_seg: float
    documents: int
    test_set: Recognition
    rows: RowCounts
    pairs: int
    folder: str = ""
    parts: list[str] = field(default_factory=list)
    sums: PartSums | None = None
    levels: tuple[LevelParameters, ...] = ()
    missing: Missing = field(default_factory=Missing)
    trials: int | None = None
