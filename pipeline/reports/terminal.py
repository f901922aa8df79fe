"""Draw two segmentations one above the other, showing each near and full miss."""

from collections.abc import Iterator, Sequence

from segscore.pipeline.measures.edit_list import Edit

UNIT = "─"
BOUNDARY = "│"
SIGNS = {"match": "=", "near_miss": "~", "substitution": "≠", "miss": "-", "false_alarm": "+"}
LEGEND = "= match   ~ near miss   ≠ other type   - miss   + false alarm"
MARGIN = 12


def draw_in_terminal(n_units: int, edits: Sequence[Edit], width: int) -> Iterator[str]:
    """Draw a reference above a hypothesis, with the edits between them.

    Each column is a potential boundary: position p is in column p.  A stretch without boundaries
    is replaced by a line with its length.

    Args:
        n_units: number N of units of the document, in the unit of the run.
        edits: edits as ``list_edits`` returns them.
        width: columns of the terminal.
    """
    step = max(20, (width - MARGIN) // 10 * 10 - 10)
    reference = {edit.position for edit in edits if edit.position is not None}
    hypothesis = {edit.other_position for edit in edits if edit.other_position is not None}
    left_out = 0
    for first in range(1, n_units, step):
        columns = range(first, min(first + step, n_units))
        if not any(column in reference or column in hypothesis for column in columns):
            left_out += len(columns)
            continue
        if left_out:
            yield f"{'':{MARGIN}}… {left_out} positions without a boundary"
        left_out = 0
        yield f"{'':{MARGIN}}{''.join(_ruler(columns))}".rstrip()
        yield f"{'reference':{MARGIN}}{_line(columns, reference)}"
        yield f"{'':{MARGIN}}{_signs(columns, edits)}".rstrip()
        yield f"{'hypothesis':{MARGIN}}{_line(columns, hypothesis)}"
        yield ""
    if left_out:
        yield f"{'':{MARGIN}}… {left_out} positions without a boundary"


def _ruler(columns: range) -> list[str]:
    """Return position numbers as characters, each number starting at its column."""
    ruler = [" "] * (len(columns) + len(str(columns[-1])))
    for column in columns:
        if column == columns[0] or column % 10 == 0:
            for i, digit in enumerate(str(column)):
                ruler[column - columns[0] + i] = digit
    return ruler


def _line(columns: range, boundaries: set[int]) -> str:
    return "".join(BOUNDARY if column in boundaries else UNIT for column in columns)


def _signs(columns: range, edits: Sequence[Edit]) -> str:
    signs = [" "] * len(columns)
    for edit in edits:
        for end in (edit.position, edit.other_position):
            if end is not None and end in columns:
                signs[end - columns[0]] = SIGNS[edit.kind]
    return "".join(signs)


def describe_edit(edit: Edit) -> str:
    """Describe one edit in a line: kind, position and span."""
    position, other = edit.position, edit.other_position
    if edit.kind == "near_miss":
        return (
            f"near miss: {position} in the reference, {other} in the hypothesis, {edit.span} apart"
        )
    if edit.kind == "substitution":
        both = f"{edit.type} in the reference, {edit.other_type} in the hypothesis"
        return f"other type at {position}: {both}"
    if edit.kind == "miss":
        return f"miss: {position} in the reference only"
    return f"false alarm: {other} in the hypothesis only"
