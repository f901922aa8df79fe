"""Carry boundaries from one text to another by the fewest edits of words.

Tested in `unit/alignment/`, `commands/test_project.py`.
"""
