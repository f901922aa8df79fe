"""Comparison of systems over the documents that runs share: `segscore compare`.

Tested in `unit/comparison/`, `commands/test_compare*.py`, `commands/test_suspects.py`.
"""
