"""What became of a run's input, and the record of the run."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.arrays.ragged import Flags
from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import run_folder
from segscore.pipeline.runs.run_folder import Attempt
from segscore.pipeline.scoring import left_out
from segscore.pipeline.scoring.hypotheses import Became, list_unpaired
from segscore.pipeline.scoring.inputs import Collected, Inputs
from segscore.pipeline.scoring.part import Receipt, Worked
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.statistics.bootstrap import estimator
from segscore.pipeline.tables.find import InputTable

LIBRARIES = ("segscore", "numpy", "pyarrow", "pandera", "numba", "dask", "distributed")


@dataclass
class Clock:
    """Seconds each stage took."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage."""
        start = perf_counter()
        yield
        self.seconds[name] = round(perf_counter() - start, 3)


def count_rows(collected: Collected, met: Flags) -> Became:
    """Tell what became of the references' and the documents' rows.

    Args:
        collected: references and documents.
        met: which references met a hypothesis, shape (references,).
    """
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
    for table in rows.values():
        table["unpaired"] = table["in"] - table["scored"] - table["rejected"]
    return rows


def add_rows(parts: Iterable[Became]) -> Became:
    """Add up what became of disjoint rows."""
    total: Became = {}
    for part in parts:
        for table, became in part.items():
            so_far = total.setdefault(table, dict.fromkeys(became, 0))
            for name, rows in became.items():
                so_far[name] += rows
    return total


def met_references(receipts: Mapping[str, Receipt], references: int) -> Flags:
    """Which references met a hypothesis, shape (references,).

    Raises:
        Failed: a receipt is of other references.
    """
    for name, receipt in receipts.items():
        if receipt.met.shape != ((references + 7) // 8,):
            raise Failed(f"{name}: its receipt is of other references; run again with --fresh")
    bits = np.bitwise_or.reduce([receipt.met for receipt in receipts.values()])
    return np.unpackbits(bits, count=references).astype(bool)


def left_over(collected: Collected, met: Flags) -> pa.Table:
    """List the references that met no hypothesis and the documents nothing met for."""
    rows = collected.reference_rows
    alone = [list_unpaired(rows.keep(~met))]
    if collected.described is not None:
        described = collected.described
        ids = rows.keep(met).table.column("document_id").chunk(0)
        used = np.isin(np.arange(len(described.rows)), described.documents.find(ids))
        alone.append(list_unpaired(described.rows.keep(~used)))
    return pa.concat_tables(alone)


def require_scored(settings: ScoreSettings, account: Became, found: Attempt) -> None:
    """Refuse to publish a run in which nothing was scored, or too much rejected.

    Raises:
        Failed: saying how much, and why: rejected rows, or ids without a partner.
    """
    if not account["hypotheses"]["scored"]:
        of = account["hypotheses"]
        raise Failed(
            f"{settings.hypotheses}: nothing could be scored: of {of['in']} hypotheses "
            f"{of['rejected']} were rejected and {of['unpaired']} have no accepted reference"
            f"{left_out.reason(found, ('hypotheses', 'references'))}"
        )
    refuse_too_many(settings, account)


def rejects_of(output: str) -> str:
    """Where the rejected rows of a run that was not published are listed."""
    return storage.join(run_folder.prepared(output), "rejects")


def refuse_too_many(settings: ScoreSettings, account: Became) -> None:
    """Refuse to publish a run that rejected too large a share of its input.

    Raises:
        Failed: saying how much, and where the rejected rows are listed.
    """
    rejected = sum(table["rejected"] for table in account.values())
    rows = sum(table["in"] for table in account.values())
    if rejected > settings.max_rejects * rows:
        raise Failed(
            f"{rejected} of {rows} input rows were rejected, more than --max-rejects "
            f"{settings.max_rejects} allows; nothing was published, the rows are listed in "
            f"{rejects_of(settings.output)}"
        )


def tell(
    settings: ScoreSettings,
    inputs: Inputs,
    worked: Worked,
    clock: Clock,
    found: Attempt,
    scored: Collection[str],
) -> dict[str, Any]:
    """What run.json says; ``scored`` are the hypotheses' coders that have a result."""
    types = worked.rule.types if inputs.typed else None
    return {
        "signature": settings.signature(estimator(worked.documents, settings.replicates), types),
        "settings": asdict(settings),
        "boundary_types": types,
        "p_seg": None if np.isnan(worked.p_seg) else worked.p_seg,
        "pairs": worked.pairs,
        **provenance(found, inputs.tables, worked.rows, clock, scored),
    }


def provenance(
    found: Attempt,
    tables: list[InputTable],
    account: Became,
    clock: Clock,
    scored: Collection[str],
) -> dict[str, Any]:
    """What every kind of run says of its inputs and of itself in run.json."""
    return {
        "inputs": {table.name: [asdict(file) for file in table.files] for table in tables},
        "rows": account,
        "warnings": left_out.warnings(found, account, scored),
        "versions": {name: version(name) for name in LIBRARIES},
        "seconds": clock.seconds,
    }
