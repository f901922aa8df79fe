"""Agreement between coders: `segscore agree`, and `simulate`, which makes coders."""
