"""All tables: the command that reads or writes each, its files, and its further columns."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandera.pyarrow as pap

from segscore.pipeline.agreement.tables import CODERS, PEERS
from segscore.schemas import agreement, comparisons, curves, nights
from segscore.schemas.alignment import ALIGNMENT
from segscore.schemas.conventions import APPLIED, CALIBRATION, CONVENTIONS
from segscore.schemas.documents import DOCUMENTS
from segscore.schemas.rejects import REJECTS, UNPAIRED
from segscore.schemas.scores import CONFUSION, LABEL_CONFUSION, PANEL_SCORES, SCORES, SUMMARY
from segscore.schemas.segmentations import SEGMENTATIONS

ATTRIBUTES, GROUPS = "attributes", "groups"
"""Columns besides a table's own: the further columns of the input; those of `--group-by`."""

FIRST = ""
"""Value of ``after`` if the further columns come first."""


@dataclass(frozen=True)
class OutputTable:
    """A table that segscore reads or writes.

    Attributes:
        schema: the table's own columns, in order; its description is what a row is about.
        command: command that writes the table; None for an input.
        place: pattern of its file names, or the arguments that name an input; in Markdown.
        beside: the further columns: ``ATTRIBUTES``, ``GROUPS`` or None.
        after: the column that the further columns follow.
    """

    schema: pap.DataFrameSchema
    command: str | None
    place: str
    beside: str | None = None
    after: str = FIRST

    @property
    def name(self) -> str:
        """Name of the table."""
        return str(self.schema.name)

    def columns(self, beside: Sequence[str]) -> list[str]:
        """Return the names of all columns, in order, given those of the further columns."""
        names = list(self.schema.columns)
        split = 0 if self.after == FIRST else names.index(self.after) + 1
        return [*names[:split], *beside, *names[split:]]


def _run_table(
    command: str, schema: pap.DataFrameSchema, beside: str | None = None, after: str = FIRST
) -> OutputTable:
    return OutputTable(schema, command, f"`RUN/{schema.name}/*.parquet`", beside, after)


def _printed(
    command: str, schema: pap.DataFrameSchema, beside: str | None = None, after: str = FIRST
) -> OutputTable:
    place = "In `--format json` and in Python"
    return OutputTable(schema, command, place, beside, after)


TABLES = (
    OutputTable(
        SEGMENTATIONS,
        None,
        "Given as `REFERENCES`, `HYPOTHESES`, `SCORED` or `CODINGS`",
        ATTRIBUTES,
        "boundaries",
    ),
    OutputTable(
        DOCUMENTS,
        None,
        "Given as `--documents`; of these columns, a [plain table of "
        "attributes](jobs/import.md#attributes-of-other-formats) has only `document_id`",
        ATTRIBUTES,
        "n_units",
    ),
    _run_table("score", SCORES, ATTRIBUTES, "hypothesis"),
    _run_table("score", PANEL_SCORES, ATTRIBUTES, "hypothesis"),
    _run_table("score", SUMMARY, GROUPS, "hypothesis"),
    _run_table("score", CONFUSION),
    _run_table("score", LABEL_CONFUSION),
    _run_table("score", REJECTS),
    _run_table("score", UNPAIRED),
    _run_table("sweep", curves.CURVES),
    _run_table("sweep", curves.OPERATING_POINTS),
    _run_table("sweep", curves.MEASURED),
    _run_table("sweep", curves.TOLERANCES),
    _run_table("sweep", curves.RANKS),
    _run_table("agree", agreement.PAIRS, ATTRIBUTES, "peer"),
    _run_table("agree", agreement.DOCUMENTS, ATTRIBUTES, "document_id"),
    _run_table("agree", agreement.AGREEMENT, GROUPS),
    _run_table("agree", CODERS, GROUPS),
    _run_table("agree", PEERS, GROUPS),
    _run_table("agree", agreement.CORPUS, GROUPS),
    _run_table("agree", agreement.PROMINENCE, ATTRIBUTES, "document_id"),
    _run_table("agree", agreement.AGREEMENT_INDEX, ATTRIBUTES, "coder"),
    _run_table("agree", agreement.TYPES, GROUPS),
    _run_table("compare", comparisons.COMPARISONS, GROUPS),
    _run_table("compare", comparisons.SYSTEMS, GROUPS),
    _run_table("compare", comparisons.OMNIBUS, GROUPS),
    _run_table("compare", comparisons.RANK_TESTS, GROUPS),
    _run_table("compare", comparisons.WORST),
    _run_table("compare", comparisons.WHERE),
    _run_table("compare", comparisons.CHANGES),
    _run_table("compare", comparisons.CHANGED),
    _run_table("compare", comparisons.PUBLISHED_SCORES),
    _run_table("compare", comparisons.RATINGS),
    OutputTable(comparisons.SUSPECTS, "suspects", "`RUN/suspects/suspects.parquet`"),
    OutputTable(ALIGNMENT, "import", "`OUTPUT/alignment/*.parquet`"),
    OutputTable(CONVENTIONS, "reconcile", "`OUTPUT/conventions.parquet`"),
    OutputTable(APPLIED, "reconcile", "`OUTPUT/applied.parquet`"),
    OutputTable(CALIBRATION, "simulate-values", "`OUTPUT/calibration.parquet`"),
    OutputTable(
        nights.HISTORY,
        "trend-table",
        "`RUNS/history/history.parquet`",
        GROUPS,
        [*SUMMARY.columns][-1],
    ),
    OutputTable(nights.RESTATEMENTS, "trend-table", "`RUNS/restatements/*.parquet`"),
    OutputTable(nights.VERDICTS, "trend-table", "`RUNS/history/_verdicts/verdicts.parquet`"),
    _printed("trend", nights.TRENDS, GROUPS, "system"),
    _printed("trend", nights.NIGHTLY_VALUES, GROUPS, "system"),
    _printed("trend", nights.RANKING),
    _printed("trend", nights.ADDED),
    _printed("trend", nights.MONTHS, GROUPS, "system"),
)
