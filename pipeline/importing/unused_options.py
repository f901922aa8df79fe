"""Warn of options that have no effect on the formats of the imported files."""

from collections.abc import Iterator
from itertools import islice

from segscore.pipeline.importing.formats.option_readers import OPTION_READERS
from segscore.pipeline.importing.import_blocks import Reading, format_of_input
from segscore.pipeline.importing.settings import ImportSettings

_FORMATS_SHOWN = 3


def warn_of_unused(settings: ImportSettings, reading: Reading) -> Iterator[str]:
    """Yield a warning for each option that no reader of the imported files uses.

    Args:
        settings: settings of the import.
        reading: its files, all of which have been read without an error.
    """
    unused = [name for name in OPTION_READERS if getattr(settings, name) not in (None, 0, ())]
    if settings.start_timecode is not None or settings.documents is not None:  # may have frames
        unused = [name for name in unused if name != "frame_rate"]
    examples: dict[str, str] = {}
    for url in reading.urls if unused else ():
        format_name = format_of_input(url, reading)
        examples.setdefault(format_name, url)
        unused = [name for name in unused if format_name not in OPTION_READERS[name]]
        if not unused:
            return
    shown = [f"{url} ({name})" for name, url in islice(examples.items(), _FORMATS_SHOWN)]
    for name in unused:
        yield f"--{name.replace('_', '-')} has no effect on {', '.join(shown)}"
