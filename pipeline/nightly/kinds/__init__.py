"""Kinds of rules of the gate, one a file: how each is written, checked and told."""
