"""Warn of options that have no effect on the formats of the imported files."""

from collections.abc import Iterator
from itertools import islice

from segscore.pipeline.importing.formats.known import FORMATS, SPECIFIC_OPTIONS
from segscore.pipeline.importing.import_blocks import Reading, format_of_input

_FORMATS_SHOWN = 3


def warn_of_unused(reading: Reading) -> Iterator[str]:
    """Yield a warning for each option that no reader of the imported files uses.

    Args:
        reading: the files of the import, all of which have been read without an error.
    """
    settings = reading.settings
    unused = [name for name in SPECIFIC_OPTIONS if getattr(settings, name) not in (None, 0, ())]
    others = (settings.start_timecode, settings.documents, settings.unit_times)
    if any(given is not None for given in others):  # they may have frames
        unused = [name for name in unused if name != "frame_rate"]
    examples: dict[str, str] = {}
    for url in reading.urls if unused else ():
        format_name = format_of_input(url, reading)
        examples.setdefault(format_name, url)
        known = FORMATS[format_name]
        used = {*known.options}
        if reading.times is not None and (known.in_units or "unit_times" in used):
            used |= {"unit_times", "source"}
        unused = [name for name in unused if name not in used]
        if not unused:
            return
    shown = [f"{url} ({name})" for name, url in islice(examples.items(), _FORMATS_SHOWN)]
    for name in unused:
        yield f"--{name.replace('_', '-')} has no effect on {', '.join(shown)}"
