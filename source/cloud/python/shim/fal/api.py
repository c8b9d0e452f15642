"""Names that scripts import from fal.api."""

from fal._app import App, endpoint, realtime, wrap_app
from fal._function import FalServerlessError, IsolatedFunction, cached, function, isolated
from fal._unused import FalServerlessHost, FalServerlessKeyCredentials, HealthCheck

__all__ = [
    "App",
    "FalServerlessError",
    "FalServerlessHost",
    "FalServerlessKeyCredentials",
    "HealthCheck",
    "IsolatedFunction",
    "cached",
    "endpoint",
    "function",
    "isolated",
    "realtime",
    "wrap_app",
]
