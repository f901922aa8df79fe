"""ELAN (.eaf): tiers of annotations whose starts and ends are time slots in milliseconds."""

from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.json_fields import brief
from segscore.pipeline.importing.formats.shapes import Intervals, Moment, Segment
from segscore.pipeline.importing.formats.tiers.elan_document import ElanDocument, ElanTier
from segscore.pipeline.importing.formats.tiers.tiers import chosen_tiers, tier_coder
from segscore.pipeline.tables.rows import RowPlace
from segscore.pipeline.tables.units import MILLISECOND


def read(file: OpenedFile, asked: Asked) -> Iterator[Intervals]:
    """Yield one segmentation for each coder of the tiers that are read.

    Several tiers of one coder are its levels, in the order of `--tier`.

    Raises:
        Refused: not XML, a DOCTYPE, units other than milliseconds, a tier that is not there, a
            tier of references, or an annotation without a time.
    """
    document = ElanDocument(file)
    places = chosen_tiers([tier.name for tier in document.tiers], file, asked)
    levels: dict[str | None, list[ElanTier]] = {}
    for tier in (document.tiers[place] for place in places):
        levels.setdefault(tier_coder(tier.coder, tier.name, len(places), asked), []).append(tier)
    for coder, tiers in levels.items():
        segments = []
        for level, tier in enumerate(tiers, start=1):
            if tier.reference:
                raise file.place(tier.reference).refusal(
                    f"tier {brief(tier.name)} refers to annotations of another tier and has no "
                    "times of its own; name that tier with --tier"
                )
            for first, last, line in tier.annotations:
                start, end = (
                    _moment(document.times, slot, file.place(line), asked) for slot in (first, last)
                )
                segments.append(Segment(start, end, line, level))
        place = file.place(tiers[0].line)
        yield Intervals(place=place, unit=MILLISECOND, coder=coder, segments=segments)


def _moment(times: dict[str, str | None], slot: str, place: RowPlace, asked: Asked) -> Moment:
    if slot not in times:
        raise place.refusal(f"there is no time slot {brief(slot)}; expected one of TIME_ORDER")
    time = times[slot]
    if time is None:
        raise place.refusal(f"time slot {brief(slot)} has no time; align the annotation in ELAN")
    return asked.clock.time(time, place, unit="ms")
