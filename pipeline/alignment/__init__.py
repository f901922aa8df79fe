"""Carry boundaries from one text to another by the fewest edits of words."""
