"""The SDK of deployctl: a decorator, and what a script may ask about the replica it runs in.

    import deployctl, subprocess

    @deployctl.app(port=8000, gpu="H100:1", max_multiplexing=64)
    def serve():
        subprocess.run(["vllm", "serve", "some/model", "--port", str(deployctl.port())])
"""

import os

from deployctl import _exits, _options
from deployctl._decorated import DecoratedFunction

__all__ = ["app", "port", "replica_id", "on_exit"]

_DEFAULT_PORT = 8000


def app(function=None, **options):
    """Marks a function as an app. It is called once in each replica, and serves HTTP on `port`.

    port: what the function listens on; every replica gets a port of its own in its place.
    gpu: "H100", "H100:2" (how many), or "any"; without it the processor alone.
    health_path: answered with a status below 500 once the app is ready.
    max_multiplexing: requests that one replica is given at a time.
    min_concurrency, max_concurrency, concurrency_buffer, concurrency_buffer_perc: replicas.
    keep_alive, scaling_delay, startup_timeout, request_timeout, drain_timeout,
    termination_grace: seconds.
    requirements: packages for a virtual environment; env: variables; secrets: names of secrets.
    files: more files for the bundle; auth: "private", "shared" or "public".
    cold_start: "wait" or "fail"; no_wake_paths: GETs that never start a replica.
    models_cache, early_stream: whether /v1/models is answered, and a stream begun, without one.
    """
    _options.check_own(options)
    if function is not None:
        return DecoratedFunction(function, options)
    return lambda decorated: DecoratedFunction(decorated, options)


def port():
    """The port to listen on, on 127.0.0.1. Outside a replica 8000."""
    return int(os.environ.get("DEPLOYCTL_PORT") or os.environ.get("PORT") or _DEFAULT_PORT)


def replica_id():
    """The id of the replica that runs this; "local" outside one."""
    return os.environ.get("DEPLOYCTL_REPLICA", "local")


def on_exit(function):
    """Runs `function` when the replica is asked to end. Also a decorator."""
    return _exits.add(function)
