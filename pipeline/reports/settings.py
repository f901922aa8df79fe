"""Settings of a report, all checked before any work starts."""

from dataclasses import dataclass
from typing import Annotated

from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.options import MOVED_INPUTS, Argument, Option, TrustInputsOption
from segscore.pipeline.settings.ranges import one_of

_AVERAGES = ("micro", "macro")


@dataclass(frozen=True)
class ReportSettings:
    """What a report is asked for; the help of each option says what it is."""

    run: Annotated[str, Argument("Folder of a finished run.")]
    output: Annotated[str, Option("File or URL of the page.")] = "report.html"
    measure: Annotated[
        str | None,
        Option("Measure that ranks the systems; default: the first of the run."),
    ] = None
    average: Annotated[str, Option("Average that ranks systems: micro or macro.")] = "micro"
    calibrate: Annotated[bool, Option("Show which faults give such values, by simulation.")] = False
    units: Annotated[
        str | None,
        Option(
            "Texts of the units, to show the words around errors. "
            "It is a file as for answers --source; the errors are those of the worst "
            "documents."
        ),
    ] = None
    hidden_references: Annotated[
        bool,
        Option("Draw no document, and name no place of a reference: for a shared task."),
    ] = False
    inputs: Annotated[str | None, Option(MOVED_INPUTS)] = None
    trust_inputs: TrustInputsOption = False
    coder: Annotated[
        str | None,
        Option("Coder of an audit whose page it is; the others have no names."),
    ] = None
    certify: Annotated[
        bool,
        Option("Say how often intervals and tests are right, by simulation."),
    ] = False

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        one_of("--average", self.average, _AVERAGES)
        if self.hidden_references and self.units is not None:
            raise Refused("--units: shows references, which --hidden-references hides; omit one")
        if not self.output.strip():
            raise Refused("--output: is empty; name a file")
