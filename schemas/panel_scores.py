"""The output table `panel_scores`: all references of a document at once."""

import pandera.pyarrow as pap

from segscore.schemas.scores import MEASURES, measure, name, value, whole

_COUNTS = {
    "references": "references of the document, those made of them left out",
    "window": "window size m of the document in the unit of the run",
    "windows": "windows that fit: max(0, n_units - window)",
    "opinions": "what is judged: references times windows",
    "penalty": "opinions whose number of boundaries is not the hypothesis's",
    "best": "least possible penalty: opinions outside the best supported number",
    "worst": "greatest possible penalty: opinions outside the least supported number",
}

_POSITIVE = ("references", "window")
"""Counts of at least 1."""

JUDGEMENTS = {
    "win_diff_prime": "winDiff': penalty / opinions",
    "mult_window_diff": "multWinDiff: (penalty - best) / (worst - best), 0 the best possible",
    "best_case": "best / opinions",
    "worst_case": "worst / opinions",
}

PANEL_SCORES = pap.DataFrameSchema(
    {
        "document_id": name("name of the document"),
        "hypothesis": name("coder of the hypothesis; `point:` and its name for a reference point"),
        **{each: whole(meaning, int(each in _POSITIVE)) for each, meaning in _COUNTS.items()},
        **{each: value(description, 1) for each, description in JUDGEMENTS.items()},
        **{
            f"mean_{each}": measure(each, f"{each} of scores, mean over the references")
            for each in MEASURES
        },
    },
    name="panel_scores",
    description="document and hypothesis, where a document of the run has several references",
    strict=False,  # the attributes
)
