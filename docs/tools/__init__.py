"""What writes the generated pages and files; `make docs` runs `python -m docs.tools`."""
