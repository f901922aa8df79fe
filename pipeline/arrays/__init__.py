"""Ragged boundary arrays, document ids, seeded random numbers, and how a loop is compiled."""
