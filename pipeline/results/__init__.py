"""Finished runs and what is read from them: rows, the leaderboard, coverage, chance."""
