"""Warn of rows that are unpaired, and refuse to publish a run in which too many hypotheses are."""

from collections.abc import Collection, Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.errors import TooManyUnpaired
from segscore.pipeline.runs.record import RowCounts
from segscore.pipeline.runs.run_folder import UNPAIRED
from segscore.pipeline.runs.sink import Sink

_MAX_CODERS = 5


def require_few_unpaired(sink: Sink, account: RowCounts, max_unpaired: float) -> None:
    """Check that not too large a share of the hypotheses has no reference.

    Raises:
        TooManyUnpaired: the share is too large; the message gives the numbers, where the rows are
            listed, and the systems of which no row has a reference.
    """
    hypotheses = account["hypotheses"]
    if hypotheses["unpaired"] <= max_unpaired * hypotheses["in"]:
        return
    scored = set[str]()
    for table in ("scores", "panel_scores"):
        for rows in sink.read(table, ["hypothesis"]):
            scored.update(pc.unique(rows["hypothesis"]).to_pylist())
    unpaired = [*sink.read(UNPAIRED, ["table", "coder"])]
    without = _systems_without_result(unpaired, scored)
    theirs = sum(_rows_of(rows, without) for rows in unpaired)
    others = hypotheses["in"] - theirs
    message = (
        f"{hypotheses['unpaired']:,} of {hypotheses['in']:,} hypotheses have no reference, too "
        f"many to publish the run with --max-unpaired {max_unpaired}; they are listed in "
        f"{sink.written_to(UNPAIRED)}"
    )
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
    warnings = [
        f"{counts['unpaired']:,} of {counts['in']:,} {table} have no {missing} and were not "
        f"scored; they are listed in {sink.location(UNPAIRED)}"
        for table, missing in (("hypotheses", "reference"), ("references", "hypothesis"))
        if (counts := account[table])["unpaired"]
    ]
    if not account["hypotheses"]["unpaired"]:
        return warnings
    unpaired = sink.read(UNPAIRED, ["table", "coder"])
    return [*warnings, *_describe_systems(_systems_without_result(unpaired, scored))]


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
        yield f"{name}: its documents have no reference"
    more = len(systems) - _MAX_CODERS
    if more > 0:
        yield f"the documents of {more} further system{'s' * (more > 1)} have none"
