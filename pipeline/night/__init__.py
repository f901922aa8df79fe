"""Nights: a run for each date, judged by rules against an earlier one, told to monitoring."""
