"""A threshold sweep from its settings to its published folder."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Bits, Ints, flags, numbers
from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.runs import cluster
from segscore.pipeline.runs.record import add_rows
from segscore.pipeline.runs.tasks import Progress, TaskRun
from segscore.pipeline.scoring.accounting import (
    count_rows,
    left_over,
    met_references,
    require_scored,
)
from segscore.pipeline.scoring.broadcast import INPUTS_PART
from segscore.pipeline.scoring.duplicates import spread_twice
from segscore.pipeline.scoring.hypotheses import list_unpaired, write_left_out
from segscore.pipeline.scoring.inputs import Inputs, collect, cut, find_inputs
from segscore.pipeline.scoring.pairs import Rule
from segscore.pipeline.scoring.part import Against, Part, Receipt
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.sent import SentJob, accept_part
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.sweep.candidates import CHANGING
from segscore.pipeline.scoring.sweep.curves import (
    VALUES,
    Steps,
    merge_steps,
    sweep_pairs,
    tabulate_curves,
)
from segscore.pipeline.tables.read import refuse

SWEPT = "swept"
_SCORES = "boundary_scores"
SCORES_GIVEN = "boundary_scores_given"
CANDIDATES_AT_ONCE = 1_000_000
"""About how many a task sweeps at a time; one document may have more."""
_SIGNED = ("window", "units", "p_seg", "v")


@dataclass(frozen=True)
class SweepSettings:
    """What `segscore sweep` was asked to do.

    Attributes:
        references: table of reference segmentations: a file, a directory or a glob.
        scored: table of segmentations with boundary_scores.
        output: folder or URL of the run.
        documents: table of unit lengths, or None.
        window: `per-pair`, `per-document`, `per-run`, or a fixed size K >= 1 (docs/measures.md).
        rounding: `half-even` or `half-up`, of half the mean segment size.
        units: `units`, or `words` (or whatever the documents' unit lengths count).
        p_seg: chance that a window holds a reference boundary; None: from the run's references.
        fresh: replace a finished run in the same place.
    """

    references: str
    scored: str
    output: str
    documents: str | None = None
    window: str | int = "per-pair"
    rounding: str = "half-even"
    units: str = "units"
    p_seg: float | None = None
    fresh: bool = False

    def __post_init__(self) -> None:
        """Refuse settings that cannot be meant.

        Raises:
            Refused: naming the option, the value and what is allowed.
        """
        if not self.scored.strip():
            raise Refused("SCORED: is empty; name a file or folder")
        self.as_score  # noqa: B018  (refuse what it would)

    @property
    def inputs(self) -> dict[str, str | None]:
        """What a sweep reads, by the argument or option that names it."""
        return {
            "REFERENCES": self.references,
            "SCORED": self.scored,
            "--documents": self.documents,
        }

    @property
    def as_score(self) -> ScoreSettings:
        """The scoring run that reads, accepts and measures the same."""
        same = {name: of for name, of in asdict(self).items() if name != "scored"}
        return ScoreSettings(**same, hypotheses=self.scored, replicates=0)

    @property
    def signature(self) -> str:
        """Say in one line what was computed, so that two curves can be compared."""
        parts = self.as_score.signature("none").split("|")
        signed = [part for part in parts if part.partition(":")[0] in _SIGNED]
        return "|".join(["segscore", "sweep:score>=t", "operating_point:mean-length", *signed])


@dataclass(frozen=True)
class SweptPart(Receipt):
    """What a task tells of its part, and what each coder's rows add up to.

    Attributes:
        steps: of each coder.
    """

    steps: dict[str, Steps] = field(default_factory=dict)


@dataclass(frozen=True)
class FinishedSweep:
    """A published sweep: its record (run.json), its curves, and the operating points' rows."""

    record: dict[str, Any]
    curves: pa.Table
    operating_points: Ints


def run_sweep(
    settings: SweepSettings, client: cluster.Client, progress: Progress
) -> FinishedSweep | Done:
    """Sweep scored hypotheses over all thresholds and publish the run.

    Args:
        settings: what to do.
        client: where the work runs.
        progress: called whenever a part is done.

    Returns:
        The published run; ``Done`` if it was published before.

    Raises:
        Refused: wrong input or settings; nothing was written.
        Failed: nothing could be scored, or parts failed; nothing was published.
    """
    run = TaskRun("sweep", settings, client, progress)
    as_score = settings.as_score
    with run.stage("plan"):
        inputs = _find(as_score)
        parts = cut(inputs.hypotheses.slices, run.limits.rows_per_part)
        if not run.prepare(inputs.tables):
            return run.done
    with run.work():
        with run.stage("references"):
            collected = collect(as_score, inputs)
            references = collected.references
            if not run.claim({SWEPT: parts}):
                return run.done
            run.write("rejects", collected.rejects, INPUTS_PART)
        with run.stage("sweep"):
            rule, against = Rule(as_score, (1,), {}), Against(references, ())
            shared = (rule, inputs.typed, inputs.hypotheses.further, run.folder)
            job = SentJob(*shared, run.limits.rows_per_part, against)
            receipts = spread_twice(run, sweep_part, parts, job, stage=SWEPT)
        with run.stage("curves"):
            met = met_references(receipts, len(references))
            account = add_rows(
                [count_rows(collected, met), *(receipt.rows for receipt in receipts.values())]
            )
            require_scored(run.attempt, as_score, account)
            swept = merge_steps(receipt.steps for receipt in receipts.values())
            curves, chosen = tabulate_curves(swept, as_score.parameters(references.p_seg))
            run.write("curves", curves, plain=("threshold", *CHANGING, *VALUES))
            run.write("operating_points", curves.take(pa.array(chosen)))
            run.write("unpaired", left_over(collected, met), INPUTS_PART)
        record = {
            "signature": settings.signature,
            "settings": asdict(settings),
            "boundary_types": None,
            "p_seg": None if np.isnan(references.p_seg) else references.p_seg,
            "pairs": sum(receipt.pairs for receipt in receipts.values()),
            **run.record(inputs.tables, account, swept),
        }
        return FinishedSweep(run.publish(record), curves, chosen)


def _find(settings: ScoreSettings) -> Inputs:
    inputs = find_inputs(settings)
    if _SCORES not in inputs.hypotheses.further.names:
        raise Refused(
            f"{settings.hypotheses}: there is no column {_SCORES}, and without scores there are no "
            "thresholds; to judge boundaries as they are use `segscore score`"
        )
    return inputs


def sweep_part(job: SentJob, part: Part, duplicates: Mapping[str, Bits]) -> SweptPart:
    """Sweep the hypotheses of one part against all their references; list what cannot be.

    Args:
        job: what all tasks share.
        part: what to read.
        duplicates: coder -> bits over the documents for which it has several rows, all refused.
    """
    references = job.against.references
    accepted = accept_part(job, part, duplicates)
    missing = ~flags(accepted.rows.table.column(_SCORES).combine_chunks().is_valid())
    reason = "boundary_scores has one score a boundary, [] without any"
    rows, without = refuse(accepted.rows, missing, SCORES_GIVEN, reason)
    document = accepted.document[~missing]
    accepted = replace(accepted, rejects=pa.concat_tables([accepted.rejects, without]))
    write_left_out(job.folder, part.name, accepted.rejects, list_unpaired(accepted.unpaired))
    met = np.zeros(len(references), bool)
    met[np.isin(references.document, document)] = True
    return SweptPart(
        part.name,
        accepted.became,
        pairs=int(np.diff(references.first)[document].sum()),
        met=np.packbits(met),
        seen=accepted.seen,
        steps=_in_portions(rows.table, document, references),
    )


def _in_portions(hypotheses: pa.Table, document: Ints, references: References) -> dict[str, Steps]:
    """Sweep some rows at a time: where scores repeat, what they add up to is small."""
    lists = hypotheses.column("boundaries").combine_chunks()
    before = np.cumsum(numbers(pc.list_value_length(lists)).astype(np.int64))
    portions = np.flatnonzero(np.diff(before // CANDIDATES_AT_ONCE)) + 1
    edges = [0, *portions.tolist(), len(lists)]
    return merge_steps(
        sweep_pairs(hypotheses.slice(first, end - first), document[first:end], references)
        for first, end in pairwise(edges)
    )
