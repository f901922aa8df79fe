"""`segscore reconcile`: find the convention behind a published number."""

from segscore.jobs.cli.log import LOG
from segscore.pipeline.conventions.settings import ReconcileSettings


def reconcile(chosen: ReconcileSettings) -> None:
    """Find the convention that gives a published number.

    Computes the measure on REFERENCES and HYPOTHESES as published programs and papers
    do, and lists the ways that give the number as printed; --apply computes by one of them.
    """
    from segscore.jobs.show.fitted import print_lines
    from segscore.pipeline.conventions.run import run_application, run_reconciliation

    found = run_reconciliation(chosen) if chosen.apply is None else run_application(chosen)
    LOG.warn(found.warnings)
    print_lines(*found.lines)
    if chosen.output is not None:
        print_lines(f"written to {chosen.output}")
