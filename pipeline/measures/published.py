"""The names under which measures were published."""

from collections.abc import Collection

from segscore.pipeline.errors import nearest
from segscore.pipeline.measures.several_references import OVER_REFERENCES, computed_from

_PUBLISHED = {
    "pk": "Pk",
    "window_diff": "WindowDiff",
    "window_diff_weighted": "weighted WindowDiff",
    "boundary_similarity": "B",
    "segmentation_similarity": "S",
    "b_precision": "B precision",
    "b_recall": "B recall",
    "b_f1": "B F",
    "f1": "F",
    "pr_miss": "Pr_miss",
    "pr_false_alarm": "Pr_fa",
    "pr_error": "Pr_error",
    "c_seg": "C_seg",
    "r_miss": "R_miss",
    "r_false_alarm": "R_fa",
    "mult_window_diff": "multWinDiff",
}


def published_name(measure: str) -> str:
    """Return the published name of a measure; words of the column's name if there is none."""
    of_each = computed_from(measure)
    if of_each in _PUBLISHED:
        return measure.removesuffix(of_each).replace("_", " ") + _PUBLISHED[of_each]
    return measure.replace("_", " ")


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


_MEASURES = {_letters(name): measure for measure, name in _PUBLISHED.items()} | {
    "wd": "window_diff"
}


def nearest_measure(name: str, known: Collection[str]) -> str:
    """Return a remark on the measure that was published under a name, else on the most similar.

    A column such as `mean_pk` of `panel_scores` is no measure; the remark says how to get it.

    Args:
        name: no name of a measure.
        known: the names of measures.
    """
    if name in OVER_REFERENCES.measures and (of_each := computed_from(name)) in known:
        return (
            f"; it is a column of panel_scores: choose {of_each}, then "
            f"`segscore compare RUN --measure {name} --average macro` averages it"
        )
    measure = _MEASURES.get(_letters(name))
    return f"; it is named {measure}" if measure in known else nearest(name, known)
