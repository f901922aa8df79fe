"""UEM: the region of each recording that is scored, for `--documents`."""

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.shapes import Extent
from segscore.pipeline.importing.formats.speech.turns import require_fields
from segscore.pipeline.tables.units import MILLISECOND


def read_regions(file: OpenedFile, asked: Asked) -> dict[str, Extent]:
    """Return the region of each recording; positions count from its start.

    The same region may be stated for several channels.

    Raises:
        Refused: fewer than 4 fields, a malformed time, a region that ends before it starts or
            that has no length, two regions of a recording, or none at all.
    """
    regions: dict[str, Extent] = {}
    for number, line in enumerate(file.lines(), start=1):
        fields = line.split()
        if not fields or fields[0].startswith(";;"):
            continue
        place = file.place(number)
        require_fields(fields, 4, "recording, channel, start, end", place)
        start, end = (asked.clock.time(text, place, unit="s").exact for text in fields[2:4])
        if end <= start:
            raise place.refusal(
                f"the region ends at {fields[3]}; expected an end after its start, {fields[2]}"
            )
        region = Extent(start, end, MILLISECOND, True, place)
        first = regions.setdefault(fields[0], region)
        if (first.start, first.end) != (start, end):
            raise place.refusal(
                f"a second region of {fields[0]}; expected one, since positions count from its "
                "start; score the regions as recordings of their own"
            )
    if not regions:
        raise file.refusal("there is no region in it; expected recording, channel, start and end")
    return regions
