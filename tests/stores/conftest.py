"""Object stores."""

from tests.support.servers import azure, environment, gcs, proxied, s3

__all__ = ["azure", "environment", "gcs", "proxied", "s3"]
