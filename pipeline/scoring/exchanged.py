"""Warn if references and hypotheses seem to have changed places, by the names of their files."""

import re
from collections.abc import Iterator

_OF_REFERENCES = {"reference", "references", "ref", "refs", "gold"}
_OF_HYPOTHESES = {"hypothesis", "hypotheses", "hyp", "hyps", "system", "systems"}
_SIDES = (_OF_REFERENCES, _OF_HYPOTHESES)


def warn_of_exchange(references: str, hypotheses: str) -> Iterator[str]:
    """Yield a warning if each location has the other side's name, and not its own.

    Names of folders that both locations are in do not count.

    Args:
        references: a file, a folder or a glob; likewise the other.
        hypotheses: location of the hypotheses.
    """
    first, second = _words(references), _words(hypotheses)
    sides = [[bool(side & words) for side in _SIDES] for words in (first - second, second - first)]
    if sides == [[False, True], [True, False]]:
        yield (
            f"references are read from {references}, and hypotheses from {hypotheses}; if they "
            "have changed places, exchange the two"
        )


def _words(location: str) -> set[str]:
    return {*re.findall("[a-z]+", location.lower())}
