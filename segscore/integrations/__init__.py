"""Scorers for the programs that evaluate language models; each needs the extra of its name.

The programs are imported by the modules that are named like them, and by nothing else.
"""
