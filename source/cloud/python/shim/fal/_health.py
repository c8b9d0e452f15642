"""fal.HealthCheck: how often a runner is asked whether it is well."""


class HealthCheck:
    """Kept for the script's sake: here the gateway's own checks decide."""

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
