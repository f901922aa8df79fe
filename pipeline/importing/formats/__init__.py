"""The formats that `segscore import` reads and `segscore export` writes, a file for each family.

A reader yields segmentations in one of three shapes (`importing/shapes.py`). `FORMATS`, at the end
of each file, declares its formats, and `known.py` lists the families.
"""
