"""`segscore reconcile`: find the convention behind a published number."""

from segscore.jobs.cli.log import LOG
from segscore.pipeline.conventions.settings import ReconcileSettings


def reconcile(chosen: ReconcileSettings) -> None:
    """Find the convention that gives a published number.

    Computes the measure on REFERENCES and HYPOTHESES (or --codings) as published programs and
    papers do, and lists the ways that give the number as printed; --apply computes by one of them.
    """
    from segscore.jobs.show.fitted import out
    from segscore.pipeline.conventions.run import run_application, run_reconciliation

    found = run_reconciliation(chosen) if chosen.apply is None else run_application(chosen)
    LOG.warn(found.warnings)
    for line in found.lines:
        out().print(line, markup=False)
    if chosen.output is not None:
        out().print(f"written to {chosen.output}", markup=False)
