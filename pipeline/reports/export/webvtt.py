"""Write a track as WebVTT: a cue for each region (W3C WebVTT, 4.1)."""

from segscore.pipeline.reports.export.tracks import DocumentTracks, Track, shown_end


def webvtt_text(document: DocumentTracks, track: Track) -> str:
    """Return the text of a WebVTT file with one track."""
    cues = [
        f"{_clock(region.start)} --> {_clock(shown_end(region, track, document.n_units))}\n"
        f"{region.text}\n"
        for region in track.regions
    ]
    return "\n".join(["WEBVTT\n", *cues])


def _clock(milliseconds: int) -> str:
    minutes, rest = divmod(milliseconds, 60_000)
    seconds, thousandths = divmod(rest, 1000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}.{thousandths:03}"
