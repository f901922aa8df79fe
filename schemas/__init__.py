"""What the tables are: one Pandera schema a table, every column described with unit and range."""

if __name__ != "segscore.schemas":
    raise ImportError("this is segscore.schemas; import it by that name")
