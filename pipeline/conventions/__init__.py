"""Find the convention behind a published number; see docs/jobs/reconcile.md.

Tested in `unit/conventions/`, `commands/test_reconcile.py`.
"""
