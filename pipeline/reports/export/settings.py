"""Settings of `segscore export`."""

from dataclasses import dataclass
from typing import Annotated

from segscore.pipeline.errors import Refused
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.reports.export.texts import TEXT_FORMATS
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
"""Formats for recordings."""


_NAMED = named_list(TEXT_FORMATS)


@dataclass(frozen=True)
class ExportSettings:
    """What an export is asked for; the help of each option says what it is."""

    source: Annotated[
        str, Argument("Folder of a finished run, or a table: a file, folder or glob.")
    ]
    format_name: Annotated[
        str,
        Option("Format: webvtt, textgrid, audacity, label-studio, elan or brat.", flags="--format"),
    ]
    document: Annotated[
        str | None,
        Option("Id of the document, or several, separated by commas; default: all documents."),
    ] = None
    coder: Annotated[
        tuple[str, ...],
        Option("Coders whose segmentations to write, separated by commas.", read=read_names),
    ] = ()
    units: Annotated[
        str | None,
        Option(
            "Texts of the units, for label-studio or brat. It is a file as for answers --source."
        ),
    ] = None
    output: Annotated[
        str | None,
        Option("File to write, or folder for several files; default: print the only file."),
    ] = None
    trust_inputs: TrustInputsOption = False

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        one_of("--format", self.format_name, [*dict.fromkeys((*EXPORT_FORMATS, *TEXT_FORMATS))])
        if self.units is not None and self.format_name not in TEXT_FORMATS:
            raise Refused(f"--units: {self.format_name} has no texts; {_NAMED} have")
        if self.units is None and self.format_name not in EXPORT_FORMATS:
            raise Refused(f"--format {self.format_name}: needs the texts; name them with --units")
        if self.output is not None and not self.output.strip():
            raise Refused("--output: is empty; name a file or a folder")
