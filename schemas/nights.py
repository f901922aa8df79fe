"""The tables about many runs or nights: their history, and the trends of systems and of pairs."""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.schemas.columns import (
    any_of,
    name,
    name_or_null,
    number_or_null,
    share_or_null,
    whole,
)
from segscore.schemas.scores import SUMMARY


def _date(description: str) -> pap.Column:
    return pap.Column(pa.date32(), nullable=True, description=description)


NIGHT_OUTCOMES = ["passed", "failed", "incomplete", "partial", "not_comparable", "accepted"]
RESULTS = ["passed", "failed", "undefined", "undecided", "warned", "with_all", "on_trial"]

HISTORY = pap.DataFrameSchema(
    {
        "run": name("name of the run's folder, such as date=2026-01-31"),
        "date": _date("date of the night; null if the run is not a night"),
        "signature": name(
            "what was computed, in one line; runs with equal signatures are comparable"
        ),
        "version": name("version of segscore that computed it"),
        "outcome": any_of(
            NIGHT_OUTCOMES, "outcome of the night; null if the run was not judged", nullable=True
        ),
        "gate": any_of(
            RESULTS,
            "result of the rule for this average and hypothesis, over all documents; null without "
            "a rule",
            nullable=True,
        ),
        "test_set": name_or_null(
            "first 24 digits of the fingerprint of the references: equal in runs with "
            "the same references; null in a run by a version that did not compute it"
        ),
        "good": pap.Column(
            pa.bool_(),
            nullable=True,
            description="whether later nights of the hypothesis are compared with this one; null "
            "if the run was not judged",
        ),
        "accepted": name_or_null(
            "reason for which what the hypothesis did by a rule for this average was accepted"
        ),
        **SUMMARY.columns,
    },
    name="history",
    description="run and row of its summary",
    strict=False,  # has the group-by columns of all runs; null where a run has no such column
)

RESTATEMENTS = pap.DataFrameSchema(
    {
        "date": pap.Column(pa.date32(), nullable=False, description="night"),
        "restated_at": pap.Column(
            pa.timestamp("ms", "UTC"), nullable=False, description="when it was scored again, UTC"
        ),
        "system": name("system"),
        "measure": name("measure of a rule of the gate"),
        "average": name("micro or macro, as in summary"),
        "before": number_or_null("the average over all documents that was published before"),
        "after": number_or_null("the average since then; null if the night lacks it now"),
        "documents": whole("documents of both runs whose references differ"),
        "reason": name(
            "why it was scored again: the references of how many documents changed, or "
            "else which settings or inputs did"
        ),
        "run_before": name("fingerprint of the run that was replaced"),
        "run": name("fingerprint of the run that replaced it"),
        "later": pap.Column(
            pa.list_(pa.date32()),
            nullable=False,
            description="later nights whose verdicts then rested on the run that was replaced: "
            "they compare with it, or have rules about levels",
        ),
    },
    name="restatements",
    description="average of a rule that changed when a night was scored again",
)

VERDICTS = pap.DataFrameSchema(
    {
        "date": pap.Column(pa.date32(), nullable=False, description="night"),
        "judged_at": name("when it was judged, UTC"),
        "rules": pap.Column(pa.list_(pa.string()), nullable=False, description="rules of the gate"),
        "outcome": any_of(NIGHT_OUTCOMES, "outcome of the night"),
        "said": name("for what it did not pass, or what was accepted; empty without any"),
        "run": name("fingerprint of the run that was judged"),
        "replaced_at": name_or_null("when another verdict replaced it, UTC; null if none did"),
        "replaced_by": any_of(NIGHT_OUTCOMES, "outcome of that verdict", nullable=True),
        "reason": name_or_null("why it was replaced"),
    },
    name="verdicts",
    description="verdict that was published",
)

_MEASURE = name("column of scores or panel_scores that is averaged")
_AVERAGE = name("micro or macro, as in summary")
_SYSTEM = name_or_null("system; null for the mean of all systems")

TRENDS = pap.DataFrameSchema(
    {
        "system": _SYSTEM,
        "measure": _MEASURE,
        "average": _AVERAGE,
        "verdict": any_of(
            ["fell", "rose", "steady", "with_group", "too_few"],
            "`fell` or `rose`: by more than chance and the limit; `with_group`: so, but as all "
            "systems of a group do; `steady`: neither; `too_few`: fewer than 10 nights",
        ),
        "kind": any_of(
            ["line", "step"], "what describes a change best; null without one", nullable=True
        ),
        "nights": whole("nights with a value"),
        "first_night": _date("first of these nights"),
        "last_night": _date("last of these nights"),
        "mean": number_or_null("mean over nights"),
        "start": number_or_null("the line on the first night"),
        "end": number_or_null("the line on the last night"),
        "change": number_or_null("Theil-Sen slope, as a change over 30 nights"),
        "ci_low": number_or_null("lower end of its 95 % interval"),
        "ci_high": number_or_null("upper end of its 95 % interval"),
        "p": share_or_null(
            "two-sided p of Mann and Kendall's test with Hamed and Rao's correction"
        ),
        "p_independent": share_or_null("the same for nights that do not depend on each other"),
        "p_holm": share_or_null(
            "the larger of the two, adjusted by Holm for all systems and groups"
        ),
        "explained": share_or_null("share of the weighted sum of squares that the line explains"),
        "step_date": _date("first night after the step that explains most"),
        "step_before": number_or_null("weighted mean before the step"),
        "step_after": number_or_null("weighted mean from the step on"),
        "step_p": share_or_null("p of the step by permutation of blocks of three nights"),
        "step_p_adjusted": share_or_null("the same, adjusted for all systems and groups"),
        "step_explained": share_or_null(
            "share of the weighted sum of squares that the step explains"
        ),
    },
    name="trends",
    description="system and group",
    strict=False,  # has the group-by columns; null in the rows over all documents
)

NIGHTLY_VALUES = pap.DataFrameSchema(
    {
        "system": _SYSTEM,
        "date": pap.Column(pa.date32(), nullable=False, description="night"),
        "value": number_or_null("average of the measure"),
        "standard_error": number_or_null("its standard error, from the interval of the night"),
    },
    name="nights",
    description="system, group and night",
    strict=False,  # has the group-by columns; null in the rows over all documents
)

ADDED = pap.DataFrameSchema(
    {
        "system": name("system, as the file names it"),
        "measure": name("the measure of the trend"),
        "date": pap.Column(pa.date32(), nullable=False, description="date"),
        "value": number_or_null("value that another tool gave; it is never judged"),
    },
    name="added",
    description="row of the file that `--add` names",
)

MONTHS = pap.DataFrameSchema(
    {
        "system": name("system"),
        "measure": _MEASURE,
        "average": _AVERAGE,
        "month": pap.Column(pa.date32(), nullable=False, description="first day of the month"),
        "nights": whole("nights of the month with a value"),
        "mean": number_or_null("mean over these nights"),
        "ci_low": number_or_null("lower end of its 95 % interval over nights"),
        "ci_high": number_or_null("upper end of its 95 % interval over nights"),
        "floor": number_or_null(
            "floor, or upper limit, of the average in the gate of the newest of these nights; "
            "null without one"
        ),
        "result": any_of(
            ["met", "missed", "undecided"],
            "whether the whole interval is on the right side of the floor or on the wrong one, or "
            "includes it; null without a floor",
            nullable=True,
        ),
        "restated": whole("nights of which the average changed after it had been published"),
    },
    name="months",
    description="system, group and month, with `--month`",
    strict=False,  # has the group-by columns; null in the rows over all documents
)

RANKING = pap.DataFrameSchema(
    {
        "system": name("the better one of two systems"),
        "other": name("system that it is compared with"),
        "measure": _MEASURE,
        "average": _AVERAGE,
        "nights": whole("nights on which both were scored on shared documents"),
        "value": number_or_null("mean over nights of its average over the shared documents"),
        "other_value": number_or_null("the same of the other system"),
        "difference": number_or_null("value minus other_value"),
        "wins": whole("nights on which it is better"),
        "higher": whole("nights on which it has the higher average"),
        "lower": whole("nights on which it has the lower average"),
        "p": share_or_null("two-sided p of Wilcoxon's signed-rank test over nights"),
        "p_holm": share_or_null("p adjusted by Holm for all pairs"),
    },
    name="ranking",
    description="pair of systems",
)
