"""Measure how well the coders of a corpus agree."""

from dataclasses import fields
from typing import TYPE_CHECKING

import pyarrow as pa

from segscore.api.inputs import Given, GivenTables
from segscore.api.runs import RunTables
from segscore.api.settings import read_settings
from segscore.api.wording import for_python
from segscore.pipeline.agreement.run import run_agreement
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.runs.finished import FinishedRun, rows_over_all
from segscore.pipeline.runs.sink import MemorySink
from segscore.schemas.rows import CoefficientRow

if TYPE_CHECKING:
    from typing import Unpack

    import altair as alt

    from segscore.api.typed import AgreeKeywords


class AgreementTables(RunTables):
    """The tables of an agreement run (docs/jobs/agree.md).

    >>> import segscore
    >>> codings = {"ann": {"d": segscore.Segmentation([2, 5], 11)},
    ...            "bob": {"d": segscore.Segmentation([2, 4], 11)}}
    >>> agreement = segscore.agree(codings)
    >>> agreement["pi", "boundary_similarity"]
    0.7395833333333334
    """

    @property
    def agreement(self) -> pa.Table:
        """A row for each similarity, coefficient and group: value, interval, actual, expected."""
        return self.table("agreement")

    @property
    def coders(self) -> pa.Table:
        """A row for each coder and group."""
        return self.table("coders")

    @property
    def documents(self) -> pa.Table:
        """A row for each document."""
        return self.table("documents")

    @property
    def agreement_index(self) -> pa.Table:
        """A row for each document and coder: the agreement index with the other coders."""
        return self.table("agreement_index")

    def __getitem__(self, key: tuple[str, str]) -> float | None:
        """Return a coefficient over all documents; None if it is undefined.

        Args:
            key: the coefficient and the similarity, such as ("pi", "boundary_similarity").

        Raises:
            Refused: there is no such row.
        """
        by = list(self.record["settings"]["group_by"])
        rows: list[CoefficientRow] = rows_over_all(self.agreement, by)
        for row in rows:
            if (row["coefficient"], row["similarity"]) == key:
                return row["value"]
        there = ", ".join(f"{row['coefficient']} {row['similarity']}" for row in rows)
        raise Refused(f"{key}: not in the table agreement, which has {there}")

    def plot(self) -> "alt.VConcatChart":
        """Draw the coefficients, and each coder with the others, as `segscore agree --figure` does.

        Returns:
            A chart that shows itself in a notebook, and saves itself as a figure:
            ``agreement.plot().save("figure.pdf")``, or svg, or png.

        Raises:
            Refused: no coefficient is defined, or a package that draws is not installed.
        """
        from segscore.pipeline.reports.agreement import audit_charts
        from segscore.pipeline.reports.figures import as_figures, require_charts

        require_charts("plot")
        drawn = [chart for chart in audit_charts(self.run) if chart is not None]
        if not drawn:
            raise Refused("plot: no coefficient is defined")
        return as_figures(drawn)


@for_python
def agree(
    codings: Given, documents: Given = None, **settings: "Unpack[AgreeKeywords]"
) -> AgreementTables:
    """Measure how well coders agree, as `segscore agree` does.

    >>> import segscore
    >>> codings = {"ann": {"d": segscore.Segmentation([2, 5], 11)},
    ...            "bob": {"d": segscore.Segmentation([2, 5], 11)}}
    >>> segscore.agree(codings, n_t=3)["kappa", "exact"]
    1.0

    Args:
        codings: segmentations by several coders, in any form that `segscore.evaluate` takes.
        documents: table of unit lengths and attributes of documents, or None.
        settings: options of `segscore agree`, as keywords: group_by, n_t, window, expected,
            as_published, similarity, replicates, seed...

    Raises:
        Refused: the input or the settings are invalid; the command has the same message.
        Failed: no document has two coders.
        TypeError: there is no such setting.
    """
    given = read_settings(AgreeSettings, settings, OF_CODINGS)
    tables = GivenTables(codings=codings, documents=documents)
    chosen = AgreeSettings(**given, **tables.locations, output="<memory>")
    audited = run_agreement(chosen, sources=tables.sources, sink=MemorySink())
    assert not isinstance(audited, Done)
    return AgreementTables(FinishedRun("agreement", audited.record, tables=audited.tables))


OF_CODINGS = [
    field.name
    for field in fields(AgreeSettings)
    if field.name not in ("codings", "output", "documents", "memory_limit", "fresh")
]
