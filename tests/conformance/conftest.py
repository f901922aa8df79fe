"""Run all tests of this folder with kernels that are interpreted, and with compiled ones."""

from collections.abc import Iterator

import pytest

from tests.support import kernels


@pytest.fixture(params=kernels.WAYS, autouse=True)
def way_of_kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run all kernels of a test in one way."""
    with kernels.run(request.param):
        yield
