"""The commands: each parses its options, calls one function, prints, and chooses the exit code."""
