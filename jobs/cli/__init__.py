"""The command line: its app, options, settings file and log."""
