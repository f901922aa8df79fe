"""Lists with one label per sentence, turn or token: JSON Lines, JSON and Parquet."""
