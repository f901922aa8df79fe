"""How one table becomes the next: validation, meeting, counting, averaging, publishing."""
