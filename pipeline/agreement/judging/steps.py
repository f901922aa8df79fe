"""The steps of judging, in the order in which they judge: each knows what those before it found."""

from collections.abc import Mapping, Sequence
from math import isfinite

from segscore.pipeline.agreement.judging.candidate import Candidate
from segscore.pipeline.agreement.judging.copies import Copies
from segscore.pipeline.agreement.judging.drift import Drift
from segscore.pipeline.agreement.judging.low_agreement import LowAgreement
from segscore.pipeline.agreement.judging.offset import Offset
from segscore.pipeline.agreement.judging.rate import Rate
from segscore.pipeline.agreement.judging.self_agreement import SelfAgreement
from segscore.pipeline.agreement.judging.step import Part, Step
from segscore.pipeline.agreement.judging.ways_of_reading import WaysOfReading
from segscore.pipeline.agreement.judging.weak_group import WeakGroup
from segscore.pipeline.errors import Refused, nearest

STEPS: tuple[Step, ...] = (
    Offset(),
    Rate(),
    WaysOfReading(),
    Copies(),
    LowAgreement(),
    Drift(),
    WeakGroup(),
    SelfAgreement(),
    Candidate(),
)
"""A new finding is a file with a subclass of ``Step``, and an entry here."""

OF_ONE_CODER: tuple[Step, ...] = (Rate(), LowAgreement(), Offset(), Drift())
"""The steps that name a coder without naming others."""

COLUMN_TYPES = {
    column.name: column.kind.type
    for step in STEPS
    for column in (*step.columns, *step.pair_columns)
}
"""The type of each column."""

MARKS = tuple(step.mark for step in STEPS if step.part in (Part.AGREEMENT, Part.CODERS))
"""Columns of `coders` that mark a coder who stands out."""

LIMITS = {limit.name: limit.default for step in STEPS for limit in step.limits}
"""The default limits beyond which coders are named."""

_SECONDS = {
    limit.name: limit.seconds
    for step in STEPS
    for limit in step.limits
    if limit.seconds is not None
}


def read_limits(texts: Sequence[str], unit_per_second: int | None = None) -> Mapping[str, float]:
    """Return the default limits, changed by texts such as ``effect=0.1``.

    Args:
        texts: changes, each a name, ``=`` and a number above 0.
        unit_per_second: units per second if the unit is a time; limits that are times are then in
            seconds, and are returned in units.

    Raises:
        Refused: a text is not a limit.
    """
    given: dict[str, float] = {}
    for text in texts:
        name, _, number = text.partition("=")
        if name not in LIMITS:
            raise Refused(
                f"--limits {text}: write NAME=NUMBER; the names are {', '.join(LIMITS)}"
                f"{nearest(name, [*LIMITS])}"
            )
        try:
            value = float(number)
        except ValueError:
            value = float("nan")
        if not (isfinite(value) and value > 0):
            raise Refused(f"--limits {text}: must be a number above 0")
        given[name] = value
    if unit_per_second is None:
        return {**LIMITS, **given}
    chosen = {**LIMITS, **_SECONDS, **given}
    return chosen | {name: chosen[name] * unit_per_second for name in _SECONDS}
