"""A run: its folder, plan, tasks, shuffle, record and publication.

Dask is imported in this package only.
"""
