"""Ragged boundary arrays, document ids, and the compilation of loops."""
