"""Arrange averages as a table with one row per system and one column per measure."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from segscore.jobs.show.formats import Layout, plain_layout
from segscore.jobs.show.numbers import with_interval

if TYPE_CHECKING:
    import pyarrow as pa

_PARTS = ("value", "ci_low", "ci_high")
_SUFFIXES = ("", "_low", "_high")
_UNDEFINED = dict.fromkeys(_PARTS)

_Row = Mapping[str, Any]


def by_system(
    rows: Sequence[_Row], by: Sequence[str], system: str, signature: str, shown: Sequence[str]
) -> Layout:
    """Make one row per group and system, best first: the value and interval of each measure.

    Args:
        rows: averages of one kind, one for each group, system and measure.
        by: the group-by columns.
        system: name of the column that names the system.
        signature: signature of the run.
        shown: the measures to show to people; the values for programs are those of all measures.
    """
    cells: dict[tuple[Any, ...], dict[str, _Row]] = {}
    for row in rows:
        key = tuple(row[name] for name in (*by, system))
        cells.setdefault(key, {})[row["measure"]] = row
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    groups = list(dict.fromkeys(key[:-1] for key in cells))
    fewer = {group: _with_fewer_documents(cells, group) for group in groups}

    def order(key: tuple[Any, ...]) -> tuple[object, ...]:
        is_point, *rest = system_order(cells[key], measures, key[-1])
        return groups.index(key[:-1]), is_point, key[-1] in fewer[key[:-1]], *rest

    keys = sorted(cells, key=order)
    documents = [max(row["documents"] for row in cells[key].values()) for key in keys]
    values = [[cells[key].get(name, _UNDEFINED) for name in measures] for key in keys]
    shown_values = [[cells[key].get(name, _UNDEFINED) for name in shown] for key in keys]
    return Layout(
        headings=[*by, "system", "documents", *shown],
        rows=[
            [*("all" if part is None else str(part) for part in key), str(number), *map(_cell, row)]
            for key, number, row in zip(keys, documents, shown_values, strict=True)
        ],
        names=[*by, system, "documents", *(m + suffix for m in measures for suffix in _SUFFIXES)],
        numbers=[
            [*key, number, *(one[part] for one in row for part in _PARTS)]
            for key, number, row in zip(keys, documents, values, strict=True)
        ],
        texts=len(by) + 1,
        signature=signature,
        apart=len(by),
    )


def _with_fewer_documents(
    cells: Mapping[tuple[Any, ...], Mapping[str, _Row]], group: tuple[Any, ...]
) -> set[str]:
    """Return the systems of a group that were scored on fewer documents than others."""
    from segscore.pipeline.scoring.coverage import fewer_documents

    rows = (
        {"hypothesis": key[-1], "documents": next(iter(averages.values()))["documents"]}
        for key, averages in cells.items()
        if key[:-1] == group
    )
    return {*fewer_documents(rows)}


def system_order(
    cells: Mapping[str, _Row], measures: Sequence[str], system: str
) -> tuple[bool, bool, float, str]:
    """Return a sort key: systems before reference points, best first by the first measure.

    Args:
        cells: averages of the system by measure.
        measures: the measures.
        system: name of the system.
    """
    from segscore.pipeline.measures import ALL
    from segscore.pipeline.scoring.names import is_point

    value = cells.get(measures[0], _UNDEFINED)["value"]
    sign = -1 if ALL[measures[0]].better == "higher" else 1
    return is_point(system), value is None, sign * (value or 0.0), system


def _cell(row: _Row) -> str:
    return with_interval(*(row[part] for part in _PARTS))


def summary_layout(summary: "pa.Table", layout: str, signature: str) -> Layout:
    """Arrange the averages of a scoring run.

    Args:
        summary: the table ``summary`` of the run.
        layout: ``systems``: micro averages over all documents; ``groups``: also those of each
            group; ``measures``: the rows of the table as they are.
        signature: signature of the run.
    """
    from segscore.pipeline.measures import shown_measures
    from segscore.pipeline.runs.finished import are_over_all
    from segscore.pipeline.statistics.averages import summary_groups

    if layout == "measures":
        return plain_layout(summary.column_names, summary.to_pylist(), signature)
    by = summary_groups(summary.column_names)
    if layout == "systems":
        summary, by = summary.filter(are_over_all(summary, by)), []
    rows = [row for row in summary.to_pylist() if row["average"] == "micro"]
    shown = shown_measures(dict.fromkeys(row["measure"] for row in rows))
    return by_system(rows, by, "hypothesis", signature, shown)
