"""Lay out a table of a comparison for a paper, and write it as text, Markdown, LaTeX or CSV."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from segscore.jobs.show.by_system import by_system, mark_best
from segscore.jobs.show.fitted import print_fitted, print_lines
from segscore.jobs.show.formats import Layout, print_table, print_text, require_names_printable
from segscore.jobs.show.latex import latex_tables
from segscore.pipeline.comparison.pair_rows import (
    beaten_systems,
    better_first,
    by_difference,
)
from segscore.pipeline.statistics.shown_numbers import (
    shown_as,
    shown_attribute,
    shown_number,
    shown_p,
    shown_rank,
    with_interval,
)
from segscore.pipeline.statistics.shown_tables import Column
from segscore.schemas.rows import OmnibusRow, PairRow, SystemRow, column_of, group_of

if TYPE_CHECKING:
    from segscore.pipeline.comparison.settings import CompareSettings
    from segscore.pipeline.results.leaderboard import Leaderboard
    from segscore.pipeline.runs.finished import FinishedRun

LAYOUTS = ("pairs", "systems", "references", "ranks")
_FORMATS = ("text", "json", "markdown", "latex", "csv")
_AVERAGES = ("micro", "macro")


def require(layout: str | None, format_name: str, average: str, group_by: tuple[str, ...]) -> None:
    """Refuse invalid options before work starts; the message names the option."""
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.settings.ranges import one_of

    if layout is not None:
        one_of("--layout", layout, LAYOUTS)
    one_of("--format", format_name, _FORMATS)
    one_of("--average", average, _AVERAGES)
    if layout == "references" and group_by not in ((), ("reference",)):
        raise Refused(
            f"--group-by {','.join(group_by)}: --layout references already groups by "
            "reference; leave --group-by out"
        )


def require_room(settings: "CompareSettings", format_name: str) -> None:
    """Require that published scores are printed or written, if the settings ask for them.

    Raises:
        Refused: the format has no room for them, and there is no output folder.
    """
    from segscore.pipeline.errors import Refused

    if settings.shows_published and settings.output is None and format_name in ("csv", "latex"):
        raise Refused(
            f"--format {format_name}: holds one table, so that it has no room for the scores of "
            "--published; print text, markdown or json, or name a folder with --output, which gets "
            "the table published"
        )


def lay_out(layout: str, finished: "FinishedRun", average: str) -> Layout:
    """Choose and arrange the rows of a comparison."""
    builders = {"pairs": _pairs, "systems": _systems, "references": _references, "ranks": _ranks}
    return replace(builders[layout](finished, average), average=average)


def _averages(finished: "FinishedRun", average: str) -> list[SystemRow]:
    rows: list[SystemRow] = finished.table("systems").to_pylist()
    return [row for row in rows if row["average"] == average]


def _differences(finished: "FinishedRun", average: str) -> list[PairRow]:
    rows: list[PairRow] = finished.table("comparisons").to_pylist()
    return [row for row in rows if row["average"] == average]


def _group(row: Mapping[str, object], by: Sequence[str]) -> list[str]:
    return ["all" if part is None else shown_attribute(part) for part in group_of(row, by)]


def _pairs(finished: "FinishedRun", average: str) -> Layout:
    """Make one row per pair and measure: the difference, its interval, its tests.

    Groups and measures keep their order; the largest difference of each comes first.
    """
    from segscore.pipeline.runs.finished import grouped

    by = finished.record["settings"]["group_by"]
    parts = grouped(_differences(finished, average), (*by, "measure"))
    rows = [row for part in parts.values() for row in sorted(part, key=by_difference)]
    pairs = [better_first(row) for row in rows]
    cells = [
        [
            *_group(row, by),
            row["measure"],
            row["system"],
            row["other"],
            with_interval(row["difference"], row["ci_low"], row["ci_high"]),
            shown_p(row["p_holm"]),
            *(_by_document(row) if average == "macro" else ()),
        ]
        for row in pairs
    ]
    tests = ["Wilcoxon (Holm)", "d"] if average == "macro" else []
    titles = ["difference [interval (Holm)]", "p (Holm)", *tests]
    headings = [*by, "measure", "system, better first", "against", *titles]
    columns = finished.table("comparisons").column_names
    numbers = [[column_of(row, name) for name in columns] for row in rows]
    texts, signature = len(by) + 3, finished.record["signature"]
    return Layout(
        headings, cells, columns, numbers, texts, signature, len(by) + 1, intervals=_BY_HOLM
    )


_BY_HOLM = "intervals by Holm's method in brackets"


def _by_document(row: PairRow) -> list[str]:
    """Return the cells of the tests of single documents, which macro rows alone have."""
    return [
        shown_p(row["p_wilcoxon_holm"]),
        shown_as(row["effect_d"], ".2f"),
    ]


def _systems(finished: "FinishedRun", average: str) -> Layout:
    """Make one row per system: the value and interval of each measure."""
    from segscore.pipeline.results.leaderboard import rank

    by, measures = (finished.record["settings"][name] for name in ("group_by", "measures"))
    rows = _averages(finished, average)
    rows.sort(key=lambda row: measures.index(row["measure"]))
    boards = rank(rows, by, measures[0], "system")
    layout = by_system(boards, by, "system", finished.record["signature"], measures)
    return _marked(layout, boards, _differences(finished, average), by, measures)


def _marked(
    layout: Layout,
    boards: "Sequence[Leaderboard]",
    pairs: Sequence[PairRow],
    by: Sequence[str],
    measures: Sequence[str],
) -> Layout:
    """Mark the best values of a table of systems, and the systems that each beats significantly."""
    keys = [(board.group, name) for board in boards for name in board.names]
    row_of = {key: row for row, key in enumerate(keys)}
    first = len(layout.headings) - len(measures)
    place_of = {measure: first + place for place, measure in enumerate(measures)}
    parts: dict[tuple[tuple[Any, ...], str], list[PairRow]] = {}
    for pair in pairs:
        group = group_of(pair, by)
        parts.setdefault((group, pair["measure"]), []).append(pair)
    beaten = {
        (row_of[group, name], place_of[measure]): frozenset(row_of[group, o] for o in others)
        for (group, measure), part in parts.items()
        for name, others in beaten_systems(part).items()
    }
    return replace(mark_best(layout, boards, measures), beaten=beaten)


def _references(finished: "FinishedRun", average: str) -> Layout:
    """Make one row per reference, one column per system (Kazantseva & Szpakowicz 2012, Table 2).

    Consensus references come first, then coders, then the mean over coders.  Measures that use all
    references at once, such as multWinDiff, have one row.  The best system by that mean of the
    first measure comes first.
    """
    from segscore.pipeline.measures import PANELS
    from segscore.pipeline.results.leaderboard import rank

    rows = _averages(finished, average)
    measures = finished.record["settings"]["measures"]
    boards = rank([row for row in rows if row["reference"] is None], (), measures[0], "system")
    systems = [name for board in boards for name in board.names]
    values = {(row["measure"], row["reference"], row["system"]): row["value"] for row in rows}
    keys = {(row["measure"], row["reference"]): None for row in rows}
    order = sorted(keys, key=lambda key: (measures.index(key[0]), *_reference_order(key[1])))
    at_once = "all at once"
    names = [
        (m, reference or (at_once if m in PANELS.measures else "all coders"))
        for m, reference in order
    ]
    found = [[values.get((*key, system)) for system in systems] for key in order]
    numbers = [[*name, *row] for name, row in zip(names, found, strict=True)]
    shown = [[*name, *map(shown_number, row)] for name, row in zip(names, found, strict=True)]
    headings = ["measure", "reference", *systems]
    return Layout(headings, shown, headings, numbers, 2, finished.record["signature"], 1)


def _ranks(finished: "FinishedRun", average: str) -> Layout:
    """Make one row per system and measure: ranks, and the tests of ranks on single documents.

    Mean ranks and these tests are about macro averages. They depend on which other systems are
    there (Benavoli, Corani & Mangili 2016), so that no other layout has them.
    """
    from segscore.pipeline.runs.finished import grouped

    by = finished.record["settings"]["group_by"]
    chosen, macro = (_averages(finished, each) for each in (average, "macro"))
    of_documents = {_key(row, by): row["mean_rank"] for row in macro}
    names = list(dict.fromkeys(row["system"] for row in chosen))
    nemenyi: dict[tuple[tuple[Any, ...], str], float | None] = {}
    for pair in _differences(finished, "macro"):
        of = (*group_of(pair, by), pair["measure"])
        nemenyi[(*of, pair["system"]), pair["other"]] = pair["p_nemenyi"]
        nemenyi[(*of, pair["other"]), pair["system"]] = pair["p_nemenyi"]
    cells, numbers = [], []
    for part in grouped(chosen, (*by, "measure")).values():
        for row in sorted(part, key=lambda row: (row["rank"] is None, row["rank"], row["system"])):
            key = _key(row, by)
            p = [nemenyi.get((key, name)) for name in names]
            values = [row["rank"], row["rank_low"], row["rank_high"], of_documents.get(key), *p]
            first = [*_group(row, by), row["measure"], row["system"]]
            shown = [shown_rank(row["rank"]), shown_ranks(row), shown_as(values[3], ".2f")]
            cells.append([*first, *shown, *map(shown_p, p)])
            numbers.append([*group_of(row, by), *first[len(by) :], *values])
    notes: dict[tuple[str, ...], list[str]] = {}
    tests: list[OmnibusRow] = finished.table("omnibus").to_pylist()
    for test in tests:
        if test["p"] is not None:
            notes.setdefault((*_group(test, by), test["measure"]), []).append(_test(test))
    against = [f"p against {name} (Nemenyi)" for name in names]
    columns = ["rank", "rank_low", "rank_high", "mean_rank", *against]
    return Layout(
        [*by, "measure", "system", "rank", "rank interval", "mean rank of documents", *against],
        cells,
        [*by, "measure", "system", *columns],
        numbers,
        len(by) + 2,
        finished.record["signature"],
        len(by) + 1,
        notes={of: "; ".join(found) for of, found in notes.items()},
    )


def _key(row: SystemRow, by: Sequence[str]) -> tuple[Any, ...]:
    return *group_of(row, by), row["measure"], row["system"]


def shown_ranks(row: SystemRow) -> str:
    """Show the interval of a system's rank."""
    low, high = row["rank_low"], row["rank_high"]
    return "–" if low is None or high is None else f"{shown_rank(low)} to {shown_rank(high)}"


def _test(row: OmnibusRow) -> str:
    kind = "Friedman chi²" if row["test"] == "friedman" else "Kruskal-Wallis H"
    effect = "W" if row["test"] == "friedman" else "epsilon²"
    return (
        f"{kind}({row['degrees']}) = {shown_as(row['statistic'], '.2f')}, p {shown_p(row['p'])}, "
        f"{effect} = {shown_as(row['effect'], '.2f')}"
    )


def _reference_order(reference: str | None) -> tuple[int, float]:
    """Return a sort key: consensus references first, the strictest first; then coders; then all."""
    from segscore.pipeline.settings.reading import CONSENSUS, parse_share

    if reference is None:
        return 2, 0.0
    if not reference.startswith(CONSENSUS):
        return 1, 0.0
    return 0, -float(parse_share(reference.removeprefix(CONSENSUS))[1])


def print_layout(layout: Layout, format_name: str) -> None:
    """Print a table in a format, with the average and the signature below, in CSV beside it."""
    if format_name == "text":
        _print_as_text(layout)
    elif format_name == "latex":
        require_names_printable(layout)
        print_text(latex_tables(layout))
    else:
        print_table(layout, format_name)


def _print_as_text(layout: Layout) -> None:
    """Print a table that fits the terminal, with the signature below."""
    print_fitted(
        [
            Column(heading, [row[place] for row in layout.rows], is_name=place < layout.texts)
            for place, heading in enumerate(layout.headings)
        ],
        caption="; ".join(layout.remarks),
    )
    print_lines(layout.signature)
