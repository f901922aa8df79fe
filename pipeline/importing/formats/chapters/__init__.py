"""Lists of chapters: WebVTT, SubRip, ffmetadata, YouTube and others."""
