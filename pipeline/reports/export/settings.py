"""Settings of `segscore export`."""

from dataclasses import dataclass
from typing import Annotated

from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.options import (
    Argument,
    Option,
    TrustInputsOption,
)
from segscore.pipeline.settings.ranges import one_of
from segscore.pipeline.settings.reading import (
    read_names,
)

EXPORT_FORMATS = ("webvtt", "textgrid", "audacity", "label-studio", "elan")


@dataclass(frozen=True)
class ExportSettings:
    """What an export is asked for; the help of each option says what it is."""

    source: Annotated[
        str, Argument("Folder of a finished run, or a table: a file, folder or glob.")
    ]
    format_name: Annotated[
        str,
        Option("Format: webvtt, textgrid, audacity, label-studio or elan.", flags="--format"),
    ]
    document: Annotated[
        str | None,
        Option("Id of the document, or several, separated by commas; default: all documents."),
    ] = None
    coder: Annotated[
        tuple[str, ...],
        Option("Coders whose segmentations to write, separated by commas.", read=read_names),
    ] = ()
    output: Annotated[
        str | None,
        Option("File to write, or folder for several files; default: print the only file."),
    ] = None
    trust_inputs: TrustInputsOption = False

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        one_of("--format", self.format_name, EXPORT_FORMATS)
        if self.output is not None and not self.output.strip():
            raise Refused("--output: is empty; name a file or a folder")
