"""Warn of rows that are unpaired, and refuse to publish a run in which too many hypotheses are."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.errors import Failed, TooManyUnpaired
from segscore.pipeline.runs.record import RowCounts, format_counts
from segscore.pipeline.runs.run_folder import REJECTS, UNPAIRED
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.tables.faults import EXACT_COPY

_MAX_CODERS = 5


@dataclass(frozen=True)
class RejectedReferences:
    """The documents of rejected references, and the hypotheses that are unpaired because of them.

    Attributes:
        documents: the documents.
        hypotheses: number of unpaired hypotheses of these documents.
        rules: number of the references of these hypotheses that broke each rule.
    """

    documents: pa.Array
    hypotheses: int
    rules: Counter[str]

    @property
    def in_words(self) -> str:
        """How many hypotheses have no reference because of this; empty if it is none."""
        if not self.hypotheses:
            return ""
        return f", {self.hypotheses:,} because theirs was rejected ({format_counts(self.rules)})"

    def are_of_all(self, documents: pa.ChunkedArray) -> bool:
        """Return whether these are references of each of some documents, at least one."""
        return len(documents) > 0 and bool(pc.all(pc.is_in(documents, self.documents)).as_py())

    def others(self, unpaired: pa.Table) -> pa.Table:
        """Return the unpaired rows of other documents."""
        return unpaired.filter(pc.invert(pc.is_in(unpaired["document_id"], self.documents)))


def rejected_references(
    rejects: Iterable[pa.Table], unpaired: Iterable[pa.Table]
) -> RejectedReferences:
    """Find the rejected references of unpaired hypotheses.

    Args:
        rejects: rejected rows, with the columns table, rule and document_id.
        unpaired: unpaired rows, with the columns table and document_id.
    """
    references = [
        rows.filter(
            pc.and_(pc.equal(rows["table"], "references"), pc.not_equal(rows["rule"], EXACT_COPY))
        )
        for rows in rejects
    ]
    hypotheses = [rows.filter(pc.equal(rows["table"], "hypotheses")) for rows in unpaired]
    rejected, broken = (_texts(references, name) for name in ("document_id", "rule"))
    documents = rejected.unique().drop_null()
    of_hypotheses = _texts(hypotheses, "document_id")
    lacking = of_hypotheses.filter(pc.is_in(of_hypotheses, documents))
    rules = Counter(broken.filter(pc.is_in(rejected, lacking.unique())).to_pylist())
    return RejectedReferences(documents, len(lacking), rules)


def _texts(tables: Iterable[pa.Table], column: str) -> pa.ChunkedArray:
    return pa.chunked_array([part for rows in tables for part in rows[column].chunks], pa.string())


def _rejected_references(sink: Sink, unpaired: Sequence[pa.Table]) -> RejectedReferences:
    rejects = sink.read(REJECTS, ["table", "rule", "document_id"]) if unpaired else ()
    return rejected_references(rejects, unpaired)


def require_few_unpaired(sink: Sink, account: RowCounts, max_unpaired: float) -> None:
    """Check that not too large a share of the hypotheses has no reference.

    Raises:
        TooManyUnpaired: the share is too large; the message gives the numbers, where the rows are
            listed, and the systems of which no row has a reference.
        Failed: it is too large because references were rejected.
    """
    hypotheses = account["hypotheses"]
    most = max_unpaired * hypotheses["in"]
    if hypotheses["unpaired"] <= most:
        return
    scored = set[str]()
    for table in ("scores", "panel_scores"):
        for rows in sink.read(table, ["hypothesis"]):
            scored.update(pc.unique(rows["hypothesis"]).to_pylist())
    unpaired = [*sink.read(UNPAIRED, ["table", "coder", "document_id"])]
    rejected = _rejected_references(sink, unpaired)
    awaited = [*map(rejected.others, unpaired)]
    without = _systems_without_result(awaited, scored)
    theirs = sum(_rows_of(rows, without) for rows in awaited)
    others = hypotheses["in"] - theirs
    message = (
        f"{hypotheses['unpaired']:,} of {hypotheses['in']:,} hypotheses have no reference"
        f"{rejected.in_words}, too many to publish the run with --max-unpaired {max_unpaired}; "
        f"they are listed in {sink.written_to(UNPAIRED)}"
    )
    if hypotheses["unpaired"] - rejected.hypotheses <= most:
        raise Failed(f"{message}; correct these references, or choose --max-unpaired 1")
    if not without:
        message += "; if not all documents get a reference, choose --max-unpaired 1"
    raise TooManyUnpaired(
        "; ".join([message, *_describe_systems(without)]),
        without,
        without_them=hypotheses["unpaired"] - theirs <= max_unpaired * others,
    )


def _rows_of(unpaired: pa.Table, systems: Sequence[str]) -> int:
    """Return the number of unpaired rows of some systems."""
    is_theirs = pc.is_in(unpaired["coder"], value_set=pa.array(systems, pa.string()))
    is_hypothesis = pc.equal(unpaired["table"], "hypotheses")
    return int(pc.sum(pc.and_(is_hypothesis, is_theirs)).as_py() or 0)


def warn_of_unpaired(sink: Sink, account: RowCounts, scored: Collection[str]) -> list[str]:
    """Return the warnings about unpaired rows: how many, and which systems have no result.

    Args:
        sink: where the unpaired rows are, which are read only if a hypothesis is unpaired.
        account: the numbers of rows.
        scored: the systems that have a result.
    """
    number = account["hypotheses"]["unpaired"]
    unpaired = [*sink.read(UNPAIRED, ["table", "coder", "document_id"])] if number else []
    rejected = _rejected_references(sink, unpaired)
    warnings = [
        f"{counts['unpaired']:,} of {counts['in']:,} {table} have no {missing}{why} and were not "
        f"scored; they are listed in {sink.location(UNPAIRED)}"
        for table, missing, why in (
            ("hypotheses", "reference", f"{rejected.in_words}," * bool(rejected.hypotheses)),
            ("references", "hypothesis", ""),
        )
        if (counts := account[table])["unpaired"]
    ]
    awaited = map(rejected.others, unpaired)
    return [*warnings, *_describe_systems(_systems_without_result(awaited, scored))]


def _systems_without_result(unpaired: Iterable[pa.Table], scored: Collection[str]) -> list[str]:
    """Return the systems that have unpaired rows and no result, by name."""
    systems = set[str]()
    for rows in unpaired:
        of_hypotheses = rows.filter(pc.equal(rows["table"], "hypotheses"))
        systems.update(pc.unique(of_hypotheses["coder"]).to_pylist())
    return sorted(systems.difference(scored))


def _describe_systems(systems: Sequence[str]) -> Iterator[str]:
    """Name systems of which no row has a reference."""
    for name in systems[:_MAX_CODERS]:
        yield f"{name}: none of its documents has a reference"
    more = len(systems) - _MAX_CODERS
    if more > 0:
        yield f"the documents of {more} further system{'s' * (more > 1)} have none"
