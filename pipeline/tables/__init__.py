"""Input tables: find, read, validate and convert them; their columns; rejected rows."""
