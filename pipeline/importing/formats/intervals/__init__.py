"""Tables with one segment per row: CSV, TSV, JSON Lines and Parquet."""
