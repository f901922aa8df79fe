"""What older releases of Arrow cannot do, so that tests of it are left out there."""

import pyarrow as pa
import pytest

WRITES_VIEWS = pytest.mark.skipif(
    int(pa.__version__.split(".")[0]) < 20,
    reason="this release of Arrow writes no views of texts and lists to Parquet",
)
