"""Warn of rows that are unpaired, and refuse to publish a run in which too many hypotheses are."""

from collections.abc import Collection, Iterable

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.errors import TooManyUnpaired
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
        TooManyUnpaired: the share is too large; the message gives the numbers, and where the rows
            are listed.
    """
    hypotheses = account["hypotheses"]
    if hypotheses["unpaired"] > max_unpaired * hypotheses["in"]:
        raise TooManyUnpaired(
            f"{hypotheses['unpaired']} of {hypotheses['in']} hypotheses have no reference, too "
            f"many to publish the run with --max-unpaired {max_unpaired}; they are listed in "
            f"{storage.join(attempt.written_to, UNPAIRED_FOLDER)}"
        )


def warn_of_unpaired(attempt: Attempt, account: RowCounts, scored: Collection[str]) -> list[str]:
    """Return the warnings about the unpaired rows of a run; see ``describe_unpaired``."""
    files = prepared_files(attempt, UNPAIRED_FOLDER)
    unpaired = (storage.read_columns(url, ["table", "coder"]) for url in files)
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
    systems = set[str]()
    for rows in unpaired:
        of_hypotheses = rows.filter(pc.equal(rows["table"], "hypotheses"))
        systems.update(pc.unique(of_hypotheses["coder"]).to_pylist())
    without = sorted(systems.difference(scored))
    warnings += [f"{name}: its documents have no reference" for name in without[:_MAX_CODERS]]
    more = len(without) - _MAX_CODERS
    if more > 0:
        warnings.append(f"the documents of {more} further system{'s' * (more > 1)} have none")
    return warnings
