"""The names under which measures were published."""

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
