"""Print tables, plans and progress."""
