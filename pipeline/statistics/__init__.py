"""Exact sums, averages, bootstrap replicates and adjusted p values, by system and group."""
