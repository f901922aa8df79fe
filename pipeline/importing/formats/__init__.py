"""Import formats: parse text into rows and build tables from rows, without opening files."""
