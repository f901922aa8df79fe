"""The output table `history`: the summaries of many runs in one table."""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.schemas.columns import name
from segscore.schemas.summary import SUMMARY

NIGHT_OUTCOMES = ["passed", "failed", "incomplete", "partial", "not_comparable", "accepted"]
RESULTS = ["passed", "failed", "undefined", "undecided"]

HISTORY = pap.DataFrameSchema(
    {
        "run": name("name of the run's folder, such as date=2026-01-31"),
        "date": pap.Column(
            pa.date32(),
            nullable=True,
            description="date of the night; null if the run is not a night",
        ),
        "signature": name(
            "what was computed, in one line; runs with equal signatures are comparable"
        ),
        "version": name("version of segscore that computed it"),
        "outcome": pap.Column(
            pa.string(),
            pap.Check.isin(NIGHT_OUTCOMES),
            nullable=True,
            description="outcome of the night; null if the run was not judged",
        ),
        "gate": pap.Column(
            pa.string(),
            pap.Check.isin(RESULTS),
            nullable=True,
            description="result of the rule for this average and hypothesis, over all "
            "documents; null without a rule",
        ),
        "test_set": pap.Column(
            pa.string(),
            nullable=True,
            description="first 24 digits of the fingerprint of the references: equal in runs with "
            "the same references; null in a run by a version that did not compute it",
        ),
        **SUMMARY.columns,
    },
    name="history",
    description="run and row of its summary",
    strict=False,  # has the group-by columns of all runs; null where a run has no such column
)
