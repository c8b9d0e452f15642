"""Keywords of the decorators, shared with the static reader."""

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
    "health_status",
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
    """Returns the names of keywords without effect here. Raises ValueError for one that fal lacks."""
    if kind not in _FAL_KINDS:
        raise ValueError(
            "kind=%r is not one of %s" % (kind, ", ".join(sorted(_FAL_KINDS)))
        )
    anywhere = set(_FAL_HONOURED) | set(_FAL_IGNORED)
    of_kinds = {name for names in _FAL_KINDS.values() for name in names}
    allowed = (anywhere - of_kinds) | set(_FAL_KINDS[kind])
    for name in keywords:
        if name in allowed:
            continue
        if name in of_kinds:
            kinds = sorted(one for one, names in _FAL_KINDS.items() if name in names)
            raise ValueError(
                "%s is not a keyword of kind=%r; it belongs to %s" % (name, kind, ", ".join(kinds))
            )
        raise ValueError(_unknown(name, allowed))
    return [name for name in keywords if name in _FAL_IGNORED]


def check_fal_app(keywords):
    """Checks the keywords of a class that derives from fal.App, likewise."""
    allowed = set(_FAL_HONOURED) | set(_FAL_IGNORED) | set(_FAL_APP) | set(_ENVIRONMENT)
    for name in keywords:
        if name not in allowed:
            raise ValueError(_unknown(name, allowed))
    return [name for name in keywords if name in _FAL_IGNORED]


def is_fal_app_attribute(name):
    """Returns True for a class attribute that is an option."""
    return name in _FAL_HONOURED or name in _FAL_IGNORED or name in _FAL_APP or name in _ENVIRONMENT


def check_own(keywords):
    """Checks the keywords of @deployctl.app, likewise; all of them have an effect."""
    for name in keywords:
        if name not in _OWN:
            raise ValueError(_unknown(name, _OWN))
    return []


def ignored_sentence(names):
    """Describes keywords without effect."""
    verb = "has" if len(names) == 1 else "have"
    return "%s %s no effect here" % (", ".join(names), verb)


def _unknown(name, allowed):
    import difflib  # imported late, as every Python of a replica loads this file

    near = difflib.get_close_matches(name, sorted(allowed), 1)
    return "unknown keyword %s%s" % (name, "; did you mean %s?" % near[0] if near else "")
