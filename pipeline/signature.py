"""A run's signature taken apart, and how two of them differ."""

INTERVALS = "ci"
"""The field that tells how intervals were estimated: averages are comparable whatever it says."""


def fields(signature: str) -> dict[str, str]:
    """Take a signature (``settings.ScoreSettings.signature``) apart: field -> what it says."""
    parts = (part.partition(":") for part in signature.split("|")[1:])
    return {name: said for name, _, said in parts}


def differences(before: str, now: str) -> list[str]:
    """Say in which fields two signatures differ, intervals aside; empty if averages compare.

    Args:
        before: signature of the earlier run.
        now: of the later one.
    """
    old, new = fields(before), fields(now)
    names = [name for name in {**old, **new} if name != INTERVALS]
    return [
        f"{name} was {old.get(name, 'not told')}, is {new.get(name, 'not told')}"
        for name in names
        if old.get(name) != new.get(name)
    ]
