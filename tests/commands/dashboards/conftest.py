"""Fixtures of dashboards, made once for all of their tests."""

from tests.support.dashboards import database, place

__all__ = ["database", "place"]
