"""Print a comparison of systems."""

from collections.abc import Sequence
from dataclasses import replace

from segscore.jobs.cli.encoding import printable_command
from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.formats import print_table, print_text
from segscore.jobs.show.latex import latex_table
from segscore.jobs.show.leaderboard import ALL_DOCUMENTS
from segscore.jobs.show.sentences import print_sentences
from segscore.jobs.show.shown import print_result
from segscore.pipeline.comparison.boundaries_tables import changes_table, where_tables
from segscore.pipeline.comparison.listed_documents import changes_in_words, worst_in_words
from segscore.pipeline.comparison.references_tables import published_values_table, ratings_table
from segscore.pipeline.comparison.sentences import power_in_words
from segscore.pipeline.comparison.systems_table import best_first, groups_table, standings_table
from segscore.pipeline.comparison.verdict import comparison_finding
from segscore.pipeline.results.names import is_point
from segscore.pipeline.runs.finished import FinishedRun, RunRow, grouped
from segscore.pipeline.statistics.formatted_numbers import shown_group
from segscore.schemas.rows import PairRow, SystemRow, group_of


def print_comparison(finished: FinishedRun, average: str) -> None:
    """Print what a comparison found, the systems over all documents, a row a group, and the rest.

    Args:
        finished: the comparison.
        average: the average to show, micro or macro.
    """
    settings = finished.settings
    by = settings["group_by"]
    averages: list[SystemRow] = finished.rows("systems")
    differences: list[PairRow] = finished.rows("comparisons")
    systems, pairs = grouped(averages, (*by, "measure")), grouped(differences, (*by, "measure"))
    first, *groups = list(dict.fromkeys(group_of(row, by) for row in averages))
    print_sentences(comparison_finding(finished, average).lines)
    worst_of: list[str] = []
    for name in settings["measures"]:
        of_measure = systems.get((*first, name), [])
        rows = best_first(of_measure, average)
        compared = [row for row in pairs.get((*first, name), []) if row["average"] == average]
        if rows:
            margin = settings["margin"]
            print_result(standings_table(rows, of_measure, compared, ALL_DOCUMENTS, margin))
            worst_of = worst_of or [row["system"] for row in rows]
        if told := _told_pairs(compared, rows, asked=settings["difference"] is not None):
            print_lines(*power_in_words(told, settings, finished.signature))
    for name in settings["measures"] if groups else ():
        of = {
            shown_group(by, group): best_first(systems.get((*group, name), []), average)
            for group in groups
        }
        tested = {
            shown_group(by, group): [
                row for row in pairs.get((*group, name), []) if row["average"] == average
            ]
            for group in groups
        }
        if known := {group: rows for group, rows in of.items() if rows}:
            print_result(groups_table(known, tested))
    print_lines(*worst_in_words(finished, worst_of, printable_command))
    _print_further(finished)
    for run, counts in finished.record["rows"].items():
        on = f"compared on {counts['scored']:,} of {counts['in']:,} documents"
        print_lines(f"{run}: {on}", style="dim")
    print_lines(finished.signature, style="dim")


def _told_pairs(
    pairs: Sequence[PairRow], ranked: Sequence[SystemRow], *, asked: bool
) -> list[PairRow]:
    """Return the pairs whose power is told: of the best two systems, unless all are asked for.

    Those with a reference point are told of a system alone.
    """
    systems = [row["system"] for row in ranked if not is_point(row["hypothesis"])]
    best = {*systems[:2]}
    chosen = [row for row in pairs if asked or {row["system"], row["other"]} == best]
    return chosen or [*pairs]


def _print_further(finished: FinishedRun) -> None:
    """Print the tables that were asked for."""
    for table in where_tables(finished.rows("where"), finished.unit):
        print_result(table)
    if counts := finished.rows("changes"):
        print_result(changes_table(counts))
        print_lines(*changes_in_words(counts, finished.rows("changed"), printable_command))
    if "published" in finished.at_hand:
        print_published(finished.rows("published"))
    if "ratings" in finished.at_hand:
        print_ratings(finished.rows("ratings"))


def print_published(rows: Sequence[RunRow], format_name: str = "text") -> None:
    """Print a block of its own: published scores, and the systems by the same conventions.

    Args:
        rows: rows of the table `published`.
        format_name: text, which shows the first scores; markdown or latex, which have all.
    """
    if not rows:
        print_lines("published on these references: nothing that segscore knows")
        return
    table = published_values_table(rows)
    if format_name == "text":
        print_result(table)
    elif format_name == "latex":
        texts = [replace(column, is_name=column.name != "printed") for column in table.columns]
        print_text(latex_table(replace(table, columns=texts, caption=table.title), ""))
    else:
        print_text(f"{table.title}\n")
        texts = [replace(column, is_name=True) for column in table.columns]
        print_table(replace(table, columns=texts), format_name)


def print_ratings(rows: Sequence[RunRow], format_name: str = "text") -> None:
    """Print how well the main measures agree with people's ratings, as text or Markdown."""
    table = ratings_table(rows)
    if format_name == "text":
        print_result(table)
    else:
        print_table(table, format_name)
