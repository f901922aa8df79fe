"""Markers of editing programs: Audacity, Premiere, EDL."""
