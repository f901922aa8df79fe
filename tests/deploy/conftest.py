"""Fixtures of deploy/, made once for all tests of a file."""

from tests.support.browser import chromium
from tests.support.dashboards import place
from tests.support.deployed import image, machine, services, store

__all__ = ["chromium", "image", "machine", "place", "services", "store"]
