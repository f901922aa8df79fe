"""Read the finished run of any command."""

from os import PathLike

from segscore.api.agree import AgreementTables
from segscore.api.compare import ComparisonTables
from segscore.api.evaluation import Evaluation
from segscore.api.runs import RunTables, location_of_run
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.scoring.finished_scoring import FinishedScoring


def read_run(run: str | PathLike[str], *, trust_inputs: bool = False) -> Evaluation | RunTables:
    """Read a finished run of any command.

    >>> import segscore
    >>> segscore.read_run("missing")
    Traceback (most recent call last):
        ...
    segscore.pipeline.errors.Refused: missing: there is no such folder; name the folder of a run

    Args:
        run: folder or URL of the run.
        trust_inputs: whether `explain` and `report` read the inputs that the run recorded wherever
            they are; by default, only on disks of this machine and in the bucket of the run.

    Returns:
        An `Evaluation` for a run of `segscore score` or `nightly`, else the tables of the run.

    Raises:
        Refused: there is no finished run, or its record is malformed.
    """
    location = location_of_run(run)
    finished = FinishedRun.open(location)
    if finished.command == "score":
        return Evaluation(FinishedScoring.open(location).trusting(everything=trust_inputs))
    kinds: dict[str | None, type[RunTables]] = {
        "agree": AgreementTables,
        "compare": ComparisonTables,
    }
    return kinds.get(finished.command, RunTables)(finished)
