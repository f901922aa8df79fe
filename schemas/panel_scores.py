"""The output table `panel_scores`: one row per document x hypothesis, all references at once."""

import pandera.pyarrow as pap

from schemas.scores import AMOUNTS, SHARES, name, value, whole

COUNTS = {
    "references": "original references of the document, >= 1",
    "window": "window size m of the document in the unit of the run, >= 1",
    "windows": "windows that fit: max(0, n_units - window)",
    "opinions": "references times windows",
    "penalty": "opinions whose number of boundaries is not the hypothesis's",
    "best": "least possible penalty: opinions outside the best supported number",
    "worst": "greatest possible penalty: opinions outside the least supported number",
}

JUDGEMENTS = {
    "win_diff_prime": "winDiff': share of opinions the hypothesis goes against",
    "mult_window_diff": "multWinDiff: penalty between the least and the greatest possible",
    "best_case": "least possible share",
    "worst_case": "greatest possible share",
}

PANEL_SCORES = pap.DataFrameSchema(
    {
        "document_id": name("the document"),
        "hypothesis": name("coder of the hypothesis"),
        **{each: whole(description) for each, description in COUNTS.items()},
        **{each: value(description, 1) for each, description in JUDGEMENTS.items()},
        **{
            f"mean_{each}": value(f"mean over the references of {each} ({description})", upper)
            for upper, described in ((1, SHARES), (None, AMOUNTS))
            for each, description in described.items()
        },
    },
    name="panel_scores",
    strict=False,  # the attributes
)
