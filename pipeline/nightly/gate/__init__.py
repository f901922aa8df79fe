"""The gate: its rules, each a function of the past nights to checks, and what they compare."""
