"""Comparison of systems over the documents that runs share: `segscore compare`."""
