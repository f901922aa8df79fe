"""A scoring run from its settings to its published folder."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline import cluster, resampling, run_folder, storage, summary
from pipeline.errors import Failed, Refused
from pipeline.measures import COUNTS, MEASURES
from pipeline.reading import InputTable, Rows, Slice, plan, read_valid
from pipeline.references import (
    Described,
    References,
    accept,
    describe,
    estimator,
    unit_hashes,
)
from pipeline.scoring import Job, Part, Receipt, list_unpaired, score_part
from pipeline.segmentations import Flags
from pipeline.settings import ScoreSettings

ROWS_PER_PART = 131_072
SCORES_COLUMNS = (
    "document_id",
    "reference",
    "hypothesis",
    "n_units",
    "window",
    "collapsed_boundaries",
    *COUNTS,
    *MEASURES,
)
LIBRARIES = ("segscore", "numpy", "pyarrow", "pandera", "numba", "dask", "distributed")
INPUTS_PART = "inputs.parquet"

Progress = Callable[[int, int], None]
"""Called with how many parts are done, and how many there are."""


@dataclass(frozen=True)
class Inputs:
    """The input tables of a run, found and their columns checked."""

    references: InputTable
    hypotheses: InputTable
    documents: InputTable | None

    @property
    def tables(self) -> list[InputTable]:
        """Those that there are."""
        both = [self.references, self.hypotheses]
        return both if self.documents is None else [*both, self.documents]


@dataclass(frozen=True)
class Collected:
    """What the client itself read: references and documents, and what it refused of them."""

    references: References
    reference_rows: Rows
    described: Described | None
    rejects: pa.Table
    read: Mapping[str, int]


@dataclass
class Clock:
    """Seconds each stage took."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage."""
        start = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - start, 3)


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
        folder = run_folder.claim(settings.output, _plan(settings, parts), fresh=settings.fresh)
    with clock.stage("references"):
        collected = collect(settings, inputs)
    job = Job(settings, inputs.hypotheses.attributes, group_by, folder)
    with clock.stage("score"):
        receipts = spread(client, parts, collected.references, job, progress)
    with clock.stage("summary"):
        met = _met(receipts, len(collected.references))
        account = _account(collected, receipts, met)
        _gate(settings, account)
        table = _summarise(settings, collected.references, receipts, group_by)
        _write_tables(folder, table, collected, met)
    record = _record(settings, inputs, collected, account, receipts, clock)
    run_folder.publish(settings.output, record)
    return Finished(record, table)


def find_inputs(settings: ScoreSettings) -> Inputs:
    """Find the input tables and check their columns, before any work."""
    from schemas.documents import DOCUMENTS
    from schemas.segmentations import SEGMENTATIONS

    inputs = Inputs(
        plan("references", settings.references, SEGMENTATIONS),
        plan("hypotheses", settings.hypotheses, SEGMENTATIONS),
        plan("documents", settings.documents, DOCUMENTS) if settings.documents else None,
    )
    for table in inputs.tables:
        for name in table.attributes.names:
            if name in SCORES_COLUMNS:
                raise Refused(
                    f"{table.name}: the attribute column {name} has the name of a column of "
                    "scores; rename it"
                )
    return inputs


def group_types(settings: ScoreSettings, inputs: Inputs) -> dict[str, pa.DataType]:
    """Find the type of each group-by column.

    Raises:
        Refused: no such attribute, or one that cannot name a group.
    """
    types: dict[str, pa.DataType] = {}
    for table in (inputs.hypotheses, inputs.references, inputs.documents):
        if table is not None:
            types.update({each.name: each.type for each in table.attributes})
    for name in settings.group_by:
        if name not in types:
            there = ", ".join(sorted(types)) or "none"
            raise Refused(f"--group-by {name}: no such attribute; there are: {there}")
        if pa.types.is_nested(types[name]):
            raise Refused(f"--group-by {name}: a {types[name]} cannot name a group")
    return {name: types[name] for name in settings.group_by}


def cut(slices: tuple[Slice, ...]) -> list[Part]:
    """Cut a table into parts of about ROWS_PER_PART rows, each some slices in a row.

    A part's name starts with its place, so that sorting files by name keeps the order of the rows,
    and ends with a digest of what it reads.
    """
    groups: list[list[Slice]] = []
    rows = ROWS_PER_PART
    for piece in slices:
        if rows + piece.rows > ROWS_PER_PART:
            groups.append([])
            rows = 0
        groups[-1].append(piece)
        rows += piece.rows
    return [
        Part(f"part-{i:05d}-{_digest(group)}.parquet", tuple(group))
        for i, group in enumerate(groups)
    ]


def _digest(group: list[Slice]) -> str:
    held = [(piece.url.rsplit("/", 1)[-1], piece.row_groups) for piece in group]
    return blake2b(repr(held).encode(), digest_size=4).hexdigest()


def collect(settings: ScoreSettings, inputs: Inputs) -> Collected:
    """Read and check the documents and the references, which every task needs.

    Raises:
        Failed: no reference was accepted.
    """
    from schemas.documents import DOCUMENTS
    from schemas.segmentations import SEGMENTATIONS

    described, rejects, counts = None, [], {}
    if inputs.documents is not None:
        rows, refused = read_valid(inputs.documents, DOCUMENTS)
        described = describe(rows)
        rejects += [refused, described.rejects]
        counts["documents"] = len(rows) + refused.num_rows
    rows, refused = read_valid(inputs.references, SEGMENTATIONS)
    counts["references"] = len(rows) + refused.num_rows
    references, rows, contradicting = accept(rows, described, settings)
    rejects += [refused, contradicting]
    listed = pa.concat_tables(rejects)
    if not len(references):
        raise Failed(f"{settings.references}: no reference was accepted{_first(listed)}")
    return Collected(references, rows, described, listed, counts)


def _first(rejects: pa.Table) -> str:
    """Show the first refused row, for a message."""
    if not rejects.num_rows:
        return ""
    row = rejects.slice(0, 1).to_pylist()[0]
    return f"; first: {row['source']} row {row['row']}: {row['rule']} ({row['detail']})"


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
    calls = {f"{part.name}-{len(twice)}": (part, twice) for part in parts}
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


Account = dict[str, dict[str, int]]
"""Input table -> rows in = scored + rejected + unpaired."""


def _account(collected: Collected, receipts: Mapping[str, Receipt], met: Flags) -> Account:
    refused = collected.rejects.column("table").to_pylist()
    scored = {"references": int(met.sum())}
    if collected.described is not None:
        ids = collected.reference_rows.keep(met).table.column("document_id").chunk(0)
        place = collected.described.documents.find(ids)
        scored["documents"] = len(np.unique(place[place >= 0]))
    rows = {
        name: {"in": collected.read[name], "scored": scored[name], "rejected": refused.count(name)}
        for name in scored
    }
    rows["hypotheses"] = {
        "in": sum(receipt.rows for receipt in receipts.values()),
        "scored": sum(
            receipt.rows - receipt.rejected - receipt.unpaired for receipt in receipts.values()
        ),
        "rejected": sum(receipt.rejected for receipt in receipts.values()),
    }
    for table in rows.values():
        table["unpaired"] = table["in"] - table["scored"] - table["rejected"]
    return rows


def _gate(settings: ScoreSettings, account: Account) -> None:
    """Refuse to publish a run in which nothing was scored, or too much rejected."""
    rejected = sum(table["rejected"] for table in account.values())
    rows = sum(table["in"] for table in account.values())
    where = storage.join(settings.output, run_folder.UNFINISHED, "rejects")
    if not account["hypotheses"]["scored"]:
        of = account["hypotheses"]
        raise Failed(
            f"{settings.hypotheses}: nothing could be scored: of {of['in']} hypotheses "
            f"{of['rejected']} were rejected and {of['unpaired']} have no accepted reference"
        )
    if rejected > settings.max_rejects * rows:
        raise Failed(
            f"{rejected} of {rows} input rows were rejected, more than --max-rejects "
            f"{settings.max_rejects} allows; nothing was published, the rows are listed in {where}"
        )


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
    storage.write_table(storage.join(folder, "rejects", INPUTS_PART), collected.rejects)
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


def _record(
    settings: ScoreSettings,
    inputs: Inputs,
    collected: Collected,
    account: Account,
    receipts: Mapping[str, Receipt],
    clock: Clock,
) -> dict[str, Any]:
    """What run.json says."""
    p_seg = collected.references.p_seg
    return {
        "signature": settings.signature(estimator(collected.references, settings.replicates)),
        "settings": asdict(settings),
        "p_seg": None if np.isnan(p_seg) else p_seg,
        "inputs": {table.name: [asdict(file) for file in table.files] for table in inputs.tables},
        "rows": account,
        "pairs": sum(receipt.pairs for receipt in receipts.values()),
        "versions": {name: version(name) for name in LIBRARIES},
        "seconds": clock.seconds,
    }
