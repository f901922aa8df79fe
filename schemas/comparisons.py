"""The output tables of a comparison."""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.schemas.columns import name, whole


def _number(description: str) -> pap.Column:
    return pap.Column(pa.float64(), nullable=True, description=description)


def _known(description: str) -> pap.Column:
    return pap.Column(pa.float64(), nullable=False, description=description)


def _share(description: str) -> pap.Column:
    checks = [pap.Check.ge(0), pap.Check.le(1)]
    return pap.Column(pa.float64(), checks, nullable=True, description=description)


def _perhaps(description: str) -> pap.Column:
    return pap.Column(pa.string(), nullable=True, description=description)


def _one_of(values: list[str], description: str) -> pap.Column:
    return pap.Column(pa.string(), pap.Check.isin(values), nullable=False, description=description)


MEASURE = name("column of scores or panel_scores that is compared")
AVERAGE = _one_of(
    ["micro", "macro"],
    "micro: the formula over counts summed over documents and references; macro: mean over "
    "documents of each document's mean over its references",
)
SYSTEM = name("the system: coder of the hypotheses, with @ and the run where several runs have it")
_DOCUMENTS = whole("documents all systems of the group share")
ADJUSTED = "adjusted by Holm for all pairs of the group, measure and average"

COMPARISONS = pap.DataFrameSchema(
    {
        "measure": MEASURE,
        "average": AVERAGE,
        "system": SYSTEM,
        "other": name("the system it is compared with"),
        "value": _number("average of the system, of macro over the documents `defined` counts"),
        "other_value": _number("average of the other, over the same"),
        "difference": _number("value less other_value, in the unit of the measure"),
        "ci_low": _number("lower end of the difference's 95 % paired bootstrap interval"),
        "ci_high": _number("upper end of the difference's 95 % paired bootstrap interval"),
        "better": _perhaps(
            "which of the two has the better average, by the measure's direction; null if equal, "
            "undefined, or neither way is better"
        ),
        "p_permutation": _share("two-sided paired permutation test of the difference"),
        "p_permutation_holm": _share(f"p_permutation {ADJUSTED}"),
        "p_wilcoxon": _share("two-sided Wilcoxon signed-rank test over documents; macro rows only"),
        "p_wilcoxon_holm": _share(f"p_wilcoxon {ADJUSTED}"),
        "p_nemenyi": _share(
            "Nemenyi's test on Friedman's mean ranks, for all pairs at once; macro rows of three "
            "systems or more"
        ),
        "p_kruskal": _share(
            "Dunn's test on Kruskal and Wallis's mean ranks, adjusted by Holm; blind to which "
            "documents are whose; macro rows of three systems or more"
        ),
        "effect_d": _number(
            "mean difference over the standard deviation of differences; macro rows only"
        ),
        "effect_rank": _number(
            "matched-pairs rank-biserial correlation, in [-1, 1], above 0 where the system's "
            "values are higher; macro rows only"
        ),
        "higher": whole("documents on which the system has the higher value"),
        "lower": whole("documents on which the system has the lower value"),
        "documents": _DOCUMENTS,
        "defined": whole("of these, documents on which the measure is defined for both"),
    },
    name="comparisons",
    description="measure, average and pair of systems",
    strict=False,
)

SYSTEMS = pap.DataFrameSchema(
    {
        "measure": MEASURE,
        "average": AVERAGE,
        "system": SYSTEM,
        "run": name("the run it is of"),
        "hypothesis": name("the name it has there"),
        "value": _number("the average, in the unit and range of the measure"),
        "ci_low": _number("lower end of its 95 % bootstrap interval"),
        "ci_high": _number("upper end of its 95 % bootstrap interval"),
        "rank": _number(
            "place by value among the systems, 1 the best, ties in the middle; null also where "
            "neither way is better"
        ),
        "rank_low": _number("lower end of the rank's 95 % bootstrap interval"),
        "rank_high": _number("upper end of the rank's 95 % bootstrap interval"),
        "mean_rank": _number(
            "mean over documents of the rank on each, 1 the best; macro rows of three systems or "
            "more"
        ),
        "documents": _DOCUMENTS,
        "defined": whole("of these, documents on which the measure is defined for the system"),
    },
    name="systems",
    description="measure, average and system",
    strict=False,
)

OMNIBUS = pap.DataFrameSchema(
    {
        "measure": MEASURE,
        "test": _one_of(
            ["friedman", "kruskal"],
            "friedman: ranks on each document; kruskal (and Wallis): ranks over all documents",
        ),
        "statistic": _number("chi-squared, or H; >= 0"),
        "degrees": whole("degrees of freedom: systems - 1"),
        "p": _share("chance of such a statistic were no system better"),
        "effect": _share("friedman: Kendall's W; kruskal: epsilon-squared"),
        "systems": whole("how many, at least 3"),
        "documents": whole("documents it was made on: of friedman those defined for all systems"),
    },
    name="omnibus",
    description="measure and test over all systems",
    strict=False,
)

WORST = pap.DataFrameSchema(
    {
        "measure": MEASURE,
        "system": SYSTEM,
        "other": _perhaps("null: worst of all; else worst compared with this system"),
        "place": whole("1 the worst", least=1),
        "document_id": name("the document"),
        "value": _number("the system's mean over the document's references"),
        "other_value": _number("that of the other system; null without one"),
        "command": _perhaps(
            "command line that shows the document's edits; null for reference points, which are "
            "not explained"
        ),
    },
    name="worst",
    description="measure, system, system compared with or none, and place",
    strict=True,
)

WHERE = pap.DataFrameSchema(
    {
        "analysis": _one_of(
            ["story_length", "position", "prominence"],
            "what boundaries are told apart by: the length of the story they open, where in the "
            "document they lie, how many coders marked the position",
        ),
        "low": _known(
            "of story_length the shortest length in the class, in the unit of the run; of position "
            "its start as a share of the document, itself in it; of prominence the share of coders "
            "it lies above (0 to 0: marked by none)"
        ),
        "high": _known(
            "of story_length the longest length in the class; of position its end, not itself in "
            "it; of prominence the largest share of coders in it"
        ),
        "system": SYSTEM,
        "run": name("the run it is of"),
        "hypothesis": name("the name it has there"),
        "reference_boundaries": whole("reference boundaries, once for each reference that has it"),
        "matches": whole("of these, found at the position"),
        "near_misses": whole("of these, found nearby"),
        "substitutions": whole("of these, found as another type"),
        "misses": whole("of these, missed"),
        "false_alarms": whole("boundaries of the hypothesis alone that lie in the class"),
        "miss_rate": _share("misses / reference_boundaries"),
        "false_alarm_rate": _share(
            "false_alarms / (false_alarms + reference_boundaries - misses): of what the system "
            "marked"
        ),
    },
    name="where",
    description="analysis, class of boundaries and system; only with --where",
    strict=True,
)

COMPARISON_TABLES = (COMPARISONS, SYSTEMS, OMNIBUS, WORST, WHERE)
