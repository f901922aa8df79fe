"""The results of a finished run as one self-contained HTML page: `segscore report`.

Tested in `commands/test_report*.py`, `browser/`.
"""
