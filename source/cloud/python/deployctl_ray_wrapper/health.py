"""Health of a server that was ready."""

import time

from deployctl_ray_wrapper import readiness

_PAUSE_SECONDS = 15
_FAILURES = 3


class Health:
    """Fails after three failed requests in a row to the health path, 15 s apart."""

    def __init__(self, settings, port, speaks_http):
        self._settings = settings
        self._port = port
        # A server that never answered a request has to accept connections only.
        self._speaks_http = speaks_http
        self._failures = 0
        self._next = time.monotonic() + _PAUSE_SECONDS

    def is_due(self):
        """Returns True when it is time for the next request."""
        return time.monotonic() >= self._next

    def has_failed(self):
        """Returns True after too many failures in a row."""
        return self._failures >= _FAILURES

    def check(self, is_busy):
        """Sends a request, for seconds at most. A busy server may leave it unanswered."""
        self._next = time.monotonic() + _PAUSE_SECONDS
        self._failures = 0 if self._answers(is_busy) else self._failures + 1

    def _answers(self, is_busy):
        state = readiness.state_of(
            self._port, self._settings.health_path, self._settings.health_status
        )
        if state == readiness.SILENT:
            return is_busy or not self._speaks_http
        return state == readiness.READY
