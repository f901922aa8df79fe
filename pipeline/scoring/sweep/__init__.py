"""Hypotheses with scores, scored at every threshold: `segscore sweep`."""
