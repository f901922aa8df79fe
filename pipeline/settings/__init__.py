"""Settings of commands: options, ranges, reading."""
