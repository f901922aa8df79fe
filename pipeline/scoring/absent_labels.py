"""Warn of selected labels that no segment of a side has, which may be misspelled."""

from segscore.pipeline.measures import Table
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.statistics.sums import Sums


def warn_of_absent_labels(settings: MeasuringSettings, kind: Table, sums: Sums | None) -> list[str]:
    """Return a warning if no segment of the references, or of the hypotheses, is selected.

    Args:
        settings: how the pairs were measured.
        kind: the measures of pairs, and their counts.
        sums: the sums of the run by group and resampling unit.
    """
    sides = {"selected_references": "references", "selected_hypotheses": "hypotheses"}
    if sums is None or not settings.select or not sides.keys() <= {*kind.counts}:
        return []
    found = dict(zip(kind.counts, sums.counts, strict=True))
    without = [side for count, side in sides.items() if not found[count].any()]
    return [
        f"--select {','.join(settings.select)}: no segment of the {' or '.join(without)} has such "
        "a label; write labels as they are in segment_labels"
    ] * bool(without)
