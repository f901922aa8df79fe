"""Print a sweep."""

from segscore.jobs.show.printing import print_record
from segscore.jobs.show.sentences import print_sentences
from segscore.jobs.show.shown import print_result
from segscore.pipeline.runs.finished import FinishedRun


def print_sweep(output: str, finished: FinishedRun, *, written: bool) -> None:
    """Print what a sweep found, the tables that show it, and the record.

    Args:
        output: folder of the sweep, as the user named it.
        finished: the sweep.
        written: whether it was written just now.
    """
    from segscore.pipeline.scoring.sweep.sweep_result import sweep_finding, sweep_tables

    print_sentences(sweep_finding(finished).lines)
    tables = [*sweep_tables(finished)]
    for table in tables:
        print_result(table, last=table is tables[-1])
    print_record(output, finished.record, written=written)
