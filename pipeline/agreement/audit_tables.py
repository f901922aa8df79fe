"""Tables of an audit: coefficients, groups, boundary types, contested documents, prominence."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.pipeline.agreement.sentences import SHOWN, meaningful
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.statistics.formatted_numbers import (
    counted,
    percent,
    shown_as,
    shown_group,
    shown_group_values,
)
from segscore.pipeline.statistics.result_table import Column, ResultTable, more_in
from segscore.schemas.rows import CoefficientRow, DocumentRow, group_of

_GROUPS, CONTESTED_SHOWN = 20, 5
SIZE = "codings"
"""Heading of the sizes of groups."""

_READ = (SHOWN, "segmentation_similarity")
"""Similarities whose pi is shown, if the audit has them."""

CLASSES = 10
"""Number of classes of shares of prominence."""

_SUPPORT = "support_half_window"
PROMINENCE_COLUMNS = ["coders", _SUPPORT]
"""Columns of `prominence` that are shown."""


def coefficients_table(
    rows: Sequence[CoefficientRow],
    by: Sequence[str],
    unit: str | None,
    without: str = "",
) -> ResultTable:
    """Show pi of the similarities that people read, and what chance gives.

    Args:
        rows: the rows of the group.
        by: the group-by columns.
        unit: what positions are counted in.
        without: whose codings were left out, in words; empty if nobody's.
    """
    first = rows[0]
    pi = [row for row in meaningful(rows, unit) if row["coefficient"] == "pi"]
    kept = [row for row in pi if row["similarity"] in _READ] or pi[:1]
    parts = [
        f"{counted(first['codings'], 'coding')} by {counted(first['coders'], 'coder')} of "
        f"{counted(first['documents'], 'document')}",
        counted(first["pairs"], "pair"),
        *[without] * bool(without),
    ]
    more = "; more: table agreement"
    return ResultTable(
        [
            Column("similarity", [row["similarity"] for row in kept], is_name=True),
            *_values("pi", kept),
        ],
        title=shown_group(by, group_of(first, by)),
        caption=", ".join(parts) + more * (len(kept) < len(rows)),
        guide="pi, and how far coders agree (actual) above as many boundaries at random places "
        "(chance): above chance is (actual - chance) / (1 - chance), 1 at full agreement.",
    )


def above_chance(rows: Sequence[CoefficientRow], unit: str | None) -> ResultTable:
    """Show each coefficient of agreement above chance, for a chart."""
    return ResultTable(
        _coefficients([row for row in meaningful(rows, unit) if row["coefficient"] != "bias"]),
        title="agreement above chance",
    )


def _coefficients(rows: Sequence[CoefficientRow]) -> list[Column]:
    return [
        Column("similarity", [row["similarity"] for row in rows], is_name=True, once=True),
        Column("coefficient", [row["coefficient"] for row in rows], is_name=True),
        *_values("value", rows),
    ]


def _values(heading: str, rows: Sequence[CoefficientRow]) -> list[Column]:
    ends = [(row["ci_low"], row["ci_high"]) for row in rows]
    return [
        Column(heading, [row["value"] for row in rows], ends=ends),
        Column("actual", [row["actual"] for row in rows]),
        Column("chance", [row.get("chance") for row in rows]),
        Column("above chance", [row.get("corrected") for row in rows]),
    ]


def groups_table(rows: Iterable[CoefficientRow], by: Sequence[str]) -> ResultTable | None:
    """Show pi of the first similarity in each group; None without groups."""
    every = [row for row in rows if row["coefficient"] == "pi"]
    shown = [row for row in every if row["similarity"] == every[0]["similarity"]]
    if not shown:
        return None
    named = [shown_group_values(group_of(row, by)) for row in shown]
    return ResultTable(
        [
            Column(", ".join(by), named, is_name=True),
            *_values("pi", shown),
            Column("documents", [row["documents"] for row in shown]),
            Column(SIZE, [row["codings"] for row in shown], is_detail=True),
        ],
        title=f"pi by {shown[0]['similarity']} in each group",
        first=_GROUPS,
        rest=partial(more_in, "agreement"),
    )


def boundary_types_table(rows: Sequence[Mapping[str, Any]]) -> ResultTable | None:
    """Show how well coders agree on each boundary type, then which they confuse.

    None if there are no types. A terminal shows no pairs of types.
    """
    if not rows:
        return None
    own = [row for row in rows if row["type"] == row["other_type"]]
    rows = [*own, *(row for row in rows if row["type"] != row["other_type"])]
    named = [
        " and ".join(map(str, dict.fromkeys((row["type"], row["other_type"])))) for row in rows
    ]
    ends = [(row["ci_low"], row["ci_high"]) for row in rows]
    return ResultTable(
        [
            Column("boundary type", named, is_name=True),
            Column("B", [row[SHOWN] for row in rows], ends=ends),
            Column("pi (B)", [row["pi"] for row in rows]),
            Column("same type if paired", [row["share"] for row in rows]),
            Column("boundaries", [row["boundaries"] for row in rows]),
            Column("paired", [row["paired"] for row in rows], is_detail=True),
        ],
        title="boundary types",
        guide="Of one type, the share is that of paired boundaries to which both coders gave it; "
        "of two types, that to which they gave different ones.",
        first=len(own),
        rest=partial(more_in, "types"),
    )


def contested_table(rows: Sequence[DocumentRow], without: Sequence[str] = ()) -> ResultTable:
    """Show the most contested documents, without some coders."""
    left_out = f", without {named_list(without)}" * bool(without)
    rows = rows[:CONTESTED_SHOWN]
    return ResultTable(
        [
            Column("document", [row["document_id"] for row in rows], is_name=True),
            Column("contested", [row["contested"] for row in rows]),
            Column("mean B", [row[SHOWN] for row in rows]),
            Column("mean WindowDiff", [row["window_diff_mean"] for row in rows]),
            Column("coders", [row["codings"] for row in rows]),
            Column(
                "mean segments",
                [row["segments_mean"] for row in rows],
                write=partial(shown_as, form=".1f"),
            ),
        ],
        title=f"the {counted(len(rows), 'most contested document')}{left_out}"
        if len(rows) > 1
        else f"the most contested document{left_out}",
        guide="The documents with the most disagreement of which one can be sure (contested): the "
        f"lower end of the 95 % interval of 1 - {SHOWN}, its mean over pairs of coders, as a share "
        "of the boundaries that the coders marked.",
    )


def codings_table(row: DocumentRow) -> ResultTable:
    """Show who coded a document, and the segments of each coding."""
    return ResultTable(
        [
            Column("coder", row["coders"], is_name=True),
            Column("segments", row["segments"]),
        ],
        title=row["document_id"],
    )


def prominence_table(parts: Iterable[pa.Table]) -> ResultTable:
    """Show how many coders support the positions that at least one coder marked.

    Args:
        parts: the columns ``PROMINENCE_COLUMNS`` of `prominence`.
    """
    classes = np.zeros(CLASSES, np.int64)
    for part in parts:
        share = part.column(_SUPPORT).to_numpy()[part.column("coders").to_numpy() > 1]
        index = np.ceil(np.round(share * CLASSES, 9)).astype(np.int64) - 1
        classes += np.bincount(np.maximum(index, 0), minlength=CLASSES)
    names = [percent((i + 1) / CLASSES) for i in range(CLASSES)]
    return ResultTable(
        [Column("share up to", names, is_name=True), Column("positions", classes.tolist())],
        title="Supported within half a window",
        guide="Positions that at least one coder marked, in documents with several coders, by the "
        "share of coders with a boundary within half a window. The table prominence has the same "
        "at the position and within a window, and corpus the quartiles.",
    )
