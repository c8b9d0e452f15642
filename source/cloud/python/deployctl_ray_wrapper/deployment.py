"""Deployment of Ray Serve: an actor that runs one replica."""

import asyncio
import os
import threading
import time

from ray import serve

from deployctl_ray_wrapper import settings as settings_of
from deployctl_ray_wrapper.health import Health
from deployctl_ray_wrapper.relay import Relay
from deployctl_ray_wrapper.served_process import ServedProcess, mark_line

# Serve's own check of the actor, which also notices that it was killed.
_HEALTH_PERIOD_SECONDS = 2
_HEALTH_TIMEOUT_SECONDS = 30
_SHUTDOWN_PAUSE_SECONDS = 0.5
# Requests that Serve's proxy holds beyond those that run; usually the gateway holds them.
_QUEUED_REQUESTS = 100
# Time that the last answers need to leave the actor, and that requests may still take.
_FAREWELL_SECONDS = 0.5
_LONGEST_FAREWELL_SECONDS = 5

_relay = Relay()


def _app():
    return _relay


class Replica:
    """Its constructor returns once the script's server is ready."""

    def __init__(self, args):
        settings = settings_of.read(args)
        self._is_ending = False
        self._process = ServedProcess(settings)
        speaks_http = self._process.wait_until_ready()
        self._health = Health(settings, self._process.port, speaks_http)
        # A server that accepts no connections has no use, even if its process lives on.
        _relay.connect(self._process.port, self._process.give_up)
        _tell({"phase": "ready", "at": int(time.time() * 1000)})
        threading.Thread(target=self._watch, daemon=True).start()

    async def check_health(self):
        """Called by Serve, which replaces the actor when this raises."""
        if self._health.is_due():
            await asyncio.to_thread(self._health.check, _relay.running > 0)
        if self._health.has_failed():
            raise RuntimeError("The script's server fails its health checks.")

    def __del__(self):
        # Called by Serve once no request is running.
        self._is_ending = True
        if hasattr(self, "_process"):
            self._process.end()

    def _watch(self):
        """Ends the actor when the process has ended."""
        self._process.wait()
        if self._is_ending:
            return
        self._process.end()
        _tell(self._process.exit_event())
        deadline = time.monotonic() + _LONGEST_FAREWELL_SECONDS
        time.sleep(_FAREWELL_SECONDS)
        while _relay.running > 0 and time.monotonic() < deadline:
            time.sleep(_FAREWELL_SECONDS)
        os._exit(1)


def application(args):
    """Returns the application for the `args` that __init__.py describes."""
    settings = settings_of.read(args)
    # The class itself stays in this module: actors then share its variables with the relay.
    deployment = serve.deployment(serve.ingress(_app)(Replica), name="replica")
    return deployment.options(
        num_replicas=1,
        ray_actor_options=settings.actor_options,
        max_ongoing_requests=settings.max_ongoing_requests,
        max_queued_requests=_QUEUED_REQUESTS,
        # The control plane decides about another attempt.
        max_constructor_retry_count=1,
        health_check_period_s=_HEALTH_PERIOD_SECONDS,
        health_check_timeout_s=_HEALTH_TIMEOUT_SECONDS,
        graceful_shutdown_wait_loop_s=_SHUTDOWN_PAUSE_SECONDS,
        graceful_shutdown_timeout_s=settings.shutdown_timeout_s,
    ).bind(args)


def _tell(event):
    print(mark_line(event), flush=True)
