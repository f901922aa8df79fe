"""A browser."""

from tests.support.browser import chromium

__all__ = ["chromium"]
