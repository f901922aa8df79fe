"""Import formats: text becomes rows, rows become tables; nothing here opens a file."""
