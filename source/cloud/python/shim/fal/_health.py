"""fal.HealthCheck, which configures health checks."""


class HealthCheck:
    """Kept for compatibility: the gateway's own checks apply here."""

    def __init__(
        self,
        start_period_seconds=30,
        timeout_seconds=5,
        failure_threshold=3,
        call_regularly=True,
        method=None,
    ):
        self.start_period_seconds = start_period_seconds
        self.timeout_seconds = timeout_seconds
        self.failure_threshold = failure_threshold
        self.call_regularly = call_regularly
        self.method = method
