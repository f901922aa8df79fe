"""Write a track as Audacity's labels: start, end and text, with tabs between them."""

from segscore.pipeline.reports.export.tracks import DocumentTracks, Track, in_seconds


def audacity_text(_: DocumentTracks, track: Track) -> str:
    """Return the text of a label track; an edit at one position is a label without a length."""
    return "".join(
        f"{in_seconds(region.start)}\t{in_seconds(region.end)}\t{region.text}\n"
        for region in track.regions
    )
