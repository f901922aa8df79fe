"""Plain lists of boundaries, one for each document, as `segscore.evaluate` takes them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from segscore.api.segmentation import Segmentation
from segscore.pipeline.errors import Refused

_TEXT = str | bytes


def lists_as_table(
    name: str, given: Any, n_units: Iterable[int]
) -> dict[str, Segmentation] | dict[str, dict[str, Segmentation]]:
    """Return the segmentations of lists: {document: segmentation}, or these by system.

    Documents are named by their numbers from 1, with leading zeros, so that they stay in order.

    Args:
        name: name of the table, for messages.
        given: the boundaries of each document, or {system: the boundaries of each document}.
        n_units: number of units of each document.

    Raises:
        Refused: it is neither, a list has another length than ``n_units``, or a segmentation
            breaks a rule; the message names the document.
    """
    units = [*n_units]
    if isinstance(given, Mapping):
        return {
            str(system): _by_document(f"{name}: {system}", lists, units)
            for system, lists in given.items()
        }
    return _by_document(name, given, units)


def _by_document(name: str, lists: Any, units: Sequence[int]) -> dict[str, Segmentation]:
    if isinstance(lists, _TEXT) or not isinstance(lists, Iterable):
        raise Refused(
            f"{name}: is {type(lists).__name__}; with n_units it must be a list with the "
            "boundaries of each document, such as [[2, 5], [3]]"
        )
    boundaries = [*lists]
    if len(boundaries) != len(units):
        raise Refused(
            f"{name}: length {len(boundaries)}, but n_units has {len(units)}; give one list of "
            "boundaries and one number of units for each document"
        )
    width = len(str(len(units)))
    found = {}
    for number, (positions, size) in enumerate(zip(boundaries, units, strict=True), start=1):
        try:
            found[f"{number:0{width}d}"] = Segmentation(positions, size)
        except Refused as problem:
            text = str(problem).removeprefix("segmentation: ")
            raise Refused(f"{name}: document {number}: {text}") from None
    return found
