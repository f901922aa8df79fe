"""Print a comparison of systems."""

from collections.abc import Sequence
from dataclasses import replace

from segscore.jobs.cli.encoding import printable_command
from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.formats import print_table, print_text
from segscore.jobs.show.latex import latex_table
from segscore.jobs.show.leaderboard import GROUPS_SHOWN
from segscore.jobs.show.sentences import print_sentences
from segscore.jobs.show.shown import print_shown
from segscore.pipeline.comparison.listed_documents import changes_in_words, worst_in_words
from segscore.pipeline.comparison.pair_rows import neighbours_first
from segscore.pipeline.comparison.sentences import power_in_words
from segscore.pipeline.comparison.shown_beside import published_shown, ratings_shown
from segscore.pipeline.comparison.shown_boundaries import changes_shown, where_shown
from segscore.pipeline.comparison.shown_pairs import first_pairs_shown
from segscore.pipeline.comparison.shown_systems import best_first, systems_shown
from segscore.pipeline.comparison.verdict import comparison_in_words
from segscore.pipeline.runs.finished import FinishedRun, RunRow, grouped
from segscore.pipeline.statistics.shown_numbers import shown_group
from segscore.schemas.rows import PairRow, SystemRow, group_of


def print_comparison(finished: FinishedRun, average: str) -> None:
    """Print systems and pairs for all documents and the first groups, then documents."""
    settings = finished.settings
    by = settings["group_by"]
    averages: list[SystemRow] = finished.rows("systems")
    differences: list[PairRow] = finished.rows("comparisons")
    systems, pairs = grouped(averages, (*by, "measure")), grouped(differences, (*by, "measure"))
    groups = list(dict.fromkeys(group_of(row, by) for row in averages))
    worst_of: list[str] = []
    for group in groups[: 1 + GROUPS_SHOWN]:
        whole = shown_group(by, group) or "all documents"
        for name in settings["measures"]:
            of_measure = systems.get((*group, name), [])
            rows = best_first(of_measure, average)
            if rows:
                print_shown(systems_shown(rows, of_measure, whole, folds=True))
            ranked = [row["system"] for row in rows]
            worst_of = worst_of or ranked  # of all documents, by the first measure
            compared = pairs.get((*group, name), [])
            if shown := [row for row in compared if row["average"] == average]:
                print_shown(first_pairs_shown(neighbours_first(shown, ranked), settings["margin"]))
                print_lines(*power_in_words(shown, settings, finished.signature))
    if (more := len(groups) - 1 - GROUPS_SHOWN) > 0:
        verb = "s are" if more > 1 else " is"
        print_lines(f"{more} more group{verb} in the tables of --output")
    print_lines(*worst_in_words(finished, worst_of, printable_command))
    _print_further(finished)
    for run, counts in finished.record["rows"].items():
        on = f"compared on {counts['scored']:,} of {counts['in']:,} documents"
        print_lines(f"{run}: {on}", style="dim")
    print_lines(finished.signature, style="dim")
    print_lines("")
    print_sentences(comparison_in_words(finished, average))


def _print_further(finished: FinishedRun) -> None:
    """Print the tables that were asked for."""
    for table in where_shown(finished.rows("where")):
        print_shown(table)
    if counts := finished.rows("changes"):
        print_shown(changes_shown(counts))
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
    table = published_shown(rows)
    if format_name == "text":
        print_shown(table)
    elif format_name == "latex":
        texts = [replace(column, is_name=column.name != "printed") for column in table.columns]
        print_text(latex_table(replace(table, columns=texts, caption=table.title), ""))
    else:
        print_text(f"{table.title}\n")
        texts = [replace(column, is_name=True) for column in table.columns]
        print_table(replace(table, columns=texts), format_name)


def print_ratings(rows: Sequence[RunRow], format_name: str = "text") -> None:
    """Print how well the main measures agree with people's ratings, as text or Markdown."""
    table = ratings_shown(rows)
    if format_name == "text":
        print_shown(table)
    else:
        print_table(table, format_name)
