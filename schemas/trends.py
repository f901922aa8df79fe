"""The tables of a trend: levels of systems over nights, and pairs of systems over nights."""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.schemas.columns import name, whole


def _number(description: str) -> pap.Column:
    return pap.Column(pa.float64(), nullable=True, description=description)


def _share(description: str) -> pap.Column:
    checks = [pap.Check.ge(0), pap.Check.le(1)]
    return pap.Column(pa.float64(), checks, nullable=True, description=description)


def _date(description: str) -> pap.Column:
    return pap.Column(pa.date32(), nullable=True, description=description)


_MEASURE = name("column of scores or panel_scores that is averaged")
_AVERAGE = name("micro or macro, as in summary")
_SYSTEM = pap.Column(
    pa.string(), nullable=True, description="system; null for the mean of all systems"
)

TRENDS = pap.DataFrameSchema(
    {
        "system": _SYSTEM,
        "measure": _MEASURE,
        "average": _AVERAGE,
        "verdict": pap.Column(
            pa.string(),
            pap.Check.isin(["fell", "rose", "steady", "with_group", "too_few"]),
            nullable=False,
            description="`fell` or `rose`: by more than chance and the limit; `with_group`: so, "
            "but as all systems of a group do; `steady`: neither; `too_few`: fewer than 10 nights",
        ),
        "kind": pap.Column(
            pa.string(),
            pap.Check.isin(["line", "step"]),
            nullable=True,
            description="what describes a change best; null without one",
        ),
        "nights": whole("nights with a value"),
        "first_night": _date("first of these nights"),
        "last_night": _date("last of these nights"),
        "mean": _number("mean over nights"),
        "start": _number("the line on the first night"),
        "end": _number("the line on the last night"),
        "change": _number("Theil-Sen slope, as a change over 30 nights"),
        "ci_low": _number("lower end of its 95 % interval"),
        "ci_high": _number("upper end of its 95 % interval"),
        "p": _share("two-sided p of Mann and Kendall's test with Hamed and Rao's correction"),
        "p_independent": _share("the same for nights that do not depend on each other"),
        "p_holm": _share("the larger of the two, adjusted by Holm for all systems and groups"),
        "explained": _share("share of the weighted sum of squares that the line explains"),
        "step_date": _date("first night after the step that explains most"),
        "step_before": _number("weighted mean before the step"),
        "step_after": _number("weighted mean from the step on"),
        "step_p": _share("p of the step by permutation of blocks of three nights"),
        "step_p_adjusted": _share("the same, adjusted for all systems and groups"),
        "step_explained": _share("share of the weighted sum of squares that the step explains"),
    },
    name="trends",
    description="system and group",
    strict=False,  # has the group-by columns; null in the rows over all documents
)

NIGHTLY_VALUES = pap.DataFrameSchema(
    {
        "system": _SYSTEM,
        "date": pap.Column(pa.date32(), nullable=False, description="night"),
        "value": _number("average of the measure"),
        "standard_error": _number("its standard error, from the interval of the night"),
    },
    name="nights",
    description="system, group and night",
    strict=False,  # has the group-by columns; null in the rows over all documents
)

RANKING = pap.DataFrameSchema(
    {
        "system": name("the better one of two systems"),
        "other": name("system that it is compared with"),
        "measure": _MEASURE,
        "average": _AVERAGE,
        "nights": whole("nights on which both were scored on shared documents"),
        "value": _number("mean over nights of its average over the shared documents"),
        "other_value": _number("the same of the other system"),
        "difference": _number("value minus other_value"),
        "wins": whole("nights on which it is better"),
        "higher": whole("nights on which it has the higher average"),
        "lower": whole("nights on which it has the lower average"),
        "p": _share("two-sided p of Wilcoxon's signed-rank test over nights"),
        "p_holm": _share("p adjusted by Holm for all pairs"),
    },
    name="ranking",
    description="pair of systems",
)
