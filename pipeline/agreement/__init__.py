"""Agreement between coders: `segscore agree`, and `segscore simulate`, which generates codings.

Tested in `unit/agreement/`, `commands/test_agree*.py`, `commands/test_simulate_coders.py`.
"""
