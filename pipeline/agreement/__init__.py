"""Agreement between coders: `segscore agree`, and `segscore simulate`, which generates codings."""
