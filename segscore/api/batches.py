"""Read batches of pairs: masks and labels as a model puts them out, or lists of positions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segscore.pipeline.arrays.ragged import Flags, Ints, Ragged, offsets_of
from segscore.pipeline.errors import Refused
from segscore.pipeline.tables.label_changes import changes_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


_MOST_UNITS = 2**31 - 1
_PADDING = -100
"""The label of padding in torch and in libraries on top of it."""

_SIDES = "reference", "hypothesis"
_A_MASK = "a mask has a flag for each potential boundary"
_A_START = "each unit has a flag, 1 for the first of a segment"
_IS_MASK = "flags of the n - 1 places between units go to update_masks"

_SURELY = 8
"""So many documents do not all begin with a segment of one unit by chance."""

_FEWEST = 2
"""So many references whose last unit begins a segment, though the first one does not."""

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
    are_given = lengths is not None
    reference, hypothesis, lengths = _padded(reference, hypothesis, lengths, extra=1)
    sides = _tables(reference, hypothesis)
    n_units = _lengths(sides, lengths, extra=1)
    if are_given:
        _refuse_starts(sides[0], n_units)
    else:
        _refuse_units(sides[0], n_units)
    _require_flags(sides, n_units - 1, _A_MASK, padded=lengths is None)
    ref, hyp = (_positions(side == 1, n_units) for side in sides)
    return Batch(ref, hyp, n_units)


def from_starts(
    reference: "ArrayLike", hypothesis: "ArrayLike", lengths: "ArrayLike | None"
) -> Batch:
    """Read a flag for each unit, 1 for the first of a segment; see ``Metric.update_starts``.

    Raises:
        Refused: a side is not a table of flags, or the shapes or lengths do not fit.
    """
    reference, hypothesis, lengths = _padded(reference, hypothesis, lengths, extra=0)
    sides = _tables(reference, hypothesis)
    n_units = _lengths(sides, lengths, extra=0, hint=_IS_MASK)
    hint = _A_START if lengths is None else f"{_A_START}. {_IS_MASK.capitalize()}"
    _require_flags(sides, n_units, hint, padded=lengths is None)
    _refuse_ends(sides[0], n_units)
    first = sides[0][:, :1].ravel() == 1
    if first.any() and not first.all():
        row = int(np.argmin(first))
        raise Refused(
            f"reference[{row}][0] is 0 but reference[{int(np.argmax(first))}][0] is 1, though the "
            f"first unit of every document begins a segment. {_IS_MASK.capitalize()}"
        )
    ref, hyp = (_positions(side[:, 1:] == 1, n_units) for side in sides)
    return Batch(ref, hyp, n_units)


def from_labels(
    reference: "ArrayLike", hypothesis: "ArrayLike", lengths: "ArrayLike | None"
) -> Batch:
    """Read a label for each unit; see ``Metric.update_labels``.

    Raises:
        Refused: labels are no table, or the shapes or lengths do not fit.
    """
    reference, hypothesis, lengths = _padded(reference, hypothesis, lengths, extra=0)
    sides = _tables(reference, hypothesis)
    n_units = _lengths(sides, lengths, extra=0)
    for name, side in zip(_SIDES, sides, strict=True):
        if lengths is None and side.dtype.kind in "if" and (side == _PADDING).any():
            raise Refused(f"{name}: has the label {_PADDING}; {_PADDED[True]}")
        # An undefined label differs from itself, so that each would count as a change of label.
        undefined = np.argwhere(_within(side, n_units) & (side != side))
        if len(undefined):
            row, column = undefined[0]
            raise Refused(f"{name}[{row}][{column}] is {side[row, column]}; {_PADDED[True]}")
    ref, hyp = (_changes(side, n_units) for side in sides)
    return Batch(ref, hyp, n_units)


def _changes(side: Any, n_units: Ints) -> Ragged:
    """Return the positions where labels change, or where tags such as B-SEG begin a segment."""
    if side.dtype.kind not in "UO":
        return _positions(side[:, 1:] != side[:, :-1], n_units)
    rows = [row[:n] for row, n in zip(side.tolist(), n_units.tolist(), strict=True)]
    read = [changes_of(row) for row in rows]
    return _ragged([len(row) for row in read], [place for row in read for place in row])


def from_positions(
    references: Any,
    hypotheses: Any,
    lengths: "ArrayLike",
) -> Batch:
    """Read lists of boundaries; see ``Metric.update_positions``.

    Raises:
        Refused: the lists are not as long as each other, or break a rule of segmentations.
    """
    from segscore.api.segmentation import Segmentation

    n_units = _whole(lengths)
    sides = []
    for name, rows in (("reference", references), ("hypothesis", hypotheses)):
        if isinstance(rows, str | bytes) or not hasattr(rows, "__len__"):
            raise Refused(f"{name}: {rows!r} must be a list with the boundaries of each document")
        if len(rows) != len(n_units):
            raise Refused(f"{name}: has {len(rows)} rows; n_units has {len(n_units)}")
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


def _padded(reference: Any, hypothesis: Any, lengths: Any, *, extra: int) -> tuple[Any, Any, Any]:
    """Return lists of rows padded to the longest, with the lengths that the rows show.

    Whatever is not two lists of as many rows, of several lengths, is returned as it is.

    Args:
        reference: a row for each document.
        hypothesis: a row for each document.
        lengths: numbers of units; None for those that rows of several lengths show.
        extra: how many more units than columns a row has.

    Raises:
        Refused: a row has another length than that of the other side, or than `lengths` gives.
    """
    ref_rows, hyp_rows = _rows(reference), _rows(hypothesis)
    if ref_rows is None or hyp_rows is None or len(ref_rows) != len(hyp_rows):
        return reference, hypothesis, lengths
    sides = [ref_rows, hyp_rows]
    columns = [[len(row) for row in side] for side in sides]
    if all(len({*side}) < 2 for side in columns):
        return reference, hypothesis, lengths
    most = max(map(max, columns))
    if lengths is None:
        if columns[0] != columns[1]:
            number = next(i for i, (a, b) in enumerate(zip(*columns, strict=True)) if a != b)
            found = f"has {columns[1][number]} columns; that of the reference has"
            raise Refused(f"hypothesis[{number}]: {found} {columns[0][number]}")
        lengths = [number + extra for number in columns[0]]
    for number, units in enumerate(_whole(lengths).tolist()[: len(columns[0])]):
        for name, side in zip(_SIDES, columns, strict=True):
            if side[number] < units - extra <= most:
                raise Refused(
                    f"{name}[{number}]: has {side[number]} columns; lengths gives {units} units"
                )
    ref, hyp = (_filled(side, most) for side in sides)
    return ref, hyp, lengths


def _filled(rows: Sequence[Sequence[Any]], columns: int) -> list[list[Any]]:
    """Return rows with `columns` columns, filled with a value that occurs, which is not read."""
    filler = next((row[0] for row in rows if len(row)), 0)
    return [[*row, *[filler] * (columns - len(row))] for row in rows]


def _rows(given: Any) -> list[Any] | None:
    """Return the rows of a list of lists, arrays or tensors; None for a table or anything else."""
    if not isinstance(given, list | tuple):
        return None
    rows = [row if isinstance(row, list | tuple) else _array(row) for row in given]
    return rows if all(isinstance(row, list | tuple) or row.ndim == 1 for row in rows) else None


def _tables(reference: Any, hypothesis: Any) -> list[Any]:
    """Return both sides as numpy arrays of two dimensions."""
    return [
        _table(name, given) for name, given in zip(_SIDES, (reference, hypothesis), strict=True)
    ]


def _table(name: str, given: Any) -> Any:
    table = _array(given)
    if table.ndim != 2:
        raise Refused(
            f"{name}: must be a table with a row for each document: an array, padded to the "
            "longest, with the number of units of each as lengths; or a list of rows on both sides"
        )
    return table


def _array(given: Any) -> Any:
    """Return a numpy array; also from a tensor of torch, on any device and of any type."""
    if not hasattr(given, "detach"):
        try:
            return np.asarray(given)
        except ValueError:  # numpy makes no array of rows of several lengths
            return np.zeros((0, 0, 0))
    tensor = given.detach().cpu()
    try:
        return np.asarray(tensor)
    except TypeError:  # numpy has no bfloat16; float32 has all its values
        return np.asarray(tensor.float())


def _within(side: Any, columns: Ints) -> Any:
    """Return which cells are not padding, where row i has columns[i] columns; a table of flags."""
    return np.arange(side.shape[1]) < columns[:, None]


def _is_flag(values: Any) -> Any:
    return (values == 0) | (values == 1)


def _require_flags(sides: Sequence[Any], columns: Ints, hint: str, *, padded: bool) -> None:
    """Check that the first columns[i] cells of each row i are 0 or 1.

    Args:
        sides: tables of the references and of the hypotheses.
        columns: how many cells of each row are read, shape (rows,).
        hint: what the flags of this form mean.
        padded: whether rows may be padded without the caller having said so.
    """
    for name, side in zip(_SIDES, sides, strict=True):
        wrong = np.argwhere(_within(side, columns) & ~_is_flag(side))
        if len(wrong):
            row, column = wrong[0]
            flag = side[row, column]
            reason = _PADDED[padded] if flag == _PADDING else f"expected 0 or 1: {hint}"
            raise Refused(f"{name}[{row}][{column}] is {flag}; {reason}")


def _refuse_starts(reference: Any, n_units: Ints) -> None:
    """Refuse flags of the first units of segments in the place of a mask.

    They are known by the flag number n of each document of n units, which a mask does not have, and
    by the first one, which is 1 in every document.

    Args:
        reference: flags of the references. The hypotheses are no evidence, because a model may put
            out anything for padding.
        n_units: number of units of each document, shape (rows,).
    """
    rows, columns = reference.shape
    if not rows or n_units.max() > columns:
        return
    every = np.arange(rows)
    last = reference[every, n_units - 1]
    after = np.append(reference, np.zeros((rows, 1), reference.dtype), axis=1)[every, n_units]
    per_unit = _is_flag(last)
    ended = per_unit & (n_units < columns) & ~_is_flag(after)
    shows_all = bool(ended.any())
    all_first = bool((reference[:, 0] == 1).all() and per_unit.all())
    is_sure = shows_all or n_units.max() == columns or rows >= _SURELY
    is_mixed = shows_all and not (last[per_unit] == last[per_unit][0]).all()
    if (all_first and is_sure) or is_mixed:
        row = int(np.argmax(ended)) if shows_all else int(np.argmax(n_units))
        raise Refused(
            f"reference: has {n_units[row]} flags for the {n_units[row]} units of row {row}"
            f"{', and the first is 1 in every row' if all_first else ''}; a mask has a flag for "
            "each of the n - 1 places between units. If 1 marks the first unit of a segment, call "
            "update_starts; if it marks the last, leave out the columns behind these places, as in "
            f"reference[:, :{n_units.max() - 1}]"
        )


def _refuse_units(reference: Any, n_units: Ints) -> None:
    """Refuse flags of units in the place of a mask without lengths: all first, or last, ones are 1.

    Args:
        reference: flags of the references.
        n_units: number of units of each document, if they are a mask, shape (rows,).
    """
    if len(reference) < _SURELY or not reference.size or (reference == 1).all():
        return
    last = reference[np.arange(len(reference)), n_units - 2]
    for flags, unit, call in (
        (reference[:, 0], "first", "call update_starts"),
        (last, "last", "give the number of units of each row as lengths"),
    ):
        if (flags == 1).all():
            raise Refused(
                f"reference: the {unit} flag is 1 in every row, as where each unit has a flag and "
                f"1 marks the {unit} unit of a segment; a mask has a flag for each of the n - 1 "
                f"places between units. For flags of units, {call}"
            )


def _refuse_ends(reference: Any, n_units: Ints) -> None:
    """Refuse flags of the last units of segments in the place of those of the first ones.

    They are known by the last one, which is 1 in every document, where not every first one is.

    Args:
        reference: flags of the references.
        n_units: number of units of each document, shape (rows,).
    """
    rows = np.flatnonzero(n_units > 1)
    last, first = reference[rows, n_units[rows] - 1], reference[rows, 0]
    if len(rows) >= _FEWEST and (last == 1).all() and not (first == 1).all():
        raise Refused(
            "reference: the last flag is 1 in every row, and the first is not, as where 1 marks "
            "the last unit of a segment. update_starts reads flags of first units; call "
            "update_masks for these, with the number of units of each row as lengths"
        )


def _lengths(
    sides: Sequence[Any], lengths: "ArrayLike | None", *, extra: int, hint: str = ""
) -> Ints:
    """Return the number of units of each row.

    Args:
        sides: tables of the references and of the hypotheses.
        lengths: numbers of units; None if no row is padded.
        extra: how many more units than columns a row has that is not padded.
        hint: what may be meant by one unit more.
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
        wrong = n_units[outside[0]]
        raise Refused(
            f"lengths[{outside[0]}] is {wrong}; expected 1 to {most}, the number of units that a "
            f"row has{f'. {hint.capitalize()}' if hint and wrong == most + 1 else ''}"
        )
    return n_units


def _whole(lengths: Any) -> Ints:
    """Return numbers of units as an array of int64."""
    numbers = _array(lengths)
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
