"""Scores of hypotheses against references: `segscore score`, `sweep` and `explain`."""
