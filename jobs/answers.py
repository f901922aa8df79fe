"""`segscore answers`: read the boundaries out of language models' answers."""

from typing import Annotated

from segscore.jobs.cli.options import Cluster, Workers
from segscore.jobs.import_ import import_
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.settings.options import Panel, Shown

_SHOWN = Shown(
    (Panel.ANSWERS, Panel.OUTPUT, Panel.RUNNING),
    also=(
        *("format_name", "coder", "document_id", "encoding", "unit", "unit_times"),
        *("document_field", "coder_field", "levels", "strict"),
    ),
)


def answers(
    chosen: Annotated[ImportSettings, _SHOWN], cluster: Cluster = "local", workers: Workers = None
) -> None:
    """Read the boundaries out of language models' answers, as tables of hypotheses.

    Texts written again with breaks (--format rewritten), numbers of units (numbered), first words
    of segments (quoted).
    """
    from segscore.pipeline.importing.answers.options import ANSWER_FORMATS

    if chosen.format_name not in ANSWER_FORMATS:
        raise Refused(
            f"--format: say how the answers show their boundaries, by one of "
            f"{', '.join(ANSWER_FORMATS)}; other files are read by `segscore import`"
        )
    import_(chosen, cluster, workers)
