"""A run for each night, judged by rules against earlier ones: `segscore nightly`, `history`."""
