"""Exact sums, averages, the jackknife and adjusted p values, by system and group.

Tested in `unit/statistics/`.
"""
