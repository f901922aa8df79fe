"""Warn of rows that are unpaired, and refuse to publish a run in which too many hypotheses are."""

from collections.abc import Collection, Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.errors import TooManyUnpaired
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.runs.record import RowCounts
from segscore.pipeline.runs.run_folder import Attempt, prepared_files

UNPAIRED_FOLDER = "unpaired"
"""Folder of the table of unpaired rows, in that of a run."""

_MAX_CODERS = 5


def require_few_unpaired(attempt: Attempt, account: RowCounts, max_unpaired: float) -> None:
    """Check that not too large a share of the hypotheses has no reference.

    Args:
        attempt: an attempt whose parts are all done, or one that found the run finished.
        account: the numbers of rows.
        max_unpaired: the largest share, in [0, 1].

    Raises:
        TooManyUnpaired: the share is too large; the message gives the numbers, where the rows are
            listed, and the systems of which no row has a reference.
    """
    hypotheses = account["hypotheses"]
    if hypotheses["unpaired"] <= max_unpaired * hypotheses["in"]:
        return
    scored = set[str]()
    for table in ("scores", "panel_scores"):
        for rows in _read(attempt, table, ["hypothesis"]):
            scored.update(pc.unique(rows["hypothesis"]).to_pylist())
    unpaired = [*_read(attempt, UNPAIRED_FOLDER, ["table", "coder"])]
    without = _systems_without_result(unpaired, scored)
    theirs = sum(_rows_of(rows, without) for rows in unpaired)
    others = hypotheses["in"] - theirs
    message = (
        f"{hypotheses['unpaired']} of {hypotheses['in']} hypotheses have no reference, too "
        f"many to publish the run with --max-unpaired {max_unpaired}; they are listed in "
        f"{storage.join(attempt.written_to, UNPAIRED_FOLDER)}"
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


def _read(attempt: Attempt, table: str, columns: list[str]) -> Iterator[pa.Table]:
    """Yield a table of an attempt, or of the finished run that it found, one file at a time."""
    if attempt.state.done:
        yield from FinishedRun.open(attempt.output).parts(table, columns)
        return
    for url in prepared_files(attempt, table):
        yield storage.read_columns(url, columns)


def warn_of_unpaired(attempt: Attempt, account: RowCounts, scored: Collection[str]) -> list[str]:
    """Return the warnings about the unpaired rows of a run; see ``describe_unpaired``."""
    unpaired = _read(attempt, UNPAIRED_FOLDER, ["table", "coder"])
    listed_in = storage.join(attempt.output, UNPAIRED_FOLDER)
    return describe_unpaired(unpaired, account, scored, listed_in)


def describe_unpaired(
    unpaired: Iterable[pa.Table], account: RowCounts, scored: Collection[str], listed_in: str
) -> list[str]:
    """Return the warnings about unpaired rows: how many, and which systems have no result.

    Args:
        unpaired: tables of unpaired rows, read only if a hypothesis is unpaired.
        account: the numbers of rows.
        scored: the systems that have a result.
        listed_in: where all unpaired rows are listed.
    """
    warnings = [
        f"{counts['unpaired']} of {counts['in']} {table} have no {missing} and were not scored; "
        f"they are listed in {listed_in}"
        for table, missing in (("hypotheses", "reference"), ("references", "hypothesis"))
        if (counts := account[table])["unpaired"]
    ]
    if not account["hypotheses"]["unpaired"]:
        return warnings
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
