"""The names under which measures were published."""

from collections.abc import Collection

from segscore.pipeline.errors import nearest
from segscore.pipeline.measures import panel

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
    return _PUBLISHED.get(measure, measure.replace("_", " "))


_MEAN = "mean_"
"""Prefix of the columns of `panel_scores` that are means over the references of a document."""


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


_MEASURES = {_letters(name): measure for measure, name in _PUBLISHED.items()} | {
    "wd": "window_diff"
}


def nearest_measure(name: str, known: Collection[str]) -> str:
    """Return a remark on the measure that was published under a name, else on the most similar.

    A column such as `mean_pk` of `panel_scores` is no measure; the remark says what to take.

    Args:
        name: no name of a measure.
        known: the names of measures.
    """
    averaged = name.removeprefix(_MEAN)
    at_once = [measure.name for measure in panel.MEASURES]
    if name.startswith(_MEAN) and averaged in known and averaged not in at_once:
        return (
            "; it is a column of panel_scores, whose mean over documents is the macro average of "
            f"{averaged}"
        )
    measure = _MEASURES.get(_letters(name))
    return f"; it is named {measure}" if measure in known else nearest(name, known)
