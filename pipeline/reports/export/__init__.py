"""Segmentations and edits of one document as files of the programs that people annotate with."""
