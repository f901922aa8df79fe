"""A finished scoring run taken up again: its settings, and its inputs if they are as they were."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from segscore.pipeline.errors import Refused
from segscore.pipeline.runs import planning, run_folder
from segscore.pipeline.scoring.inputs import Collected, Inputs, collect, find_inputs
from segscore.pipeline.scoring.pairs import Rule
from segscore.pipeline.scoring.part import Against
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.sent import SentJob
from segscore.pipeline.scoring.settings import ScoreSettings, recorded
from segscore.pipeline.tables.find import InputTable

_COMMANDS = {"scored": "sweep", "codings": "agree", "runs": "compare"}
"""A setting that only runs of another command have -> the command."""


@dataclass(frozen=True)
class Reopened:
    """The inputs of a finished run, read and accepted as they were then.

    Attributes:
        settings: of the run.
        inputs: its tables.
        collected: its references and documents.
        job: what its tasks shared, but for consensus references, groups and folder.
    """

    settings: ScoreSettings
    inputs: Inputs
    collected: Collected
    job: SentJob

    @property
    def references(self) -> References:
        """The accepted ones."""
        return self.collected.references


def scoring_record(run: str) -> dict[str, Any]:
    """Read what run.json says of a finished scoring run.

    Raises:
        Refused: no run, not finished, or a run of another command.
    """
    record = run_folder.read_status(run).record
    if record is None:
        raise Refused(f"{run}: the run is not finished")
    settings = record.get("settings", {})
    if "hypotheses" not in settings:
        other = next((_COMMANDS[name] for name in _COMMANDS if name in settings), None)
        of = "another command" if other is None else f"`segscore {other}`"
        raise Refused(f"{run}: holds no scores to explain or compare; it is a run of {of}")
    return record


def recorded_settings(run: str, record: Mapping[str, Any]) -> ScoreSettings:
    """Take the settings of a run from its record.

    Raises:
        Refused: they are not what this version of segscore has.
    """
    try:
        return recorded(record["settings"])
    except TypeError as problem:
        made = record.get("versions", {}).get("segscore")
        raise Refused(
            f"{run}: was made by another version of segscore ({made}), whose settings are not "
            "those of this one; score again"
        ) from problem


def reopen(run: str) -> Reopened:
    """Read a finished run's inputs again.

    Raises:
        Refused: no finished scoring run, or an input has changed since.
    """
    record = scoring_record(run)
    settings = recorded_settings(run, record)
    inputs = find_inputs(settings)
    require_unchanged(inputs.tables, record["inputs"])
    collected = collect(settings, inputs)
    rule = Rule(settings, tuple(record["boundary_types"] or (1,)), {})
    against = Against(collected.references, ())
    further = inputs.hypotheses.further
    job = SentJob(rule, inputs.typed, further, "", planning.LIMITS.rows_per_part, against)
    return Reopened(settings, inputs, collected, job)


def require_unchanged(tables: Iterable[InputTable], then: Mapping[str, Any]) -> None:
    """Make sure that input tables are as they were when a run was made.

    Args:
        tables: as they are now.
        then: `inputs` of the run's record.

    Raises:
        Refused: naming a file that is another one, or the table that has other files.
    """
    for table in tables:
        for now, before in zip(table.files, then[table.name], strict=False):
            if asdict(now) != before:
                raise Refused(f"{now.url}: is not what it was when the run was made")
        if len(table.files) != len(then[table.name]):
            raise Refused(f"{table.name}: has other files than when the run was made")
