"""Every measure, a file a family: its counts (one compiled pass) and its formulas (a line each)."""

from pipeline.measures import edits, windows

FAMILIES = {"window": windows, "edit": edits}

COUNTS = tuple(name for family in FAMILIES.values() for name in family.COUNTS)

MEASURES = {measure.name: measure for family in FAMILIES.values() for measure in family.MEASURES}
