"""Results of a scoring run, for every reader: leaderboard, coverage, chance, names.

Tested in `unit/scoring/`, `commands/test_chance.py`, `commands/test_fewer_documents.py`.
"""
