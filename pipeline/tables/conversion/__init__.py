"""Convert shapes of any format to segmentations: gaps, ends, levels, lengths and names.

`convert` goes from the shapes of all files to rows. `names` says whose segmentation of what it is,
`lengths` how long the document is; `intervals`, `marks` and `sizes` find the boundaries, and
`counts` keeps what was left out.
"""
