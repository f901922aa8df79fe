"""Write tracks as a task of Label Studio: annotations, and predictions with their edits."""

import json
import re
from typing import Any

from segscore.pipeline.reports.export.tracks import DocumentTracks, Region, Track, shown_end

_SEGMENTS = ("segments", "Segment")
"""Name of the control of segments, and the label of all segments."""

_EDITS_CONTROL = "edits"
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")


def label_studio_text(document: DocumentTracks) -> str:
    """Return the JSON of one task.

    References are annotations, hypotheses are predictions.  Edits are regions of the hypothesis's
    prediction, of a control of their own.
    """
    annotations, predictions = [], []
    for track in document.tracks:
        segments = _results(document, track)
        if track.role == "reference":
            annotations.append({"completed_by": _person(track.coder), "result": segments})
        elif track.role == "hypothesis":
            edits = [t for t in document.tracks if t.against and t.coder == track.coder]
            result = [*segments, *(one for edit in edits for one in _results(document, edit))]
            predictions.append({"model_version": track.coder, "result": result})
    task = {
        "data": {"document_id": document.document, "audio": document.document},
        "annotations": annotations,
        "predictions": predictions,
    }
    return json.dumps([task], ensure_ascii=False, indent=1) + "\n"


def _person(coder: str) -> int | dict[str, str]:
    """Return what Label Studio knows a person by: a number, or an email address."""
    return int(coder) if _NUMBER.fullmatch(coder) else {"email": coder}


def _results(document: DocumentTracks, track: Track) -> list[dict[str, Any]]:
    return [
        _result(document, track, region, number)
        for number, region in enumerate(track.regions, start=1)
    ]


def _result(document: DocumentTracks, track: Track, region: Region, number: int) -> dict[str, Any]:
    control, label = (_EDITS_CONTROL, region.label) if track.against else _SEGMENTS
    note = ", ".join(filter(None, (f"against {track.against}", region.note)))
    # A quotient of whole milliseconds has the digits of the exact decimal.
    start, end, length = (
        time / 1000
        for time in (region.start, shown_end(region, track, document.n_units), document.n_units)
    )
    return {
        "id": f"{control}-{track.name}-{number}",
        "from_name": control,
        "to_name": "audio",
        "type": "labels",
        "original_length": length,
        "value": {"start": start, "end": end, "channel": 0, "labels": [label]},
        **({"meta": {"text": [note]}} if track.against else {}),
    }
