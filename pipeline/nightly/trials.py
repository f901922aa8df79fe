"""Systems that no night fails for: those on trial, and those that have left."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from segscore.pipeline.errors import nearest
from segscore.pipeline.nightly.sentences import failures_in_words
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.nightly.verdict import FAILED, ON_TRIAL, Check


def needed(systems: Iterable[str], settings: NightSettings) -> tuple[str, ...]:
    """Return those of some systems that a night has to have."""
    return tuple(each for each in systems if each not in (*settings.trial, *settings.retired))


def on_trial(checks: Iterable[Check], settings: NightSettings) -> tuple[Check, ...]:
    """Return checks of which those of systems on trial do not fail."""
    return tuple(
        replace(check, result=ON_TRIAL) if check.fails and check.system in settings.trial else check
        for check in checks
    )


def trials_in_words(
    checks: Sequence[Check], systems: Sequence[str], settings: NightSettings
) -> Iterator[str]:
    """Say which systems on trial would fail, and which names are probably wrong."""
    worse = [replace(check, result=FAILED) for check in checks if check.result == ON_TRIAL]
    whole = {(check.rule, check.system) for check in worse if check.group is None}
    for sentence in failures_in_words(
        check for check in worse if check.group is None or (check.rule, check.system) not in whole
    ):
        yield f"on trial, so that the night does not fail: {sentence}"
    for name in settings.trial:
        near = "" if name in systems else nearest(name, systems)
        if near:
            yield f"--trial {name}: the night has no such system{near}"
