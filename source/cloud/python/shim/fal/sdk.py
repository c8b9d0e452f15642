"""Names that scripts import from fal.sdk."""

from fal._health import HealthCheck
from fal._hosts import FalServerlessKeyCredentials

__all__ = ["FalServerlessKeyCredentials", "HealthCheck"]
