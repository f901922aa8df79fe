"""Nightly runs, judged by rules against earlier ones: `segscore nightly`, `segscore trend`.

Tested in `unit/nightly/`, `commands/test_night*.py`, `commands/test_trend.py`, `simulation/`.
"""
