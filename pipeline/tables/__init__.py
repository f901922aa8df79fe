"""Input tables: find, read, validate and convert them; their columns; rejected rows.

Tested in `unit/tables/`, `commands/test_input_tables.py`, `commands/test_bad_input.py`.
"""
