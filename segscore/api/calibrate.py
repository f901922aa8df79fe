"""Find out what a value of a measure is worth on a corpus."""

from typing import TYPE_CHECKING

from segscore.api.inputs import Given, GivenTables
from segscore.api.settings import read_settings
from segscore.api.wording import for_python
from segscore.pipeline.conventions.calibrate import Calibration, calibrate_tables
from segscore.pipeline.conventions.calibrate_settings import CalibrateSettings
from segscore.pipeline.errors import Refused

if TYPE_CHECKING:
    from typing import Unpack

    from segscore.api.typed import CalibrateKeywords, MeasureName

_INSTEAD = {"output": "attribute table", "value": "method describe"}


@for_python
def calibrate(
    references: Given,
    documents: Given = None,
    *,
    measure: "MeasureName",
    **settings: "Unpack[CalibrateKeywords]",
) -> Calibration:
    """Measure references with known faults, as `segscore simulate values` does.

    >>> import segscore
    >>> references = {"d": segscore.Segmentation([20, 50, 60, 90], 110)}
    >>> calibration = segscore.calibrate(references, measure="recall", tolerance=2)
    >>> calibration
    Calibration(measure='recall', references=1)
    >>> calibration.table.column_names
    ['measure', 'fault', 'level', 'size', 'micro', 'macro', 'documents', 'all_documents']

    Args:
        references: the references, in any form that `segscore.evaluate` takes.
        documents: table of unit lengths and attributes of documents, or None.
        measure: name of a measure of pairs.
        settings: options of `segscore simulate values`, as keywords: n_t, window, rounding, unit,
            units, tolerance, length_tolerance, sample, seed.

    Raises:
        Refused: the input or the settings are invalid; the command has the same message.
        Failed: no reference was accepted.
    """
    given = read_settings(CalibrateSettings, {**settings, "measure": measure})
    for name in (name for name in _INSTEAD if name in given):
        raise Refused(f"{name}: is an option of the command only; use the {_INSTEAD[name]}")
    tables = GivenTables(references=references, documents=documents)
    chosen = CalibrateSettings(**given, **tables.locations)
    sources = tables.sources
    return calibrate_tables(chosen, sources["references"], sources.get("documents"))
