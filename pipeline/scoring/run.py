"""A scoring run from its settings to its published folder."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.measures import PAIRS, PANELS
from segscore.pipeline.runs import cluster, planning, publication
from segscore.pipeline.runs.fingerprint import Fingerprint
from segscore.pipeline.runs.planning import Plan
from segscore.pipeline.runs.tasks import Progress
from segscore.pipeline.scoring.accounting import Clock, require_scored, tell
from segscore.pipeline.scoring.broadcast import score_sent
from segscore.pipeline.scoring.grouped import score_met
from segscore.pipeline.scoring.inputs import Inputs, find_inputs, group_types
from segscore.pipeline.scoring.pairs import Rule
from segscore.pipeline.scoring.part import Added, Worked
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.totals import add_sums
from segscore.pipeline.scoring.type_confusion import tabulate_confusion
from segscore.pipeline.statistics import averages
from segscore.pipeline.storage.placement import require_apart

SCORES_UNUSED = "boundary_scores were not looked at, every candidate counts; see `segscore sweep`"


@dataclass(frozen=True)
class Finished:
    """A published run: its record (run.json) and its summary table."""

    record: dict[str, Any]
    summary: pa.Table


def run_scoring(settings: ScoreSettings, client: cluster.Client, progress: Progress) -> Finished:
    """Score hypotheses against references and publish the run.

    Args:
        settings: what to do.
        client: where the work runs.
        progress: told of each part done.

    Raises:
        Refused: wrong input or settings; nothing was written.
        Failed: nothing could be scored, parts failed, or too much was rejected; nothing published.
    """
    clock = Clock()
    with clock.stage("plan"):
        require_apart(settings.output, settings.inputs)
        inputs = find_inputs(settings)
        rule = Rule(settings, settings.boundary_types or (1,), group_types(settings, inputs))
        plan = scoring_plan(settings, inputs)
        asked = Fingerprint.of("score", settings, inputs.tables)
        found = publication.check(settings.output, asked, fresh=settings.fresh)
    with publication.claimed(found):
        score_all = score_sent if plan.way == planning.SENT else score_met
        worked = score_all(inputs, plan, rule, found, client, progress, clock)
        with clock.stage("summary"):
            require_scored(settings, worked.rows, found)
            added = add_sums(client, worked, progress)
            table = _summarise(worked, added)
            storage.write_table(storage.join(worked.folder, "summary", "summary.parquet"), table)
            if settings.confusion:
                confusion = tabulate_confusion(added.confusion, worked.rule)
                url = storage.join(worked.folder, "confusion", "confusion.parquet")
                storage.write_table(url, confusion)
        scored = table.column("hypothesis").unique().to_pylist()
        record = {**tell(settings, inputs, worked, clock, found, scored), "plan": plan.told}
        if "boundary_scores" in inputs.hypotheses.further.names:
            record["warnings"].append(SCORES_UNUSED)
        return Finished(publication.publish(found, record), table)


def scoring_plan(settings: ScoreSettings, inputs: Inputs) -> Plan:
    """Choose how hypotheses meet their references."""
    tables = {table.name: table for table in inputs.tables}
    return planning.plan(tables, inputs.hypotheses.name, settings.memory_limit)


def _summarise(worked: Worked, added: Added) -> pa.Table:
    settings, rule = worked.rule.settings, worked.rule
    found = [(PAIRS, added.pairs), (PANELS, added.panels)]
    kinds = [(kind, sums) for kind, sums in found if sums is not None]
    parameters = settings.parameters(worked.p_seg, rule.types)
    return averages.summarise(kinds, rule.group_by, parameters, settings.seed, settings.replicates)
