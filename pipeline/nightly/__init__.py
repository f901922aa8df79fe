"""Nightly runs, judged by rules against earlier ones: `segscore nightly`, `segscore trend`."""
