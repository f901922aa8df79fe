"""Find the convention behind a published number; see docs/jobs/reconcile.md."""
