"""A scoring run from its settings to its published folder."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline import cluster, resampling, run_folder, storage, summary
from pipeline.account import Clock, gate, rows_of, tell
from pipeline.errors import Failed
from pipeline.inputs import Collected, collect, cut, find_inputs, group_types
from pipeline.references import References, unit_hashes
from pipeline.scoring import Job, Part, Receipt, list_unpaired, score_part
from pipeline.segmentations import Flags
from pipeline.settings import ScoreSettings

INPUTS_PART = "inputs.parquet"

Progress = Callable[[int, int], None]
"""Called with how many parts are done, and how many there are."""


@dataclass(frozen=True)
class Finished:
    """A published run: its record (run.json) and its summary table."""

    record: dict[str, Any]
    summary: pa.Table


def score(settings: ScoreSettings, client: cluster.Client, progress: Progress) -> Finished:
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
        inputs = find_inputs(settings)
        group_by = group_types(settings, inputs)
        parts = cut(inputs.hypotheses.slices)
        run_folder.check(settings.output, fresh=settings.fresh)
    with clock.stage("references"):
        collected = collect(settings, inputs)
        folder = run_folder.claim(settings.output, _plan(settings, parts))
        storage.write_table(storage.join(folder, "rejects", INPUTS_PART), collected.rejects)
    job = Job(settings, inputs.hypotheses.further, group_by, folder)
    with clock.stage("score"):
        receipts = spread(client, parts, collected.references, job, progress)
    with clock.stage("summary"):
        met = _met(receipts, len(collected.references))
        account = rows_of(collected, receipts, met)
        gate(settings, account)
        table = _summarise(settings, collected.references, receipts, group_by)
        _write_tables(folder, table, collected, met)
    record = tell(settings, inputs, collected, account, receipts, clock)
    run_folder.publish(settings.output, record)
    return Finished(record, table)


def spread(
    client: cluster.Client,
    parts: list[Part],
    references: References,
    job: Job,
    progress: Progress,
) -> dict[str, Receipt]:
    """Score all parts; those that hold a duplicate, unknown until all are read, once more.

    Returns:
        Receipts by the name of the part, in the order of the parts.

    Raises:
        Failed: a part could not be scored; says how many and why the first.
    """
    progress(0, len(parts))
    receipts = _round(client, parts, references, job, {}, progress)
    twice = duplicates(receipts.values())
    again = [part for part in parts if _holds(receipts[part.name], twice)]
    for part in again:
        for table in run_folder.TABLES:
            storage.remove(storage.join(job.folder, table, part.name))
    receipts.update(_round(client, again, references, job, twice, progress))
    return {part.name: receipts[part.name] for part in parts}


def _round(
    client: cluster.Client,
    parts: list[Part],
    references: References,
    job: Job,
    twice: dict[str, NDArray[np.uint8]],
    progress: Progress,
) -> dict[str, Receipt]:
    # A key of its own for each attempt: a scheduler shared with other runs keeps results by key.
    attempt = uuid4().hex
    calls = {f"{part.name}-{attempt}": (part, twice) for part in parts}
    receipts: dict[str, Receipt] = {}
    failures: list[tuple[str, BaseException]] = []
    for outcome in cluster.spread(client, score_part, calls, (references, job)):
        part = calls[outcome.key][0]
        if outcome.error is None:
            receipts[part.name] = outcome.receipt
        else:
            failures.append((part.slices[0].url, outcome.error))
        progress(len(receipts) + len(failures), len(parts))
    if failures:
        url, error = min(failures, key=lambda failure: failure[0])
        raise Failed(
            f"{len(failures)} of {len(parts)} parts failed and nothing was published; "
            f"the first, {url}: {error or type(error).__name__}"
        ) from error
    return receipts


def duplicates(receipts: Iterable[Receipt]) -> dict[str, NDArray[np.uint8]]:
    """Find documents that a coder judged more than once: coder -> bits over the documents."""
    once: dict[str, NDArray[np.uint8]] = {}
    twice: dict[str, NDArray[np.uint8]] = {}
    for receipt in receipts:
        for coder, (seen, repeated) in receipt.seen.items():
            before = once.get(coder, np.zeros_like(seen))
            twice[coder] = twice.get(coder, np.zeros_like(seen)) | repeated | (before & seen)
            once[coder] = before | seen
    return {coder: bits for coder, bits in twice.items() if bits.any()}


def _holds(receipt: Receipt, twice: Mapping[str, NDArray[np.uint8]]) -> bool:
    return any(
        (receipt.seen[coder][0] & twice[coder]).any() for coder in receipt.seen.keys() & twice
    )


def _met(receipts: Mapping[str, Receipt], references: int) -> Flags:
    """Which references met a hypothesis, shape (references,)."""
    bits = np.bitwise_or.reduce([receipt.met for receipt in receipts.values()])
    return np.unpackbits(bits, count=references).astype(bool)


def _summarise(
    settings: ScoreSettings,
    references: References,
    receipts: Mapping[str, Receipt],
    group_by: Mapping[str, pa.DataType],
) -> pa.Table:
    drawn = None
    if settings.replicates:
        drawn = resampling.weights(unit_hashes(references), settings.seed, settings.replicates)
    parameters = {**settings.parameters, "p_seg": references.p_seg}
    sums = summary.merge(receipt.sums for receipt in receipts.values())
    return summary.summarise(sums, group_by, parameters, drawn)


def _write_tables(folder: str, table: pa.Table, collected: Collected, met: Flags) -> None:
    """Write what the client knows: the summary, and the references and documents left over."""
    storage.write_table(storage.join(folder, "summary", "summary.parquet"), table)
    rows = collected.reference_rows
    alone = [list_unpaired(rows.keep(~met))]
    if collected.described is not None:
        described = collected.described
        ids = rows.keep(met).table.column("document_id").chunk(0)
        used = np.isin(np.arange(len(described.rows)), described.documents.find(ids))
        alone.append(list_unpaired(described.rows.keep(~used)))
    storage.write_table(storage.join(folder, "unpaired", INPUTS_PART), pa.concat_tables(alone))


def _plan(settings: ScoreSettings, parts: list[Part]) -> dict[str, Any]:
    return {"settings": asdict(settings), "parts": [part.name for part in parts]}
