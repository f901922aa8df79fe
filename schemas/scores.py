"""The output tables of scores: `scores`, `panel_scores`, their averages, and `confusion`.

`scores` has the scores of each hypothesis against each reference of a document, `panel_scores`
those against all references at once, `summary` averages with intervals, and `confusion` which
boundary type was taken for which.
"""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.pipeline.measures import ALL, PAIRS, PANELS
from segscore.pipeline.measures.several_references import OVER_REFERENCES
from segscore.schemas.columns import (
    any_of,
    digest,
    name,
    name_or_null,
    number_or_null,
    share_or_null,
    value,
    whole,
    whole_or_null,
)


def measure(name: str, description: str | None = None, *, required: bool = False) -> pap.Column:
    """Return a column of a measure's values; its description defaults to that in scores."""
    described = ALL[name]
    return value(
        description or described.description, described.upper, described.lower, required=required
    )


SCORES = pap.DataFrameSchema(
    {
        "document_id": name("id of the document"),
        "reference": name(
            "coder of the reference; `consensus:` and its share for a consensus reference"
        ),
        "hypothesis": name("coder of the hypothesis; `point:` and its name for a reference point"),
        "n_units": whole("length of the document in the unit of the run", 1),
        "window": whole("window size k in the unit of the run", 1),
        "collapsed_boundaries": whole(
            "boundaries of either side that were dropped: by the import, at the end of the "
            "document, or in the conversion to words, because several fell on one position"
        ),
        "reference_digest": digest(
            "content of the reference as a number: references with equal lengths, boundaries and "
            "types have equal values"
        ),
        **{count: whole(meaning, required=False) for count, meaning in PAIRS.counts.items()},
        **{column: measure(column) for column in PAIRS.measures},
    },
    name="scores",
    description="document, reference and hypothesis",
    # Has the attributes, in runs by level the number of the level in `level`, and in runs with
    # trials how many the row is the mean of in `trials`; counts are then extended to the number
    # `trials` of run.json.
    strict=False,
)

_PANEL_COUNTS = dict(PANELS.counts)
_REFERENCES = _PANEL_COUNTS.pop("references")

PANEL_SCORES = pap.DataFrameSchema(
    {
        "document_id": name("id of the document"),
        "hypothesis": name("coder of the hypothesis; `point:` and its name for a reference point"),
        "references": whole(_REFERENCES, 1),
        "window": whole("window size m of the document in the unit of the run", 1),
        **{count: whole(meaning, required=False) for count, meaning in _PANEL_COUNTS.items()},
        **{column: measure(column) for column in PANELS.measures},
        **{
            name: value(each.description, each.upper, each.lower, required=False)
            for name, each in OVER_REFERENCES.measures.items()
        },
    },
    name="panel_scores",
    description="document and hypothesis, where a document of the run has several references",
    strict=False,  # has the attributes and, in such runs, `level` and `trials`
)

SUMMARY = pap.DataFrameSchema(
    {
        "hypothesis": name("coder of the hypotheses; `point:` and its name for a reference point"),
        "measure": name("column of scores or panel_scores that is averaged"),
        "average": any_of(
            ["micro", "macro"],
            "micro: the formula over summed counts; macro: mean over documents of each document's "
            "mean over its references",
        ),
        "value": number_or_null("average, in the unit and range of the measure"),
        "ci_low": number_or_null("lower end of the 95 % interval; null without one"),
        "ci_high": number_or_null("upper end of the 95 % interval; null without one"),
        "sd": number_or_null("standard deviation (n - 1) over documents; macro rows only"),
        "documents": whole("documents of the group on which the hypothesis was scored"),
        "defined": whole("number of those documents on which the measure is defined"),
        "skill": number_or_null(
            "(value - chance) / (best - chance): 0 chance, 1 perfect, negative worse than chance; "
            "chance is `point:random-own` of the hypothesis; null without it"
        ),
        "skill_low": number_or_null("lower end of the 95 % interval of skill"),
        "skill_high": number_or_null("upper end of the 95 % interval of skill"),
        "document_set": name_or_null(
            "16 hexadecimal digits that are equal for hypotheses that were scored on the same "
            "documents; null in a history for runs of earlier versions"
        ),
        "effective": number_or_null(
            "effective number of resampling units: how many documents of equal weight would tell "
            "as much; in micro averages long documents weigh more"
        ),
        "freedom": number_or_null(
            "degrees of freedom of the interval; null in a history for runs of earlier versions"
        ),
        "answers": whole_or_null(
            "answers of a language model from which `segscore answers` read the hypotheses, also "
            "of other documents; null, as the columns that follow, of other systems and of groups"
        ),
        "failed_answers": whole_or_null("how many of these answers could not be used"),
        "undivided_answers": whole_or_null(
            "how many of these answers are texts written again without a break that could be read"
        ),
        "edit_rate": number_or_null(
            "words that the other answers deleted, inserted or changed, by the words that they "
            "were to repeat; >= 0; null if they were not to repeat words"
        ),
        "trials": whole_or_null(
            "number of different trials of the hypothesis; null, as the columns that follow, where "
            "no document has several"
        ),
        "sd_trials": number_or_null(
            "standard deviation (n - 1) between trials of the average of one trial"
        ),
        "sd_documents": number_or_null(
            "standard deviation between documents of the mean over their trials: the standard "
            "error of the average times the root of the number of documents"
        ),
        "self_agreement": share_or_null(
            "mean boundary similarity between two trials of the hypothesis of one document, mean "
            "over documents"
        ),
        "stable_boundaries": share_or_null(
            "of the boundaries that a trial of the hypothesis placed, the share that all trials of "
            "the document placed"
        ),
        "trials_needed": whole_or_null(
            "least number of trials of which the mean varies between trials by at most a tenth of "
            "the variance that the interval shows"
        ),
        "shared_documents": whole_or_null(
            "documents of the group that all its systems share; null where all have the same. "
            "Systems are ranked on these if they are at least 10 and half of those of the system "
            "with the fewest, and else not at all"
        ),
        "shared_value": number_or_null(
            "value over these documents, by which the systems are ranked; null where all have the "
            "same, or share too few. So are the columns that follow"
        ),
        "shared_ci_low": number_or_null("ci_low of shared_value"),
        "shared_ci_high": number_or_null("ci_high of shared_value"),
        "shared_defined": whole_or_null("defined of shared_value"),
        "shared_skill": number_or_null("skill over these documents"),
        "shared_skill_low": number_or_null("skill_low over these documents"),
        "shared_skill_high": number_or_null("skill_high over these documents"),
    },
    name="summary",
    description="hypothesis, group, measure and average",
    strict=False,  # has the group-by columns; null in the rows over all documents
)

CONFUSION = pap.DataFrameSchema(
    {
        "hypothesis": name("coder of the hypotheses, without reference points"),
        "reference_type": whole_or_null(
            "type in the reference; null: the boundary is only in the hypothesis", 1
        ),
        "hypothesis_type": whole_or_null(
            "type in the hypothesis; null: the boundary is only in the reference", 1
        ),
        "amount": pap.Column(
            pa.float64(),
            pap.Check.ge(0),
            nullable=False,
            description="number of boundaries, with fractions: a match or a full miss counts 1, a "
            "near miss or a substitution counts 1 minus its weight",
        ),
    },
    name="confusion",
    description="hypothesis, type in the reference and type in the hypothesis",
    strict=False,  # has the level in runs by level
)

LABEL_CONFUSION = pap.DataFrameSchema(
    {
        "hypothesis": name("coder of the hypotheses, without reference points"),
        "reference_label": name_or_null("label of the reference's segment; null: it has none"),
        "hypothesis_label": name_or_null("label of the hypothesis's segment; null: it has none"),
        "units": whole("units in the overlaps of such segments, in the unit of the run", 1),
    },
    name="label_confusion",
    description="hypothesis, label in the reference and label in the hypothesis, if the tables "
    "have segment_labels",
    strict=True,
)
