"""A task of `segscore sweep`: accept its rows and add up the counts of each coder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Ints, flags, numbers
from segscore.pipeline.runs.record import RowCounts, require_row_counts
from segscore.pipeline.scoring.accounting import count_rows, list_unpaired_inputs
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.scoring.documents import (
    DocumentRows,
    Job,
    Part,
    rows_of_part,
    survey_whole,
)
from segscore.pipeline.scoring.hypotheses import Accepted
from segscore.pipeline.scoring.levels import window_counts
from segscore.pipeline.scoring.part_tables import FolderTables, PartTables
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.self_pairs import has_self_pairs
from segscore.pipeline.scoring.sweep.curves import Steps, merge_steps, sweep_pairs
from segscore.pipeline.scoring.sweep.measured import (
    BestCounts,
    MeasureSums,
    count_at_best,
    count_at_thresholds,
)
from segscore.pipeline.scoring.sweep.tolerances import ToleranceSums, count_at_tolerances
from segscore.pipeline.scoring.sweep.variants import Variant
from segscore.pipeline.scoring.sweep.varied import RowsAt, VariedSums, count_varied
from segscore.pipeline.scoring.thresholds import SCORE_COLUMN, SCORES_GIVEN, WITHOUT_SCORES
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.tables.read import refuse

CANDIDATES_AT_ONCE = 1_000_000
"""About how many candidates a task sweeps at a time; a single document may have more."""


@dataclass(frozen=True)
class SweepReceipt:
    """What a task returns about its part: steps of each coder over thresholds, or sums.

    Attributes:
        part: name of the part.
        rows: how many input rows were scored, rejected and unpaired.
        pairs: number of pairs of references and hypotheses.
        windows: number of windows of all accepted references, and how many contain a boundary.
        has_self_pairs: whether a coder is scored against an own segmentation.
        steps: steps of each coder; empty in a sweep over tolerances.
        sums: sums of each coder; empty in a sweep over thresholds.
        measured: sums of each coder for the measures that are chosen; empty without any.
        varied: sums of each coder under other settings; empty in other sweeps.
        way_windows: as ``windows``, under each of these settings, shape (ways, 2).
        types: the boundary types that were distinguished.
    """

    part: str
    rows: RowCounts
    pairs: int
    windows: tuple[int, int]
    has_self_pairs: bool
    steps: dict[str, Steps] = field(default_factory=dict)
    sums: dict[str, ToleranceSums] = field(default_factory=dict)
    measured: dict[str, MeasureSums] = field(default_factory=dict)
    varied: dict[str, VariedSums] = field(default_factory=dict)
    way_windows: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    types: tuple[int, ...] = (1,)

    def __post_init__(self) -> None:
        """Refuse counts that do not add up, as a receipt may come from a file."""
        require_row_counts(self.rows)


@dataclass(frozen=True)
class SweepJob(Job):
    """What all tasks of a sweep share.

    Attributes:
        tolerances: those to sweep over; empty in a sweep over thresholds.
        measured: how the measures that are chosen are counted; None without any.
        thresholds: thresholds at which they are counted.
        ways: settings under which systems are ranked, in place of a sweep; empty for none.
        best: hypothesis -> those of them that are best by some measure, once they are known.
    """

    tolerances: tuple[int, ...]
    measured: Rule | None
    thresholds: tuple[float, ...]
    best: Mapping[str, Sequence[float]] = field(default_factory=dict)
    ways: tuple[Variant, ...] = ()


def sweep_part(job: SweepJob, part: Part) -> SweepReceipt:
    """Sweep the hypotheses of one part; list the rows left out."""
    tables = FolderTables(job.folder, is_first=part.bucket == 0)
    return sweep_rows(job, part.name, rows_in_part(job, part), tables)


def rows_in_part(job: SweepJob, part: Part) -> RowsAt:
    """Return what separates the rows of a part, as settings prepare them."""

    def rows_at(settings: MeasuringSettings) -> DocumentRows:
        rule = replace(job.rule, settings=settings)
        return rows_of_part(replace(job, rule=rule), part)

    return rows_at


def sweep_rows(job: SweepJob, name: str, rows_at: RowsAt, tables: PartTables) -> SweepReceipt:
    """Sweep the hypotheses of some documents; list the rows left out."""
    rows = rows_at(job.rule.settings)
    if not job.tolerances and not job.ways:
        rows = replace(rows, accepted=_with_scores(rows.accepted))
    accepted, references, account = rows.accepted, rows.references, rows.accepted.account
    paired = np.isin(references.document, accepted.document)
    unpaired = [list_unpaired_inputs(rows.collected, paired), account.unpaired]
    tables.write_unscored(name, rows.rejects, pa.concat_tables(unpaired))
    receipt = SweepReceipt(
        name,
        {**count_rows(rows.collected, paired), **account.rows},
        pairs=int(np.diff(references.first)[accepted.document].sum()),
        windows=window_counts(references),
        has_self_pairs=has_self_pairs(rows),
    )
    if job.ways:
        assert job.measured is not None
        whole = survey_whole(job, rows)[0] if job.is_whole else job
        rule, systems = replace(job.measured, types=whole.rule.types), whole.totals.systems
        varied, windows = count_varied(rows_at, rule, job.ways, systems)
        return replace(receipt, varied=varied, way_windows=windows, types=rule.types)
    if job.tolerances:
        edges = job.rule.settings.edges
        sums = count_at_tolerances(accepted, references, job.tolerances, edges, typed=job.typed)
        return replace(receipt, sums=sums)
    steps = _in_portions(accepted.rows.table, accepted.document, references)
    measured = {}
    if job.measured is not None:
        measured = count_at_thresholds(accepted, references, job.measured, job.thresholds)
    return replace(receipt, steps=steps, measured=measured)


@dataclass(frozen=True)
class BestReceipt:
    """The counts of a part at the thresholds that are best, by resampling unit."""

    counts: list[BestCounts]


def best_part(job: SweepJob, part: Part) -> BestReceipt:
    """Count the hypotheses of one part at the thresholds that are best; write nothing."""
    return best_rows(job, rows_in_part(job, part))


def best_rows(job: SweepJob, rows_at: RowsAt) -> BestReceipt:
    """Count the hypotheses of some documents at the thresholds that are best."""
    assert job.measured is not None
    rows = rows_at(job.rule.settings)
    accepted = _with_scores(rows.accepted)
    return BestReceipt(count_at_best(accepted, rows.references, job.measured, job.best))


def _with_scores(accepted: Accepted) -> Accepted:
    """Reject the hypotheses whose candidates have no scores."""
    without_scores = ~flags(accepted.rows.table.column(SCORE_COLUMN).combine_chunks().is_valid())
    rows, missing_scores = refuse(accepted.rows, without_scores, SCORES_GIVEN, WITHOUT_SCORES)
    return replace(
        accepted,
        rows=rows,
        document=accepted.document[~without_scores],
        rejects=pa.concat_tables([accepted.rejects, missing_scores]),
    )


def _in_portions(hypotheses: pa.Table, document: Ints, references: References) -> dict[str, Steps]:
    """Sweep some rows at a time, because the sums are small where scores repeat."""
    lists = hypotheses.column("boundaries").combine_chunks()
    before = np.cumsum(numbers(pc.list_value_length(lists)).astype(np.int64))
    portions = np.flatnonzero(np.diff(before // CANDIDATES_AT_ONCE)) + 1
    edges = [0, *portions.tolist(), len(lists)]
    return merge_steps(
        sweep_pairs(hypotheses.slice(first, end - first), document[first:end], references)
        for first, end in pairwise(edges)
    )
