"""Pandera schemas, one per table, that describe every column with its unit and range."""

if __name__ != "segscore.schemas":
    raise ImportError("this is segscore.schemas; import it by that name")
