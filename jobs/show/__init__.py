"""What commands print: tables, plans, progress."""
