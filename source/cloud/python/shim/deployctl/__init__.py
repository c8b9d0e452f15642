"""SDK of deployctl: the decorator for apps, and facts about the current replica.

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
    """Marks a function as an app. It runs once in each replica and serves HTTP on `port`.

    port: the port in the script, which each replica maps to its own.
    gpu: "H100", "H100:2" (name and count), or "any"; without it CPU only.
    health_path, health_status: answered with this status once the app is ready, by default with any
    below 500.
    max_multiplexing: concurrent requests per replica.
    min_concurrency, max_concurrency, concurrency_buffer, concurrency_buffer_perc: replicas.
    sleep_after, stop_after: idle seconds until vLLM or modelctl sleeps, and is stopped.
    keep_alive, scaling_delay, startup_timeout, request_timeout, drain_timeout,
    termination_grace: seconds.
    requirements: packages for a virtual environment; env: variables; secrets: names of secrets.
    files: more files for the bundle; auth: "private", "shared" or "public".
    cold_start: "wait" or "fail"; no_wake_paths: GETs that never start a replica.
    models_cache, early_stream: True to answer /v1/models, or start a stream, without a replica.
    """
    _options.check_own(options)
    if function is not None:
        return DecoratedFunction(function, options)
    return lambda decorated: DecoratedFunction(decorated, options)


def port():
    """Returns the port to listen on, on 127.0.0.1; 8000 outside a replica."""
    return int(os.environ.get("DEPLOYCTL_PORT") or os.environ.get("PORT") or _DEFAULT_PORT)


def replica_id():
    """Returns the id of the current replica; "local" outside one."""
    return os.environ.get("DEPLOYCTL_REPLICA", "local")


def on_exit(function):
    """Runs `function` when the replica is told to stop. Also usable as a decorator."""
    return _exits.add(function)
