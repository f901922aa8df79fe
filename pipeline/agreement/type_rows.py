"""The table `types`: agreement by boundary type, and which types are confused."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from segscore.pipeline.agreement.boundary_types import COUNTS
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.persons import pooled_estimates
from segscore.pipeline.agreement.tallies import GROUP, Groups
from segscore.pipeline.runs.finished import FinishedRun, rows_over_all
from segscore.pipeline.statistics.formatted_numbers import percent

_B: Final = "boundary_similarity"
_SEVERAL = 2
_KINDS = {
    "type": pa.int64(),
    "other_type": pa.int64(),
    "boundaries": pa.int64(),
    "paired": pa.int64(),
    "share": pa.float64(),
    "boundary_similarity": pa.float64(),
    "ci_low": pa.float64(),
    "ci_high": pa.float64(),
    "expected": pa.float64(),
    "pi": pa.float64(),
}


def types_table(groups: Mapping[tuple[Any, ...], Group], group_by: Groups) -> pa.Table:
    """Return the rows of `types` (schemas/agreement.py) of all groups."""
    by = [name.removeprefix(GROUP) for name in group_by]
    rows = [
        dict(zip(by, key, strict=True)) | row
        for key, group in groups.items()
        for row in type_rows(group)
    ]
    kinds = dict(zip(by, group_by.values(), strict=True)) | _KINDS
    return pa.table(
        {
            name: pa.array([row[name] for row in rows], kind, from_pandas=True)
            for name, kind in kinds.items()
        }
    )


def types_over_all(run: FinishedRun) -> list[dict[str, Any]]:
    """Return the rows of `types` over all documents; none of a run that lacks the table."""
    if not run.table_files("types"):
        return []
    return list(rows_over_all(run.table("types"), run.settings["group_by"]))


def type_rows(group: Group) -> Iterator[dict[str, object]]:
    """Yield the rows of a group, without the group-by columns."""
    counts = {name: group.column("types", name) for name in COUNTS}
    kind, other = (group.column("types", name) for name in ("type", "other_type"))
    units = group.units[group.unit_numbers("types")].astype(np.uint64)
    keys = sorted({*zip(kind.tolist(), other.tolist(), strict=True)})
    paired = {
        key: int(counts["paired"][(kind == key[0]) & (other == key[1])].sum()) for key in keys
    }
    for key in keys:
        chosen = (kind == key[0]) & (other == key[1])
        own = {name: values[chosen] for name, values in counts.items()}
        row = {
            "type": key[0],
            "other_type": key[1],
            "boundaries": None,
            "paired": paired[key],
            "share": _share(key, paired),
        }
        if key[0] != key[1]:
            yield row | dict.fromkeys((_B, "ci_low", "ci_high", "expected", "pi"), None)
            continue
        similar = pooled_estimates(own, units[chosen], group.choices)[_B]
        low, high = similar.interval()
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.float64(own["marks"].sum()) / np.float64(own["places"].sum())
            above = (similar.value - rate**2) / (1 - rate**2)
        yield row | {
            "boundaries": int(own["marks"].sum()),
            "boundary_similarity": similar.value,
            "ci_low": low,
            "ci_high": high,
            "expected": float(rate**2),
            "pi": float(above) if np.isfinite(above) else None,
        }


def _share(key: tuple[int, int], paired: Mapping[tuple[int, int], int]) -> float | None:
    """Return the share of paired boundaries with these types, of those with one of them only.

    Of one type: of all with this type on either side.
    """
    one, other = key
    if one == other:
        whole = sum(number for types, number in paired.items() if one in types)
    else:
        whole = sum(paired.get(types, 0) for types in ((one, one), key, (other, other)))
    return paired[key] / whole if whole else None


def type_sentences(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a sentence about the types, and one about those that are most often confused."""
    own = [row for row in rows if row["type"] == row["other_type"] and row[_B] is not None]
    if len(own) < _SEVERAL:
        return
    own.sort(key=lambda row: (row[_B], row["type"]))
    low, high = own[0], own[-1]
    yield (
        f"Of {len(own)} boundary types, coders agree best on type {high['type']} (boundary "
        f"similarity {high[_B]:.4f}) and least on type {low['type']} ({low[_B]:.4f})."
    )
    confused = [row for row in rows if row["type"] != row["other_type"] and row["paired"]]
    if confused:
        most = max(confused, key=lambda row: (row["share"], row["paired"], -row["type"]))
        yield (
            f"Types {most['type']} and {most['other_type']} are confused most: in "
            f"{percent(most['share'])} of the boundaries to which both coders gave one of the "
            "two, they gave different ones."
        )
