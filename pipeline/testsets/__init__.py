"""Test sets: recognised by the content of their references, and what was published on them.

Tested in `unit/testsets/`, `commands/test_testsets.py`.
"""
