"""Names that scripts import from fal.sdk."""

from fal._unused import FalServerlessKeyCredentials, HealthCheck

__all__ = ["FalServerlessKeyCredentials", "HealthCheck"]
