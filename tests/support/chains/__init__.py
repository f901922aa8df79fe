"""Chains of commands: random data, the commands that read it, and what is a fault of theirs."""
