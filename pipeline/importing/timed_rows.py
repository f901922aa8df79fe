"""Give segmentations in units the times of the units that their boundaries start."""

from collections.abc import Mapping

from segscore.pipeline.importing.answers.gathering import DocumentUnits
from segscore.pipeline.importing.answers.timing import Timing
from segscore.pipeline.importing.projection.carried import Carried, carry_rows
from segscore.pipeline.importing.times import round_half_up
from segscore.pipeline.tables.read import Rows
from segscore.pipeline.tables.rows import RowPlace

_NEEDED = ["document_id", "n_units", "boundaries"]


def time_rows(rows: Rows, timing: Timing, units: Mapping[str, DocumentUnits] | None = None) -> Rows:
    """Return valid rows in milliseconds, without lists by unit.

    Args:
        rows: the rows.
        timing: what gives boundaries times.
        units: document -> its units, whose records may have the times; None without a source.

    Raises:
        Refused: a document has no times, another number of them than units, or no length.
    """
    carried = []
    for number, row in enumerate(rows.table.select(_NEEDED).to_pylist()):
        place = RowPlace(rows.urls[int(rows.file[number])], int(rows.row[number]) + 1)
        document = row["document_id"]
        times = timing.times_of(document, row["n_units"], place, (units or {}).get(document))
        n_units, start = timing.length_of(document, times)
        moments = {p: round_half_up(times.starts[p].exact) - start for p in row["boundaries"]}
        moved = {p: moment for p, moment in moments.items() if 0 < moment < n_units}
        carried.append(Carried(n_units, moved))
    return carry_rows(rows, carried)
