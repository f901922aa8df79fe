"""Compare systems of finished runs."""

from collections.abc import Sized
from dataclasses import asdict, fields, replace
from os import PathLike
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from segscore.api.evaluation import Evaluation
from segscore.api.runs import RunTables, location_of_run
from segscore.api.settings import read_settings
from segscore.api.typed import AnyMeasure
from segscore.api.wording import for_python
from segscore.pipeline.comparison.files_beside import read_beside
from segscore.pipeline.comparison.run import compare_runs
from segscore.pipeline.comparison.runs import first_measure, open_runs
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.errors import Refused
from segscore.pipeline.plain_text import visible
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.scoring.finished_scoring import FinishedScoring

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    import altair as alt

    from segscore.api.typed import CompareKeywords

_NAMES = "abcdefghijklmnopqrstuvwxyz"


class ComparisonTables(RunTables):
    """The tables of a comparison (docs/jobs/compare.md): comparisons, systems, worst.

    >>> import segscore
    >>> references = {f"d{i}": segscore.Segmentation([4], 9) for i in range(20)}
    >>> systems = {"near": {f"d{i}": segscore.Segmentation([5], 9) for i in range(20)},
    ...            "far": {f"d{i}": segscore.Segmentation([7], 9) for i in range(20)}}
    >>> comparison = segscore.compare(segscore.evaluate(references, systems), measure="pk")
    >>> row = comparison.comparisons.to_pylist()[0]
    >>> row["system"], row["other"], row["better"]
    ('far', 'near', 'near')
    """

    @property
    def comparisons(self) -> pa.Table:
        """A row for each pair of systems, measure and average: difference, interval, tests."""
        return self.table("comparisons")

    @property
    def systems(self) -> pa.Table:
        """A row for each system, measure and average: value, interval, rank."""
        return self.table("systems")

    def __repr__(self) -> str:
        from segscore.api.shown_comparison import comparison_as_text

        return visible(comparison_as_text(self), lines=True)

    def _repr_html_(self) -> str:
        """List the systems and the differences of all pairs by each measure."""
        from segscore.api.shown_comparison import comparison_as_html

        return comparison_as_html(self)

    @for_python
    def plot(
        self, measure: AnyMeasure | None = None, *, average: Literal["micro", "macro"] = "micro"
    ) -> "alt.Chart":
        """Draw the differences of all pairs with their 95 % intervals, the better system first.

        The chart of Altair shows itself in a notebook; `.save("figure.pdf")` saves it as PDF, SVG
        or PNG.

        Args:
            measure: name of a measure; None for the first of the comparison.
            average: micro, as `segscore compare` shows by default, or macro.

        Raises:
            Refused: the comparison has no value of the measure, or altair is not installed.
        """
        from segscore.pipeline.reports.comparison import difference_charts
        from segscore.pipeline.reports.figures import as_figure, require_charts

        require_charts("plot")
        name = measure or self.comparisons.column("measure")[0].as_py()
        tables = {"comparisons": self.comparisons, "systems": self.systems}
        by = self.record["settings"]["group_by"]
        chart = next(iter(difference_charts(tables, [name], by, average)), None)
        if chart is None:
            raise Refused(f"{name}: no pair has a difference in it")
        return as_figure(chart)


@for_python
def compare(
    *runs: "Evaluation | str | PathLike[str]",
    measure: "AnyMeasure | Sequence[AnyMeasure] | None" = None,
    **settings: "Unpack[CompareKeywords]",
) -> ComparisonTables:
    """Compare the systems of evaluations or finished runs on the documents they share.

    If systems have the same name, the name of the run is appended; runs in memory are `a`, `b`...

    >>> import segscore
    >>> references = {f"d{i}": segscore.Segmentation([4], 9) for i in range(20)}
    >>> runs = [
    ...     segscore.evaluate(references, dict.fromkeys(references, segscore.Segmentation([p], 9)))
    ...     for p in (5, 7)
    ... ]
    >>> row = segscore.compare(*runs, measure="pk").comparisons.to_pylist()[0]
    >>> row["system"], row["other"], row["difference"] < 0, row["better"]
    ('hypothesis@a', 'hypothesis@b', True, 'hypothesis@a')

    Args:
        runs: evaluations, or folders or URLs of finished runs; one or more.
        measure: name of a measure, or a list of names; None for the one by which `segscore score`
            ranks the systems.
        settings: options of `segscore compare`, as keywords: systems, group_by, resample_by,
            difference, margin, may_differ, where, changes.

    Raises:
        Refused: the runs were scored differently or share no document, or a setting is invalid.
    """
    if not runs:
        raise Refused("runs: give an evaluation, or the folder or URL of a finished run")
    urls = tuple(
        each.run.url if isinstance(each, Evaluation) else location_of_run(each) for each in runs
    )
    given = read_settings(CompareSettings, settings, ("measure", *OF_COMPARISON))
    opened = _opened(runs, urls, trust_inputs=given.get("trust_inputs", False))
    names = first_measure(opened) if measure is None else measure
    measures = tuple(names.split(",")) if isinstance(names, str) else names
    if isinstance(measures, Sized) and not len(measures):
        raise Refused("measure: is empty; omit it, or give a name")
    given |= read_settings(CompareSettings, {"measures": measures})
    chosen = CompareSettings(runs=urls, **given)
    compared = compare_runs(opened, chosen, read_beside(chosen))
    record = {
        "signature": compared.signature,
        "settings": asdict(chosen),
        "rows": compared.rows,
        "warnings": compared.warnings,
    }
    return ComparisonTables(FinishedRun("comparison", record, tables=compared.tables))


_OF_COMMAND = ("runs", "measures", "output", "fresh", "ranks")
"""Settings that are parameters of their own, or are about tables that the command alone writes."""

OF_COMPARISON = [field.name for field in fields(CompareSettings) if field.name not in _OF_COMMAND]


def _opened(
    runs: "tuple[Evaluation | str | PathLike[str], ...]",
    urls: tuple[str, ...],
    *,
    trust_inputs: bool,
) -> list[FinishedScoring]:
    """Open the runs that are in folders, and name those that are in memory."""
    folders = [
        url
        for each, url in zip(runs, urls, strict=True)
        if not isinstance(each, Evaluation) or each.run.tables is None
    ]
    in_folders = iter(open_runs(folders, trust_inputs=trust_inputs) if folders else [])
    opened: list[FinishedScoring] = []
    for each in runs:
        if isinstance(each, Evaluation) and each.run.tables is not None:
            opened.append(replace(each.run, name=_NAMES[len(opened) % len(_NAMES)]))
        elif isinstance(each, Evaluation) and each.run.trusted.everything:
            opened.append(next(in_folders).trusting(everything=True))
        else:
            opened.append(next(in_folders))
    return opened
