"""Columns of a comparison: pairs of systems, and power by number of documents."""

from collections.abc import Sequence
from functools import partial

from segscore.pipeline.statistics.shown_numbers import shown_as, shown_change, shown_p
from segscore.pipeline.statistics.shown_tables import Column
from segscore.schemas.rows import PairRow, PowerRow


def columns_of_pairs(rows: Sequence[PairRow]) -> list[Column]:
    """Return the difference of each pair, whose better system comes first, and its tests."""
    return [
        Column("system, better first", [row["system"] for row in rows], is_name=True),
        Column("against", [row["other"] for row in rows], is_name=True),
        Column(
            "difference",
            [row["difference"] for row in rows],
            ends=[(row["ci_low"], row["ci_high"]) for row in rows],
            interval="{} (Holm)",
            write=shown_change,
        ),
        Column("p", [row["p"] for row in rows], write=shown_p),
        Column("p (Holm)", [row["p_holm"] for row in rows], write=shown_p),
    ]


def columns_of_needs(rows: Sequence[PairRow]) -> list[Column]:
    """Return what the documents of each pair can show, and how many are needed."""
    return [
        Column("smallest difference", [row["smallest_difference"] for row in rows]),
        Column("documents needed", [row["documents_needed"] for row in rows]),
        Column("documents", [row["documents"] for row in rows]),
    ]


def columns_of_power(rows: Sequence[PowerRow]) -> list[Column]:
    """Return the simulated power by number of documents."""
    return [
        Column("documents", [row["documents"] for row in rows]),
        Column("power", [row["power"] for row in rows], write=partial(shown_as, form=".2f")),
        Column("half-width", [row["half_width"] for row in rows]),
        Column("exaggeration", [row["exaggeration"] for row in rows], write=_times),
        Column(
            "wrong sign", [row["wrong_sign"] for row in rows], write=partial(shown_as, form=".1%")
        ),
    ]


def _times(factor: float | None) -> str:
    return "–" if factor is None else f"{factor:.1f} times"
