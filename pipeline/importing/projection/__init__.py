"""`segscore project`: carry segmentations from one transcript of a recording to another.

`run` has the steps, most of which are those of an import: tasks read the segmentations and the
units of both transcripts, and write them by document.  Other tasks read all of it for some
documents, align the transcripts, and place each boundary (`part`, `carried`).
"""
