"""Keywords of Modal's decorators as options of an app, shared with the static reader.

Values that are unknown until the script runs are passed through.
"""

import re

from deployctl._findings import Findings

# Keywords of @app.function, @app.cls and @app.server, and of the decorators below them.
HONOURED = (
    "image",
    "env",
    "secrets",
    "gpu",
    "min_containers",
    "max_containers",
    "buffer_containers",
    "scaledown_window",
    "scaleup_window",
    "timeout",
    "startup_timeout",
    "exit_grace_period",
    "port",
    "max_inputs",
    "target_inputs",
)
# Options that are derived from keywords.
_MADE = ("app_name", "serve")
# Accepted keywords without effect here.
IGNORED = (
    "name",
    "schedule",
    "serialized",
    "network_file_systems",
    "volumes",
    "mounts",
    "cpu",
    "memory",
    "ephemeral_disk",
    "proxy",
    "retries",
    "is_generator",
    "cloud",
    "region",
    "routing_region",
    "compute_region",
    "h2_enabled",
    "unauthenticated",
    "nonpreemptible",
    "enable_memory_snapshot",
    "restrict_modal_access",
    "i6pn",
    "include_source",
    "experimental_options",
    "_experimental_restrict_output",
    "label",
    "custom_domains",
    "max_batch_size",
    "wait_ms",
    "size",
    "rdma",
)
# Keywords that promise isolation, with the reason why ignoring them would be unsafe.
REFUSED = {
    "block_network": "replicas have access to the network",
    "single_use_containers": "a replica serves more than one request",
}
# Keywords of an endpoint, which are read where it is served. Keys replace requires_proxy_auth.
OF_ENDPOINT = ("startup_timeout", "method", "docs", "snap", "requires_proxy_auth")
# Older names of keywords, and the names that servers use.
RENAMED = {
    "keep_warm": "min_containers",
    "concurrency_limit": "max_containers",
    "container_idle_timeout": "scaledown_window",
    "allow_concurrent_inputs": "max_inputs",
    "target_concurrency": "target_inputs",
    "max_concurrency": "max_inputs",
}
# Concurrent requests of a server without a limit: Modal sends it all.
_SERVER_INPUTS = 64
# Modal's default time limit for a call and for a start, in seconds.
_DEFAULT_TIMEOUT = 300
WEB_PARTS = ("web_server", "asgi_app", "wsgi_app", "fastapi_endpoint", "web_endpoint")


def read_options(keywords, parts, app):
    """Returns the options of a function or class.

    keywords: those of @app.function, @app.cls or @app.server. parts: the keywords of the decorators
    below it, by the decorator's name. app: modal.App, with `name`, `image` and `secrets`.
    """
    options = {}
    if app.name is not None:
        options["app_name"] = app.name
    if app.image is not None:
        options["image"] = app.image
    if keywords.get("max_inputs") == 1:  # its old name
        keywords = dict(keywords, single_use_containers=True)
    _add(options, {name: one for name, one in keywords.items() if name != "max_inputs"})
    for part in WEB_PARTS + ("concurrent", "batched", "clustered"):
        given = parts.get(part, {})
        _add(options, {name: one for name, one in given.items() if name not in OF_ENDPOINT})
    if "port" in keywords and "target_inputs" not in options:  # @app.server
        options.setdefault("max_inputs", _SERVER_INPUTS)
    if isinstance(options.get("app_name"), str):
        options["app_name"] = _plain_name(options["app_name"])
    if isinstance(options.get("env"), dict):
        options["env"] = {key: one for key, one in options["env"].items() if one is not None}
    startup = _startup_timeout(keywords, parts.get("web_server", {}))
    if startup is not None:
        options["startup_timeout"] = startup
    secrets = _variables_of(app.secrets, options.pop("secrets", []))
    if secrets != []:
        options["secrets"] = secrets
    if any(part in parts for part in WEB_PARTS[1:]):
        _add_server(options, parts)
    return options


def check(options):
    """Returns Findings about keywords without effect. Raises ValueError for refused ones."""
    for name, reason in REFUSED.items():
        if options.get(name) not in (None, False):
            raise ValueError("%s is not supported: %s" % (name, reason))
    return Findings(options, HONOURED + _MADE + tuple(REFUSED), IGNORED)


def _add(options, keywords):
    """Adds keywords; None means the default to Modal."""
    for name, value in keywords.items():
        if value is not None:
            options[RENAMED.get(name, name)] = value


def _plain_name(name):
    """Returns my-app for My_App."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or None


def _startup_timeout(keywords, web_server):
    """Adds up Modal's limits for the container's start and for its web server's."""
    start = keywords.get("startup_timeout") or keywords.get("timeout")
    server = web_server.get("startup_timeout")
    if start is None and server is None:
        return None
    times = [_DEFAULT_TIMEOUT if start is None else start, server or 0]
    unknown = [one for one in times if not isinstance(one, (int, float))]
    return unknown[0] if unknown else sum(times)


def unknown_secrets(keywords, app):
    """Returns the names of secrets whose variables only Modal knows."""
    given = [app.secrets, keywords.get("secrets")]
    secrets = [one for some in given if isinstance(some, (list, tuple)) for one in some]
    named = [one for one in secrets if getattr(one, "name", None) is not None]
    return [one.name for one in named if not one.required_keys]


def _variables_of(of_app, of_function):
    """Returns the variables that secrets are known to hold."""
    if not isinstance(of_app, (list, tuple)):
        return of_app
    if not isinstance(of_function, (list, tuple)):
        return of_function
    names = []
    for secret in list(of_app) + list(of_function):
        if not hasattr(secret, "required_keys"):
            return secret
        names += [name for name in secret.required_keys if name not in names]
    return names


def _add_server(options, parts):
    """Adds uvicorn, which Modal's own containers include."""
    image = options.get("image")
    if "wsgi_app" not in parts and getattr(image, "installs_packages", False):
        options["image"] = image.pip_install("uvicorn")
