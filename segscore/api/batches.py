"""Read batches of pairs: masks and labels as a model puts them out, or lists of positions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segscore.pipeline.arrays.ragged import Flags, Ints, Ragged, offsets_of
from segscore.pipeline.errors import Refused

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from segscore.api.segmentation import WholeNumbers

_MOST_UNITS = 2**31 - 1
_PADDING = -100
"""The label of padding in torch and in libraries on top of it."""

_PADDED = {
    True: "if this is padding, give the number of units of each document as lengths",
    False: "the padding begins before the end that lengths gives",
}
"""Whether there are no lengths -> what to do about padding."""


class Batch(NamedTuple):
    """Pairs without boundary types.

    Attributes:
        references: boundaries of the references, one row a pair.
        hypotheses: boundaries of the hypotheses, one row a pair.
        n_units: number of units of each pair's document, shape (pairs,).
    """

    references: Ragged
    hypotheses: Ragged
    n_units: Ints


def from_masks(
    reference: "ArrayLike", hypothesis: "ArrayLike", lengths: "ArrayLike | None"
) -> Batch:
    """Read a flag for each potential boundary; see ``Metric.update_masks``.

    Raises:
        Refused: a mask is not a table of flags, or the shapes or lengths do not fit.
    """
    sides = [_table(name, given) for name, given in _named(reference, hypothesis)]
    n_units = _lengths(sides, lengths, extra=1)
    for name, side in zip(("reference", "hypothesis"), sides, strict=True):
        read = np.arange(1, side.shape[1] + 1) < n_units[:, None]
        wrong = np.argwhere(read & (side != 0) & (side != 1))
        if len(wrong):
            row, column = wrong[0]
            flag = side[row, column]
            hint = "expected 0 or 1: a mask has a flag for each potential boundary"
            hint = _PADDED[lengths is None] if flag == _PADDING else hint
            raise Refused(f"{name}[{row}][{column}] is {flag}; {hint}")
    ref, hyp = (_positions(side == 1, n_units) for side in sides)
    return Batch(ref, hyp, n_units)


def from_labels(
    reference: "ArrayLike", hypothesis: "ArrayLike", lengths: "ArrayLike | None"
) -> Batch:
    """Read a label for each unit; see ``Metric.update_labels``.

    Raises:
        Refused: labels are no table, or the shapes or lengths do not fit.
    """
    sides = [_table(name, given) for name, given in _named(reference, hypothesis)]
    n_units = _lengths(sides, lengths, extra=0)
    for name, side in zip(("reference", "hypothesis"), sides, strict=True):
        if lengths is None and side.dtype.kind in "if" and (side == _PADDING).any():
            raise Refused(f"{name}: has the label {_PADDING}; {_PADDED[True]}")
    changes = (side[:, 1:] != side[:, :-1] for side in sides)
    ref, hyp = (_positions(side, n_units) for side in changes)
    return Batch(ref, hyp, n_units)


def from_positions(
    references: "Sequence[WholeNumbers]",
    hypotheses: "Sequence[WholeNumbers]",
    lengths: "ArrayLike",
) -> Batch:
    """Read lists of boundaries; see ``Metric.update_positions``.

    Raises:
        Refused: the lists are not as long as each other, or break a rule of segmentations.
    """
    from segscore.api.segmentation import Segmentation

    n_units = _whole(lengths)
    numbers = {"reference": len(references), "hypothesis": len(hypotheses)}
    for name, number in numbers.items():
        if number != len(n_units):
            raise Refused(f"{name}: has {number} rows; n_units has {len(n_units)}")
    sides = []
    for name, rows in (("reference", references), ("hypothesis", hypotheses)):
        read = []
        for number, (row, units) in enumerate(zip(rows, n_units.tolist(), strict=True)):
            try:
                if isinstance(row, Segmentation):
                    raise Refused("is a Segmentation; give its boundaries, or add it with update()")
                read.append(Segmentation(row, units).boundaries)
            except Refused as problem:
                reason = str(problem).removeprefix("segmentation: ")
                raise Refused(f"{name}[{number}]: {reason}") from None
        sides.append(_ragged([len(row) for row in read], [place for row in read for place in row]))
    return Batch(sides[0], sides[1], n_units)


def _named(reference: Any, hypothesis: Any) -> list[tuple[str, Any]]:
    return [("reference", reference), ("hypothesis", hypothesis)]


def _table(name: str, given: Any) -> Any:
    """Return a numpy array of two dimensions; also from a tensor of torch on any device."""
    if hasattr(given, "detach"):
        given = given.detach().cpu()
    try:
        table = np.asarray(given)
    except ValueError:
        table = np.zeros(0)
    if table.ndim != 2:
        raise Refused(
            f"{name}: must be a table with a row for each document, padded to the longest; give "
            "the number of units of each as lengths"
        )
    return table


def _lengths(sides: Sequence[Any], lengths: "ArrayLike | None", *, extra: int) -> Ints:
    """Return the number of units of each row.

    Args:
        sides: tables of the references and of the hypotheses.
        lengths: numbers of units; None if no row is padded.
        extra: how many more units than columns a row has that is not padded.
    """
    shapes = [side.shape for side in sides]
    if shapes[0] != shapes[1]:
        raise Refused(f"hypothesis: has the shape {shapes[1]}; the reference has {shapes[0]}")
    rows, columns = shapes[0]
    most = columns + extra
    if lengths is None:
        if rows and most < 1:
            raise Refused("reference: has no column; a document has at least one unit")
        return np.full(rows, most, np.int64)
    n_units = _whole(lengths)
    if n_units.shape != (rows,):
        raise Refused(f"lengths: has the shape {n_units.shape}; there are {rows} rows")
    outside = np.flatnonzero((n_units < 1) | (n_units > most))
    if len(outside):
        raise Refused(
            f"lengths[{outside[0]}] is {n_units[outside[0]]}; expected 1 to {most}, the number of "
            "units that a row has"
        )
    return n_units


def _whole(lengths: Any) -> Ints:
    """Return numbers of units as an array of int64."""
    if hasattr(lengths, "detach"):
        lengths = lengths.detach().cpu()
    numbers = np.asarray(lengths)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise Refused("lengths: must be whole numbers, one for each document")
    if numbers.size and int(numbers.max()) > _MOST_UNITS:
        raise Refused(f"lengths: {int(numbers.max())} is too large; the most is {_MOST_UNITS}")
    return numbers.astype(np.int64)


def _positions(flags: Flags, n_units: Ints) -> Ragged:
    """Return the positions of flags, the first of which is position 1; the padding has none."""
    inside = np.arange(1, flags.shape[1] + 1) < n_units[:, None]
    rows, columns = np.nonzero(flags & inside)
    return _ragged(np.bincount(rows, minlength=len(n_units)), columns + 1)


def _ragged(lengths: Any, values: Any) -> Ragged:
    return Ragged(offsets_of(np.asarray(lengths, np.int64)), np.asarray(values, np.int32))
