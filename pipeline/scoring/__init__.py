"""Hypotheses against references: `segscore score`, `sweep` and `explain`."""
