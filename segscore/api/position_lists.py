"""Plain boundaries of documents, in a list or by id, as `segscore.evaluate` takes them."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple

from segscore.api.segmentation import Segmentation
from segscore.pipeline.errors import Refused
from segscore.pipeline.plain_text import first_named

_TEXT = str | bytes
_FORMS = "a list with the boundaries of each document, such as [[2, 5], [3]], or these by document"

NumbersOfUnits = Iterable[int] | Mapping[Any, int] | int
"""Number of units of each document: in a list, by document, or one number for all."""


def lists_as_tables(n_units: NumbersOfUnits, **given: Any) -> dict[str, Any]:
    """Return the segmentations of both sides: {document: segmentation}, or these by system.

    Documents without ids are named by their numbers from 1, with leading zeros, so that they stay
    in order.

    Args:
        n_units: number of units of each document, in a list, by document, or one for all.
        given: by the name of the table, the boundaries of each document, in a list or by
            document, or {system: these}.

    Raises:
        Refused: it is none of these, documents and numbers of units do not fit, lists have unequal
            lengths, or a segmentation breaks a rule; the message names the document.
    """
    units = n_units
    if isinstance(n_units, _TEXT) or not isinstance(n_units, Iterable | Integral):
        raise Refused(
            f"n_units: is {type(n_units).__name__}; must be a whole number for all documents, a "
            "list with a number for each, or {document: number}"
        )
    if isinstance(n_units, Iterable) and not isinstance(n_units, Mapping):
        units = [*n_units]
    read: dict[str, Any] = {}
    tables: list[_Documents] = []
    for name, each in given.items():
        if isinstance(each, Mapping) and any(map(_has_documents, each.values())):
            systems = {
                str(system): _by_document(f"{name}: {system}", documents, units)
                for system, documents in each.items()
            }
            read[name] = {system: documents.by_id for system, documents in systems.items()}
            tables += systems.values()
        else:
            documents = _by_document(name, each, units)
            read[name] = documents.by_id
            tables.append(documents)
    _require_equal(tables)
    return read


class _Documents(NamedTuple):
    """The segmentations of one table, and whether they are a list without ids."""

    name: str
    is_list: bool
    by_id: dict[str, Segmentation]


def _require_equal(tables: Sequence[_Documents]) -> None:
    """Refuse lists that cannot be matched by place: some have other lengths, or others have ids."""
    lists = [table for table in tables if table.is_list]
    named = [table for table in tables if not table.is_list]
    if lists and named:
        raise Refused(
            f"{lists[0].name}: does not name its documents, but {named[0].name} does; give both "
            "by document"
        )
    for table in lists:
        number, first = len(table.by_id), len(lists[0].by_id)
        if number != first:
            raise Refused(
                f"{table.name}: length {number}, but {lists[0].name} has {first}; lists are "
                "matched by place: give a list, even an empty one, for each document, or "
                "{document: boundaries}"
            )


def _has_documents(value: Any) -> bool:
    """Return whether a value has the boundaries of several documents: not numbers, but lists."""
    if isinstance(value, Mapping):
        return True
    if isinstance(value, _TEXT) or not isinstance(value, Iterable):
        return False
    return any(isinstance(each, Iterable) and not isinstance(each, _TEXT) for each in value)


def _by_document(name: str, given: Any, units: NumbersOfUnits) -> _Documents:
    if isinstance(given, _TEXT) or not isinstance(given, Iterable):
        raise Refused(f"{name}: is {type(given).__name__}; with n_units it must be {_FORMS}")
    if isinstance(given, Mapping):
        boundaries = {str(document): each for document, each in given.items()}
        sizes = _sizes_by_document(name, boundaries, units)
    else:
        listed = [*given]
        width = len(str(len(listed)))
        boundaries = {f"{number:0{width}d}": each for number, each in enumerate(listed, start=1)}
        sizes = dict(zip(boundaries, _sizes_in_order(name, len(listed), units), strict=True))
    found = {}
    for document, positions in boundaries.items():
        if isinstance(positions, Segmentation):
            raise Refused(
                f"{name}: document {document} is a Segmentation, which says its number of units; "
                "leave n_units out, or give boundaries"
            )
        try:
            found[document] = Segmentation(positions, sizes[document])
        except Refused as problem:
            text = str(problem).removeprefix("segmentation: ")
            raise Refused(f"{name}: document {document}: {text}") from None
    return _Documents(name, not isinstance(given, Mapping), found)


def _sizes_by_document(
    name: str, boundaries: Mapping[str, Any], units: NumbersOfUnits
) -> dict[str, int]:
    """Return the number of units of each document that a table names."""
    if isinstance(units, Mapping):
        sizes = {str(document): size for document, size in units.items()}
        if absent := [document for document in boundaries if document not in sizes]:
            raise Refused(
                f"{name}: n_units has no number for {first_named(absent, 'documents')}; give one "
                "for each document"
            )
        return sizes
    if isinstance(units, Iterable):
        raise Refused(
            f"{name}: names its documents, but n_units does not; give n_units by document, such as "
            f"{{{next(iter(boundaries), 'd')!r}: 11}}, or one number for all"
        )
    return dict.fromkeys(boundaries, units)


def _sizes_in_order(name: str, number: int, units: NumbersOfUnits) -> list[int]:
    """Return the number of units of each document of a list."""
    if isinstance(units, Mapping):
        raise Refused(
            f"{name}: does not name its documents, but n_units does; give the boundaries by "
            "document, or n_units as a list or one number for all"
        )
    if not isinstance(units, Iterable):
        return [units] * number
    sizes = [*units]
    if number != len(sizes):
        raise Refused(
            f"{name}: length {number}, but n_units has {len(sizes)}; give one list of "
            "boundaries and one number of units for each document"
        )
    return sizes
