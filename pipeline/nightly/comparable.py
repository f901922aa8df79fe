"""Whether the averages of two nights can be compared."""

from collections.abc import Collection, Sequence

from segscore.pipeline.measures.selection import normal_form, select
from segscore.pipeline.settings import signature
from segscore.pipeline.settings.measuring import settings_without_effect


def differences_of(
    before: str, now: str, measures: Sequence[str], available: Collection[str]
) -> list[str]:
    """Return what makes the averages of an earlier run incomparable with those of a later one.

    Args:
        before: signature of the earlier run.
        now: signature of the later run.
        measures: the measures that are compared.
        available: the measures of the earlier run.
    """
    missing = [f"it has no {name}" for name in measures if name not in available]
    if missing:  # its signature does not have the settings of the measure either
        return missing
    without_effect = settings_without_effect(select(normal_form(measures)))
    ignored = signature.may_differ((before, now), without_effect)
    return signature.signature_differences(before, now, ignored)
