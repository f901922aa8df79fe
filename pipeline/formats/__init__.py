"""Import formats: text becomes rows, rows become tables. Nothing here opens a file."""
