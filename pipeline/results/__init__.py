"""Results of a scoring run, for every reader: leaderboard, coverage, chance, names."""
