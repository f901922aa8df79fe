"""Tables of what to do next in an audited project: documents to code, and to adjudicate."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from segscore.pipeline.agreement.adjudication import adjudication
from segscore.pipeline.agreement.next_codings import NextCodings, next_codings
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.statistics.formatted_numbers import counted, shown_as
from segscore.pipeline.statistics.result_table import Column, ResultTable
from segscore.pipeline.tables.units import PER_SECOND

_FIRST, _POSITIONS = 20, 8


class Work(NamedTuple):
    """What to do next: its rows as JSON values, and the table that a terminal shows."""

    rows: list[dict[str, Any]]
    table: ResultTable


def _next(run: FinishedRun, number: int, available: Sequence[str] | None) -> Work:
    """Choose codings to make next; say what they are expected to change."""
    found = next_codings(run, number, available)
    rows: list[dict[str, Any]] = [
        {"document_id": each.document, "coder": each.coder, "others": list(each.others)}
        for each in found.codings
    ]
    columns = [
        Column("document", [each.document for each in found.codings], is_name=True),
        Column("coder", [each.coder for each in found.codings], is_name=True),
        Column("coded by", [", ".join(each.others) for each in found.codings], is_name=True),
    ]
    return Work(
        rows,
        ResultTable(
            columns,
            title="to code next, so that the widest interval narrows",
            caption="; ".join(_expected(found, number)),
            first=_FIRST,
            rest="{} more with --layout next --format csv".format,
        ),
    )


def _expected(found: NextCodings, number: int) -> Iterator[str]:
    """Yield remarks on codings, of which so many were asked for."""
    if found.before is not None and found.after is not None:
        after, before = f"±{found.after:.3f}", f"±{found.before:.3f}"
        still = (
            f"hardly narrower than {before}" if after == before else f"{after} instead of {before}"
        )
        yield (
            f"after {counted(len(found.codings), 'coding')}, the widest interval of a coder is "
            f"expected to be {still}"
        )
    if len(found.codings) < number:
        but = ", but for those of somebody from whom they may have copied" * bool(found.copying)
        yield f"everybody has coded all other documents{but}"
    suggested = {each.coder for each in found.codings}
    for pair in found.copying:
        if not suggested.isdisjoint(pair):
            yield (
                f"{named_list(pair)} may have the same tool, have worked together, or copied: find "
                "that out first; neither is given documents of the other"
            )


def _adjudicate(run: FinishedRun, number: int, _: Sequence[str] | None) -> Work:
    """Choose documents to adjudicate first; say what share of all changes they make."""
    found = adjudication(run, number)
    rows: list[dict[str, Any]] = [
        {
            "document_id": each.document,
            "gain": each.gain,
            "positions": list(each.positions),
            "coders": list(each.coders),
        }
        for each in found.documents
    ]
    gains = [each.gain for each in found.documents]
    places = [_places(each.positions, run.unit) for each in found.documents]
    columns = [
        Column("document", [each.document for each in found.documents], is_name=True),
        Column("expected changes", gains, write=partial(shown_as, form=".1f")),
        Column("boundaries in doubt", places, is_name=True),
    ]
    return Work(
        rows,
        ResultTable(
            columns,
            title="to adjudicate first, so that the consensus changes most",
            caption=f"adjudicating {counted(len(rows), 'document')} is expected to change "
            f"{found.gain:.0f} boundaries, adjudicating all, {found.total:.0f}",
            first=_FIRST,
            rest="{} more with --layout adjudicate --format csv".format,
        ),
    )


def _places(positions: tuple[int, ...], unit: str | None) -> str:
    """Write positions, times in seconds."""
    per_second = PER_SECOND.get(unit or "")
    places = [f"{at}" if per_second is None else f"{at / per_second:.1f} s" for at in positions]
    return ", ".join(places[:_POSITIONS]) + ", ..." * (len(places) > _POSITIONS)


WORK: Final[Mapping[str, Callable[[FinishedRun, int, Sequence[str] | None], Work]]] = {
    "next": _next,
    "adjudicate": _adjudicate,
}
"""Layout, and name of the rows in JSON -> the function that chooses so many rows, for the coders
who are available."""

WORK_COLUMNS: Final[Mapping[str, Sequence[str]]] = {
    "next": ["document_id", "coder", "others"],
    "adjudicate": ["document_id", "gain", "positions", "coders"],
}
"""Layout -> the columns of its rows."""
