"""`segscore simulate power`: measure how often the intervals and tests of a run are right."""

from segscore.jobs.show.formats import ResultFormat, plain_table, print_json, print_table
from segscore.pipeline.comparison.certify_settings import CertifySettings


def simulate_power(chosen: CertifySettings, format_name: ResultFormat = "text") -> None:
    """Measure on corpora like that of a run how often its intervals and tests are right.

    The corpora are drawn from the documents of RUN. Equal systems are made of two of its systems,
    which trade places in half of the documents.
    """
    from segscore.jobs.show.fitted import print_lines
    from segscore.pipeline.comparison.certify import certify
    from segscore.pipeline.scoring.finished_scoring import FinishedScoring

    run = FinishedScoring.open(chosen.run)
    certificate = certify(run, chosen)
    if format_name == "text":
        print_lines(str(certificate))
        if len(certificate.systems) == 2:
            print_lines(f"the two best systems are {' and '.join(certificate.systems)}")
    elif format_name == "json":
        print_json("simulate-power", certificate.row)
    else:
        print_table(plain_table(list(certificate.row), [certificate.row], ""), format_name)
