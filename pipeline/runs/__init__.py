"""A run: its folder, plan, tasks, shuffle, record and publication; only this room imports Dask."""
