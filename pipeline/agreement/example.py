"""Find the boundary that shows best that coders read the guidelines in two ways."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.plain_text import named_list
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.statistics.formatted_numbers import shown_position
from segscore.schemas.rows import CoderRow

_SEARCHED = 1000
"""The most documents that are searched: those that most coders of both groups coded."""


@dataclass(frozen=True)
class Example:
    """A boundary that one group marked and the other did not.

    Attributes:
        document: id of the document.
        position: of the boundary, in the unit of the run.
    """

    document: str
    position: int


def with_example(coders: pa.Table, by: Sequence[str], sink: Sink, near: int) -> pa.Table:
    """Fill the columns about an example in the table `coders`, null unless there are two ways.

    Args:
        coders: the table.
        by: the group-by columns, null in the rows over all documents.
        sink: what the run has written.
        near: largest distance of boundaries that are near each other.
    """
    rows = coders.select([*by, "coder", "reading"]).to_pylist()
    of_all = [row["reading"] if all(row[name] is None for name in by) else None for row in rows]
    ways: dict[str, set[str]] = {}
    for row, way in zip(rows, of_all, strict=True):
        if way is not None:
            ways.setdefault(way, set()).add(row["coder"])
    both = len(ways) == 2  # of one way, no coder may have an effect that is known
    example = find_example(sink, [*ways.values()], near) if both else None
    shown = [None if way is None else example for way in of_all]
    documents = [None if each is None else each.document for each in shown]
    positions = [None if each is None else each.position for each in shown]
    for name, values in (("reading_document", documents), ("reading_position", positions)):
        place = coders.column_names.index(name)
        coders = coders.set_column(place, name, pa.array(values, coders.schema.field(name).type))
    return coders


def find_example(sink: Sink, groups: Sequence[Collection[str]], near: int) -> Example | None:
    """Return the boundary of which the shares of two groups who have it differ most.

    Of several, the one in the document that most coders of the smaller group coded, then most of
    both; then the first.
    """
    first, second = ({*group} for group in groups)
    sizes: list[tuple[int, int, str]] = []
    coders: dict[str, list[set[str]]] = {}
    for part in sink.read("documents", ["document_id", "coders"]):
        for row in part.to_pylist():
            of_both = [group.intersection(row["coders"]) for group in (first, second)]
            counts = [*map(len, of_both)]
            if min(counts):
                sizes.append((min(counts), sum(counts), row["document_id"]))
                coders[row["document_id"]] = of_both
        sizes = nlargest(_SEARCHED, sizes)
        coders = {document: coders[document] for *_, document in sizes}
    found: list[tuple[float, int, int, str, int]] = []
    for document, marks in _marks_of(sink, coders):
        of_both = coders[document]
        counts = [*map(len, of_both)]
        positions = [*marks]
        for position in positions:
            ends = bisect_left(positions, position - near), bisect_right(positions, position + near)
            having = set().union(*(marks[p] for p in positions[slice(*ends)]))
            shares = [len(having & group) / len(group) for group in of_both]
            apart = abs(shares[0] - shares[1])
            found.append((-apart, -min(counts), -sum(counts), document, position))
    return Example(*min(found)[-2:]) if found else None


def example_of(run: FinishedRun, coders: Sequence[CoderRow]) -> str:
    """Say who has the boundary by which two ways of reading differ, and who has not.

    Args:
        run: a finished audit.
        coders: rows of `coders` over all documents.
    """
    rows = [row for row in coders if row.get("reading_position") is not None]
    if not rows:
        return ""
    document, position = str(rows[0]["reading_document"]), int(rows[0]["reading_position"] or 0)
    near = int(run.settings["n_t"]) - 1
    having: set[str] = set()
    for row in _in_documents(run.parts, "prominence", ["position", "marked_by"], [document]):
        if abs(row["position"] - position) <= near:
            having.update(row["marked_by"])
    coded: set[str] = set()
    for row in _in_documents(run.parts, "documents", ["coders"], [document]):
        coded.update(row["coders"])
    lacking = coded - having
    have = "has" if len(having) == 1 else "have"
    where = shown_position(position, run.unit)
    none = f", {named_list(sorted(lacking))} none" * bool(lacking)
    return f"In {document}, {named_list(sorted(having))} {have} a boundary at {where}{none}."


def _marks_of(
    sink: Sink, documents: Collection[str]
) -> Iterable[tuple[str, Mapping[int, set[str]]]]:
    """Yield each document with its marked positions, and who marked them."""
    rows = _in_documents(sink.read, "prominence", ["position", "marked_by"], documents)
    for document, of_document in groupby(rows, lambda row: str(row["document_id"])):
        yield document, {row["position"]: {*row["marked_by"]} for row in of_document}


def _in_documents(
    read: Callable[[str, list[str]], Iterable[pa.Table]],
    table: str,
    columns: Sequence[str],
    documents: Collection[str],
) -> Iterable[dict[str, Any]]:
    """Yield the rows of some documents."""
    wanted = pa.array([*documents], pa.string())
    for part in read(table, ["document_id", *columns]):
        ids = part.column("document_id").cast(pa.string())
        yield from part.filter(pc.is_in(ids, wanted)).to_pylist()
