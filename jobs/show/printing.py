"""Print the results of commands, what they wrote, and what to do next."""

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from segscore.jobs.cli.encoding import printable_command
from segscore.jobs.cli.log import LOG
from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.formats import print_json
from segscore.jobs.show.leaderboard import ALL_DOCUMENTS, explain_better_point, print_scores
from segscore.jobs.show.sentences import print_sentences
from segscore.pipeline.settings.signature import fields
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.sentences import Sentence

if TYPE_CHECKING:
    import pyarrow as pa

    from segscore.pipeline.errors import Done
    from segscore.pipeline.importing.account import Imported
    from segscore.pipeline.runs.planning import Plan
    from segscore.pipeline.scoring.finished_scoring import FinishedScoring


def print_plan(plan: "Plan", command: str, format_name: str) -> None:
    """Print how the rows of a document would be brought together, and why."""
    if format_name == "json":
        print_json(command, {"plan": [*plan.explanation]})
    else:
        print_lines(*plan.explanation)


def print_finished(
    output: str, finished: "FinishedScoring", layout: str, named: Sequence[str], *, written: bool
) -> None:
    """Print the averages of a run, the row counts of its input, what to do next, and who is best.

    Args:
        output: folder of the run, as the user named it.
        finished: the run.
        layout: the averages to print, as for ``print_scores``.
        named: measures and families in the order in which the user named them.
        written: whether the run was written just now.
    """
    from segscore.pipeline.comparison.best_of_run import best_of_run
    from segscore.pipeline.scoring.shared_averages import ranked_summary

    by_level = finished.record["settings"].get("by_level") is not None
    whole = "all documents, over all levels" if by_level else ALL_DOCUMENTS
    summary = ranked_summary(finished)
    if summary.num_rows:
        print_sentences(best_of_run(finished, summary, named).lines)
        if (sentence := explain_better_point(summary)) is not None:
            print_sentences([Sentence(sentence)])
    print_scores(summary, layout, whole, named)
    print_record(output, finished.record, written=written)
    if summary.num_rows:
        shown = _measure_named(summary, named, finished.measures_in_order)
        _print_next(output, summary, shown + (" --group-by level" if by_level else ""))


def _measure_named(summary: "pa.Table", named: Sequence[str], recorded: Sequence[str]) -> str:
    """Return the option for the measure shown first, where `compare` would take another."""
    from segscore.pipeline.results.leaderboard import measures_to_show

    names = summary.column("measure").unique().to_pylist()
    shown, usual = (measures_to_show(names, order)[0] for order in (named, recorded))
    return "" if shown == usual else f" --measure {shown}"


def _print_next(output: str, summary: "pa.Table", options: str) -> None:
    """Print the commands that show more about a scoring run: tests, if it has pairs, and charts."""
    run = shlex.quote(output)
    has_pairs = len(summary.column("hypothesis").unique()) > 1
    commands = [f"segscore compare {run}{options}"] * has_pairs + [f"segscore report {run}"]
    print_lines(f"next: {'; '.join(map(printable_command, commands))}", style="dim")


def say_done(done: "Done", format_name: str) -> None:
    """Say that a run was finished before: among the results, or in the log if they are data."""
    if format_name == "text":
        print_lines(done.message)
    else:
        LOG.say("info", done.message)


def print_record(output: str, record: dict[str, Any], *, written: bool = False) -> None:
    """Print the row counts of a run's input, its signature, and where it was written."""
    _print_test_set(record)
    print_row_counts(record, f"written to {output}" if written else "")
    log_finished(output, record)
    print_lines(record["signature"], style="dim")


def _print_test_set(record: dict[str, Any]) -> None:
    """Print which test set the references of a scoring run are, if it is known."""
    from segscore.pipeline.testsets.recognise import describe_record
    from segscore.pipeline.testsets.registry import own_registry

    test_set = record.get("test_set", {})
    if test_set.get("name") is None:
        return
    if sentence := describe_record(test_set, own_registry()):
        print_lines(sentence, style="dim")


def log_finished(output: str, record: dict[str, Any]) -> None:
    """Log the warnings of a finished run and, for programs, what it did."""
    LOG.warn(record["warnings"])
    if LOG.structured:
        fields = ("signature", "rows", "pairs", "seconds")
        LOG.say("info", "finished", output=output, **{name: record[name] for name in fields})


def chosen_n_t(record: dict[str, Any]) -> str | None:
    """Say how close near misses are in a recording or in words; None where n_t affects nothing.

    Args:
        record: run.json of a run whose user did not choose n_t.
    """
    from segscore.pipeline.runs.finished import measured_unit
    from segscore.pipeline.tables.units import PER_SECOND

    unit, n_t = measured_unit(record), fields(record["signature"]).get("n_t")
    if n_t is None:
        return None
    if record["settings"].get("units") == "words":
        return (
            f"Near misses are boundaries less than {n_t} words apart, because --n-t was not given: "
            "boundaries a sentence apart are full misses. Choose --n-t in words, such as the "
            "length of two sentences."
        )
    if unit not in PER_SECOND:
        return None
    return (
        f"Near misses are boundaries less than {int(n_t) / PER_SECOND[unit]:g} s apart (--n-t "
        f"{n_t}), because positions are {unit}s and --n-t was not given."
    )


def print_row_counts(record: dict[str, Any], where: str = "") -> None:
    """Print how many rows of each input table had which outcome, and how many were added.

    Where all rows were scored and none was added, this takes one line.

    Args:
        record: run.json of the run.
        where: where it was written, in words; empty for nothing.
    """
    print_lines(*_row_counts(record, where), style="dim")


def _row_counts(record: dict[str, Any], where: str) -> Iterator[str]:
    from segscore.pipeline.runs.record import name_of_rows
    from segscore.pipeline.scoring.missing import Missing

    added = Missing.of_record(record.get("missing")).added
    rows = record["rows"]
    if not added and all(
        counts["in"] == counts["scored"] and not counts.get("copies") for counts in rows.values()
    ):
        numbers = ((name, counts["in"]) for name, counts in rows.items())
        scored = ", ".join(f"{number:,} {name_of_rows(name, number)}" for name, number in numbers)
        yield "; ".join(filter(None, [f"scored {scored}", where]))
        return
    for name, counts in rows.items():
        copies = counts.get("copies", 0)
        besides = f" + {copies:,} {'copy' if copies == 1 else 'copies'}" if copies else ""
        if added and name == "hypotheses":
            besides += f"; + {added:,} without boundaries"
        yield (
            f"{name}: {counts['in']:,} in = {counts['scored']:,} scored + "
            f"{counts['rejected']:,} rejected + {counts['unpaired']:,} unpaired{besides}"
        )
    if where:
        yield where


def warn_of_imported(imported: "Imported") -> Iterator[str]:
    """Yield warnings about what was adapted, not used, or contradicts other rows."""
    if imported.adapted:
        yield "; ".join(imported.adapted)
    yield from (*imported.unused, *imported.warnings, *imported.contradictions)
    if imported.contradictions:
        yield "written as they are; a run will leave these rows out"


def print_tables(output: str, imported: "Imported") -> None:
    """Print the tables of an output folder, with their numbers of rows and segments."""
    for name, rows in imported.rows.items():
        numbers = [counted(rows, "row")]
        if name in imported.segments:
            numbers.append(counted(imported.segments[name], "segment"))
        print_lines(f"{output}/{name}: {', '.join(numbers)}")
