"""Print the systems of a scoring run, best first, with the main measures as columns."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from segscore.jobs.show.fitted import Column, out, print_fitted
from segscore.jobs.show.numbers import counted, shown_interval, shown_number

if TYPE_CHECKING:
    import pyarrow as pa

SCORE_LAYOUTS = ("systems", "groups", "measures")
GROUPS_SHOWN = 10
_MOST_MEASURES = 6
_LONGEST_HEADING = 13
"""Number of characters after which the name of a measure continues on the next line."""

_Row = dict[str, Any]
_Group = tuple[Any, ...]


def print_scores(summary: "pa.Table", layout: str | None = None) -> None:
    """Print the averages of a run.

    Args:
        summary: the table ``summary`` of the run.
        layout: ``systems``: the leaderboard over all documents; ``groups``: also that of each
            group; ``measures``: a table for each measure, for each of these groups; None: the
            leaderboard, of a command that has no other layout.
    """
    from segscore.pipeline.statistics.averages import summary_groups

    if not summary.num_rows:
        need = "no document has several references, which all the chosen measures need"
        out().print(f"no averages: {need}")
        return
    by = summary_groups(summary.column_names)
    groups = _by_group(summary, by)
    shown = list(groups) if layout in ("groups", "measures") else list(groups)[:1]
    for group in shown[: 1 + GROUPS_SHOWN]:
        if layout == "measures":
            _print_measures(_title(by, group), groups[group])
        else:
            hint = [] if layout is None else ["--layout measures shows all measures"]
            _print_leaderboard(_title(by, group), groups[group], hint)
    if len(shown) > 1 + GROUPS_SHOWN:
        out().print(f"{len(shown) - 1 - GROUPS_SHOWN} more groups are in the table summary")
    if layout == "systems" and len(groups) > 1:
        number = f"{len(groups) - 1} group{'s' if len(groups) > 2 else ''}"
        out().print(f"--layout groups adds the averages of {number} by {', '.join(by)}")


def _by_group(summary: "pa.Table", by: Sequence[str]) -> dict[_Group, list[_Row]]:
    """Return the rows by group, those over all documents first."""
    groups: dict[_Group, list[_Row]] = {(None,) * len(by): []}
    for row in summary.to_pylist():
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    return groups


def _title(by: Sequence[str], group: _Group) -> str:
    if all(part is None for part in group):
        return "all documents"
    return ", ".join(f"{name} {part}" for name, part in zip(by, group, strict=True))


def _print_leaderboard(title: str, rows: list[_Row], hint: list[str]) -> None:
    from segscore.pipeline.measures import shown_measures
    from segscore.pipeline.scoring.coverage import fewer_documents

    micro = {(r["measure"], r["hypothesis"]): r for r in rows if r["average"] == "micro"}
    measures = shown_measures(dict.fromkeys(name for name, _ in micro))
    systems, points = _ranked(measures[0], micro)
    names = [*systems, *points]
    documents = {name: str(micro[measures[0], name]["documents"]) for name in names}
    fewer = fewer_documents(micro[measures[0], name] for name in systems)
    compared = [name for name in systems if name not in fewer]
    columns = [Column("system, best first", [_name(name, points) for name in names], is_name=True)]
    columns += [_measure(name, micro, names, compared) for name in measures[:_MOST_MEASURES]]
    numbers = {micro[measures[0], name]["documents"] for name in names}
    if len(numbers) > 1:
        columns.insert(1, Column("documents", list(documents.values())))
    over = f" over {counted(numbers.pop(), 'document')}" if len(numbers) == 1 else ""
    remarks = [f"micro averages{over}"]
    remarks += ["95 % intervals below them"] * any(r["ci_low"] is not None for r in micro.values())
    remarks += [f"* best system{' with all documents' if fewer else ''}"] * (len(compared) > 1)
    remarks += hint if len(measures) > _MOST_MEASURES else []
    ends = {len(systems) - 1} if systems and points else set()
    print_fitted(columns, title=title, caption="; ".join(remarks), sections=ends)


def _ranked(measure: str, averages: dict[tuple[str, str], _Row]) -> tuple[list[str], list[str]]:
    """List the systems, then the reference points, both best first.

    Systems that were scored on fewer documents than others are the last ones.
    """
    from segscore.pipeline.measures import ALL
    from segscore.pipeline.scoring.coverage import ranked
    from segscore.pipeline.scoring.names import is_point

    rows = [row for (name, _), row in averages.items() if name == measure]
    higher = ALL[measure].better == "higher"
    names = [row["hypothesis"] for row in ranked(rows, higher=higher)]
    # Systems that the first measure has no rows for come last.
    names += [name for name in dict.fromkeys(name for _, name in averages) if name not in names]
    points = [name for name in names if is_point(name)]
    return [name for name in names if name not in points], points


def _name(name: str, points: Iterable[str]) -> Text:
    return Text(name, "dim" if name in points else "")


def measure_heading(measure: str) -> str:
    """Return the heading of a column: the name of a measure, and an arrow in its better direction.

    A long name continues on the next line after an underscore.
    """
    from segscore.pipeline.measures import ALL

    lines = [""]
    for part in (measure + ALL[measure].arrow).replace("_", "_\0").split("\0"):
        if lines[-1] and len(lines[-1] + part) > _LONGEST_HEADING:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _measure(
    measure: str,
    averages: dict[tuple[str, str], _Row],
    names: Sequence[str],
    compared: Sequence[str],
) -> Column:
    from segscore.pipeline.scoring.names import is_point

    values = [averages.get((measure, name), {}).get("value") for name in compared]
    best = best_value(measure, values)
    cells = []
    for name in names:
        row = averages.get((measure, name), {})
        value = row.get("value")
        is_best = name in compared and value is not None and value == best
        cell = Text(shown_number(value) + ("*" if is_best else " "), "bold" if is_best else "")
        if row.get("ci_low") is not None:
            cell.append(f"\n{_short_interval(row['ci_low'], row['ci_high'])}", "not bold dim")
        if is_point(name):
            cell.stylize("dim")
        cells.append(cell)
    return Column(measure_heading(measure), cells)


def best_value(measure: str, values: Iterable[float | None]) -> float | None:
    """Return the best of some systems' values; None if there are no two to choose from."""
    from segscore.pipeline.measures import ALL

    known = [value for value in values if value is not None]
    if len(known) < 2 or ALL[measure].better == "neither":
        return None
    return max(known) if ALL[measure].better == "higher" else min(known)


def _short_interval(low: float, high: float) -> str:
    """Format an interval; the ends are joined by a dash unless one is negative."""
    return f"{shown_number(low)}{'–' if low >= 0 else ' to '}{shown_number(high)}"


def _print_measures(title: str, rows: list[_Row]) -> None:
    """Print a table of the systems for each measure."""
    from segscore.pipeline.measures import ALL, shown_measures

    micro, macro = (
        {(r["measure"], r["hypothesis"]): r for r in rows if r["average"] == average}
        for average in ("micro", "macro")
    )
    for name in shown_measures(dict.fromkeys(measure for measure, _ in micro)):
        systems, points = _ranked(name, {key: row for key, row in micro.items() if key[0] == name})
        names = [*systems, *points]
        print_fitted(
            [
                Column("system, best first", [_name(one, points) for one in names], is_name=True),
                *_averages("micro", [micro[name, one] for one in names]),
                *_averages("macro", [macro[name, one] for one in names]),
                Column("documents", [str(micro[name, one]["defined"]) for one in names]),
            ],
            title=f"{name}{ALL[name].arrow}, {title}",
            sections={len(systems) - 1} if systems and points else (),
        )


def _averages(heading: str, rows: Sequence[_Row]) -> list[Column]:
    intervals = [shown_interval(row["ci_low"], row["ci_high"]) for row in rows]
    values = [shown_number(row["value"]) for row in rows]
    return [Column(heading, values), Column("95 % interval", intervals)]
