"""Keywords of fal's and our decorators, shared with the static reader."""

from deployctl._findings import Findings, close_match

_ENVIRONMENT = ("python_version", "requirements", "resolver", "force")

# Environment keywords by kind of fal function.
_FAL_KINDS = {
    "virtualenv": _ENVIRONMENT,
    "container": ("image",) + _ENVIRONMENT,
    "conda": ("python_version", "env_dict", "env_yml_str", "packages", "pip", "channels"),
    "local": (),
}

# Supported keywords of all kinds.
_FAL_HONOURED = (
    "serve",
    "exposed_port",
    "machine_type",
    "machine_types",
    "num_gpus",
    "keep_alive",
    "max_concurrency",
    "min_concurrency",
    "concurrency_buffer",
    "concurrency_buffer_perc",
    "scaling_delay",
    "max_multiplexing",
    "request_timeout",
    "startup_timeout",
    "termination_grace_period_seconds",
    "secrets",
    "app_files",
    "metadata",
)

# Accepted keywords without effect here.
_FAL_IGNORED = (
    "regions",
    "setup_function",
    "metrics_port",
    "private_logs",
    "app_files_ignore",
    "app_files_context_dir",
    "health_check_config",
    "skip_retry_conditions",
    "retry_config",
    "data_mounts",
    "requirements_context_dir",
    "_base_image",
    "_scheduler",
    "_scheduler_options",
    "resolver",
    "force",
    "python_version",
    "env_dict",
    "env_yml_str",
    "packages",
    "pip",
    "channels",
)

_FAL_APP = ("app_name", "app_auth", "kind", "image", "host_kwargs", "local_python_modules")

_OWN = (
    "port",
    "gpu",
    "machine_type",
    "num_gpus",
    "health_path",
    "name",
    "auth",
    "max_multiplexing",
    "min_concurrency",
    "max_concurrency",
    "concurrency_buffer",
    "concurrency_buffer_perc",
    "target_utilization",
    "scaling_delay",
    "keep_alive",
    "max_starting",
    "startup_timeout",
    "request_timeout",
    "drain_timeout",
    "termination_grace",
    "requirements",
    "env",
    "secrets",
    "files",
    "cold_start",
    "no_wake_paths",
    "sse_keepalive",
    "models_cache",
    "early_stream",
    "port_rewrite",
    "upstream_authorization",
    "serve",
)


def check_fal_function(kind, keywords):
    """Returns Findings about keywords without effect. Raises ValueError for an unknown kind."""
    if kind not in _FAL_KINDS:
        raise ValueError(
            "kind=%r is not one of %s" % (kind, ", ".join(sorted(_FAL_KINDS)))
        )
    of_kinds = {name for names in _FAL_KINDS.values() for name in names}
    honoured = set(_FAL_HONOURED) | set(_FAL_KINDS[kind]) - set(_FAL_IGNORED)
    return Findings(keywords, honoured, set(_FAL_IGNORED) | of_kinds - honoured)


def check_fal_app(keywords):
    """Returns Findings about the keywords of a class that derives from fal.App."""
    ignored = set(_FAL_IGNORED)
    return Findings(keywords, (set(_FAL_HONOURED) | set(_FAL_APP) | set(_ENVIRONMENT)) - ignored, ignored)


def is_fal_app_attribute(name):
    """Returns True for a class attribute that is an option."""
    return name in _FAL_HONOURED or name in _FAL_IGNORED or name in _FAL_APP or name in _ENVIRONMENT


def check_own(keywords):
    """Returns Findings about the keywords of @deployctl.app, which all have an effect. Raises
    ValueError for an unknown one.
    """
    for name in keywords:
        if name not in _OWN:
            raise ValueError("unknown keyword %s%s" % (name, close_match(name, _OWN)))
    return Findings(keywords, _OWN, ())
