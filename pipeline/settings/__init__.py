"""Settings of commands: options, ranges, reading.

Tested in `commands/test_settings_file.py`, `commands/test_run_options.py`.
"""
