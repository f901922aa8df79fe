"""Programs of other projects."""

from tests.support.harness import harness

__all__ = ["harness"]
