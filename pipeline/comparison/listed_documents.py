"""List the documents to look at: the worst ones and those that changed, with their commands."""

from collections.abc import Callable, Iterator, Sequence

from segscore.pipeline.runs.finished import FinishedRun, RunRow, grouped
from segscore.pipeline.statistics.formatted_numbers import counted, format_p, shown_number

_WORST = 3
"""Number of documents, or of systems with one document each, that are listed as the worst."""

_CHANGED = 5
"""Number of documents of each change that are listed, and of positions in each."""


def worst_in_words(
    finished: FinishedRun, ranked: Sequence[str], printable: Callable[[str], str] = str
) -> Iterator[str]:
    """List commands that show the worst documents; for two, where each is furthest behind.

    Of more than two systems, only the worst document of each of the first is listed.

    Args:
        finished: the comparison.
        ranked: the systems, best first.
        printable: writes a command so that it can be copied.
    """
    first = finished.settings["measures"][0]
    rows: list[RunRow] = [
        row
        for row in finished.rows("worst")
        if row["measure"] == first and row["place"] <= _WORST and row["command"]
    ]
    systems = list(dict.fromkeys(row["system"] for row in rows))
    if len(systems) > 2:
        some = f"the first {_WORST} systems" if len(systems) > _WORST else "each system"
        yield f"the worst document of {some} by {first}:"
        yield from _worst_of_each(rows, ranked, printable)
        return
    two = len(systems) == 2 and any(row["other"] for row in rows)
    wanted = systems if two else [None]
    chosen = [row for row in rows if row["other"] in wanted]
    for system in systems:
        for row in (worst for worst in chosen if worst["system"] == system):
            if row["place"] == 1:
                behind = f"furthest behind {row['other']}" if two else "worst"
                yield f"{system}, {behind} by {first}:"
            against = f" against {shown_number(row['other_value'])}" if two else ""
            yield f"  {shown_number(row['value'])}{against}  {printable(row['command'])}"


def _worst_of_each(
    rows: Sequence[RunRow], ranked: Sequence[str], printable: Callable[[str], str]
) -> Iterator[str]:
    worst = [row for row in rows if row["place"] == 1 and row["other"] is None]
    place = {name: number for number, name in enumerate(ranked)}
    worst = sorted(worst, key=lambda row: place.get(row["system"], len(place)))[:_WORST]
    width = max((len(row["system"]) for row in worst), default=0)
    for row in worst:
        value, command = shown_number(row["value"]), printable(row["command"])
        yield f"  {row['system']:<{width}}  {value}  {command}"


def changes_in_words(
    counts: Sequence[RunRow], changed: Sequence[RunRow], printable: Callable[[str], str] = str
) -> Iterator[str]:
    """Say what the tests of changes give, and list commands that show where they are.

    Args:
        counts: rows of the table changes; one or more.
        changed: rows of the table changed.
        printable: writes a command so that it can be copied.
    """
    found = {row["change"]: row for row in counts}
    for better, worse in (("fixed", "broken"), ("gone", "new")):
        if (p := found[better]["p"]) is not None:
            numbers = f"{found[better]['number']} {better}, {found[worse]['number']} {worse}"
            yield f"{found[better]['what']}: {numbers}: p {format_p(p)} (McNemar, by documents)"
    of_change = grouped(changed, ("change",))
    for change in ("broken", "new", "fixed", "gone"):
        yield from _most_changed(change, of_change.get((change,), ()), printable)


def _most_changed(
    change: str, rows: Sequence[RunRow], printable: Callable[[str], str]
) -> Iterator[str]:
    """List the documents with the most changes of one kind."""
    documents = grouped(rows, ("document_id",))
    most = sorted(documents.items(), key=lambda item: (-len(item[1]), item[0]))[:_CHANGED]
    if most:
        positions, every = counted(len(rows), "position"), len(documents)
        where = f", in {counted(every, 'document')}:"
        if len(most) < every:
            where = f"; {len(most)} of {every:,} documents, those with the most:"
        yield f"{change}: {positions}{where}"
    for _, of_document in most:
        places = sorted({row["position"] for row in of_document})
        first = ", ".join(map(str, places[:_CHANGED])) + ", …" * (len(places) > _CHANGED)
        yield f"  {first}  {printable(of_document[0]['command'])}"
