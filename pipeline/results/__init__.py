"""What a scoring run found, for every reader: leaderboard, coverage, chance, names."""
