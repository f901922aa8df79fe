"""Score tables of hypotheses against tables of references."""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from segscore.api.inputs import Given, GivenTables, arrow_table, location_of
from segscore.api.measures import require_measure
from segscore.api.position_lists import lists_as_tables
from segscore.api.runs import RunTables
from segscore.api.settings import read_settings
from segscore.api.typed import AnyMeasure
from segscore.api.wording import for_python
from segscore.pipeline.errors import Done, Refused, nearest
from segscore.pipeline.measures import ALL
from segscore.pipeline.plain_text import visible
from segscore.pipeline.results.leaderboard import Leaderboard, rank
from segscore.pipeline.results.names import is_point
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.finished import rows_over_all
from segscore.pipeline.runs.record import require_few_rejects
from segscore.pipeline.runs.sink import MemorySink
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.hypotheses import UNPAIRED_COLUMNS
from segscore.pipeline.scoring.missing import Missing, require_few_missing
from segscore.pipeline.scoring.run import run_scoring
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.shared_averages import ranked_summary
from segscore.pipeline.scoring.unpaired import require_few_unpaired
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.statistics.averages import summary_groups
from segscore.pipeline.tables.validate import REJECT_COLUMNS
from segscore.schemas.rows import AverageRow

if TYPE_CHECKING:
    from typing import Unpack

    import altair as alt

    from segscore.api.explanation import Explanation
    from segscore.api.position_lists import NumbersOfUnits
    from segscore.api.scored_regions import GivenRegions
    from segscore.api.shown import ShownEvaluation
    from segscore.api.typed import EvaluateKeywords, MeasureChoice
    from segscore.pipeline.conventions.calibrate import Calibration

_IN_MEMORY = "evaluation"
"""Name of a run in memory, in messages."""


@dataclass(frozen=True)
class SystemAverage:
    """The averages of one measure over the documents of one system.

    Attributes:
        measure: name of the measure.
        hypothesis: name of the system.
        micro: the formula applied to summed counts; None if undefined.
        macro: mean of the documents' values; None if undefined.
        interval: 95 % interval of the micro average; None if there is none.
        macro_interval: the same for the macro average.
        sd: standard deviation of the documents' values; None with fewer than two documents.
        documents: number of documents.
        defined: number of documents in which the measure is defined.
        skill: how far the micro average is from chance (0) to perfect (1); None without
            ``reference_points="random-own"``.
        skill_interval: 95 % interval of the skill; None if there is none.
    """

    measure: str
    hypothesis: str
    micro: float | None
    macro: float | None
    interval: tuple[float, float] | None
    macro_interval: tuple[float, float] | None
    sd: float | None
    documents: int
    defined: int
    skill: float | None = None
    skill_interval: tuple[float, float] | None = None


class Evaluation(RunTables):
    """The tables of a scoring run, with the columns of docs/tables.md.

    >>> import segscore
    >>> references = {"a": segscore.Segmentation([2, 5], 11), "b": segscore.Segmentation([4], 9)}
    >>> hypotheses = {"a": segscore.Segmentation([2, 4], 11), "b": segscore.Segmentation([4], 9)}
    >>> evaluation = segscore.evaluate(references, hypotheses)
    >>> evaluation["boundary_similarity"].micro, evaluation["boundary_similarity"].macro
    (0.8333333333333334, 0.875)
    >>> evaluation["pk"].interval is None  # fewer than five documents
    True
    >>> evaluation.scores.num_rows
    2
    """

    run: FinishedScoring

    def __init__(
        self, run: FinishedScoring, publish: "Callable[[], Evaluation] | None" = None
    ) -> None:
        """Wrap the tables of a run; `segscore.evaluate` and `segscore.read_run` do this.

        Args:
            run: the run.
            publish: publishes a run in memory in a temporary folder; None for a run in a folder.
        """
        super().__init__(run)
        self.calibration: Calibration | None = None
        self._publish = publish

    @cached_property
    def _published(self) -> "Evaluation":
        """The same evaluation in a folder, so that its inputs can be read again."""
        return self if self._publish is None else self._publish()

    @for_python
    def explain(self, document: str, hypothesis: str | None = None) -> "Explanation":
        """List and draw the edits of one document, as `segscore explain` does.

        An evaluation in memory is scored once more for this, in a temporary folder.

        >>> import segscore
        >>> references = {"d": segscore.Segmentation([2, 5], 11)}
        >>> evaluation = segscore.evaluate(references, {"d": segscore.Segmentation([2, 4], 11)})
        >>> evaluation.explain("d")[0].edits[1].kind
        'near_miss'

        Args:
            document: id of the document.
            hypothesis: name of a hypothesis; None for all.

        Raises:
            Refused: the document or the hypothesis does not exist, or an input has changed or is
                in a bucket that was not named (see `segscore.read_run`).
        """
        from segscore.api.explanation import Explanation
        from segscore.pipeline.scoring.explain import explain_pairs

        run = self._published.run
        try:
            pairs, rejected = explain_pairs(run, [document], hypothesis)
        except Refused as problem:
            raise Refused(self._named(str(problem))) from None
        return Explanation(pairs, [*map(self._named, rejected)])

    def _named(self, text: str) -> str:
        """Name the run and its tables in memory, whose folder is temporary, as the user knows them.

        Args:
            text: a text about the published run.
        """
        run = self._published.run
        for table, files in run.recorded_inputs.items():
            for file in files:
                if file["url"].startswith(f"{run.url}/"):
                    text = text.replace(file["url"], table)
        return text.replace(run.url, self.run.url)

    @for_python
    def report(
        self,
        path: str | PathLike[str],
        *,
        measure: AnyMeasure | None = None,
        average: Literal["micro", "macro"] = "micro",
        calibrate: bool = False,
        certify: bool = False,
        units: str | PathLike[str] | None = None,
    ) -> str:
        """Write the report of `segscore report` and return its path.

        An evaluation in memory is scored once more for this, in a temporary folder.

        Args:
            path: file or URL of the page.
            measure: measure by which systems are ranked; None for the first headline measure.
            average: average by which systems are ranked.
            calibrate: show which faults give the values of the systems.
            certify: say how often intervals and tests are right on corpora like this.
            units: file with the texts of the units, to show the words around errors.

        Raises:
            Refused: a setting is invalid, or the file must not be overwritten.
            Failed: the page cannot be written.
        """
        from segscore.pipeline.reports.settings import ReportSettings
        from segscore.pipeline.reports.write_report import write_report

        output, run = fspath(path), self._published.run
        trusted = run.trusted.everything
        asked = ReportSettings(
            run.url,
            output,
            measure,
            average,
            calibrate,
            units=None if units is None else fspath(units),
            trust_inputs=trusted,
            certify=certify,
        )
        write_report(asked)
        return output

    @for_python
    def plot(
        self,
        measure: AnyMeasure,
        *,
        average: Literal["micro", "macro"] = "micro",
        systems: Sequence[str] | None = None,
    ) -> "alt.Chart":
        """Draw the value of each system with its 95 % interval, best first or in a given order.

        The chart of Altair shows itself in a notebook; `.save("figure.pdf")` saves it as PDF, SVG
        or PNG.

        Args:
            measure: name of a measure.
            average: micro or macro.
            systems: the systems to draw, from top to bottom, joined by a line, such as those of
                a learning curve; None for all, best first.

        Raises:
            Refused: the evaluation has no such system, or no value of the measure, or altair is
                not installed.
        """
        from segscore.pipeline.reports.figures import as_figure, require_charts
        from segscore.pipeline.reports.systems import interval_chart

        require_charts("plot")
        require_measure(measure, ALL)
        by = summary_groups(self.summary.column_names)
        every: list[AverageRow] = rows_over_all(self.summary, by)
        rows = [row for row in every if row["average"] == average]
        boards = rank((row for row in rows if row["measure"] == measure), measure=measure)
        ranked = {name: board.rows[name] for board in boards for name in board.ranked}
        for name in systems or ():
            if name not in ranked:
                raise Refused(f"systems: no {name} among {', '.join(ranked)}")
        drawn = [ranked[name] for name in (ranked if systems is None else systems)]
        chart = interval_chart(drawn, measure, joined=systems is not None)
        if chart is None:
            raise Refused(f"{measure}: no system has a value of it")
        return as_figure(chart)

    def show(self, calibration: "Calibration") -> None:
        """Show what the value of each system is worth below the averages from now on.

        >>> import segscore
        >>> references = {"d": segscore.Segmentation([20, 50, 60, 90], 110)}
        >>> hypotheses = {"d": segscore.Segmentation([20, 50, 75, 90], 110)}
        >>> evaluation = segscore.evaluate(references, hypotheses, measures=["recall"])
        >>> evaluation.show(segscore.calibrate(references, measure="recall"))
        >>> print(str(evaluation).splitlines()[2][:75])
        hypothesis: recall 0.75 on this corpus is what a system gets that misses 26

        Args:
            calibration: what `segscore.calibrate` returns for the same references and settings.

        Raises:
            Refused: the calibration has another number of references, or the evaluation does not
                have its measure.
        """
        if not hasattr(calibration, "references"):
            raise Refused(
                f"calibration: is {type(calibration).__name__}; must be what segscore.calibrate "
                "returns; print an evaluation to see its averages"
            )
        rows = self.run.record["rows"]["references"]
        accepted = rows["scored"] + rows["unpaired"]
        if calibration.references != accepted:
            raise Refused(
                f"number of references: {calibration.references} in the calibration, {accepted} in "
                "the evaluation; calibrate the references of the evaluation"
            )
        for system in self.systems:
            self[calibration.measure, system]
        self.calibration = calibration

    @cached_property
    def scores(self) -> pa.Table:
        """A row for each document, reference and hypothesis: counts and values."""
        return self.table("scores")

    @cached_property
    def panel_scores(self) -> pa.Table | None:
        """A row for each document with several references; None if there is no such document."""
        return self.table("panel_scores") if "panel_scores" in self.names else None

    @cached_property
    def summary(self) -> pa.Table:
        """Averages by system, group and measure, with intervals."""
        return ranked_summary(self.run)

    @cached_property
    def rejects(self) -> pa.Table:
        """Input rows that were rejected, and why."""
        return self.table("rejects") if "rejects" in self.names else REJECT_COLUMNS.empty_table()

    @cached_property
    def unpaired(self) -> pa.Table:
        """Input rows without a counterpart on the other side."""
        if "unpaired" in self.names:
            return self.table("unpaired")
        return pa.schema(
            [(name, REJECT_COLUMNS.field(name).type) for name in UNPAIRED_COLUMNS]
        ).empty_table()

    @property
    def systems(self) -> list[str]:
        """The names of the hypotheses, without reference points."""
        names = self.summary.column("hypothesis").unique().to_pylist()
        return [name for name in names if not is_point(name)]

    def __getitem__(self, key: str | tuple[str, str]) -> SystemAverage:
        """Return the averages of a measure over all documents.

        Args:
            key: a measure, or (measure, hypothesis) if there are several systems.

        Raises:
            Refused: there is no such measure or hypothesis, or there are several systems.
        """
        measure, hypothesis = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        require_measure(measure, ALL)
        if hypothesis is None:
            if len(self.systems) != 1:
                raise Refused(
                    f"{measure}: there are {len(self.systems)} hypotheses "
                    f"({', '.join(self.systems)}); name one, as evaluation[{measure!r}, "
                    f"{self.systems[0]!r}]"
                )
            (hypothesis,) = self.systems
        if (measure, hypothesis) not in self.averages:
            raise self._not_in_summary(measure, hypothesis)
        return self.averages[measure, hypothesis]

    def _not_in_summary(self, measure: str, hypothesis: str) -> Refused:
        """Return the error for averages that the summary does not have."""
        measures, hypotheses = (dict.fromkeys(names) for names in zip(*self.averages, strict=True))
        kind, wrong, known = "hypotheses", str(hypothesis), hypotheses
        if hypothesis in hypotheses:
            kind, wrong, known = "measures", measure, measures
        return Refused(
            f"{measure}, {hypothesis}: not in the summary{nearest(wrong, known)}; it has the "
            f"{kind} {', '.join(known)}"
        )

    @cached_property
    def averages(self) -> Mapping[tuple[str, str], SystemAverage]:
        """The averages over all documents by (measure, hypothesis)."""
        by = summary_groups(self.summary.column_names)
        every: list[AverageRow] = rows_over_all(self.summary, by)
        rows = {(row["measure"], row["hypothesis"], row["average"]): row for row in every}
        return {
            (measure, hypothesis): SystemAverage(
                measure=measure,
                hypothesis=hypothesis,
                micro=micro["value"],
                macro=macro["value"],
                interval=_interval(micro["ci_low"], micro["ci_high"]),
                macro_interval=_interval(macro["ci_low"], macro["ci_high"]),
                sd=macro["sd"],
                documents=micro["documents"],
                defined=micro["defined"],
                skill=micro.get("skill"),
                skill_interval=_interval(micro.get("skill_low"), micro.get("skill_high")),
            )
            for (measure, hypothesis, average), micro in rows.items()
            if average == "micro"
            for macro in [rows[measure, hypothesis, "macro"]]
        }

    @cached_property
    def board(self) -> Leaderboard:
        """The systems over all documents, ranked by the first measure to show, micro averages."""
        return self._ranked("micro")

    @cached_property
    def macro_board(self) -> Leaderboard:
        """The same by macro averages."""
        return self._ranked("macro")

    def _ranked(self, average: str) -> Leaderboard:
        by = summary_groups(self.summary.column_names)
        every: list[AverageRow] = rows_over_all(self.summary, by)
        rows = [row for row in every if row["average"] == average]
        boards = rank(rows, named=self.run.measures_in_order)
        return boards[0] if boards else Leaderboard((), "", {})

    @for_python
    def to_pandas(self, table: str = "summary") -> Any:
        """Return a table as a pandas data frame, with pandas' NA for missing values.

        >>> import segscore
        >>> one = {"a": segscore.Segmentation([2], 9)}
        >>> frame = segscore.evaluate(one, one).to_pandas("scores")
        >>> frame["pk"].tolist()
        [0.0]
        """
        return super().to_pandas(table)

    @for_python
    def to_polars(self, table: str = "summary") -> Any:
        """Return a table as a polars data frame.

        Raises:
            Refused: polars is not installed.
        """
        return super().to_polars(table)

    def __repr__(self) -> str:
        from segscore.api.shown import evaluation_as_text

        return visible(evaluation_as_text(self._shown()), lines=True)

    def _repr_html_(self) -> str:
        """List the main measures of every system, with the best values marked."""
        from segscore.api.shown import evaluation_as_html

        return evaluation_as_html(self._shown())

    def _shown(self) -> "ShownEvaluation":
        """Return what is shown of the evaluation."""
        from segscore.api.shown import ShownEvaluation

        shown = self.warnings, self.signature
        return ShownEvaluation(self.board, self.macro_board, [*self._worth()], *shown)

    def _worth(self) -> Iterator[str]:
        """Say what the value of each system is worth, if that is to be shown."""
        if self.calibration is not None:
            for name in self.systems:
                value = self[self.calibration.measure, name].micro
                if value is not None:
                    yield f"{name}: {self.calibration.describe(round(value, 4))}"


def _interval(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)


@for_python
def evaluate(
    references: Given,
    hypotheses: Given,
    documents: Given = None,
    *,
    n_units: "NumbersOfUnits | None" = None,
    regions: "GivenRegions | None" = None,
    measures: "Iterable[MeasureChoice] | MeasureChoice" = (),
    client: Any = None,
    **settings: "Unpack[EvaluateKeywords]",
) -> Evaluation:
    """Score hypotheses against references, as `segscore score` does.

    A table is a mapping {document_id: Segmentation}, or {coder: {document_id: Segmentation}} for
    several coders; an iterable of dicts, one for each row (docs/tables.md); an object with
    `__arrow_c_stream__`, such as an Arrow, pandas, polars or DuckDB table; a dataset of Hugging
    Face; or a path or URL. A table in memory without the column coder is that of one.

    >>> import segscore
    >>> rows = [{"document_id": "a", "coder": "desk", "n_units": 11, "boundaries": [2, 5]}]
    >>> systems = {"second": {"a": segscore.Segmentation([2, 5, 8], 11)}}
    >>> segscore.evaluate(rows, systems)["boundary_similarity", "second"].micro
    0.6666666666666667
    >>> segscore.evaluate({"a": [2, 5]}, {"a": [2, 4]}, n_units={"a": 11})["pk"].micro
    0.2222222222222222

    Args:
        references: the references.
        hypotheses: the segmentations to judge.
        documents: table of unit lengths and attributes of documents, or None.
        n_units: a list, {document_id: number}, or one for all, if both sides are plain boundaries:
            a list for each document, {document_id: list}, or {system: either}.
        regions: what alone is scored of each document, {document_id: (start, end)} in units, or
            a list of these, as `segscore import --regions` does.
        measures: names of measures or families, or `all`; by default the same as in a run.
        client: a Dask client, whose workers score; tables in memory are written for them.
        settings: options of `segscore score`, as keywords: group_by, n_t, window... If output is
            given, the run is published in that folder or URL, with tables in memory under inputs/;
            without, a client's run is in a temporary folder.

    Raises:
        Refused: the input or the settings are invalid; the command has the same message.
        Failed: nothing could be scored.
        TypeError: there is no such setting.
    """
    sides = _sides(n_units, regions, references=references, hypotheses=hypotheses)
    tables = _tables(**sides, documents=documents)
    listed = isinstance(measures, Iterable) and not isinstance(measures, str)
    chosen = tuple(measures) if listed else measures
    return _evaluate(tables, client, {**settings, "measures": chosen})


def _sides(
    n_units: "NumbersOfUnits | None", regions: "GivenRegions | None", **given: Given
) -> dict[str, Given]:
    """Return both sides, as tables if they are plain boundaries or cut to regions."""
    sides = given if n_units is None else lists_as_tables(n_units, **given)
    if regions is None:
        return sides
    from segscore.api.scored_regions import cut_sides

    return cut_sides(regions, **sides)


def _evaluate(tables: Mapping[str, Given], client: Any, given: dict[str, Any]) -> Evaluation:
    """Score tables in a folder, if a client or an output is given, or in memory."""
    if client is not None or given.get("output") is not None:
        return _evaluate_on_cluster(tables, client, read_settings(ScoreSettings, given))
    given.pop("output", None)
    return _evaluate_in_memory(tables, read_settings(ScoreSettings, given, OF_EVALUATION))


def _tables(**given: Given) -> dict[str, Given]:
    """Return the tables that there are, in a form that can be read twice."""
    return {
        name: _kept(each) for name, each in given.items() if each is not None or name != "documents"
    }


def _kept(given: Given) -> Given:
    if not isinstance(given, Iterator):
        return given
    return pa.table(given) if hasattr(given, "__arrow_c_stream__") else [*given]


def _evaluate_in_memory(tables: Mapping[str, Given], settings: Mapping[str, Any]) -> Evaluation:
    given = GivenTables(**tables)
    chosen = ScoreSettings(**{**settings, **given.locations, "output": "<memory>"})
    sink = MemorySink()
    scored = run_scoring(chosen, sources=given.sources, sink=sink)
    assert not isinstance(scored, Done)
    # The defaults are limits for what is published; in memory only those that were given hold.
    if "max_rejects" in settings:
        require_few_rejects(sink, scored.record["rows"], chosen.max_rejects)
    if chosen.max_unpaired is not None:
        require_few_unpaired(sink, scored.record["rows"], chosen.max_unpaired)
        missing = Missing.of_record(scored.record["missing"])
        require_few_missing(missing, chosen.max_unpaired, chosen.missing)
    publish = partial(_evaluate_on_cluster, tables, None, settings)
    return Evaluation(replace(scored, url=_IN_MEMORY), publish)


OF_EVALUATION = (
    *("group_by", *(field.name for field in fields(MeasuringSettings))),
    *("max_rejects", "max_unpaired", "missing", "unit", "threshold", "output"),
)
"""Settings of an evaluation in memory; with `output`, there are those of a folder, too."""


def _evaluate_on_cluster(
    tables: Mapping[str, Given], client: Any, settings: Mapping[str, Any]
) -> Evaluation:
    """Publish a run by the workers of a client, or by threads of this process.

    Without an output, it is in a temporary folder for as long as the evaluation exists.
    """
    if settings.get("output") is not None:
        return _publish(tables, client, settings)
    folder = tempfile.mkdtemp(prefix="segscore-")
    try:
        evaluation = _publish(tables, client, {**settings, "output": f"{folder}/run"})
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(evaluation, shutil.rmtree, folder, ignore_errors=True)
    return evaluation


def _publish(tables: Mapping[str, Given], client: Any, settings: Mapping[str, Any]) -> Evaluation:
    """Publish a run in the output folder of the settings; it keeps the tables in memory."""
    from segscore.pipeline.scoring.stored_inputs import score_and_store_inputs

    in_memory = {
        name: arrow_table(name, given)[0]
        for name, given in tables.items()
        if location_of(given) is None
    }
    given = GivenTables(**{**tables, **in_memory})
    chosen = ScoreSettings(**{**settings, **given.locations})
    with _executor(client) as executor:
        if in_memory:
            score_and_store_inputs(chosen, executor, given.sources, in_memory)
        else:
            run_scoring(chosen, executor)
    run = FinishedScoring.open(chosen.output)
    return Evaluation(run.trusting(everything=True))  # this call named the inputs


def _executor(client: Any) -> AbstractContextManager[Executor]:
    """Return the context of an executor: the workers of a Dask client, or threads."""
    from segscore.pipeline.runs import executors

    if client is None:
        return executors.connect("local", None)
    if not hasattr(client, "scheduler_info"):
        raise Refused(f"client: is {type(client).__name__}; must be a Dask client")

    from segscore.pipeline.runs.cluster import DaskCluster

    return nullcontext(DaskCluster(client))
