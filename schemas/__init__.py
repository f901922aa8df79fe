"""What the tables are: one Pandera schema a table, every column described with unit and range."""
