"""Programs of other projects."""

from tests.support.harness import harness, torch

__all__ = ["harness", "torch"]
