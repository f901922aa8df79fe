"""UEM: the region of each recording that is scored, for `--documents`."""

from fractions import Fraction

from segscore.pipeline.tables.formats.asked import Asked, InputFile
from segscore.pipeline.tables.formats.turns import require_fields

Region = tuple[Fraction, Fraction]
"""Start and end in milliseconds."""


def read_regions(file: InputFile, asked: Asked) -> dict[str, Region]:
    """Return the region of each recording; positions count from its start.

    The same region may be stated for several channels.

    Raises:
        Refused: fewer than 4 fields, a malformed time, a region that ends before it starts or
            that has no length, two regions of a recording, or none at all.
    """
    regions: dict[str, Region] = {}
    for number, line in enumerate(file.lines(), start=1):
        fields = line.split()
        if not fields or fields[0].startswith(";;"):
            continue
        place = file.place(number)
        require_fields(fields, 4, "recording, channel, start, end", place)
        recording, _, begin, end = fields[:4]
        region = (
            asked.clock.time(begin, place, unit="s").exact,
            asked.clock.time(end, place, unit="s").exact,
        )
        if region[1] <= region[0]:
            raise place.refusal(f"the region ends at {end}; expected an end after {begin}")
        if regions.setdefault(recording, region) != region:
            raise place.refusal(
                f"a second region of {recording}; expected one, since positions count from its "
                "start; score the regions as recordings of their own"
            )
    if not regions:
        raise file.refusal("there is no region in it; expected recording, channel, start and end")
    return regions
