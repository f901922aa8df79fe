"""Reject the rows of documents that a night excludes."""

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import flags
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.tables.read import Rows, refuse

EXCLUDED = "not_excluded"
"""The rule that rows of excluded documents break."""


def without_excluded(rows: Rows, settings: MeasuringSettings) -> tuple[Rows, list[pa.Table]]:
    """Reject the rows of the documents that the settings exclude, if they exclude any."""
    excluded = getattr(settings, "excluded", ())
    if not excluded:
        return rows, []
    is_excluded = flags(pc.is_in(rows.ids, pa.array(excluded, pa.string())))
    rows, rejects = refuse(rows, is_excluded, EXCLUDED, "the settings of the night exclude it")
    return rows, [rejects]
