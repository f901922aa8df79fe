"""Sweep systems over thresholds, tolerances or other settings, in Python."""

from dataclasses import fields
from typing import TYPE_CHECKING

from segscore.api.inputs import Given, GivenTables
from segscore.api.runs import RunTables
from segscore.api.settings import read_settings
from segscore.api.wording import for_python
from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.runs.sink import MemorySink
from segscore.pipeline.scoring.sweep.run import run_sweep
from segscore.pipeline.scoring.sweep.settings import SweepSettings

if TYPE_CHECKING:
    from typing import Unpack

    from segscore.api.typed import SweepKeywords


class SweepTables(RunTables):
    """The tables of a sweep: curves, operating_points and measured; tolerances; or ranks.

    >>> import segscore
    >>> row = {"document_id": "d", "n_units": 9}
    >>> swept = segscore.sweep(
    ...     [{**row, "coder": "gold", "boundaries": [3, 6]}],
    ...     [{**row, "coder": "a", "boundaries": [3, 5], "boundary_scores": [0.8, 0.4]}],
    ...     measures=["f1"], thresholds=[0.2, 0.5],
    ... )
    >>> swept.best("f1")
    {'a': 0.5}
    >>> swept.measured.num_rows
    2
    """

    def best(self, measure: str) -> dict[str, float]:
        """Return the best threshold of each system by a measure of the sweep.

        Raises:
            Refused: the sweep did not compute the measure at thresholds.
        """
        rows = self.table("measured").to_pylist() if "measured" in self.names else []
        if measure not in {row["measure"] for row in rows}:
            raise Refused(f"{measure}: was not computed; name it in measures")
        chosen = (row for row in rows if row["best"] and row["measure"] == measure)
        return {str(row["hypothesis"]): float(row["threshold"]) for row in chosen}


@for_python
def sweep(
    references: Given,
    hypotheses: Given,
    documents: Given = None,
    **settings: "Unpack[SweepKeywords]",
) -> SweepTables:
    """Sweep systems over thresholds, tolerances or other settings, as `segscore sweep` does.

    >>> import segscore
    >>> references = {"d": segscore.Segmentation([20, 50, 90], 110)}
    >>> hypotheses = {"a": {"d": segscore.Segmentation([20, 51], 110)},
    ...               "b": {"d": segscore.Segmentation([22, 50, 92], 110)}}
    >>> swept = segscore.sweep(references, hypotheses, n_t=[2, 4], measures="boundary_similarity")
    >>> [(row["choice"], row["hypothesis"], row["rank"]) for row in swept.ranks.to_pylist()]
    [('2', 'a', 1.0), ('2', 'b', 2.0), ('4', 'a', 2.0), ('4', 'b', 1.0)]

    Args:
        references: the references, in any form that `segscore.evaluate` takes.
        hypotheses: segmentations with boundary_scores; any for tolerances, windows or several n_t.
        documents: table of unit lengths and attributes of documents, or None.
        settings: options of `segscore sweep`, as keywords: measures, thresholds, tolerances,
            n_t (a list ranks the systems at each), windows, window, beta...

    Raises:
        Refused: the input or the settings are invalid; the command has the same message.
        Failed: nothing could be scored.
        TypeError: there is no such setting.
    """
    n_t = settings.get("n_t")
    several = [n_t] if isinstance(n_t, int) else n_t
    swept_over = settings if n_t is None else {**settings, "n_t": several}
    given = read_settings(SweepSettings, swept_over, OF_SWEEP)
    tables = GivenTables(references=references, hypotheses=hypotheses, documents=documents)
    places = dict(tables.locations)
    scored = places.pop("hypotheses")
    chosen = SweepSettings(**given, **places, scored=scored, output="<memory>")
    swept = run_sweep(chosen, sources=tables.sources, sink=MemorySink())
    assert not isinstance(swept, Done)
    return SweepTables(FinishedRun("sweep", swept.record, tables=swept.tables))


_OF_COMMAND = ("references", "scored", "documents", "output", "fresh", "own_n_t")
"""Settings that are parameters of their own, or are about tables that the command alone writes."""

OF_SWEEP = [field.name for field in fields(SweepSettings) if field.name not in _OF_COMMAND]
