"""Input tables: find, read, validate and import them; their columns; rejected rows."""
