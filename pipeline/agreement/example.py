"""Find the boundary that shows best that coders read the guidelines in two ways."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import groupby

from segscore.pipeline.plain_text import named_list
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.statistics.formatted_numbers import shown_position
from segscore.schemas.rows import CoderRow

_SEARCHED = 1000
"""The most documents that are searched: those that most coders of both groups coded."""


def find_example(
    run: FinishedRun, groups: Sequence[Collection[str]], near: int
) -> tuple[str, int] | None:
    """Return the place of the boundary of which the shares of two groups who have it differ most.

    Of several, the one in the document that most coders of the smaller group coded, then most of
    both; then the first.
    """
    first, second = ({*group} for group in groups)
    sizes: list[tuple[int, int, str]] = []
    coders: dict[str, list[set[str]]] = {}
    for part in run.parts("documents", ["document_id", "coders"]):
        for row in part.to_pylist():
            of_both = [group.intersection(row["coders"]) for group in (first, second)]
            counts = [*map(len, of_both)]
            if min(counts):
                sizes.append((min(counts), sum(counts), row["document_id"]))
                coders[row["document_id"]] = of_both
        sizes = nlargest(_SEARCHED, sizes)
        coders = {document: coders[document] for *_, document in sizes}
    found: list[tuple[float, int, int, str, int]] = []
    for document, marks in _marks_of(run, coders):
        of_both = coders[document]
        counts = [*map(len, of_both)]
        positions = [*marks]
        for position in positions:
            ends = bisect_left(positions, position - near), bisect_right(positions, position + near)
            having = set().union(*(marks[p] for p in positions[slice(*ends)]))
            shares = [len(having & group) / len(group) for group in of_both]
            apart = abs(shares[0] - shares[1])
            found.append((-apart, -min(counts), -sum(counts), document, position))
    return min(found)[-2:] if found else None


def example_of(run: FinishedRun, coders: Sequence[CoderRow]) -> str:
    """Say who has the boundary by which two ways of reading differ, and who has not.

    Args:
        run: a finished audit.
        coders: rows of `coders` over all documents.
    """
    ways = [
        {row["coder"] for row in coders if row.get("reading") == way} for way in ("common", "other")
    ]
    near = int(run.settings["n_t"]) - 1
    # Of one way, no coder may have an effect that is known.
    if not all(ways) or (example := find_example(run, ways, near)) is None:
        return ""
    document, position = example
    having: set[str] = set()
    for row in run.rows_of("prominence", ["position", "marked_by"], [document]):
        if abs(row["position"] - position) <= near:
            having.update(row["marked_by"])
    coded: set[str] = set()
    for row in run.rows_of("documents", ["coders"], [document]):
        coded.update(row["coders"])
    lacking = coded - having
    have = "has" if len(having) == 1 else "have"
    where = shown_position(position, run.unit)
    none = f", {named_list(sorted(lacking))} none" * bool(lacking)
    return f"In {document}, {named_list(sorted(having))} {have} a boundary at {where}{none}."


def _marks_of(
    run: FinishedRun, documents: Collection[str]
) -> Iterator[tuple[str, Mapping[int, set[str]]]]:
    """Yield each document with its marked positions, and who marked them."""
    rows = run.rows_of("prominence", ["position", "marked_by"], documents)
    for document, of_document in groupby(rows, lambda row: str(row["document_id"])):
        yield document, {row["position"]: {*row["marked_by"]} for row in of_document}
