"""The output tables of a comparison."""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.schemas.columns import (
    any_of,
    name,
    name_or_null,
    number_or_null,
    share_or_null,
    true_or_null,
    whole,
    whole_or_null,
)

MEASURE = name("column of scores or panel_scores that is compared")
AVERAGE = any_of(
    ["micro", "macro"],
    "micro: the formula over counts summed over documents and references; macro: mean over "
    "documents of each document's mean over its references",
)
SYSTEM = name("system: coder of the hypotheses, with @ and the run if several runs have it")
_DOCUMENTS = whole(
    "documents that all systems of the group share; of systems that are not ranked, as they share "
    "too few: the documents of the system, or those that both systems of the pair share"
)
ADJUSTED = (
    "adjusted by Holm for the pairs of the group, measure and average: those of two systems, and "
    "apart from them those with a reference point"
)

_EFFECTIVE = number_or_null(
    "effective number of resampling units: how many of equal weight would tell as much"
)

COMPARISONS = pap.DataFrameSchema(
    {
        "measure": MEASURE,
        "average": AVERAGE,
        "system": SYSTEM,
        "other": name("system that it is compared with"),
        "value": number_or_null(
            "average of the system; if macro, over the documents that `defined` counts"
        ),
        "other_value": number_or_null("average of the other system, over the same documents"),
        "difference": number_or_null("value minus other_value, in the unit of the measure"),
        "ci_low": number_or_null("lower end of the difference's interval (`confidence`)"),
        "ci_high": number_or_null("upper end of the difference's interval (`confidence`)"),
        "confidence": share_or_null(
            "level of the interval: 1 - 0.05 / m for the first of m pairs in Holm's order, and so "
            "on, so that an interval excludes 0 exactly where p_holm is below 0.05"
        ),
        "p": share_or_null(
            "p of the two-sided test of the difference by the jackknife; null with fewer than 5 "
            "resampling units, or if fewer than 6 differ alike; of more that do, 2^(1 - effective)"
        ),
        "p_holm": share_or_null(f"p {ADJUSTED}"),
        "equal": true_or_null(
            "whether the interval at 90 % lies within `--margin` of 0, so that the two are equal "
            "within it; null without a margin or an interval"
        ),
        "better": name_or_null(
            "the one of the two with the better average, by the measure's direction; null if the "
            "averages are equal or undefined, or neither direction is better"
        ),
        "higher": whole("documents on which the system has the higher value"),
        "lower": whole("documents on which the system has the lower value"),
        "documents": _DOCUMENTS,
        "defined": whole("number of those documents on which the measure is defined for both"),
        "units": whole(
            "resampling units that the difference depends on: documents, values of "
            "`--resample-by`, or 4,096 buckets of more"
        ),
        "effective": _EFFECTIVE,
        "smallest_difference_low": number_or_null(
            "lower end of the difference that the test finds with probability `--power` on these "
            "documents, at the level `--alpha` divided by the number of pairs of systems. The "
            "range is one of 80 % (docs/claims.md says how often it is right). Null with fewer "
            "than 10, or if all of them differ alike"
        ),
        "smallest_difference_high": number_or_null("its upper end; null likewise"),
        "documents_for_difference_low": whole_or_null(
            "lower end of the least number of documents on which that test finds the difference "
            "given as `--difference` with that probability; null likewise, and without one"
        ),
        "documents_for_difference_high": whole_or_null("its upper end; null likewise"),
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
        "run": name("run of the system"),
        "hypothesis": name("name of the system in that run"),
        "value": number_or_null("average, in the unit and range of the measure"),
        "ci_low": number_or_null("lower end of the 95 % interval"),
        "ci_high": number_or_null("upper end of the 95 % interval"),
        "rank": number_or_null(
            "rank by value among the systems, from 1 for the best, the better one for ties; null "
            "for reference points, if neither direction is better, or if the systems share too few "
            "documents"
        ),
        "documents": _DOCUMENTS,
        "defined": whole(
            "number of those documents on which the measure is defined for the system"
        ),
        "effective": _EFFECTIVE,
        "document_set": name_or_null(
            "16 hexadecimal digits that are equal for systems with the same of these documents"
        ),
        "answers": whole_or_null("`answers` of the run's summary; null in groups"),
        "failed_answers": whole_or_null("`failed_answers` of the run's summary; null in groups"),
        "undivided_answers": whole_or_null(
            "`undivided_answers` of the run's summary; null in groups"
        ),
        "edit_rate": number_or_null("`edit_rate` of the run's summary; null in groups"),
        "shared_documents": whole_or_null(
            "documents that all systems of the group share, where these are too few to rank the "
            "systems; null where they are ranked"
        ),
    },
    name="systems",
    description="measure, average and system",
    strict=False,
)

OMNIBUS = pap.DataFrameSchema(
    {
        "measure": MEASURE,
        "statistic": number_or_null("chi-squared of Friedman's test of the ranks on each document"),
        "degrees": whole("degrees of freedom: systems - 1"),
        "p": share_or_null("probability of a statistic at least as large if no system were better"),
        "effect": share_or_null("Kendall's W"),
        "systems": whole("number of systems, at least 3"),
        "documents": whole("documents on which the measure is defined for all systems"),
    },
    name="omnibus",
    description="measure of three systems or more; only with --layout ranks",
    strict=False,
)

RANK_TESTS = pap.DataFrameSchema(
    {
        "measure": MEASURE,
        "system": SYSTEM,
        "other": name("system that it is compared with"),
        "mean_rank": number_or_null(
            "mean over documents of the system's rank on each, from 1 for the best, ties in the "
            "middle, reference points included; null for two systems, or if neither direction is "
            "better"
        ),
        "other_mean_rank": number_or_null("mean rank of the other system"),
        "p_nemenyi": share_or_null(
            "p of Nemenyi's test of the mean ranks, for all pairs at once; null for two systems"
        ),
        "p_wilcoxon": share_or_null("p of the two-sided Wilcoxon signed-rank test over documents"),
        "p_wilcoxon_holm": share_or_null(f"p_wilcoxon {ADJUSTED}"),
        "p_permutation": share_or_null(
            "p of the two-sided permutation test of the difference of micro averages"
        ),
        "p_permutation_holm": share_or_null(f"p_permutation {ADJUSTED}"),
    },
    name="rank_tests",
    description="measure and pair of systems; only with --layout ranks",
    strict=False,
)

WORST = pap.DataFrameSchema(
    {
        "measure": MEASURE,
        "system": SYSTEM,
        "other": name_or_null(
            "system that it is compared with; null: the worst documents of the system alone"
        ),
        "place": whole("place, from 1 for the worst", least=1),
        "document_id": name("id of the document"),
        "value": number_or_null("the system's mean over the document's references"),
        "other_value": number_or_null("the other system's mean; null without one"),
        "command": name_or_null(
            "command line that shows the document's edits; null for reference points, which cannot "
            "be explained"
        ),
    },
    name="worst",
    description="measure, system, other system (null for the system alone) and place",
    strict=True,
)

WHERE = pap.DataFrameSchema(
    {
        "analysis": any_of(
            ["story_length", "position", "prominence", "kind", "distance"],
            "how boundaries are classified: by the length of the story they open, their position "
            "in the document, or the share of coders who marked the position. kind: by the "
            "`boundary_kinds` of the references. distance: by that from the nearest boundary of "
            "the other side",
        ),
        "low": number_or_null(
            "lower end of the class. story_length: shortest length, in the unit of the run. "
            "position: start as a share of the document, included. prominence: share of coders, "
            "excluded (0 to 0: marked by none). distance: in the unit of the run. kind: null"
        ),
        "high": number_or_null(
            "upper end of the class. story_length: longest length. position: end as a share of the "
            "document, excluded. prominence: share of coders, included. distance: included, null "
            "for the farthest. kind: null"
        ),
        "kind": name_or_null("kind of the reference boundaries, where they are classified by it"),
        "system": SYSTEM,
        "run": name("run of the system"),
        "hypothesis": name("name of the system in that run"),
        "reference_boundaries": whole(
            "reference boundaries, each counted once per reference that has it"
        ),
        "matches": whole("reference boundaries matched at the position"),
        "near_misses": whole("reference boundaries with a near miss"),
        "substitutions": whole("reference boundaries matched with another type"),
        "misses": whole("reference boundaries missed"),
        "false_alarms": whole_or_null(
            "boundaries in the class that only the hypothesis has; null for a kind"
        ),
        "miss_rate": share_or_null("misses / reference_boundaries"),
        "false_alarm_rate": share_or_null(
            "false_alarms / (false_alarms + reference_boundaries - misses): share of what the "
            "system marked"
        ),
    },
    name="where",
    description="analysis, class of boundaries and system; only with --where",
    strict=True,
)

_OF_TWO = {
    "system_before": name("the first system"),
    "system_after": name("the second system"),
}
_WHAT = (
    "reference boundaries",
    "false alarms",
    "split reference segments",
    "spanning hypothesis segments",
)

CHANGES = pap.DataFrameSchema(
    {
        **_OF_TWO,
        "what": any_of(
            _WHAT,
            "what is counted; split: reference segments with a false alarm inside; spanning: "
            "segments of the system with a missed reference boundary inside",
        ),
        "change": any_of(
            [
                *("both right", "fixed", "broken", "both wrong", "kept", "gone", "new"),
                *("before", "after"),
            ],
            "of reference boundaries: both right, fixed (by the second system), broken, both "
            "wrong; of false alarms: kept, gone, new; of segments: before and after",
        ),
        "number": whole("how many there are"),
        "documents": whole("number of documents in which there is one"),
        "p": share_or_null(
            "exact McNemar test of fixed against broken, or gone against new, with resampling "
            "units as clusters; null for other changes, and without any"
        ),
    },
    name="changes",
    description="what and change; only with --changes",
    strict=True,
)

CHANGED = pap.DataFrameSchema(
    {
        **_OF_TWO,
        "document_id": name("id of the document"),
        "reference": name("coder of the reference"),
        "what": any_of(_WHAT[:2], "as in changes"),
        "change": any_of(["fixed", "broken", "gone", "new"], "as in changes"),
        "position": whole("position of the boundary in the unit of the run", 1),
        "command": name("command that shows the second system's edits of the document"),
    },
    name="changed",
    description="boundary that changed; only with --changes",
    strict=True,
)

SUSPECTS = pap.DataFrameSchema(
    {
        "document_id": name("id of the document"),
        "reference": name("coder of the reference"),
        "position": whole(
            "position in the unit of the run: of a boundary of the reference, or where one is "
            "missing",
            1,
        ),
        "kind": any_of(
            ["spurious", "missing", "shifted"],
            "how the reference may be wrong: it has a boundary too many, too few, or one that "
            "belongs elsewhere",
        ),
        "shift": pap.Column(
            pa.int64(),
            nullable=True,
            description="by how much the boundary belongs later, of a shifted one; negative: "
            "earlier",
        ),
        "posterior": share_or_null("probability that the reference is wrong there"),
        "systems_for": pap.Column(
            pa.list_(pa.string()), description="systems that contradict the reference there"
        ),
        "systems_against": pap.Column(
            pa.list_(pa.string()), description="systems that agree with it"
        ),
        "change": number_or_null(
            "mean over systems of what mending the reference adds to their boundary similarity, "
            "micro"
        ),
        "systems": pap.Column(pa.list_(pa.string()), description="all systems"),
        "values": pap.Column(
            pa.list_(pa.float64()),
            description="boundary similarity of each of these, micro, if the reference were mended",
        ),
        "command": name("command that shows the edits of the document"),
    },
    name="suspects",
    description="place where a reference may be wrong",
    strict=True,
)

PUBLISHED_SCORES = pap.DataFrameSchema(
    {
        "set": name("test set that the references are"),
        "split": name("its split; `all` for the whole"),
        "published_system": name("system that the published score is about"),
        "document_id": name_or_null("document that it is about; null for all"),
        "measure": name("measure that the source names"),
        "printed": name("the score as printed"),
        "evidence": any_of(
            ["code", "reconciled", "paper", "unknown"], "how the convention is known"
        ),
        "convention": name_or_null(
            "convention by which it was computed, a name of `segscore reconcile`; null: not known"
        ),
        "system": name_or_null("system of the comparison; null: there is none that can be scored"),
        "value": number_or_null(
            "its score by the same convention; null if the convention is not known"
        ),
        "source": name("DOI, arXiv number or address"),
        "note": name_or_null("what else there is to know"),
    },
    name="published",
    description="published score and system; only with --published",
    strict=True,
)

RATINGS = pap.DataFrameSchema(
    {
        "measure": name("column of scores"),
        "correlation": number_or_null(
            "Spearman's correlation of people's ratings with the value of each pair of a document "
            "and a system, the mean over references, in [-1, 1]. It has the opposite sign where "
            "a lower value is better, so that 1 is full agreement. Null if all values are equal"
        ),
        "ci_low": number_or_null("lower end of the 95 % interval"),
        "ci_high": number_or_null("upper end of the 95 % interval"),
        "pairs": whole("pairs of a document and a system that are rated, scored and defined"),
        "documents": whole("documents of these pairs"),
        "effective": _EFFECTIVE,
    },
    name="ratings",
    description="measure of pairs that all runs have; only with --ratings",
    strict=True,
)

COMPARISON_TABLES = (
    COMPARISONS,
    SYSTEMS,
    OMNIBUS,
    RANK_TESTS,
    WORST,
    WHERE,
    CHANGES,
    CHANGED,
    PUBLISHED_SCORES,
    RATINGS,
)
