"""Run `segscore agree` from its settings to a published folder."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.pipeline.agreement.in_memory import audit_in_memory
from segscore.pipeline.agreement.layers import refuse_layers
from segscore.pipeline.agreement.left_out import require_coders
from segscore.pipeline.agreement.part import (
    AgreeJob,
    AgreePart,
    Audited,
    audit_part,
    survey_codings,
)
from segscore.pipeline.agreement.pseudonyms import codings_of, with_pseudonyms
from segscore.pipeline.agreement.results import (
    CODINGS,
    TYPES_UNUSED,
    agreement_columns,
    agreement_tables,
    nothing_audited,
    warn_of_ungrouped,
)
from segscore.pipeline.agreement.settings import ROUND, AgreeSettings
from segscore.pipeline.agreement.tallies import GROUP, Tallies, merge_tallies
from segscore.pipeline.errors import Absent, Done, Refused, nearest
from segscore.pipeline.runs import planning, shuffle
from segscore.pipeline.runs.adding import SavedSums, add_saved
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.runs.planning import Limits, Plan
from segscore.pipeline.runs.record import (
    RowCounts,
    add_rows,
    require_few_rejects,
    warn_of_similar_names,
    why_nothing_scored,
)
from segscore.pipeline.runs.shuffle import NOWHERE
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.runs.tasks import Progress, TaskRun, ignore_progress
from segscore.pipeline.scoring.inputs import (
    attribute_types,
    choose_groups,
    refuse_taken_names,
    require_resampled,
)
from segscore.pipeline.scoring.window_policy import run_windows
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.find import InputTable, find_table, tables_in_unit
from segscore.pipeline.tables.plain_attributes import (
    find_documents,
    plain_rows,
    require_lists,
    without_plain,
)
from segscore.pipeline.tables.sources import Sources
from segscore.pipeline.tables.units import one_unit

AUDITED = "audited"
TABLES_BY_GROUP = ("agreement", "coders", "peers", "corpus", "types")


def run_agreement(
    settings: AgreeSettings,
    executor: Executor | None = None,
    progress: Progress = ignore_progress,
    sources: Sources | None = None,
    sink: Sink | None = None,
) -> FinishedRun | Done:
    """Audit the agreement of coders, and publish the run or keep it in memory.

    Args, Returns: as ``run_scoring``.

    Raises:
        Refused: the input or the settings are wrong; nothing was written.
        Failed: no document has two codings, parts failed, or too many rows were rejected, also in
            a run that had already been published; nothing was published.
    """
    run = TaskRun("agree", settings, executor, progress, sink)
    with run.stage("plan"):
        tables = _find_in_unit(settings, sources)
        settings, job = _job(settings, tables, sources)
        run.settings = settings
        plan = planning.ALL_AT_ONCE if sources else agreement_plan(settings, tables, run.limits)
        if not run.prepare(tables.values()):
            return _done(run, settings)
    with run.work():
        results = audit_in_memory(run, job, sources) if sources else _audit(run, job, plan, tables)
        if results is None:
            return _done(run, settings)
        return _finish(run, job, tables, plan, *results)


def _finish(
    run: TaskRun,
    job: AgreeJob,
    tables: Mapping[str, InputTable],
    plan: Plan,
    audited: list[Audited],
    tallies: Tallies | None,
) -> FinishedRun:
    """Write the tables by group, compose the record, and publish the run or keep it in memory."""
    settings = job.asked
    with run.stage("agreement"):
        account = add_rows(part.rows for part in audited)
        _require_named(settings, audited, tallies)
        refuse_layers(part.layers for part in audited)
        _require_audited(run.sink, settings, account)
        assert tallies is not None, "codings were audited"
        written, estimator = _write_tables(run, settings, job, tallies)
    record = {
        "signature": settings.signature(estimator),
        "settings": asdict(settings),
        "plan": plan.explanation,
        **_counted(audited, settings.same_tool),
        **_record(run, settings, tables, account, written),
    }
    if settings.same_tool is not None:
        record["warnings"].append(
            f"{record['of_one_tool']:,} of {record['pairs']:,} pairs of codings have one "
            f"{settings.same_tool}, and judge nobody"
        )
    published = run.publish(record)
    return FinishedRun(settings.output, published, tables=run.sink.tables, read=written)


def _require_named(
    settings: AgreeSettings, audited: Collection[Audited], tallies: Tallies | None
) -> None:
    """Check that the coders whom options name have codings.

    Raises:
        Unsuitable: one of them has none.
    """
    known = _coders(audited, tallies, settings.candidate)
    require_coders("--without", settings.without, known)
    if settings.candidate is not None:
        require_coders("--candidate", [settings.candidate], known)


def _counted(audited: Iterable[Audited], tool: str | None) -> dict[str, Any]:
    """Return the number of pairs, and of the codings that were left out, by coder."""
    pairs, of_one_tool, left_out = 0, 0, Counter[str]()
    for part in audited:
        pairs += part.pairs
        of_one_tool += part.of_one_tool
        left_out.update(part.left_out)
    counts = {"pairs": pairs, "left_out": dict(sorted(left_out.items()))}
    return counts | ({} if tool is None else {"of_one_tool": of_one_tool})


def _coders(
    audited: Collection[Audited], tallies: Tallies | None, candidate: str | None
) -> set[str]:
    """Return the names of all coders, also of those who were left out, and of the candidate."""
    names = {coder for part in audited for coder in part.left_out}
    if candidate is not None and any(part.of_candidate for part in audited):
        names.add(candidate)
    if tallies is not None:
        names.update(tallies.held_out.column("coder").unique().to_pylist())
    return names


def _record(
    run: TaskRun,
    settings: AgreeSettings,
    tables: Mapping[str, InputTable],
    account: RowCounts,
    written: Mapping[str, pa.Table],
) -> dict[str, Any]:
    """Return the part of run.json about the rows, with the warnings."""
    coders = written["coders"]["coder"].unique().to_pylist()
    # Whoever an option names is known to have codings, but is not among the coders.
    named = [*settings.without, *filter(None, [settings.candidate])]
    record = run.record(tables.values(), account, [*coders, *named])
    record["warnings"] += warn_of_similar_names(coders)
    record["warnings"] += warn_of_ungrouped(written["corpus"], settings.group_by, run.sink)
    record["warnings"] += [TYPES_UNUSED] * ("boundary_types" in tables["codings"].further.names)
    return record


def _job(
    settings: AgreeSettings, tables: Mapping[str, InputTable], sources: Sources | None
) -> tuple[AgreeSettings, AgreeJob]:
    """Return the settings, with n_t chosen by the unit of the tables and with pseudonyms.

    Return also what the parts of an audit share, before it is known where their rows are.
    """
    unit = one_unit({table.location: table.unit for table in tables.values()})
    settings = settings.in_unit(unit)
    kinds = {GROUP + name: kind for name, kind in _groups(settings, tables).items()}
    choices = settings.choices(unit)
    _require_attributes(settings, tables["codings"])
    settings, key = with_pseudonyms(settings, codings_of(tables["codings"], sources))
    attributes = plain_rows(tables.values())
    return settings, AgreeJob(NOWHERE, settings, choices, kinds, "", attributes, key)


def _require_attributes(settings: AgreeSettings, codings: InputTable) -> None:
    """Refuse attributes that codings do not have, but for the default one of rounds."""
    types = attribute_types([codings])
    for option, name in (("--round", settings.round), ("--same-tool", settings.same_tool)):
        if name not in (None, ROUND, *types):
            hint = nearest(str(name), sorted(types))
            raise Refused(
                f"{option} {name}: codings have no such attribute{hint}; available: "
                f"{', '.join(sorted(types)) or 'none'}"
            )


def _audit(
    run: TaskRun, job: AgreeJob, plan: Plan, tables: Mapping[str, InputTable]
) -> tuple[list[Audited], Tallies | None] | None:
    """Bring the codings of each document together, and audit them in tasks.

    Returns:
        The receipts of the parts, and the sums over all documents, None without documents; None
        alone if another job finished the same run first.
    """
    parts = [AgreePart(f"part-{i:05d}", i) for i in range(plan.groups)]
    with run.stage("meet"):
        place = shuffle.gather_by_document(
            run, plan, without_plain(tables.values()), AUDITED, parts
        )
        if place is None:
            return None
    with run.stage("audit"):
        job = replace(job, partitioning=place, folder=run.folder)
        job = _with_window(run, job, parts)
        audited = run.tasks(audit_part, parts, job, stage=AUDITED)
        shuffle.remove_shuffled(place)
        add = partial(merge_tallies, group_by=job.group_by)
        saved = [name for name, part in audited.items() if part.tallied]
        sums = SavedSums(run.folder, Tallies, add)
        return [*audited.values()], add_saved(run, sums, saved) if saved else None


def _groups(settings: AgreeSettings, tables: Mapping[str, InputTable]) -> dict[str, pa.DataType]:
    """Return the type of each group-by column."""
    undescribed = None if "documents" in tables else tables["codings"]
    types = attribute_types(tables.values())
    require_resampled(settings.resample_by, types, undescribed)
    return choose_groups(settings.group_by, types, agreement_columns(), undescribed)


def _done(run: TaskRun, settings: AgreeSettings) -> Done:
    """Return the outcome of a run that had already been published, unless it lost too many rows."""
    require_few_rejects(run.sink, run.finished_rows, settings.max_rejects)
    return run.done


def _write_tables(
    run: TaskRun, settings: AgreeSettings, job: AgreeJob, tallies: Tallies
) -> tuple[dict[str, pa.Table], str]:
    """Write the tables by group; return them and the name of the estimator of the intervals."""
    tables, estimator = agreement_tables(settings, job, tallies)
    for name, table in tables.items():
        run.write(name, table)
    return tables, estimator


def find_tables(settings: AgreeSettings) -> dict[str, InputTable]:
    """Find the input tables and check their columns, before any work."""
    tables = {
        "codings": find_table("codings", settings.codings, SEGMENTATIONS, settings.memory_limit)
    }
    if settings.documents is not None:
        tables["documents"] = find_documents(settings.documents, settings.memory_limit)
    return _fitting(settings, tables)


def _find_in_unit(settings: AgreeSettings, sources: Sources | None) -> dict[str, InputTable]:
    """Return the input tables in the unit that the settings state, if they state one."""
    if sources is None:
        found = find_tables(settings)
    else:
        found = _fitting(settings, {name: source.table for name, source in sources.items()})
    return dict(zip(found, tables_in_unit(found.values(), settings.unit), strict=True))


def _fitting(settings: AgreeSettings, tables: dict[str, InputTable]) -> dict[str, InputTable]:
    """Return input tables that have what the settings need.

    Raises:
        Refused: they lack it, or an attribute has the name of a column of a result.
    """
    require_lists(tables.values(), words=settings.units == "words")
    refuse_taken_names(tables.values(), agreement_columns(), "an agreement run")
    return tables


def agreement_plan(
    settings: AgreeSettings, tables: Mapping[str, InputTable], limits: Limits
) -> Plan:
    """Choose how the codings of each document are brought together."""
    return planning.plan(tables, "codings", settings.memory_limit, limits)


def _with_window(run: TaskRun, job: AgreeJob, parts: list[AgreePart]) -> AgreeJob:
    """Replace a `per-run` window by its size: half the mean segment size over all codings.

    This takes an extra pass over the codings.
    """
    if job.settings.window != "per-run":
        return job
    surveyed = run.tasks(survey_codings, parts, job, stage="surveyed").values()
    units, segments = (sum(survey.size[i] for survey in surveyed) for i in (0, 1))
    (size,) = run_windows(units, np.array([segments]), job.settings).tolist()
    return replace(job, asked=replace(job.asked, window=size))


def _require_audited(sink: Sink, settings: AgreeSettings, account: RowCounts) -> None:
    codings = account[CODINGS]
    if not codings["in"]:
        others = f" but those of {', '.join(settings.without)}" if settings.without else ""
        raise Absent(
            f"{settings.codings}: contains no coding{others}; rows with the role hypothesis do not "
            "count"
        )
    if not codings["scored"]:
        raise nothing_audited(settings, account, why_nothing_scored(sink, (CODINGS,)))
    if sink.publishes:
        require_few_rejects(sink, account, settings.max_rejects)
