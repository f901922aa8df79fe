"""What every command can be asked."""
