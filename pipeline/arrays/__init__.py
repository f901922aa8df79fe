"""Ragged boundary arrays, document ids, and the compilation of loops.

Tested in `unit/arrays/`.
"""
