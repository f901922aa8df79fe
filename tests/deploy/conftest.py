"""Fixtures of deploy/, made once for all tests of a file."""

from tests.support.deployed import image, machine, services, store

__all__ = ["image", "machine", "services", "store"]
