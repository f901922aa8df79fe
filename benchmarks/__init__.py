"""Speed, as ratios within one run: `make bench` prints a table."""
