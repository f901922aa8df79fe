"""Find coders who mark boundaries later or earlier than the others."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from segscore.pipeline.agreement.judging.step import AuditRows, Kind, Limit, Step, StepColumn
from segscore.pipeline.agreement.judging.view import Columns, View
from segscore.pipeline.tables.units import PER_SECOND

_T = 2.093
"""Quantile of t with 19 degrees of freedom for a 95 % interval from 20 groups of documents."""

_FAR = 2.5
"""Half of the default largest distance of boundaries that are compared, in units or seconds: beyond
it, the window around an offset is narrower, so that some of its boundaries are outside."""


class Offset(Step):
    """Coders whose boundaries are moved by much."""

    columns = (
        StepColumn(
            "boundary_offset",
            Kind.NUMBER,
            "how much later than the others the coder marks boundaries, in the unit of the run; "
            "negative: earlier",
        ),
        StepColumn(
            "boundary_offset_error",
            Kind.NUMBER,
            "standard error of boundary_offset, by a jackknife",
        ),
        StepColumn(
            "shifted", Kind.MARK, "the coder marks boundaries later or earlier than the others"
        ),
    )
    limits = (
        Limit("offset", 0.3, seconds=0.5),
        Limit("offset_errors", 4.0),
        Limit("within", 5.0, seconds=5.0),
    )
    mark, order = "shifted", "boundary_offset"
    leaves_standard = True

    def judge(self, view: View) -> Columns:
        """Compare the offset of each coder with its limit and its error."""
        limits, offset = view.limits, view.differences(view.evidence.offsets)
        large = np.abs(offset.value) >= limits["offset"]
        return {
            "boundary_offset": offset.value,
            "boundary_offset_error": offset.error,
            "shifted": np.asarray(large & offset.beyond(limits["offset_errors"]) & view.may_differ),
        }

    def sentence(self, row: Mapping[str, Any], audit: AuditRows) -> str:
        """Describe a coder who marks boundaries later or earlier than the others."""
        per_second = PER_SECOND.get(audit.unit or "")
        scale, noun = (1, " units") if per_second is None else (per_second, " s")
        later, error = row["boundary_offset"], row["boundary_offset_error"]
        if later is None or error is None:
            return f"{row['coder']} marks boundaries later or earlier than the others."
        value, error = abs(later) / scale, error / scale
        side = "later" if later > 0 else "earlier"
        low, high = value - _T * error, value + _T * error
        more = "; it may be more, as boundaries far apart are not compared (--limits within)"
        return (
            f"{row['coder']} marks {value:.1f}{noun} {side} than the others "
            f"({low:.1f} to {high:.1f}){more * (value > _FAR)}."
        )
