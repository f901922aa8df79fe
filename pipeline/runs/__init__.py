"""A run: its folder, plan, tasks, shuffle, record and publication.

Dask is imported in this package only.

Tested in `unit/runs/`, `faults/`, `simulation/`, `commands/test_placement.py`.
"""
