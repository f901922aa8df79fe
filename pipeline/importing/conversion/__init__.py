"""Convert shapes of any format to segmentations: gaps, ends, levels, lengths and names.

`convert` converts the shapes of all files to rows. `names` determines the document, coder and role
of a shape, and `lengths` the length of the document; `boundaries` computes the boundaries, and
`counts` records and describes what was left out.
"""
