"""Aspects of a scoring run: whatever it does besides scoring pairs, one or a few a file."""
