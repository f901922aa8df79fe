"""Split the signature of a run into fields, and compare two signatures."""

from collections.abc import Collection

from segscore.pipeline.settings.measuring import SIGNED

INTERVALS = "ci"
"""Field for how intervals were estimated, which does not affect whether averages are comparable."""

NO_INTERVALS = "none"
"""Value of this field where no interval is estimated."""

MEASURES_CHOSEN = "measures"
"""Field for the measures of the run, which does not affect whether averages are comparable."""

DRAWS, SEED = "draws", "seed"
"""Fields for how random reference points were drawn, which does not affect averages of systems."""

THRESHOLD = "threshold"
"""Field for the least score of a boundary: a choice of a system, not of how it is measured."""

TRIALS = "trials"
"""Field of runs of which systems have several trials, whose averages are comparable to others."""

ANSWERS, PROJECTED = "answers", "projected"
"""Fields for boundaries that come from answers of language models, or from another transcript."""

REGIONS = "regions"
"""Field for the regions that documents were cut to."""

_OF_COMMANDS = {
    THRESHOLD: "least score of a boundary, of all systems or by system",
    "agree": "agreement; how the agreement expected by chance is pooled",
    "sweep": "what varies: the tolerance, or the threshold t and which candidates reach it",
    "operating_point": "how a system's operating threshold is chosen",
    MEASURES_CHOSEN: "measures and families of measures that were computed, if not the default",
    DRAWS: "draws of each random reference point, whose mean is scored",
    SEED: "seed of the random reference points",
    TRIALS: "mean: a document's value is the mean over the trials of a system",
    ANSWERS: "how the answers of language models were read, and what a failed one counts as",
    PROJECTED: "tables whose boundaries segscore project carried from another transcript, and how",
    REGIONS: "digest of the regions that import --regions cut documents to",
    INTERVALS: "how intervals were estimated, and what was resampled",
    "p": "how the tests were computed",
    "permutation": "permutations of the test of that name in the table rank_tests",
    "v": "version of segscore",
}

MEANINGS = _OF_COMMANDS | {signed.name: signed.meaning for signed in SIGNED.values()}
"""Field -> description of the field."""


def fields(signature: str) -> dict[str, str]:
    """Split a signature (``settings.ScoreSettings.signature``) into fields: name -> value."""
    parts = (part.partition(":") for part in signature.split("|")[1:])
    return {name: value for name, _, value in parts}


def resampled_attribute(signature: str) -> str | None:
    """Return the attribute whose documents were one unit of intervals; None for documents.

    Examples:
        >>> resampled_attribute("segscore|ci:jackknife,show|v:0.3.0.dev0")
        'show'
    """
    parts = fields(signature).get(INTERVALS, "").split("+")[0].split(",")
    named = len(parts) > 1 and parts[0] == "jackknife" and not parts[1].endswith("-buckets")
    return parts[1] if named and parts[1] != "documents" else None


def may_differ(without_effect: Collection[str]) -> set[str]:
    """Return the fields that do not affect whether averages of some measures are comparable.

    Args:
        without_effect: fields of settings that do not affect the measures to compare.
    """
    return {INTERVALS, MEASURES_CHOSEN, DRAWS, SEED, TRIALS, *without_effect}


def signature_differences(
    before: str, now: str, ignored: Collection[str] = (INTERVALS, DRAWS, SEED, TRIALS)
) -> list[str]:
    """Describe how a later run's signature differs from an earlier one's, but for some fields."""
    old, new = fields(before), fields(now)
    names = [name for name in {**old, **new} if name not in ignored]
    return [
        f"{name} was {old.get(name, 'absent')}, is {new.get(name, 'absent')}"
        for name in names
        if old.get(name) != new.get(name)
    ]
