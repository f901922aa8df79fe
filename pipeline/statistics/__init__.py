"""Exact sums, averages, bootstrap replicates and tests, by system and group."""
