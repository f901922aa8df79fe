"""Scores of hypotheses against references: `segscore score`, `sweep` and `explain`.

Tested in `unit/scoring/`, `commands/test_score*.py`, `commands/test_sweep*.py`.
"""
